package explain

import (
	"context"
	"fmt"
	"math"

	schedulingv1beta1 "k8s.io/api/scheduling/v1beta1"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"

	"github.com/kubectl-fathom/kubectl-fathom/explain/gang"
	"github.com/kubectl-fathom/kubectl-fathom/explain/plugins"
	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/explain/scheduler"
	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
)

// podGroupOf is the PodGroup with which the pod is scheduled; nil where it names none, where PodGroups
// are not read, and where it does not exist.
func podGroupOf(x *explanation) *schedulingv1beta1.PodGroup {
	of := x.question.Pod.Spec.SchedulingGroup
	if of == nil || of.PodGroupName == nil || !x.podGroups || !x.profile.HasGate(names.GangScheduling) {
		return nil
	}
	group, err := x.question.Groups.PodGroups().Get(x.question.Pod.Namespace, *of.PodGroupName)
	if err != nil {
		return nil
	}
	return group
}

// countGang fills in how many pods the pod's PodGroup has and needs.
func countGang(x *explanation) {
	group := podGroupOf(x)
	if group == nil || scheduler.Assigned(x.profile.Scheduler.State.Pods[x.question.Pod.UID]) {
		return
	}
	g := &report.Gang{Kind: "PodGroup", Name: group.Name, Scheduler: report.KubeScheduler, Policy: "basic", Status: []string{}, Conditions: []report.GroupCondition{}}
	if policy := group.Spec.SchedulingPolicy.Gang; policy != nil {
		g.Policy, g.MinCount = "gang", new(int(policy.MinCount))
	}
	if state, err := x.question.Groups.PodGroupStates().Get(group.Namespace, group.Name); err == nil {
		bound := state.ScheduledPodsCount()
		g.Members, g.Bound, g.Pending = new(state.AllPodsCount()), &bound, new(state.AllPodsCount()-bound)
	}
	x.report.Gang = g
}

// gangGates are what gates other pods of the pod's PodGroup: a group is gated as a whole
// (runPreEnqueuePlugins of pkg/scheduler/backend/queue). The first that is found is enough.
func gangGates(ctx context.Context, x *explanation) {
	group := podGroupOf(x)
	if group == nil || len(x.facts.Gates) > 0 {
		return
	}
	state, err := x.question.Groups.PodGroupStates().Get(group.Namespace, group.Name)
	if err != nil {
		return
	}
	var first plugins.GateRejection
	by := ""
	for _, other := range state.UnscheduledPods() {
		if other.UID == x.question.Pod.UID || other.DeletionTimestamp != nil || !x.profile.Scheduler.Serves(scheduler.NameOf(other)) || by != "" && other.Name > by {
			continue
		}
		for _, a := range x.profile.PreEnqueue(ctx, other) {
			if a.Failed || len(a.Unknown) > 0 || a.Status.IsSuccess() {
				continue
			}
			first, by = plugins.TellGate(x.profile.Question(other), a.Plugin, a.Status), other.Name
			break
		}
	}
	if by == "" {
		return
	}
	first.What = fmt.Sprintf("PodGroup %s/%s is scheduled as a whole, and its pod %s is gated (%s)", group.Namespace, group.Name, by, first.Short)
	first.Short = "gang " + group.Name + ": " + by + " is gated"
	x.facts.Gates = append(x.facts.Gates, first)
}

// scheduleGang lets what becomes of the pod's PodGroup as a whole decide about the pod.
func scheduleGang(ctx context.Context, x *explanation) error {
	g, r := x.report.Gang, x.report
	if g == nil || x.ungated || r.Verdict != report.Schedulable && r.Verdict != report.Unschedulable {
		return nil
	}
	var told *gang.Outcome
	err := x.profile.Scheduler.State.Guard(func() (err error) {
		told, err = gang.Simulate(ctx, x.profile, podGroupOf(x), x.question.Pod)
		return err
	})
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		told = &gang.Outcome{Unknown: err.Error()}
	}
	g.Pending = new(len(told.Pending))
	switch {
	case told.Invalid != "":
		g.Fits, g.Reason = new(false), told.Invalid
	case told.Unknown != "":
		g.Reason = "unknown: " + told.Unknown
	default:
		judgeGang(x, told)
	}
	if r.Verdict == report.Schedulable {
		followGang(x, told)
	}
	return nil
}

// followGang lets the verdict about a pod that fits a node be that about its PodGroup.
func followGang(x *explanation, told *gang.Outcome) {
	r, g, open := x.report, x.report.Gang, ""
	switch placed := told.Placed[x.question.Pod.UID]; {
	case told.Unknown != "":
		open = "whether PodGroup " + g.Name + " is scheduled is not known: " + told.Unknown
	case told.Invalid != "" || told.Feasible == 0:
		x.facts.GangRejects, r.Verdict = true, report.Unschedulable
	case told.Feasible < told.Orders:
		open = fmt.Sprintf("whether PodGroup %s is scheduled depends on the order in which its pods are placed: %s", g.Name, g.Reason)
	case told.Least == len(told.Pending):
	case told.Equal, placed > 0 && placed < told.Orders:
		open = fmt.Sprintf("%d of the %s of PodGroup %s fit, and which of them depends on the order", told.Least, grammar.Plural(len(told.Pending), "pending pod"), g.Name)
	case placed == 0:
		x.facts.GangRejects, r.Verdict = true, report.Unschedulable
	}
	if open != "" {
		r.Verdict = report.Unknown
		r.Unknown = append([]report.UnknownPart{{Resource: "podgroups", Why: open, Plugins: []string{}}}, r.Unknown...)
	}
}

// together is why fixes for the pod alone say nothing: its PodGroup is scheduled as a whole; "" where
// they do.
func together(x *explanation) string {
	g, v := x.report.Gang, x.report.Verdict
	switch {
	case g != nil && g.Scheduler != report.KubeScheduler:
		return "Not simulated: PodGroup " + g.Name + " is scheduled by " + g.Scheduler + "."
	case g == nil || v != report.Unschedulable && v != report.Unknown:
		return ""
	}
	return "Not simulated: the pod is scheduled with PodGroup " + x.report.Gang.Name + "."
}

// judgeGang fills in how many pods of the group find a node, and why not all.
func judgeGang(x *explanation, told *gang.Outcome) {
	g := x.report.Gang
	g.Places = &told.Least
	if told.Feasible == told.Orders || told.Feasible == 0 {
		g.Fits = new(told.Feasible > 0)
	} else {
		g.Reason = fmt.Sprintf("the group fits in %d of %d simulated orders", told.Feasible, told.Orders)
		return
	}
	if told.Most > told.Least {
		g.Reason = fmt.Sprintf("in some orders %d fit", told.Most)
		return
	}
	if told.Without != nil {
		g.Reason = fmt.Sprintf("the %s, %s: %s", grammar.Ordinal(told.Nth), told.Without.Name, told.Why)
	}
	if told.Feasible == 0 && x.profile.Preemption != nil && x.profile.Scheduler.State.Priorities.Held(math.MinInt32, x.report.Pod.Priority) {
		g.Reason += "; preemption for the whole group is not simulated"
	}
}
