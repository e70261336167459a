package act

import (
	"context"
	"fmt"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// presence is whether a pod exists.
type presence int

const (
	unseen presence = iota // unknown
	there
	gone // it does not exist, or another pod has its name
)

// look asks the server about one pod, if the snapshot does not show it.
func look(ctx context.Context, client kubernetes.Interface, ref model.Ref) (presence, error) {
	ctx, cancel := context.WithTimeout(ctx, askingTime)
	defer cancel()
	pod, err := client.CoreV1().Pods(ref.Namespace).Get(ctx, ref.Name, metav1.GetOptions{})
	switch {
	case apierrors.IsNotFound(err), err == nil && pod.UID != ref.UID:
		return gone, nil
	case err != nil:
		return unseen, fmt.Errorf("read pod %s: %w", ref.Words(), err)
	}
	return there, nil
}

// seen is what a snapshot shows of a pod. One that is missing in a list that is
// incomplete or old may still exist.
func seen(snapshot *model.Snapshot, ref model.Ref) (*model.Pod, presence) {
	pod, found := snapshot.PodNamed(ref.Namespace, ref.Name)
	switch {
	case found && pod.Object.UID == ref.UID:
		return pod, there
	case !trusted(snapshot, ref.Namespace):
		return nil, unseen
	}
	return nil, gone
}

// trusted reports whether a snapshot has every pod of a namespace as it is now.
func trusted(snapshot *model.Snapshot, namespace string) bool {
	status := &snapshot.Status
	_, reading := status.Reading["pods"]
	switch {
	case reading, !status.Connection.Live:
		return false
	case status.Namespace != "" && status.Namespace != namespace:
		return false
	}
	return !slices.ContainsFunc(status.Unread, func(u model.Unread) bool { return u.Resource == "pods" })
}
