package explain

import (
	"context"
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	corev1helpers "k8s.io/component-helpers/scheduling/corev1"

	"github.com/kubectl-fathom/kubectl-fathom/explain/admission"
	"github.com/kubectl-fathom/kubectl-fathom/explain/fixes"
	"github.com/kubectl-fathom/kubectl-fathom/explain/formerpods"
	"github.com/kubectl-fathom/kubectl-fathom/explain/preemption"
	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/explain/rollout"
	"github.com/kubectl-fathom/kubectl-fathom/explain/scheduler"
	"github.com/kubectl-fathom/kubectl-fathom/explain/summary"
	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// Ask answers a question about a pod, with the parts that it wants: one evaluation of
// the plugins, of one revision of the state. What fixes and preemption try on copies of
// the state comes beside it. Parts that fail leave a caveat and the rest of the answer.
// The error is ErrNoPod for a pod that the engine does not know.
func (e *Engine) Ask(ctx context.Context, q report.Query) (*report.Report, error) {
	switch {
	case q.Target.NotCreated() != nil:
		return e.askNotCreated(ctx, q)
	case q.Target.Planned() != nil:
		return e.askPlanned(ctx, q)
	case q.Target.Pod() != nil:
		return e.askNew(ctx, q)
	case q.Like != nil:
		if told, err := e.restate(ctx, q); told != nil || err != nil {
			return told, err
		}
	}
	told, _, err := e.askPod(ctx, q, nil)
	return told, err
}

// finder finds the pod of a target, under the engine's lock; nil if there is none.
func (e *Engine) finder(t report.Target) func() *corev1.Pod {
	if pod := t.Pod(); pod != nil {
		return func() *corev1.Pod { return pod }
	}
	return func() *corev1.Pod { return e.scheduler.State.Pods[t.UID()] }
}

// askPod answers for a pod, and gives the fixes as they were tried. What of a pod that does not
// exist was left out of the question is open.
func (e *Engine) askPod(ctx context.Context, q report.Query, open []report.UnknownPart) (*report.Report, []fixes.Attempt, error) {
	find := e.finder(q.Target)
	said, err := e.sources.gather(ctx, find)
	if err != nil {
		return nil, nil, err
	}
	f := fixes.NewSearch(e.means(), find)
	told, err := e.examine(ctx, q, said, open, f)
	if err != nil || !q.Parts.Has(report.FixesPart) {
		return told, nil, err
	}
	var tried []fixes.Attempt
	told.Tried, tried, err = f.Try(ctx, q.Progress)
	switch {
	case errors.Is(err, context.Canceled), errors.Is(err, ErrNoPod):
		return nil, nil, err
	case err != nil:
		why := "fixes could not be simulated: " + err.Error()
		told.Tried = &report.Fixes{None: why}
		told.Scheduler.Caveats = append(told.Scheduler.Caveats, why)
	}
	return told.WithFixes(told.Tried), tried, nil
}

// means are what fixes are searched with.
func (e *Engine) means() fixes.Means {
	return fixes.Means{
		Scheduler: e.scheduler, Budgets: e.budgets, Commands: e.commands,
		Admission: replacementRules(e), Whole: e.options.Whole, Facts: e.options.Facts, PoolLabel: e.options.PoolLabel, PreemptionCache: &e.able, Now: e.options.Now,
	}
}

// replacementRules is where the rules are read that may reject a pod which replaces an existing
// one; nil where nothing can be asked. A namespace that does not exist enforces nothing.
func replacementRules(e *Engine) *admission.Sources {
	if e.options.Quotas == nil && e.options.LimitRanges == nil {
		return nil
	}
	from := admissionSources(e, report.Admittance{})
	from.Missing = nil
	from.Labels = func(namespace string) (labels map[string]string, why string) {
		if e.sources.noNamespace(namespace) {
			return nil, ""
		}
		return e.sources.labels(namespace)
	}
	return &from
}

// examine answers under the lock, and gathers what f is going to try.
func (e *Engine) examine(ctx context.Context, q report.Query, said externalFacts, open []report.UnknownPart, f *fixes.Search) (told *report.Report, err error) {
	release, err := e.scheduler.Acquire(ctx)
	if err != nil {
		return nil, err
	}
	defer release()
	pod := e.finder(q.Target)()
	if pod == nil {
		return nil, fmt.Errorf("explain pod: %w", ErrNoPod)
	}
	defer func() {
		if r := recover(); r != nil {
			told, err = nil, fmt.Errorf("explain pod %s/%s: %w", pod.Namespace, pod.Name, scheduler.PanicError(r))
		}
	}()
	e.scheduler.Settle(ctx)
	x := e.begin(ctx, pod)
	x.take(said)
	if err := x.answer(ctx, q.Parts.Has(report.Nodes)); err != nil {
		return nil, fmt.Errorf("explain pod %s/%s: %w", pod.Namespace, pod.Name, err)
	}
	leaveOpen(x, open)
	summary.Fill(x.question, x.facts, x.report)
	tellUnderWay(x)
	x.report.Rollout, x.report.FailedPods = rollout.Of(e.scheduler.State, pod), formerpods.Failed(e.scheduler.State, pod)
	x.report.Preempted = formerpods.Preempted(e.scheduler.State, pod, said.preempted)
	x.queued(said.queue)
	if err := e.scheduler.State.Guard(func() error { return addTerminating(ctx, x) }); err != nil && ctx.Err() == nil {
		x.caveat("what terminating pods leave could not be determined: " + err.Error())
	}
	if err := x.provision(ctx, said.provisioning); err != nil {
		x.caveat("what autoscalers could do could not be determined: " + err.Error())
	}
	if q.Parts.Has(report.FixesPart) {
		f.Gather(ctx, fixes.Query{
			Profile: x.profile, Question: x.question, Verdict: x.report.Verdict,
			Together: together(x), Group: othersGroup(x), Gates: x.facts.Gates, Doubt: doubtOf(x),
			Preempted: x.report.Preempted, Preemptor: formerpods.ChangedPreemptor(e.scheduler.State, x.report.Preempted, said.preempted),
			Waiting: summary.WaitsForVictims(x.question, ending(e.scheduler.State, pod)), Evaluate: x.evaluate,
		})
	}
	if q.Parts.Has(report.TracePart) {
		if err := e.trace(ctx, x); err != nil {
			return nil, fmt.Errorf("explain pod %s/%s: %w", pod.Namespace, pod.Name, err)
		}
	}
	if q.Parts.Has(report.PreemptionPart) {
		err := e.scheduler.State.Guard(func() error { return x.plan(ctx, q.Node) })
		switch {
		case errors.Is(err, context.Canceled):
			return nil, err
		case err != nil:
			x.unplanned(err)
		}
	}
	return x.report, nil
}

// tellUnderWay tells of a preemption that has begun as Plan tells it, without what becomes of the victims:
// kube-scheduler tries none as long as they are terminating.
func tellUnderWay(x *explanation) {
	if x.report.Verdict != report.Preempting {
		return
	}
	told := &report.Preemption{Possible: true, Node: x.question.Pod.Status.NominatedNodeName, Victims: []report.Victim{}, Why: x.report.Summary}
	for _, pod := range preemption.MostImportantFirst(x.facts.Victims) {
		told.Victims = append(told.Victims, report.Victim{Namespace: pod.Namespace, Name: pod.Name, Priority: corev1helpers.PodPriority(pod), Static: model.IsMirror(pod)})
	}
	x.report.Preemption = told
}

// plan adds what preemption could do for the pod. Where the victims would be
// rescheduled is simulated for the node that the scheduler would take, on the node of
// the given name ("": none), and on others as long as that is cheap.
func (x *explanation) plan(ctx context.Context, node string) error {
	if why := together(x); why != "" {
		who := x.report.Gang.Scheduler
		x.report.Plan = &report.PreemptionPlan{Answer: "Unknown: " + who + " preempts for a PodGroup as a whole, which is not simulated.", Why: why}
		return nil
	}
	plan, err := x.simulator.Plan(ctx, preemption.Query{
		Question: x.question, Matrix: x.matrix, Report: x.report, Outcome: x.told, Terminating: x.facts.Victims, Node: node,
	})
	if err != nil {
		return err
	}
	x.report.Plan = plan
	if v := x.report.Verdict; v == report.Unschedulable || v == report.Preempting {
		x.report.Preemption = plan.Brief(x.report.Preemption)
	}
	return nil
}

// unplanned notes that preemption could not be simulated.
func (x *explanation) unplanned(err error) {
	why := "where victims of preemption would be rescheduled could not be determined: " + err.Error()
	x.report.Plan = &report.PreemptionPlan{Answer: "Unknown: " + err.Error() + ".", Why: why}
	if v := x.report.Verdict; v == report.Unschedulable || v == report.Preempting {
		x.caveat(why)
	}
}
