package ui

import (
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-fathom/kubectl-fathom/ui/page/pods"
)

func TestPhasesOfTheNextSnapshotAreThoseOfACountFromNothing(t *testing.T) {
	c := newProdEU()
	var p pods.Phases
	for step, change := range []func(){
		func() {},
		func() { c.keep(func(p *corev1.Pod) bool { return p.Name != "report-0" }) },
		func() { c.pods = append(c.pods, pod("aa", "first", "1", "1Gi", 0), pod("zz", "last", "1", "1Gi", 0)) },
		func() { c.keep(func(p *corev1.Pod) bool { return p.Namespace != "team-a" }) },
		func() {
			changed := c.pods[0].DeepCopy()
			changed.Status.Phase = corev1.PodSucceeded
			c.pods[0] = changed
		},
		func() { c.pods = nil },
		func() { c.pods = newProdEU().pods },
	} {
		change()
		all := c.snapshot().Pods
		p.Count(all)
		var anew pods.Phases
		anew.Count(all)
		if p.Words() != anew.Words() {
			t.Errorf("step %d: %s, want %s", step, p.Words(), anew.Words())
		}
	}
	if p.Words() != "412 pods: 398 Running, 13 Pending, 1 Failed." {
		t.Errorf("at last %s", p.Words())
	}
}
