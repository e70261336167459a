package plugins

import (
	corev1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"

	"github.com/kubectl-fathom/kubectl-fathom/explain/quantity"
	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// Tell words what one plugin has against some nodes, closest first.
func Tell(q *Question, rs []NodeRejection) report.Rejection {
	status := rs[0].Status
	told := report.Rejection{
		Plugin:     rs[0].Plugin,
		Reason:     rs[0].OwnReason(),
		Resolvable: status.Code() == fwk.Unschedulable,
		Numbers:    []report.Number{},
		Cause:      causeOf(q, rs[0]),
	}
	told.What, told.Short = told.Reason, told.Reason
	explainer := Explainers[told.Plugin]
	if explainer.Words != nil {
		if w := explainer.Words(q, rs); w.What != "" {
			told.What, told.Short, told.Bar, told.Wider, told.Nearest = w.What, w.Short, w.Bar, w.Wider, w.Nearest
		}
	}
	if told.Bar == "" {
		told.Bar = told.Short
	}
	if told.Wider == nil && len(rs) > 1 {
		told.Wider = WithNames(rs, told.Short)
	}
	switch told.Plugin {
	case names.TaintToleration:
		told.Taints = Untolerated(q, rs[0])
	case names.PodTopologySpread:
		told.Fewest, told.TooFew = fewestOf(Skews(q, rs[0])), tooFewOf(Skews(q, rs[0]))
	}
	if explainer.Figures != nil && rs[0].Node != nil {
		told.Numbers = numbers(q, explainer.Figures, rs)
	}
	return told
}

// numbers merges the figures of some nodes into ranges, by resource.
func numbers(q *Question, figures func(*Question, NodeRejection) []Figure, rs []NodeRejection) []report.Number {
	var order []corev1.ResourceName
	spans := map[corev1.ResourceName]*Extent{}
	for _, r := range rs {
		for _, f := range figures(q, r) {
			s, ok := spans[f.Resource]
			if !ok {
				order = append(order, f.Resource)
				spans[f.Resource] = &Extent{Least: f, Greatest: f}
				continue
			}
			s.Widen(f)
		}
	}
	told := make([]report.Number, 0, len(order))
	for _, name := range order {
		s := spans[name]
		told = append(told, report.Number{
			Resource:    string(name),
			Wanted:      quantity.CanonicalRange(name, s.Least.Wanted, s.Greatest.Wanted),
			Requested:   quantity.CanonicalRange(name, s.Least.Requested, s.Greatest.Requested),
			Allocatable: quantity.CanonicalRange(name, s.Least.Allocatable, s.Greatest.Allocatable),
			Short:       quantity.CanonicalRange(name, s.Least.Short, s.Greatest.Short),
		})
	}
	return told
}

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
