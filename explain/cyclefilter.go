package explain

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/sets"

	"github.com/kubectl-fathom/kubectl-fathom/explain/plugins"
	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
)

// preFilter repeats Framework.RunPreFilterPlugins: one that calls the pod
// unresolvable ends it at once, any other refusal only after all were asked.
func (w *stages) preFilter() {
	if len(w.m.nodes) == 0 && w.end == "" {
		w.end = "the cluster has no nodes"
	}
	if w.end != "" {
		w.add(w.unreached(report.StagePreFilter))
		return
	}
	stage := report.Stage{
		Name: report.StagePreFilter, Outcome: report.Passed, From: len(w.alive),
		Words: "Each plugin looks at the pod and all nodes once; some leave nodes out.",
	}
	stop := "" // why the plugins after it are not asked
	for _, k := range w.preOrder {
		if stop != "" {
			stage.Steps = append(stage.Steps, w.step(report.StagePreFilter, w.plugins[k].name).Silent(report.Unreached, stop))
			continue
		}
		step, last := w.preFilterStep(k)
		stage.Steps = append(stage.Steps, step)
		stage.Outcome = worse(stage.Outcome, step.Outcome)
		if last {
			stop = "not asked: " + w.plugins[k].name + " ends the attempt"
		}
	}
	if stage.Outcome == report.Refused {
		w.alive, w.end, w.none = nil, "PreFilter refuses the pod", true
	}
	stage.To = len(w.alive)
	w.add(stage)
}

// preFilterStep is one plugin's; last says that it ends the attempt.
func (w *stages) preFilterStep(k int) (step report.Step, last bool) {
	a, name := &w.m.answers[k], w.plugins[k].name
	step = w.step(report.StagePreFilter, name)
	switch {
	case a.open != nil:
		return step.Silent(report.Open, a.whyOpen()), false
	case a.skipped:
		return step.Silent(report.Skipped, "skipped: "+skipWords(w.question.Question, name)), false
	case failed(a.pre):
		w.end = "PreFilter fails"
		return step.Silent(report.Open, errorsOf+": "+a.pre.Message()), true
	case a.pre != nil:
		told := refusal(w.question.Question, []plugins.Refused{w.m.refused(w.Engine, k, 0)})
		step.Outcome, step.Refused, step.Left = report.Refused, new(step.Asked), 0
		step.What, step.Detail = told.Short, told.What
		return step, !told.Resolvable
	case a.only != nil:
		return w.narrow(step, a.only)
	}
	return step, false
}

// narrow leaves out the nodes that a PreFilter half does not name.
func (w *stages) narrow(step report.Step, only sets.Set[string]) (narrowed report.Step, last bool) {
	var left []int
	var names []string
	for _, i := range w.alive {
		if name := w.m.nodes[i].Node().Name; only.Has(name) {
			left, names = append(left, i), append(names, name)
		} else {
			step.Nodes = append(step.Nodes, name)
		}
	}
	slices.Sort(names)
	step.Refused, step.Left = new(len(w.alive)-len(left)), len(left)
	w.alive = left
	if len(left) == 0 {
		step.Outcome, step.What = report.Refused, "leaves no node"
		step.Detail = fmt.Sprintf("It leaves only %s, and none of the nodes that were left is one of them.", grammar.List(sets.List(only), grammar.Many))
		return step, true
	}
	step.What = "leaves " + grammar.List(names, grammar.Few)
	step.Detail = "Only these nodes are filtered: " + grammar.List(names, grammar.Many) + "."
	return step, false
}

// worse is what a stage comes to whose plugins came to these.
func worse(a, b report.Outcome) report.Outcome {
	for _, outcome := range []report.Outcome{report.Refused, report.Open} {
		if a == outcome || b == outcome {
			return outcome
		}
	}
	return a
}

