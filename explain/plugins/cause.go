package plugins

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// causes are what plugins reject nodes for, where their explainer has no Cause.
var causes = map[string]string{
	names.NodeUnschedulable:    report.CordonWord,
	names.NodeName:             "node name",
	names.NodePorts:            "host port",
	names.PodTopologySpread:    "spread",
	names.NodeVolumeLimits:     "volume limit",
	names.DynamicResources:     "device",
	names.NodeDeclaredFeatures: "feature",
	names.GangScheduling:       "pod group",
}

// causeOf is what one rejection is about, in a word or two: "cpu", "taint", "volume".
// A plugin that is not of kube-scheduler has its own name.
func causeOf(q *Question, r NodeRejection) string {
	if find := Explainers[r.Plugin].Cause; find != nil {
		return find(q, r)
	}
	if cause, ok := causes[r.Plugin]; ok {
		return cause
	}
	return r.Plugin
}

// fitCause is the first resource that the node lacks.
func fitCause(q *Question, r NodeRejection) string {
	if short := Shortages(q, r); len(short) > 0 {
		return model.ResourceWord(short[0].Resource)
	}
	return "resources"
}

// taintCause tells a taint that somebody set from one that repeats the node's state.
func taintCause(q *Question, r NodeRejection) string {
	taints := Untolerated(q, r)
	if len(taints) == 0 {
		return "taint"
	}
	switch taints[0].Key {
	case corev1.TaintNodeUnschedulable:
		return report.CordonWord
	case corev1.TaintNodeNotReady, corev1.TaintNodeUnreachable:
		return "NotReady"
	case corev1.TaintNodeMemoryPressure, corev1.TaintNodeDiskPressure, corev1.TaintNodePIDPressure:
		return "pressure"
	}
	return "taint"
}

// nodeAffinityCause tells the node selector from node affinity.
func nodeAffinityCause(q *Question, r NodeRejection) string {
	if unmet := UnmetOf(q, r); !unmet.Added && len(unmet.Pairs) > 0 {
		return "node selector"
	}
	return "node affinity"
}

// podAffinityCause tells affinity from anti-affinity, the pod's or that of others.
func podAffinityCause(q *Question, r NodeRejection) string {
	if clashes := Clashes(q, r); len(clashes) > 0 && clashes[0].Rule != Together {
		return "anti-affinity"
	}
	return "pod affinity"
}

// volumeCause tells a claim, for which all nodes are rejected, from its volume.
func volumeCause(_ *Question, r NodeRejection) string {
	if r.Node == nil {
		return "claim"
	}
	return "volume"
}

// Cause is what holds the pod, in a word or two.
func (g GateRejection) Cause(q *Question) string {
	switch controller, held := QueueControllerOf(q.Pod); {
	case g.Plugin == names.SchedulingGates && held:
		return controller.Cause
	case g.Plugin == names.SchedulingGates:
		return "gate"
	case causes[g.Plugin] != "":
		return causes[g.Plugin]
	}
	return g.Plugin
}
