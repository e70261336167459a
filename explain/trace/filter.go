package trace

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/sets"

	"github.com/kubectl-fathom/kubectl-fathom/explain/plugins"
	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/explain/scheduler"
	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
)

// preFilter repeats Framework.RunPreFilterPlugins: one that calls the pod
// unresolvable ends it at once, any other rejection only after all were asked.
func (w *stages) preFilter() {
	if len(w.Matrix.Nodes) == 0 && w.end == "" {
		w.end = "the cluster has no nodes"
	}
	if w.end != "" {
		w.add(w.unreached(report.StagePreFilter))
		return
	}
	stage := report.Stage{
		Name: report.StagePreFilter, Outcome: report.Passed, From: len(w.alive),
		Words: "Each plugin checks the pod and all nodes once; some exclude nodes.",
	}
	stop := "" // why the plugins after it are not asked
	for _, k := range w.Profile.PreOrder {
		if stop != "" {
			stage.Steps = append(stage.Steps, w.step(report.StagePreFilter, w.Profile.Plugins[k].Name).Silent(report.Unreached, stop))
			continue
		}
		step, last := w.preFilterStep(k)
		stage.Steps = append(stage.Steps, step)
		stage.Outcome = worse(stage.Outcome, step.Outcome)
		if last {
			stop = "not run: " + w.Profile.Plugins[k].Name + " ends the attempt"
		}
	}
	if stage.Outcome == report.Rejected {
		w.alive, w.end, w.none = nil, "PreFilter rejects the pod", true
	}
	stage.To = len(w.alive)
	w.add(stage)
}

// preFilterStep is one plugin's; last says that it ends the attempt.
func (w *stages) preFilterStep(k int) (step report.Step, last bool) {
	a, name := &w.Matrix.Answers[k], w.Profile.Plugins[k].Name
	step = w.step(report.StagePreFilter, name)
	switch {
	case a.Open != nil:
		return step.Silent(report.Open, whyOpen(a)), false
	case a.Skipped:
		return step.Silent(report.Skipped, "skipped: "+skipWords(w.Question, name)), false
	case scheduler.Failed(a.Pre):
		w.end = "PreFilter fails"
		return step.Silent(report.Open, scheduler.PluginError+": "+a.Pre.Message()), true
	case a.Pre != nil:
		told := plugins.Tell(w.Question, []plugins.NodeRejection{w.Matrix.Rejection(k, 0)})
		step.Outcome, step.Rejected, step.Left = report.Rejected, new(step.Asked), 0
		step.What, step.Detail = told.Short, told.What
		return step, !told.Resolvable
	case a.Only != nil:
		return w.narrow(step, a.Only)
	}
	return step, false
}

// narrow leaves out the nodes that a PreFilter half does not name.
func (w *stages) narrow(step report.Step, only sets.Set[string]) (narrowed report.Step, last bool) {
	var left []int
	var names []string
	for _, i := range w.alive {
		if name := w.Matrix.Nodes[i].Node().Name; only.Has(name) {
			left, names = append(left, i), append(names, name)
		} else {
			step.Nodes = append(step.Nodes, name)
		}
	}
	slices.Sort(names)
	step.Rejected, step.Left = new(len(w.alive)-len(left)), len(left)
	w.alive = left
	if len(left) == 0 {
		step.Outcome, step.What = report.Rejected, "excludes all nodes"
		step.Detail = fmt.Sprintf("It allows only %s, and none of the remaining nodes is among them.", grammar.List(sets.List(only), grammar.Many))
		return step, true
	}
	step.What = "allows only " + grammar.List(names, grammar.Few)
	step.Detail = "Only these nodes are filtered: " + grammar.List(names, grammar.Many) + "."
	return step, false
}

// worse is what a stage comes to whose plugins came to these.
func worse(a, b report.Outcome) report.Outcome {
	for _, outcome := range []report.Outcome{report.Rejected, report.Open} {
		if a == outcome || b == outcome {
			return outcome
		}
	}
	return a
}