// filter lets each node through plugin after plugin, up to the first that
// refuses it.
func (w *stages) filter(ctx context.Context) {
	if w.end != "" {
		w.add(w.unreached(report.StageFilter))
		return
	}
	stage := report.Stage{
		Name: report.StageFilter, Outcome: report.Passed,
		Words: "Each node is asked plugin after plugin and drops out at the first refusal.",
	}
	if node := w.nominated(ctx); node >= 0 {
		w.alive = []int{node}
		stage.Words = fmt.Sprintf("Nominated to %s: that node is asked before all others, and fits.", w.m.nodes[node].Node().Name)
	}
	stage.From = len(w.alive)
	first := map[int][]int{} // by plugin: the nodes that it is the first to refuse
	for _, i := range w.alive {
		if k := w.m.firstThatCounts(i); k >= 0 && !w.beyond {
			first[k] = append(first[k], i)
		}
	}
	for k, p := range w.plugins {
		if p.filter != nil {
			step := w.filterStep(k, first[k])
			stage.Steps, stage.Outcome = append(stage.Steps, step), worse(stage.Outcome, step.Outcome)
		}
	}
	for _, i := range w.alive {
		if fits := w.m.fits(i); w.beyond || (fits != nil && *fits) {
			w.feasible = append(w.feasible, w.m.nodes[i])
		}
	}
	switch {
	case w.end != "": // a plugin failed
		stage.Outcome, w.feasible = report.Open, nil
	case len(w.alive) == 0:
		stage.Outcome, w.end, w.none = report.Refused, "no node is left", true
	case len(w.feasible) == 0:
		stage.Outcome, w.end = report.Open, "whether a node fits is unknown"
	default:
		stage.Outcome = report.Passed
	}
	stage.To = len(w.alive)
	w.add(stage)
}

// filterStep is one plugin's; the nodes it is the first to refuse drop out.
func (w *stages) filterStep(k int, drop []int) report.Step {
	a, name := &w.m.answers[k], w.plugins[k].name
	step := w.step(report.StageFilter, name)
	switch {
	case len(w.alive) == 0:
		return step.Silent(report.Unreached, "not asked: no node is left")
	case a.skipped:
		return step.Silent(report.Skipped, "skipped: "+skipWords(w.question.Question, name))
	case a.open != nil:
		return step.Silent(report.Open, a.whyOpen())
	}
	if why := w.failsOn(k); why != "" {
		w.end = name + " fails, which ends the attempt"
		return step.Silent(report.Open, errorsOf+": "+why)
	}
	if len(drop) == 0 {
		return step
	}
	dropped := sets.New(drop...)
	w.alive = slices.DeleteFunc(slices.Clone(w.alive), dropped.Has)
	step.Outcome, step.Refused, step.Left = report.Refused, new(len(drop)), len(w.alive)
	w.tell(&step, k, drop)
	return step
}

// failsOn is the error with which the plugin ends the attempt on some node that
// comes to it; "" without one.
func (w *stages) failsOn(k int) string {
	for _, i := range w.alive {
		if column := w.m.answers[k].column; column != nil && failed(column[i]) {
			return column[i].Message()
		}
	}
	return ""
}

// nominated is the node that the scheduler asks before all others and takes
// because it fits (Scheduler.evaluateNominatedNode); -1 without such a node.
func (w *stages) nominated(ctx context.Context) int {
	name := w.question.Pod.Status.NominatedNodeName
	if name == "" {
		return -1
	}
	for i, node := range w.m.nodes {
		if node.Node().Name != name {
			continue
		}
		if fits := w.m.fits(i); fits != nil && *fits {
			return i
		}
		if !w.m.leaves(name) && !w.m.open() && w.framework.RunFilterPluginsWithNominatedPods(ctx, w.m.state, w.question.Pod, node).IsSuccess() {
			w.beyond = true
			return i
		}
	}
	return -1
}

// firstThatCounts is the first plugin that refuses node i for sure, in the order
// in which the scheduler comes upon it: the pass with the nominated pods comes
// first. -1 if none does.
func (m *matrix) firstThatCounts(i int) int {
	if len(m.views) > 0 && m.views[i] != nil {
		for k := range m.answers {
			if m.answers[k].early[i] && m.refuses(k, i) != nil {
				return k
			}
		}
	}
	for k := range m.answers {
		if m.refuses(k, i) != nil {
			return k
		}
	}
	return -1
}

// whyOpen tells why the answer does not count.
func (a *answer) whyOpen() string {
	var all []string
	for _, part := range mergeParts(a.parts("")) {
		all = append(all, part.Why)
	}
	return "unknown: " + strings.Join(all, "; ")
}
