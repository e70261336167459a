package plugins

import (
	corev1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"github.com/kubectl-fathom/kubectl-fathom/explain/quantity"
	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
)

// Tell words what one plugin has against some nodes, closest first.
func Tell(q *Question, rs []Refused) report.Refusal {
	status := rs[0].Status
	told := report.Refusal{
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
			told.What, told.Short, told.Bar, told.Wider = w.What, w.Short, w.Bar, w.Wider
		}
	}
	if told.Bar == "" {
		told.Bar = told.Short
	}
	if told.Wider == nil && len(rs) > 1 {
		told.Wider = WithNames(rs, told.Short)
	}
	if explainer.Figures != nil && rs[0].Node != nil {
		told.Numbers = numbers(q, explainer.Figures, rs)
	}
	return told
}

// numbers merges the figures of some nodes into ranges, by resource.
func numbers(q *Question, figures func(*Question, Refused) []Figure, rs []Refused) []report.Number {
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
