package cluster

import (
	"bytes"
	"context"
	"encoding/json"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/kube/custom"
)

// nominationKey is a nomination of a pod.
type nominationKey struct {
	pod  types.UID
	node string
}

// nominatorOf asks who set the nominatedNodeName of a pod, by its managed fields, which informers drop; at
// most 15 s late, and nil where they do not tell.
func nominatorOf(ctx context.Context, a *CachedReader, pod *corev1.Pod) *report.Nominator {
	key := nominationKey{pod.UID, pod.Status.NominatedNodeName}
	found, _ := a.nominators.of(ctx, key, func() *report.Nominator {
		whole, err := a.options.Client.CoreV1().Pods(pod.Namespace).Get(ctx, pod.Name, metav1.GetOptions{})
		switch {
		case apierrors.IsNotFound(err):
			return nil
		case err != nil:
			return &report.Nominator{Unread: custom.Why(a.options.Words, "get", "pods", err)}
		case whole.UID != pod.UID || whole.Status.NominatedNodeName != pod.Status.NominatedNodeName:
			return nil // it is another by now
		}
		return nominatorIn(whole.ManagedFields)
	})
	return found
}

// nominatorIn is the manager that owns status.nominatedNodeName; of several, which all set the same value,
// the last one. Nil where none does.
func nominatorIn(fields []metav1.ManagedFieldsEntry) *report.Nominator {
	var found *report.Nominator
	for i := range fields {
		entry := &fields[i]
		if !owns(entry, "f:status", "f:nominatedNodeName") {
			continue
		}
		if found == nil || entry.Time != nil && found.At.Before(entry.Time) {
			found = &report.Nominator{Manager: entry.Manager}
			if entry.Time != nil {
				found.At = *entry.Time
			}
		}
	}
	return found
}

// owns reports whether an entry has a field, by its path in FieldsV1.
func owns(entry *metav1.ManagedFieldsEntry, path ...string) bool {
	if entry.FieldsV1 == nil {
		return false
	}
	raw := json.RawMessage(entry.FieldsV1.GetRawBytes())
	for _, name := range path {
		var of map[string]json.RawMessage
		if json.NewDecoder(bytes.NewReader(raw)).Decode(&of) != nil {
			return false
		}
		next, has := of[name]
		if !has {
			return false
		}
		raw = next
	}
	return true
}
