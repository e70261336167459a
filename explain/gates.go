package explain

import (
	"context"

	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"

	"github.com/kubectl-fathom/kubectl-fathom/explain/plugins"
	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
)

// gateRejection is one PreEnqueue plugin's no, told: what keeps a pod out of the
// scheduler's queue.
type gateRejection struct {
	plugin string
	reason string // its own words
	what   string // a clause that begins a sentence: "Gated by example.com/budget"
	short  string // for tables: "example.com/budget"
	until  string // what has to happen: "the gate is removed"
	owner  string // who has to see to it; "": not known
}

// cause is what holds the pod, in a word or two.
func (g gateRejection) cause(q *podQuestion) string {
	switch _, inQueue := queued(q.Pod); {
	case g.plugin == names.SchedulingGates && inQueue:
		return "queue"
	case g.plugin == names.SchedulingGates:
		return "gate"
	case g.plugin == names.GangScheduling:
		return "pod group"
	}
	return g.plugin
}

// gateExplainers find the words for the refusals of PreEnqueue plugins, by the
// plugin's name. The plugin has refused already; false where nothing is found.
var gateExplainers = map[string]func(*plugins.Question) (gateRejection, bool){
	names.SchedulingGates: schedulingGates,
	names.GangScheduling:  gangScheduling,
}

// tellGate finds the words for a refusal; the plugin's own reason stands where
// there are no better ones.
func tellGate(q *podQuestion, plugin string, status *fwk.Status) gateRejection {
	if explain, ok := gateExplainers[plugin]; ok {
		if h, found := explain(q.Question); found {
			h.plugin, h.reason = plugin, status.Message()
			return h
		}
	}
	said := plugin + ": " + status.Message()
	return gateRejection{plugin: plugin, reason: status.Message(), what: "Rejected by " + said, short: said, until: "that changes"}
}

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
			x.question.found.gates = append(x.question.found.gates, tellGate(x.question, a.Plugin, a.Status))
		}
	}
	if !x.profile.HasGate(names.GangScheduling) {
		x.openGate(x.gangUnknown())
	}
	return len(x.question.found.gates) > 0
}

// openGate notes what leaves open whether something gates the pod.
func (x *explanation) openGate(parts []report.UnknownPart) {
	x.ungated = x.ungated || len(parts) > 0
	x.report.Unknown = append(x.report.Unknown, parts...)
}
