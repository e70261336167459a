package plugins

import (
	"cmp"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"

	"github.com/kubectl-fathom/kubectl-fathom/explain/quantity"
	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
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

// Reason is one reason why a plugin rejects a node, or all nodes at once.
type Reason struct {
	kind  string        // a clause that holds for all nodes of one group
	short string        // the same with the node's figures and names
	What  func() string // a sentence without the node's name
	share float64       // how far the node is from passing, below 1; 0: not a matter of degree
}

// newReason is a reason whose clause is the same for all nodes.
func newReason(short string, what func() string) Reason {
	return Reason{kind: short, short: short, What: what}
}

// plainReason is a reason whose clause is also its sentence.
func plainReason(short string) Reason {
	return newReason(short, func() string { return short })
}

// reasonShape is what rejections for the same reasons have in common.
func reasonShape(reasons []Reason) string {
	if len(reasons) == 1 {
		return reasons[0].kind
	}
	var kinds []string
	for _, f := range reasons {
		kinds = append(kinds, f.kind)
	}
	return strings.Join(kinds, "; ")
}

// reasonWords tells rejections by their reasons; the plugin's own reason stands
// where none was found.
func reasonWords(rs []NodeRejection, find func(NodeRejection) []Reason) Words {
	reasons := find(rs[0])
	if len(reasons) == 0 {
		return reasonOnly(rs)
	}
	w := Words{
		What: sentences(rs, func(r NodeRejection) string {
			var all []string
			for _, f := range find(r) {
				if said := f.What(); !slices.Contains(all, said) {
					all = append(all, said)
				}
			}
			return strings.Join(all, "; ")
		}),
		Short: shortReasons(reasons),
	}
	differs := func(r NodeRejection) bool { return shortReasons(find(r)) != w.Short }
	if slices.ContainsFunc(rs, differs) {
		if worstShareOf(reasons) < 1 {
			w.Nearest = w.Short
		}
		w.Short, w.Wider = reasonShape(reasons), byClause(rs, func(r NodeRejection) string { return shortReasons(find(r)) })
	}
	return w
}

// worstShareOf is how far the worst of the reasons is from passing, as a share of what is wanted: 1 where that is not a
// matter of degree.
func worstShareOf(reasons []Reason) float64 {
	worst := 0.0
	for _, reason := range reasons {
		worst = max(worst, cmp.Or(reason.share, 1))
	}
	return cmp.Or(worst, 1)
}

// shortReasons are the clauses of reasons, each once.
func shortReasons(reasons []Reason) string {
	var all []string
	for _, f := range reasons {
		if !slices.Contains(all, f.short) {
			all = append(all, f.short)
		}
	}
	return strings.Join(all, "; ")
}
