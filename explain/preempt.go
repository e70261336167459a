package explain

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
)

// plan says what preemption could do for the pod. What would become of the victims is
// looked into on the node that the scheduler would take, on the node of the given name
// ("": none), and on others as long as that is cheap.
func (x *explanation) plan(ctx context.Context, node string) error {
	p := &planning{explanation: x, pods: map[string][]*corev1.Pod{}, plan: &report.PreemptionPlan{
		PriorityClass: x.question.Pod.Spec.PriorityClassName,
		Nominated:     x.question.Pod.Status.NominatedNodeName,
	}}
	if err := p.fill(ctx, node); err != nil {
		return err
	}
	x.report.Plan = p.plan
	if v := x.report.Verdict; v == report.Unschedulable || v == report.Preempting {
		x.report.Preemption = p.plan.Brief(x.report.Preemption)
	}
	return nil
}

// unplanned notes that preemption could not be looked into.
func (x *explanation) unplanned(err error) {
	why := "what becomes of victims of preemption could not be found out: " + err.Error()
	x.report.Plan = &report.PreemptionPlan{Answer: "Unknown: " + err.Error() + ".", Why: why}
	if v := x.report.Verdict; v == report.Unschedulable || v == report.Preempting {
		x.caveat(why)
	}
}

const (
	// tryFor is how long nodes are tried for a plan, beyond those that the
	// scheduler itself would try.
	tryFor = 40 * time.Millisecond
	// landAtMost is how many nodes victims are tried on, summed over victims: on
	// a node that is asked for, and on all the others together.
	landAtMost, landOthers = 100_000, 20_000
)

// planning is a plan in the making.
type planning struct {
	*explanation
	plan   *report.PreemptionPlan
	tried  candidates
	ranked []rankedCandidate
	pods   map[string][]*corev1.Pod // the victims on each node, as the plan lists them
}

// fill finds what the scheduler could do where its verdict leaves it anything.
func (p *planning) fill(ctx context.Context, asked string) error {
	if p.settledWithout() {
		return nil
	}
	pod := p.question.Pod
	d := p.diagnose(ctx, p.matrix, pod)
	waits := p.report.Verdict == report.Preempting
	if !waits && (d.failure != "" || p.stopsBefore(d)) {
		p.plan.Why = p.report.Preemption.Why
		p.plan.Answer = "Cannot help: it is refused before any node is looked at."
		return nil
	}
	if err := p.tryAll(ctx, d); err != nil {
		return err
	}
	p.ranked = p.rankCandidates(ctx, p.tried.found)
	if err := p.explore(ctx); err != nil {
		return err
	}
	if err := p.tellNodes(ctx); err != nil {
		return err
	}
	p.tellOthers(d)
	p.nominated()
	p.answerPlan()
	return p.landAll(ctx, asked)
}

// settledWithout answers for pods that the scheduler would not preempt for,
// whatever the nodes hold.
func (p *planning) settledWithout() bool {
	plan, r, pod := p.plan, p.report, p.question.Pod
	switch {
	case r.Verdict == report.Scheduled:
		plan.Answer = "Not needed. " + r.Summary
	case r.Verdict == report.Schedulable && plan.Nominated != "":
		plan.Answer = fmt.Sprintf("Not needed: no pod ends on %s any more, and it fits %s now.", plan.Nominated, grammar.Plural(r.Fits, "node"))
	case r.Verdict == report.Schedulable:
		plan.Answer = fmt.Sprintf("Not needed: it fits %s now.", grammar.Plural(r.Fits, "node"))
	case r.Verdict == report.Gated, r.Verdict == report.NotConsidered, r.Verdict == report.NotCreated:
		plan.Answer = "Cannot help. " + r.Summary
	case !p.posts.Has(names.DefaultPreemption):
		plan.Answer = "Cannot help: the profile has no DefaultPreemption."
	case r.Verdict == report.Unknown, p.matrix == nil, p.matrix.open():
		plan.Answer = r.Summary
	case r.Verdict == report.Unschedulable && pod.Spec.PreemptionPolicy != nil && *pod.Spec.PreemptionPolicy == corev1.PreemptNever:
		plan.Answer = "Cannot help: its preemptionPolicy is Never."
	case len(p.matrix.nodes) == 0:
		plan.Answer = "Cannot help: there are no nodes."
	default:
		return false
	}
	plan.Why = plan.Answer
	return true
}