// filter runs the plugins on each node, up to the first that rejects it.
func (w *stages) filter(ctx context.Context) {
	if w.end != "" {
		w.add(w.unreached(report.StageFilter))
		return
	}
	stage := report.Stage{
		Name: report.StageFilter, Outcome: report.Passed,
		Words: "Plugins check each node in turn; the first rejection excludes it.",
	}
	if node := w.nominated(ctx); node >= 0 {
		w.alive = []int{node}
		stage.Words = fmt.Sprintf("Nominated to %s: it is checked before all others, and fits.", w.Matrix.Nodes[node].Node().Name)
	}
	stage.From = len(w.alive)
	first := map[int][]int{} // by plugin: the nodes that it is the first to refuse
	for _, i := range w.alive {
		if k := w.Matrix.FirstSure(i); k >= 0 && !w.beyond {
			first[k] = append(first[k], i)
		}
	}
	for k, p := range w.Profile.Plugins {
		if p.Filter != nil {
			step := w.filterStep(k, first[k])
			stage.Steps, stage.Outcome = append(stage.Steps, step), worse(stage.Outcome, step.Outcome)
		}
	}
	for _, i := range w.alive {
		if fits := w.Matrix.Fits(i); w.beyond || (fits != nil && *fits) {
			w.feasible = append(w.feasible, w.Matrix.Nodes[i])
		}
	}
	switch {
	case w.end != "": // a plugin failed
		stage.Outcome, w.feasible = report.Open, nil
	case len(w.alive) == 0:
		stage.Outcome, w.end, w.none = report.Rejected, "no node remains", true
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
	a, name := &w.Matrix.Answers[k], w.Profile.Plugins[k].Name
	step := w.step(report.StageFilter, name)
	switch {
	case len(w.alive) == 0:
		return step.Silent(report.Unreached, "not run: no node remains")
	case a.Skipped:
		return step.Silent(report.Skipped, "skipped: "+skipWords(w.Question, name))
	case a.Open != nil:
		return step.Silent(report.Open, whyOpen(a))
	}
	if why := w.failsOn(k); why != "" {
		w.end = name + " fails, which ends the attempt"
		return step.Silent(report.Open, scheduler.PluginError+": "+why)
	}
	if len(drop) == 0 {
		if slices.ContainsFunc(w.alive, func(i int) bool { return scheduler.Unsure(w.Matrix, k, i) }) {
			return step.Silent(report.Open, whyOpen(a))
		}
		return step
	}
	dropped := sets.New(drop...)
	w.alive = slices.DeleteFunc(slices.Clone(w.alive), dropped.Has)
	step.Outcome, step.Rejected, step.Left = report.Rejected, new(len(drop)), len(w.alive)
	w.tell(&step, k, drop)
	return step
}

// failsOn is the error with which the plugin ends the attempt on some node that
// comes to it; "" without one.
func (w *stages) failsOn(k int) string {
	for _, i := range w.alive {
		if column := w.Matrix.Answers[k].Column; column != nil && scheduler.Failed(column[i]) {
			return column[i].Message()
		}
	}
	return ""
}

// nominated is the node that the scheduler checks before all others and takes
// because it fits (Scheduler.evaluateNominatedNode); -1 without such a node.
func (w *stages) nominated(ctx context.Context) int {
	name := w.Question.Pod.Status.NominatedNodeName
	if name == "" {
		return -1
	}
	for i, node := range w.Matrix.Nodes {
		if node.Node().Name != name {
			continue
		}
		if fits := w.Matrix.Fits(i); fits != nil && *fits {
			return i
		}
		if !w.Matrix.Includes(name) && !w.Matrix.Open() && w.Profile.Framework.RunFilterPluginsWithNominatedPods(ctx, w.Matrix.State, w.Question.Pod, node).IsSuccess() {
			w.beyond = true
			return i
		}
	}
	return -1
}

// whyOpen says why the answer does not count.
func whyOpen(a *scheduler.Answer) string {
	var all []string
	for _, part := range report.MergeUnknown(a.Parts("")) {
		all = append(all, part.Why)
	}
	return "unknown: " + strings.Join(all, "; ")
}
