package explain

import (
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-fathom/kubectl-fathom/explain/plugins"
	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// schedulingGates names the gates that are left.
func schedulingGates(q *plugins.Question) (gateRejection, bool) {
	var names []string
	for _, gate := range q.Pod.Spec.SchedulingGates {
		names = append(names, gate.Name)
	}
	if len(names) == 0 {
		return gateRejection{}, false
	}
	h := gateRejection{
		what:  "Gated by " + strings.Join(names, ", "),
		short: strings.Join(names, ", "),
		until: "the gate is removed",
	}
	if len(names) > 1 {
		h.until = "all of them are removed"
	}
	if controller, ok := queued(q.Pod); ok {
		h.until = controller.Admits
		if len(names) > 1 {
			h.until += " and all of them are removed"
		}
		h.owner = controller.advice(q.Pod) + "; removing its gate by hand bypasses " + controller.Bypasses + " and cannot be undone."
	} else if domain := model.GateDomain(names[0]); domain != "" {
		h.owner = fmt.Sprintf("%s normally removes this gate itself; a gate that you remove cannot be added again.", domain)
	}
	return h, true
}

// queueing is the controller of a queue that holds a pod by a gate.
type queueing struct{ model.Queueing }

// queued is the controller whose queue holds the pod; false where none is known to.
func queued(pod *corev1.Pod) (queueing, bool) {
	for _, gate := range pod.Spec.SchedulingGates {
		if controller, ok := model.QueueingOf(gate.Name); ok {
			return queueing{controller}, true
		}
	}
	return queueing{}, false
}

// advice says where the controller tells why it holds the pod.
func (c queueing) advice(pod *corev1.Pod) string {
	said := c.Name + " holds it: see " + c.See
	if queue := c.Queue(pod.Labels); queue != "" {
		said += " " + queue
	}
	return said
}

// fix is what has to happen for the controller to remove its gate.
func (c queueing) fix(pod *corev1.Pod) report.Fix {
	title := "see " + c.See
	if queue := c.Queue(pod.Labels); queue != "" {
		title += " " + queue
	}
	return report.Fix{
		Title: title, Kind: report.FixQueue, Affects: []report.Affected{}, Remaining: []string{"gated until " + c.Admits}, Steps: 1,
	}
}

// bypassed is what steps get round that remove a gate of a queue's controller; ""
// where none does.
func bypassed(steps []remedy) string {
	for _, step := range steps {
		r, ok := step.(ungate)
		if !ok {
			continue
		}
		for _, gate := range r.gates {
			if controller, ok := model.QueueingOf(gate); ok {
				return controller.Bypasses
			}
		}
	}
	return ""
}
