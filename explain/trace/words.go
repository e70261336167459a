package trace

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"

	"github.com/kubectl-fathom/kubectl-fathom/explain/plugins"
	"github.com/kubectl-fathom/kubectl-fathom/explain/quantity"
	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
)

// tell words the nodes that plugin k excludes.
func (w *stages) tell(step *report.Step, k int, drop []int) {
	all := make([]plugins.NodeRejection, len(drop))
	for n, i := range drop {
		all[n] = w.Matrix.Rejection(k, i)
	}
	of := exclusion{question: w.Question, plugin: w.Profile.Plugins[k].Name}
	step.What, step.Detail, step.Nodes = of.words(all)
}

// exclusion words the nodes that one plugin excludes.
type exclusion struct {
	question *plugins.Question
	plugin   string
}

// words groups nodes by why the plugin rejects them, the largest group first: a
// clause, sentences, and their names in that order.
func (e exclusion) words(all []plugins.NodeRejection) (what, detail string, nodes []string) {
	groups := map[string][]plugins.NodeRejection{}
	var order []string
	for _, r := range all {
		shape := e.shapeOf(r)
		if groups[shape] == nil {
			order = append(order, shape)
		}
		groups[shape] = append(groups[shape], r)
	}
	for _, rs := range groups {
		slices.SortFunc(rs, func(a, b plugins.NodeRejection) int {
			return cmp.Or(cmp.Compare(plugins.Explainers[a.Plugin].Distance(e.question, a), plugins.Explainers[b.Plugin].Distance(e.question, b)), strings.Compare(a.Name(), b.Name()))
		})
	}
	slices.SortFunc(order, func(a, b string) int {
		return cmp.Or(cmp.Compare(len(groups[b]), len(groups[a])), strings.Compare(a, b))
	})
	var clauses, sentences []string
	rest := len(all)
	for n, shape := range order {
		rs := groups[shape]
		for _, r := range rs {
			nodes = append(nodes, r.Name())
		}
		if n < grammar.Few {
			rest -= len(rs)
			clauses = append(clauses, e.clauseOf(rs, len(all)))
			sentences = append(sentences, e.sentenceOf(rs))
		}
	}
	if rest > 0 {
		clauses = append(clauses, fmt.Sprintf("%d for other reasons", rest))
	}
	return strings.Join(clauses, "; "), strings.Join(sentences, ". ") + ".", nodes
}

// shapeOf is what nodes have in common that one clause covers.
func (e exclusion) shapeOf(r plugins.NodeRejection) string {
	switch explainer := plugins.Explainers[e.plugin]; {
	case e.plugin == names.NodeAffinity:
		if instead, ok := insteadOf(e.question, r); ok {
			return instead
		}
		return explainer.Shape(e.question, r)
	case explainer.Shape != nil:
		return explainer.Shape(e.question, r)
	}
	return r.Status.Message()
}

// insteadOf is the value that the node has where the pod requires one other value.
func insteadOf(q *plugins.Question, r plugins.NodeRejection) (string, bool) {
	one, ok := plugins.UnmetOf(q, r).Single()
	if !ok {
		return "", false
	}
	value, has := one.ValueAt(r.Node.Node())
	if !has {
		return "no label", true
	}
	return one.Key + "=" + plugins.OrEmpty(value), true
}

// clauseOf words some of the nodes that a plugin rejects, of so many.
func (e exclusion) clauseOf(rs []plugins.NodeRejection, of int) string {
	said := ""
	switch e.plugin {
	case names.TaintToleration:
		said = taintBrief(plugins.Untolerated(e.question, rs[0]))
	case names.NodeAffinity:
		said, _ = insteadOf(e.question, rs[0])
	case names.NodeResourcesFit:
		if said = e.shortBy(rs); said != "" {
			return fmt.Sprintf("%d %s", len(rs), said)
		}
	}
	if said == "" {
		said = plugins.Tell(e.question, rs).Short
	}
	if of == 1 {
		return rs[0].Name() + ": " + said
	}
	return fmt.Sprintf("%d: %s", len(rs), said)
}

// taintBrief names taints without their effects, all of which reject the pod.
func taintBrief(taints []corev1.Taint) string {
	var all []string
	for _, taint := range taints {
		said := plugins.ConditionOf(&taint)
		if said == "" {
			said = strings.TrimSuffix(taint.ToString(), ":"+string(taint.Effect))
		}
		if !slices.Contains(all, said) {
			all = append(all, said)
		}
	}
	return grammar.List(all, grammar.Few)
}

// shortBy says how much more several nodes need, the closest first, where that is
// one resource, and otherwise which resources.
func (e exclusion) shortBy(rs []plugins.NodeRejection) string {
	lacks := plugins.Shortages(e.question, rs[0])
	switch {
	case len(lacks) == 0 || len(rs) == 1:
		return ""
	case len(lacks) > 1:
		var names []string
		for _, f := range lacks {
			names = append(names, string(f.Resource))
		}
		return "lack " + grammar.List(names, grammar.Few)
	}
	name := lacks[0].Resource
	var all []string
	for _, r := range rs[:min(len(rs), grammar.Few)] {
		all = append(all, quantity.RoundedUp(name, plugins.Shortages(e.question, r)[0].Short))
	}
	all = slices.Compact(all)
	if rest := len(rs) - grammar.Few; rest > 0 {
		all = append(all, fmt.Sprintf("%d more", rest))
	}
	return fmt.Sprintf("lack %s: %s", name, strings.Join(all, ", "))
}

// sentenceOf names the nodes and all reasons of the plugin.
func (e exclusion) sentenceOf(rs []plugins.NodeRejection) string {
	if e.plugin == names.TaintToleration && len(plugins.Untolerated(e.question, rs[0])) > 0 {
		var nodes []string
		for _, r := range rs {
			nodes = append(nodes, r.Name())
		}
		taints := strings.ReplaceAll(strings.Join(plugins.UntoleratedNames(e.question, rs[0]), ", "), "node.kubernetes.io/", "")
		return grammar.List(nodes, grammar.Few) + ": " + taints
	}
	return strings.TrimSuffix(plugins.Tell(e.question, rs).What, ".")
}
