package explain

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
)

func TestNodeThatRefusesForThreeReasonsShowsThree(t *testing.T) {
	pod := aPod("web", "4", func(p *corev1.Pod) { p.Spec.NodeSelector = map[string]string{"disktype": "ssd"} })
	e := startEngine(t, Options{}, aNode("a", "2", tainted("dedicated", "gpu", corev1.TaintEffectNoSchedule)), pod)
	r := mustExplain(t, e, pod)
	if r.Verdict != Unschedulable || len(r.Nodes) != 1 || len(r.Nodes[0].Refusals) != 3 {
		t.Fatalf("got %s with %+v", r.Verdict, r.Nodes)
	}
	want := "0/1 nodes are available: 1 node(s) had untolerated taint(s). preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling."
	if r.SchedulerMessage != want {
		t.Errorf("message %q, want %q", r.SchedulerMessage, want)
	}
}
