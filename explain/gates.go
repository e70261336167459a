package explain

import (
	"context"
	"fmt"

	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"

	"github.com/kubectl-fathom/kubectl-fathom/explain/plugins"
	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
)

// gated runs the plugins that keep a pod out of the scheduler's queue. One that
// could not be asked leaves the verdict open, whatever the nodes say.
func (x *explanation) gated(ctx context.Context) bool {
	pod := x.question.Pod
	for _, a := range x.profile.PreEnqueue(ctx, pod) {
		unknown := a.Unknown
		if a.Plugin == names.GangScheduling && !a.Failed {
			unknown = append(unknown, x.gangUnknown()...)
		}
		if len(unknown) > 0 {
			x.openGate(unknown)
			continue
		}
		if !a.Status.IsSuccess() {
			x.facts.Gates = append(x.facts.Gates, plugins.TellGate(x.question, a.Plugin, a.Status))
		}
	}
	if !x.profile.HasGate(names.GangScheduling) {
		x.openGate(x.gangUnknown())
	}
	gangGates(ctx, x)
	return len(x.facts.Gates) > 0
}

// openGate notes what leaves open whether something gates the pod.
func (x *explanation) openGate(parts []report.UnknownPart) {
	x.ungated = x.ungated || len(parts) > 0
	x.report.Unknown = append(x.report.Unknown, parts...)
}

// gangUnknown says that it is unknown whether the pod's gang is complete, where nobody
// told the engine of PodGroups. That a pod names one says that the cluster knows them.
func (x *explanation) gangUnknown() []report.UnknownPart {
	group := x.question.Pod.Spec.SchedulingGroup
	switch {
	case group == nil || group.PodGroupName == nil:
		return nil
	case !x.podGroups || !x.profile.HasGate(names.GangScheduling):
		why := fmt.Sprintf("%s, so it is unknown whether PodGroup %s has enough pods", x.groupsUnread, *group.PodGroupName)
		return []report.UnknownPart{{Resource: "podgroups", Why: why, Plugins: []string{names.GangScheduling}}}
	case x.parentsUnread != "":
		found := podGroupOf(x)
		if found == nil || found.Spec.ParentCompositePodGroupName == nil {
			return nil
		}
		why := fmt.Sprintf("%s, so it is unknown whether CompositePodGroup %s has enough groups", x.parentsUnread, *found.Spec.ParentCompositePodGroupName)
		return []report.UnknownPart{{Resource: "compositepodgroups", Why: why, Plugins: []string{names.GangScheduling}}}
	}
	return nil
}
