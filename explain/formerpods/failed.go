// Package formerpods finds pods that came before a pending one: those of its workload that a kubelet evicted or rejected,
// and those of its name that kube-scheduler preempted.
package formerpods

import (
	"cmp"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/explain/rollout"
	"github.com/kubectl-fathom/kubectl-fathom/explain/scheduler"
	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// Failed are the pods of a pending pod's workload that a kubelet evicted or rejected: those of its controller, and of the
// other ReplicaSets of its Deployment where these can be read. Nil without any, and for a pod that has started.
func Failed(state *scheduler.State, pod *corev1.Pod) *report.FailedPods {
	owner := metav1.GetControllerOfNoCopy(pod)
	if owner == nil || scheduler.Terminal(pod) || pod.Spec.NodeName != "" && model.Started(pod) {
		return nil
	}
	told, counts := report.FailedPods{}, map[string]int{}
	var last *corev1.Pod
	for _, controller := range controllersOf(state, pod.Namespace, owner) {
		for _, other := range state.Index.ControlledBy(controller) {
			if !model.FailedByKubelet(other) || other.Namespace != pod.Namespace {
				continue
			}
			told.Count++
			counts[other.Status.Reason]++
			if last == nil || cmp.Or(model.FailedAt(last).Compare(model.FailedAt(other)), cmp.Compare(other.Name, last.Name)) < 0 {
				last = other
			}
		}
	}
	if last == nil {
		return nil
	}
	for reason, count := range counts {
		told.Reasons = append(told.Reasons, report.FailedReason{Reason: reason, Count: count})
	}
	slices.SortFunc(told.Reasons, func(a, b report.FailedReason) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Reason, b.Reason))
	})
	told.Last = report.FailedPod{Name: last.Name, Node: last.Spec.NodeName, Reason: last.Status.Reason, Message: last.Status.Message}
	if at := model.FailedAt(last); !at.IsZero() {
		told.Last.At = new(metav1.NewTime(at))
	}
	return &told
}

// controllersOf are a controller and, of a ReplicaSet of a Deployment, the Deployment's other ReplicaSets.
func controllersOf(state *scheduler.State, namespace string, owner *metav1.OwnerReference) []types.UID {
	all := []types.UID{owner.UID}
	if owner.Kind != "ReplicaSet" {
		return all
	}
	_, others := rollout.Siblings(state, namespace, owner)
	for _, set := range others {
		all = append(all, set.UID)
	}
	return all
}
