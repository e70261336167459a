package explain

import (
	"math/rand/v2"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/explain/scheduler"
)

// Whatever cannot be listed, a verdict is the unrestricted one or Unknown.
func TestVerdictsWithoutAResourceAreTheSameOrUnknown(t *testing.T) {
	for _, resource := range scheduler.Resources() {
		t.Run(resource, func(t *testing.T) {
			for seed := range seeds(t) / 5 {
				d := dice(rand.New(rand.NewPCG(seed, 3)).IntN)
				c := newRandomCluster(d, 1+d(6), d(20), 8)
				whole := startEngine(t, Options{}, c.Objects()...)
				part := startEngineForbidding(t, Options{}, []string{resource}, c.Objects()...)
				for _, pod := range c.Pending {
					compareVerdicts(t, mustExplain(t, whole, pod), mustExplain(t, part, pod), resource)
				}
			}
		})
	}
}

func compareVerdicts(t *testing.T, want, got *report.Report, resource string) {
	t.Helper()
	name := got.Pod.Namespace + "/" + got.Pod.Name
	if got.Verdict == report.Unknown {
		if len(got.Unknown) == 0 {
			t.Errorf("%s: unknown without saying what", name)
		}
		return
	}
	if got.Verdict != want.Verdict {
		t.Errorf("%s: %s without %s, %s with it", name, got.Verdict, resource, want.Verdict)
	}
	if got.SchedulerMessage != "" && got.SchedulerMessage != want.SchedulerMessage {
		t.Errorf("%s without %s:\n got %q\nwant %q", name, resource, got.SchedulerMessage, want.SchedulerMessage)
	}
	for i, node := range got.Nodes {
		if node.Fits != nil && *node.Fits != *want.Nodes[i].Fits {
			t.Errorf("%s on %s: fits %t without %s", name, node.Name, *node.Fits, resource)
		}
	}
}

// Pods that use nothing of a resource stay decided without it.
func TestPodsThatDoNotUseAResourceStayDecided(t *testing.T) {
	for _, resource := range scheduler.Resources() {
		if resource == "nodes" || resource == "pods" {
			continue
		}
		t.Run(resource, func(t *testing.T) {
			fits, large := aPod("fits", "1"), aPod("large", "64", priority(10))
			e := startEngineForbidding(t, Options{}, []string{resource}, aNode("a", "4"), aPod("held", "3", on("a")), fits, large)
			if r := mustExplain(t, e, fits); r.Verdict != report.Schedulable || len(r.Unknown) > 0 {
				t.Errorf("a plain pod is %s, unknown %v", r.Verdict, r.Unknown)
			}
			if r := mustExplain(t, e, large); r.Verdict != report.Unschedulable || r.SchedulerMessage == "" || len(r.Unknown) > 0 {
				t.Errorf("a large pod is %s, message %q, unknown %v", r.Verdict, r.SchedulerMessage, r.Unknown)
			}
		})
	}
}

func TestUnreadResourceLeavesOpenThePluginsThatReadIt(t *testing.T) {
	claims := func(p *corev1.Pod) {
		p.Spec.Volumes = []corev1.Volume{{Name: "data", VolumeSource: corev1.VolumeSource{
			PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: "data"},
		}}}
	}
	devices := func(p *corev1.Pod) {
		p.Spec.ResourceClaims = []corev1.PodResourceClaim{{Name: "gpu", ResourceClaimName: new("gpu")}}
	}
	extended := func(p *corev1.Pod) {
		p.Spec.Containers[0].Resources.Requests["example.com/gpu"] = *resourceQuantity("1")
	}
	for _, test := range []struct {
		resource string
		pod      func(*corev1.Pod)
		plugin   string
	}{
		{"persistentvolumeclaims", claims, "VolumeBinding"},
		{"resourceclaims", devices, "DynamicResources"},
		{"deviceclasses", extended, "NodeResourcesFit"},
		{"pods", func(*corev1.Pod) {}, "NodeResourcesFit"},
	} {
		t.Run(test.resource, func(t *testing.T) {
			pod := aPod("asks", "1", test.pod)
			e := startEngineForbidding(t, Options{}, []string{test.resource}, aNode("a", "4"))
			r := mustExplain(t, e, pod)
			if r.Verdict != report.Unknown || r.SchedulerMessage != "" {
				t.Errorf("verdict %s, message %q", r.Verdict, r.SchedulerMessage)
			}
			found := false
			for _, part := range r.Unknown {
				for _, plugin := range part.Plugins {
					found = found || (plugin == test.plugin && part.Resource == test.resource && part.Why == "not allowed to list "+test.resource)
				}
			}
			if !found {
				t.Errorf("%s is not said to be open: %+v", test.plugin, r.Unknown)
			}
		})
	}
}