// tryAll tries to preempt on every node where that could help, as long as there
// is time; those that the scheduler itself would try have been tried already.
func (p *planning) tryAll(ctx context.Context, d diagnosis) error {
	pod := p.question.Pod
	if p.told.tried != nil {
		p.tried = *p.told.tried
	} else {
		var err error
		if p.tried, err = p.candidates(ctx, p.matrix, pod, d.fit.Diagnosis.NodeToStatus); err != nil && len(p.tried.found) == 0 {
			return fmt.Errorf("dry run preemption: %w", err)
		}
	}
	rest := p.tried.rest()
	for until := time.Now().Add(tryFor); len(rest) > 0 && time.Now().Before(until); {
		some := rest[:min(len(rest), tryAtOnce)]
		rest = rest[len(some):]
		if err := p.tryNodes(ctx, pod, &p.tried, some, len(some)); err != nil {
			return fmt.Errorf("dry run preemption: %w", err)
		}
	}
	p.plan.Could = p.tried.bare + len(p.tried.nodes)
	p.plan.Tried = p.plan.Could - len(rest)
	return nil
}

// rest are the nodes that the dry run did not come to: it stops when it has
// enough candidates.
func (c *candidates) rest() []fwk.NodeInfo {
	done := map[string]bool{}
	for _, candidate := range c.found {
		done[candidate.Name()] = true
	}
	c.statuses.ForEachExplicitNode(func(name string, _ *fwk.Status) { done[name] = true })
	var rest []fwk.NodeInfo
	for _, node := range c.nodes {
		if !done[node.Node().Name] {
			rest = append(rest, node)
		}
	}
	return rest
}

// answerPlan tells the plan in a sentence.
func (p *planning) answerPlan() {
	plan, r := p.plan, p.report
	switch {
	case r.Verdict == report.Preempting:
		plan.Answer, plan.Why = r.Summary, r.Summary
	case len(plan.Nodes) == 0:
		plan.Answer, plan.Why = p.cannot(), p.tried.cannot(p.matrix).Why
	case plan.Node == "":
		why := p.forbidden["poddisruptionbudgets"]
		plan.Answer = "Unknown whom it would end: " + why + "."
		plan.Why = "Which pods it would end is unknown: " + why + "."
	default:
		p.answerPossible()
	}
	if plan.Tried < plan.Could {
		plan.Why += fmt.Sprintf(" The first %d of %s were tried.", plan.Tried, grammar.Plural(plan.Could, "node"))
	}
}

// answerPossible tells which node is taken.
func (p *planning) answerPossible() {
	plan := p.plan
	var may []string
	for _, n := range plan.Nodes {
		if n.May {
			may = append(may, n.Name)
		}
	}
	ends := grammar.Count(len(plan.Nodes[0].Victims), "pod ends", "pods end")
	switch {
	case plan.Sampled:
		plan.Answer = fmt.Sprintf("Can help on %s; likely on %s, where %s.", grammar.Plural(len(plan.Nodes), "node"), plan.Node, ends)
	case len(may) > 1:
		plan.Answer = fmt.Sprintf("Can help: %s tie, one of them is taken: %s.", grammar.Plural(len(may), "node"), grammar.List(may, grammar.Few))
	default:
		plan.Answer = fmt.Sprintf("Can help: it fits %s once %s there.", plan.Node, ends)
	}
	plan.Why = fmt.Sprintf("It would fit %s once %s of lower priority ended.", plan.Node, grammar.Plural(len(plan.Nodes[0].Victims), "pod")) +
		tieWords(may, plan.Sampled, p.tried.wanted)
	if plan.Nominated != "" {
		plan.Why += fmt.Sprintf(" It is nominated to %s, where no pod ends any more.", plan.Nominated)
	}
}

// cannot says in one row why no node can be helped.
func (p *planning) cannot() string {
	could := p.plan.Could
	switch {
	case could == 0:
		return "Cannot help: no node refuses it for anything that ending pods changes."
	case len(p.tried.nodes) == 0:
		return fmt.Sprintf("Cannot help: no pod of lower priority runs on %s where it could.", theNodes(could))
	case could == 1:
		return "Cannot help: even without all pods of lower priority it does not fit."
	}
	return fmt.Sprintf("Cannot help: even without all pods of lower priority it fits none of %d nodes.", could)
}
