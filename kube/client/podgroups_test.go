package client

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	schedulingv1beta1 "k8s.io/api/scheduling/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/kubectl-fathom/kubectl-fathom/kube/cluster"
)

// member is a pod that names PodGroup train.
func member() *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: "dev", Name: "train-0", UID: "train-0"},
		Spec:       corev1.PodSpec{SchedulingGroup: &corev1.PodSchedulingGroup{PodGroupName: new("train")}},
	}
}

func TestPodGroupsAreReadOnceAPodNamesOne(t *testing.T) {
	for _, c := range []struct {
		name   string
		server func(*apiserver)
		want   cluster.PodGroups
		groups int
	}{
		{"served", func(s *apiserver) {
			s.absent["compositepodgroups"] = true
			s.objects["podgroups"] = []runtime.Object{&schedulingv1beta1.PodGroup{ObjectMeta: metav1.ObjectMeta{Namespace: "dev", Name: "train"}}}
		}, cluster.PodGroups{}, 1},
		{"not served", func(s *apiserver) { s.absent["podgroups"], s.absent["compositepodgroups"] = true, true }, cluster.PodGroups{Unread: "the server does not serve podgroups"}, 0},
		{"in another version", func(s *apiserver) {
			s.absent["podgroups"], s.absent["compositepodgroups"], s.older["scheduling.k8s.io"] = true, true, "v1alpha2"
		}, cluster.PodGroups{Unread: "the server does not serve the version of podgroups that fathom reads, scheduling.k8s.io/v1beta1"}, 0},
		{"forbidden", func(s *apiserver) {
			s.forbid = func(_, _, resource string) bool {
				return resource == "podgroups" || resource == "compositepodgroups"
			}
		}, cluster.PodGroups{Unread: "not allowed to list podgroups", CompositeUnread: "not allowed to list compositepodgroups"}, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			server := newAPIServer(t)
			server.fill(3)
			c.server(server)
			client := server.open(t)
			first := start(t, client)
			if asked := server.asked("podgroups"); first.PodGroups != nil || len(asked) > 0 || isClosed(first.Stale) {
				t.Fatalf("no pod names one, and it asked %q", asked)
			}
			server.tell("pods", watch.Added, member())
			select {
			case <-first.Stale:
			case <-time.After(time.Minute):
				t.Fatal("the pod went unnoticed")
			}
			next := start(t, client)
			if next.PodGroups == nil || *next.PodGroups != c.want {
				t.Fatalf("%+v, want %+v", next.PodGroups, c.want)
			}
			if isClosed(next.Stale) {
				t.Error("the second source is stale too")
			}
			found, err := next.Factory.Scheduling().V1beta1().PodGroups().Lister().List(labels.Everything())
			if err != nil || len(found) != c.groups {
				t.Errorf("%d PodGroups, %v", len(found), err)
			}
		})
	}
}

func isClosed(done <-chan struct{}) bool {
	select {
	case <-done:
		return true
	default:
		return false
	}
}