func TestWithoutNodesTheSchedulersWordsAreTold(t *testing.T) {
	pod := aPod("waits", "1", func(p *corev1.Pod) {
		p.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Message: "0/12 nodes are available"}}
	})
	gated := aPod("gated", "1", func(p *corev1.Pod) { p.Spec.SchedulingGates = []corev1.PodSchedulingGate{{Name: "example.com/budget"}} })
	e := startEngineForbidding(t, Options{}, []string{"nodes"}, pod, gated)
	r := mustExplain(t, e, pod)
	if r.Verdict != report.Unknown || r.Observed.Message != "0/12 nodes are available" || r.SchedulerMessage != "" || r.Observed.Agrees != nil {
		t.Errorf("got %s, %+v, %q", r.Verdict, r.Observed, r.SchedulerMessage)
	}
	if r := mustExplain(t, e, gated); r.Verdict != report.Gated {
		t.Errorf("a gated pod is %s", r.Verdict)
	}
}

// Budgets only decide whom preemption ends.
func TestWithoutBudgetsOnlyPreemptionIsOpen(t *testing.T) {
	pod := aPod("urgent", "4", priority(100))
	e := startEngineForbidding(t, Options{}, []string{"poddisruptionbudgets"}, aNode("a", "4"), aPod("idle", "3", on("a")), pod)
	r := mustExplain(t, e, pod)
	if r.Verdict != report.Unschedulable || r.SchedulerMessage != "" {
		t.Errorf("got %s, message %q", r.Verdict, r.SchedulerMessage)
	}
	if len(r.Unknown) != 1 || r.Unknown[0].Plugins[0] != "DefaultPreemption" || !r.Preemption.Possible || r.Preemption.Node != "" {
		t.Errorf("got unknown %+v, preemption %+v", r.Unknown, r.Preemption)
	}
}

func TestPodsOfOneNamespaceLeaveRoomUnknown(t *testing.T) {
	spread := aPod("spread", "1", func(p *corev1.Pod) {
		p.Spec.TopologySpreadConstraints = []corev1.TopologySpreadConstraint{{MaxSkew: 1, TopologyKey: corev1.LabelHostname, WhenUnsatisfiable: corev1.DoNotSchedule}}
	})
	selective := aPod("selective", "1", func(p *corev1.Pod) { p.Spec.NodeSelector = map[string]string{"disktype": "ssd"} })
	e := startEngine(t, Options{Namespace: "default"}, aNode("a", "4"))
	r := mustExplain(t, e, spread)
	if r.Verdict != report.Unknown || len(r.Unknown) != 1 || r.Unknown[0].Why != "only the pods of namespace default are known" {
		t.Errorf("got %s, %+v", r.Verdict, r.Unknown)
	}
	for _, plugin := range r.Unknown[0].Plugins {
		if plugin == "PodTopologySpread" {
			t.Error("spread counts pods of the pod's own namespace, which were read")
		}
	}
	if r := mustExplain(t, e, selective); r.Verdict != report.Unschedulable {
		t.Errorf("a pod that no node's labels suit is %s", r.Verdict)
	}
}
