package preemption

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"

	"github.com/kubectl-fathom/kubectl-fathom/explain/plugins"
	"github.com/kubectl-fathom/kubectl-fathom/explain/quantity"
	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/explain/scheduler"
	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
)

// tellOthers lists the nodes where preemption does not help, by reason.
func (p *planning) tellOthers(d scheduler.Diagnosis) {
	helped := map[string]bool{p.plan.Nominated: p.report.Verdict == report.Preempting}
	for _, candidate := range p.ranked {
		helped[candidate.Name()] = true
	}
	could := map[string]bool{}
	for _, node := range p.tried.nodes {
		could[node.Node().Name] = true
	}
	tried := map[string]bool{}
	p.tried.statuses.ForEachExplicitNode(func(name string, _ *fwk.Status) { tried[name] = true })
	rejections := map[refusalKind][]plugins.NodeRejection{}
	reasons := map[string][]string{}
	for i, info := range p.matrix.Nodes {
		name := info.Node().Name
		switch status := d.Fit.Diagnosis.NodeToStatus.Get(name); {
		case helped[name]:
		case status.Code() != fwk.Unschedulable:
			kind, r := p.firstRefusal(i)
			rejections[kind] = append(rejections[kind], r)
			reasons[kind.key()] = append(reasons[kind.key()], name)
		case !could[name]:
			reasons["no pod of lower priority"] = append(reasons["no pod of lower priority"], name)
		case !tried[name]:
			reasons["not simulated"] = append(reasons["not simulated"], name)
		default:
			reasons["no fit even without lower-priority pods"] = append(reasons["no fit even without lower-priority pods"], name)
		}
	}
	told := map[string]string{}
	for kind, rs := range rejections {
		told[kind.key()] = p.barred(kind.plugin, rs)
	}
	p.plan.Others = gather(reasons, told)
}

// refusalKind is rejections that one clause can tell.
type refusalKind struct{ plugin, shape string }

// key is the kind in one string, which no clause is.
func (k refusalKind) key() string { return k.plugin + "\x00" + k.shape }

// firstRefusal is what the scheduler comes upon first on node i.
func (p *planning) firstRefusal(i int) (refusalKind, plugins.NodeRejection) {
	for _, k := range p.profile.PreOrder { // a PreFilter's rejection comes before any node is looked at
		if pre := p.matrix.Answers[k].Pre; pre.IsRejected() && pre.Code() == fwk.UnschedulableAndUnresolvable {
			return refusalKind{plugin: p.profile.Plugins[k].Name}, p.matrix.Rejection(k, i)
		}
	}
	k, status := p.matrix.First(i)
	if status == nil {
		return refusalKind{}, plugins.NodeRejection{}
	}
	r := p.matrix.Rejection(k, i)
	kind := refusalKind{plugin: p.profile.Plugins[k].Name}
	if shape := plugins.Explainers[kind.plugin].Shape; shape != nil && r.Node != nil {
		kind.shape = shape(p.question, r)
	}
	return kind, r
}

// gather words the reasons and puts the most nodes first. Reasons that read the
// same are one.
func gather(reasons map[string][]string, told map[string]string) []report.NoPreemption {
	nodes := map[string][]string{}
	for reason, some := range reasons {
		if words, ok := told[reason]; ok {
			reason = words
		}
		nodes[reason] = append(nodes[reason], some...)
	}
	var all []report.NoPreemption
	for why, some := range nodes {
		slices.Sort(some)
		all = append(all, report.NoPreemption{Why: why, Nodes: some})
	}
	slices.SortFunc(all, func(a, b report.NoPreemption) int {
		return cmp.Or(cmp.Compare(len(b.Nodes), len(a.Nodes)), strings.Compare(a.Why, b.Why))
	})
	return all
}

// barred says in a few words why some nodes reject the pod for a reason that no
// eviction changes: "gpu taint", "cordoned", "allocatable cpu only 7.9".
func (p *planning) barred(plugin string, rs []plugins.NodeRejection) string {
	switch {
	case plugin == "":
		return "not evaluated"
	case plugin == names.TaintToleration && len(plugins.Untolerated(p.question, rs[0])) > 0:
		return taintNames(plugins.Untolerated(p.question, rs[0]))
	case plugin == names.NodeResourcesFit:
		if said := p.tooSmall(rs); said != "" {
			return said
		}
	}
	said := plugins.Tell(p.question, rs)
	if plugin == names.NodeAffinity && plugins.UnmetOf(p.question, rs[0]).Empty() {
		return said.Short
	}
	if plugin == names.NodeAffinity && said.Bar != said.Short {
		return "without " + said.Bar
	}
	return said.Bar
}

// tooSmall is for nodes whose allocatable is less than the pod requests.
func (p *planning) tooSmall(rs []plugins.NodeRejection) string {
	var least, most plugins.Figure
	for _, r := range rs {
		for _, f := range plugins.Shortages(p.question, r) {
			switch {
			case f.Wanted <= f.Allocatable || (most.Resource != "" && f.Resource != most.Resource):
			case most.Resource == "":
				least, most = f, f
			default:
				least.Allocatable, most.Allocatable = min(least.Allocatable, f.Allocatable), max(most.Allocatable, f.Allocatable)
			}
		}
	}
	amount := quantity.RoundedDown(most.Resource, most.Allocatable)
	switch {
	case most.Resource == "":
		return ""
	case least.Allocatable != most.Allocatable:
		return fmt.Sprintf("allocatable %s at most %s", most.Resource, amount)
	}
	return fmt.Sprintf("allocatable %s only %s", most.Resource, amount)
}

// taintNames call taints by what they mean, as short as that goes: a state by its
// name, "gpu taint" for dedicated=gpu, "spot taint" for example.com/spot=true.
func taintNames(taints []corev1.Taint) string {
	var all []string
	for _, taint := range taints {
		said := plugins.ConditionOf(&taint)
		if said == "" {
			said = taint.Key[strings.LastIndexByte(taint.Key, '/')+1:]
			if taint.Value != "" && !saysYes[strings.ToLower(taint.Value)] {
				said = taint.Value
			}
			said += " taint"
		}
		if !slices.Contains(all, said) {
			all = append(all, said)
		}
	}
	return grammar.List(all, grammar.Few)
}

// saysYes are values of taints that only say that the key holds.
var saysYes = map[string]bool{"true": true, "yes": true, "present": true, "1": true, "enabled": true}
