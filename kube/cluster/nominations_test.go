package cluster

import (
	"errors"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
)

// manages is an entry of managedFields.
func manages(manager, fields string, at time.Time) metav1.ManagedFieldsEntry {
	return metav1.ManagedFieldsEntry{Manager: manager, Operation: metav1.ManagedFieldsOperationUpdate, Subresource: "status", Time: &metav1.Time{Time: at}, FieldsV1: metav1.NewFieldsV1(fields)}
}

func TestWhoNominatedAPodIsReadFromItsManagedFields(t *testing.T) {
	const nominates, conditions = `{"f:status":{"f:conditions":{},"f:nominatedNodeName":{}}}`, `{"f:status":{"f:conditions":{}}}`
	at := time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC)
	for name, c := range map[string]struct {
		fields []metav1.ManagedFieldsEntry
		want   string
	}{
		"one":           {[]metav1.ManagedFieldsEntry{manages("kubelet", conditions, at), manages("kube-scheduler", nominates, at)}, "kube-scheduler"},
		"the last":      {[]metav1.ManagedFieldsEntry{manages("cluster-autoscaler", nominates, at.Add(time.Minute)), manages("kube-scheduler", nominates, at)}, "cluster-autoscaler"},
		"no time":       {[]metav1.ManagedFieldsEntry{{Manager: "karpenter", FieldsV1: metav1.NewFieldsV1(nominates)}}, "karpenter"},
		"nobody":        {[]metav1.ManagedFieldsEntry{manages("kubelet", conditions, at)}, ""},
		"none":          {nil, ""},
		"no fields":     {[]metav1.ManagedFieldsEntry{{Manager: "x"}}, ""},
		"broken fields": {[]metav1.ManagedFieldsEntry{manages("x", `{"f:status":`, at)}, ""},
	} {
		got := ""
		if n := nominatorIn(c.fields); n != nil {
			got = n.Manager
		}
		if got != c.want {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
}

func TestOnePodIsAskedForToFindWhoNominatedIt(t *testing.T) {
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "web", UID: "web"}, Status: corev1.PodStatus{NominatedNodeName: "a"}}
	there := pod.DeepCopy()
	there.ManagedFields = []metav1.ManagedFieldsEntry{manages("cluster-autoscaler", `{"f:status":{"f:nominatedNodeName":{}}}`, time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC))}
	moved := there.DeepCopy()
	moved.Status.NominatedNodeName = "b"
	forbidden := apierrors.NewForbidden(schema.GroupResource{Resource: "pods"}, "web", errors.New("no"))
	for name, c := range map[string]struct {
		there   *corev1.Pod
		failing error
		want    *report.Nominator
	}{
		"as it was":   {there, nil, &report.Nominator{Manager: "cluster-autoscaler"}},
		"another now": {moved, nil, nil},
		"gone":        {nil, nil, nil},
		"not allowed": {there, forbidden, &report.Nominator{Unread: "not allowed to get pods"}},
	} {
		t.Run(name, func(t *testing.T) {
			var objects []runtime.Object
			if c.there != nil {
				objects = append(objects, c.there)
			}
			client := fake.NewSimpleClientset(objects...)
			if c.failing != nil {
				client.PrependReactor("get", "pods", func(clienttesting.Action) (bool, runtime.Object, error) { return true, nil, c.failing })
			}
			asker := NewCachedReader(CachedReaderOptions{Client: client})
			for range 2 { // the second answer is remembered
				got := nominatorOf(t.Context(), asker, pod)
				if (got == nil) != (c.want == nil) || got != nil && (got.Manager != c.want.Manager || got.Unread != c.want.Unread) {
					t.Errorf("got %+v, want %+v", got, c.want)
				}
			}
			if asked := len(client.Actions()); asked != 1 {
				t.Errorf("%d requests", asked)
			}
		})
	}
}
