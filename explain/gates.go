package explain

import (
	"context"

	corev1 "k8s.io/api/core/v1"
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
	return gateRejection{plugin: plugin, reason: status.Message(), what: "Held back by " + said, short: said, until: "that changes"}
}

// gated runs the plugins that keep a pod out of the scheduler's queue. One that
// could not be asked leaves the verdict open, whatever the nodes say.
func (x *explanation) gated(ctx context.Context) bool {
	pod := x.question.Pod
	for _, p := range x.gates {
		var a answer
		x.options.Trace.reset()
		status, err := preEnqueue(ctx, p, pod)
		x.noteReads(&a)
		if err != nil {
			a.leaveOpen(errorsOf, err.Error())
		} else if p.Name() == names.GangScheduling {
			x.noteGang(&a)
		}
		if a.open != nil {
			x.openGate(a.parts(p.Name()))
			continue
		}
		if !status.IsSuccess() {
			x.question.found.gates = append(x.question.found.gates, tellGate(x.question, p.Name(), status))
		}
	}
	if !x.has(names.GangScheduling) {
		var a answer
		x.noteGang(&a)
		x.openGate(a.parts(names.GangScheduling))
	}
	return len(x.question.found.gates) > 0
}

// openGate notes what leaves open whether something gates the pod.
func (x *explanation) openGate(parts []report.UnknownPart) {
	x.ungated = x.ungated || len(parts) > 0
	x.report.Unknown = append(x.report.Unknown, parts...)
}

// has says whether a PreEnqueue plugin is part of the profile.
func (p *profile) has(gate string) bool {
	for _, plugin := range p.gates {
		if plugin.Name() == gate {
			return true
		}
	}
	return false
}

// preEnqueue asks one gate; a panic comes back as an error.
func preEnqueue(ctx context.Context, p fwk.PreEnqueuePlugin, pod *corev1.Pod) (status *fwk.Status, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = newPanicked(r)
		}
	}()
	return p.PreEnqueue(ctx, pod), nil
}
