package preemption

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"

	"github.com/kubectl-fathom/kubectl-fathom/explain/plugins"
	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/explain/scheduler"
	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
)

const (
	// tryFor is how long nodes are tried for a plan, beyond those that the
	// scheduler itself would try.
	tryFor = 40 * time.Millisecond
	// landAtMost is how many nodes victims are tried on, summed over victims: on
	// a node that is asked for, and on all the others together.
	landAtMost, landOthers = 100_000, 20_000
)

// Query is what a plan is made for.
type Query struct {
	Question *plugins.Question
	// Matrix are the plugins' answers; nil where no node was asked about.
	Matrix *scheduler.Matrix
	// Report has a verdict about the pod.
	Report *report.Report
	// Outcome is what the scheduler would do; zero where a node fits.
	Outcome Outcome
	// Terminating are pods of lower priority that terminate on the nominated node.
	Terminating []*corev1.Pod
	// Node is one on which it is simulated where victims would be rescheduled,
	// whatever that costs; "": none.
	Node string
}

// Plan says what preemption could do for the pod. Where the victims would be
// rescheduled is simulated for the node that the scheduler would take, on q.Node, and
// on others as long as that is cheap.
func (s Simulator) Plan(ctx context.Context, q Query) (*report.PreemptionPlan, error) {
	p := &planning{
		simulator: s, profile: s.Profile, scheduler: s.Profile.Scheduler,
		question: q.Question, matrix: q.Matrix, report: q.Report, told: q.Outcome, ending: q.Terminating,
		pods: map[string][]*corev1.Pod{},
		plan: &report.PreemptionPlan{
			PriorityClass: q.Question.Pod.Spec.PriorityClassName,
			Nominated:     q.Question.Pod.Status.NominatedNodeName,
		},
	}
	return p.plan, p.fill(ctx, q.Node)
}

// planning is a plan in the making.
type planning struct {
	simulator Simulator
	profile   *scheduler.Profile
	scheduler *scheduler.Scheduler
	question  *plugins.Question
	matrix    *scheduler.Matrix
	report    *report.Report
	told      Outcome
	ending    []*corev1.Pod

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
	d := p.matrix.Diagnose(ctx, pod)
	waits := p.report.Verdict == report.Preempting
	if !waits && (d.Failure != "" || p.simulator.StopsBefore(d)) {
		p.plan.Why = p.report.Preemption.Why
		p.plan.Answer = "Won't help: the pod is rejected before any node is checked."
		return nil
	}
	if err := p.tryAll(ctx, d); err != nil {
		return err
	}
	p.ranked = p.simulator.rankCandidates(ctx, p.tried.found)
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
		plan.Answer = fmt.Sprintf("Not needed: no pod is terminating on %s any more, and it fits %s now.", plan.Nominated, grammar.Plural(r.Fits, "node"))
	case r.Verdict == report.Schedulable:
		plan.Answer = fmt.Sprintf("Not needed: it fits %s now.", grammar.Plural(r.Fits, "node"))
	case r.Verdict == report.Gated, r.Verdict == report.NotConsidered, r.Verdict == report.NotCreated:
		plan.Answer = "Won't help. " + r.Summary
	case !p.profile.HasPostFilter(names.DefaultPreemption):
		plan.Answer = "Won't help: the profile has no DefaultPreemption."
	case r.Verdict == report.Unknown, p.matrix == nil, p.matrix.Open():
		plan.Answer = r.Summary
	case r.Verdict == report.Unschedulable && pod.Spec.PreemptionPolicy != nil && *pod.Spec.PreemptionPolicy == corev1.PreemptNever:
		plan.Answer = "Won't help: its preemptionPolicy is Never."
	case len(p.matrix.Nodes) == 0:
		plan.Answer = "Won't help: there are no nodes."
	default:
		return false
	}
	plan.Why = plan.Answer
	return true
}

// tryAll tries to preempt on every node where that could help, as long as there
// is time; those that the scheduler itself would try have been tried already.
func (p *planning) tryAll(ctx context.Context, d scheduler.Diagnosis) error {
	pod := p.question.Pod
	if p.told.tried != nil {
		p.tried = *p.told.tried
	} else {
		var err error
		if p.tried, err = p.simulator.candidates(ctx, p.matrix, pod, d.Fit.Diagnosis.NodeToStatus); err != nil && len(p.tried.found) == 0 {
			return fmt.Errorf("dry run preemption: %w", err)
		}
	}
	rest := p.tried.rest()
	for until := time.Now().Add(tryFor); len(rest) > 0 && time.Now().Before(until); {
		some := rest[:min(len(rest), tryAtOnce)]
		rest = rest[len(some):]
		if err := p.simulator.tryNodes(ctx, pod, &p.tried, some, len(some)); err != nil {
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

// answerPlan words the plan in a sentence.
func (p *planning) answerPlan() {
	plan, r := p.plan, p.report
	switch {
	case r.Verdict == report.Preempting:
		plan.Answer, plan.Why = r.Summary, r.Summary
	case len(plan.Nodes) == 0:
		plan.Answer, plan.Why = p.cannot(), p.tried.cannot(p.matrix, p.question.Pod).Why
	case plan.Node == "":
		why := p.simulator.Budgets.Unread
		plan.Answer = "The victims are unknown: " + why + "."
		plan.Why = "The victims are unknown: " + why + "."
	default:
		p.answerPossible()
	}
	if plan.Tried < plan.Could {
		plan.Why += fmt.Sprintf(" Only the first %d of %s were simulated.", plan.Tried, grammar.Plural(plan.Could, "node"))
	}
}

// answerPossible says which node is taken.
func (p *planning) answerPossible() {
	plan := p.plan
	var may []string
	for _, n := range plan.Nodes {
		if n.May {
			may = append(may, n.Name)
		}
	}
	victims := grammar.Plural(len(plan.Nodes[0].Victims), "pod")
	switch {
	case plan.Sampled:
		plan.Answer = fmt.Sprintf("Can help on %s; likely evicts %s from %s.", grammar.Plural(len(plan.Nodes), "node"), victims, plan.Node)
	case len(may) > 1:
		plan.Answer = fmt.Sprintf("Can help: %s tie, kube-scheduler takes one of them: %s.", grammar.Plural(len(may), "node"), grammar.List(may, grammar.Few))
	default:
		plan.Answer = fmt.Sprintf("Can help: it fits %s after the eviction of %s.", plan.Node, victims)
	}
	plan.Why = fmt.Sprintf("It would fit %s after the eviction of %s of lower priority.", plan.Node, grammar.Plural(len(plan.Nodes[0].Victims), "pod")) +
		tieWords(may, plan.Sampled, p.tried.wanted)
	if plan.Nominated != "" {
		plan.Why += fmt.Sprintf(" It is nominated to %s, where no pod is terminating any more.", plan.Nominated)
	}
}

// cannot says in one row why no node can be helped.
func (p *planning) cannot() string {
	could := p.plan.Could
	switch {
	case could == 0:
		return "Won't help: evicting pods leaves a reason on every node."
	case len(p.tried.nodes) == 0:
		return fmt.Sprintf("Won't help: %s %s no pod of lower priority.", p.tried.where(), grammar.Agree(could, "runs", "run"))
	case could == 1:
		return "Won't help: it does not fit even without all pods of lower priority."
	}
	return fmt.Sprintf("Won't help: even without all pods of lower priority it fits none of %d nodes.", could)
}
