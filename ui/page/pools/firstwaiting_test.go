package pools

import (
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-fathom/kubectl-fathom/model"
)

func TestAPodThatWaitsForANodeComesFirst(t *testing.T) {
	pod := func(name string, edit func(*corev1.Pod)) *model.EquivalenceClass {
		object := &corev1.Pod{}
		object.Namespace, object.Name, object.UID = "shop", name, "uid"
		edit(object)
		return &model.EquivalenceClass{Pods: []*model.Pod{model.NewPod(object)}}
	}
	gated := pod("gated", func(p *corev1.Pod) {
		p.Spec.SchedulingGates = []corev1.PodSchedulingGate{{Name: "hold"}}
		p.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodScheduled, Reason: corev1.PodReasonSchedulingGated}}
	})
	unseen := pod("unseen", func(p *corev1.Pod) { p.Spec.SchedulerName = "volcano" })
	pending := pod("pending", func(p *corev1.Pod) {
		p.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodScheduled, Reason: corev1.PodReasonUnschedulable}}
	})
	for want, kinds := range map[string][]*model.EquivalenceClass{
		"pending": {gated, unseen, pending}, "unseen": {gated, unseen}, "gated": {gated},
	} {
		if got := firstWaiting(kinds); got == nil || got.Name() != want {
			t.Errorf("got %v, want %s", got, want)
		}
	}
	if got := firstWaiting(nil); got != nil {
		t.Errorf("of none it is %v", got)
	}
}
