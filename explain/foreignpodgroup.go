package explain

import (
	"context"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-fathom/kubectl-fathom/explain/fixes"
	"github.com/kubectl-fathom/kubectl-fathom/explain/foreignpodgroups"
	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/explain/scheduler"
)

// group asks the scheduler of the PodGroup that the pod names; nil where it names none of a scheduler
// other than kube-scheduler. kube-scheduler ignores what pods of its own say of Volcano's and KAI
// Scheduler's groups; Coscheduling is a plugin, which it may run.
func (s *sources) group(ctx context.Context, pod *corev1.Pod) *foreignpodgroups.State {
	if s.options.Group == nil {
		return nil
	}
	name := scheduler.NameOf(pod)
	subject, named := foreignpodgroups.SubjectOf(pod, func(k *foreignpodgroups.Kind) bool {
		if k.Plugin != "" {
			return s.scheduler.MayRun(name, k.Plugin)
		}
		return !s.scheduler.Serves(name)
	})
	if !named {
		return nil
	}
	return s.options.Group(ctx, subject)
}

// leaveToGroup leaves the verdict about nodes open where another scheduler decides about the pod's group
// as a whole. What the plugins say of the nodes stands, as the default profile's. One that would be
// scheduled only with its own group in kube-scheduler stays with that.
func leaveToGroup(x *explanation) {
	r := x.report
	if x.group == nil || r.Gang != nil || r.Verdict != report.Schedulable && r.Verdict != report.Unschedulable && r.Verdict != report.Unknown {
		return
	}
	if r.Gang = foreignpodgroups.Judge(x.group, x.question.Now); r.Gang == nil {
		return
	}
	part := report.UnknownPart{Resource: "podgroups." + x.group.Group, Why: foreignpodgroups.Decides(x.group, r.Gang), Plugins: []string{}}
	r.Unknown = append([]report.UnknownPart{part}, r.Unknown...)
	r.Verdict, r.SchedulerMessage, r.Observed.Agrees = report.Unknown, "", nil
}

// othersGroup is the group of another scheduler, as a search for fixes has to know it; nil without.
func othersGroup(x *explanation) *fixes.Group {
	g := x.report.Gang
	if g == nil || g.Scheduler == report.KubeScheduler {
		return nil
	}
	return &fixes.Group{Name: g.Name, Scheduler: g.Scheduler, Plugin: x.group.Plugin()}
}

// quoteGroup adds what another scheduler says of the pod's group where the verdict is not about nodes.
func quoteGroup(x *explanation) {
	if x.report.Gang == nil {
		x.report.Gang = foreignpodgroups.Judge(x.group, x.question.Now)
	}
}
