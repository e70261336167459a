package plugins

import (
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// schedulingGates names the gates that are left.
func schedulingGates(q *Question) (GateRejection, bool) {
	var names []string
	for _, gate := range q.Pod.Spec.SchedulingGates {
		names = append(names, gate.Name)
	}
	if len(names) == 0 {
		return GateRejection{}, false
	}
	h := GateRejection{
		What:  "Gated by " + strings.Join(names, ", "),
		Short: strings.Join(names, ", "),
		Until: "the gate is removed",
	}
	if len(names) > 1 {
		h.Until = "all of them are removed"
	}
	if controller, ok := QueueControllerOf(q.Pod); ok {
		h.Until = controller.Admits
		if len(names) > 1 {
			h.Until += " and all of them are removed"
		}
		h.Owner = controller.Advice(q.Pod) + "; removing its gate by hand bypasses " + controller.Bypasses + " and cannot be undone."
	} else if owner := model.GateOwner(names[0]); owner != "" {
		h.Owner = owner + " normally removes this gate; a gate that you remove cannot be added again."
	}
	return h, true
}

// QueueController is the controller of a queue that holds a pod by a gate.
type QueueController struct{ model.Queueing }

// QueueControllerOf is the controller whose queue holds the pod; false where none is known to.
func QueueControllerOf(pod *corev1.Pod) (QueueController, bool) {
	for _, gate := range pod.Spec.SchedulingGates {
		if controller, ok := model.QueueingOf(gate.Name); ok {
			return QueueController{controller}, true
		}
	}
	return QueueController{}, false
}

// Advice says where the controller tells why it holds the pod.
func (c QueueController) Advice(pod *corev1.Pod) string {
	said := c.Name + " holds it: see " + c.See
	if queue := c.Queue(pod.Labels); queue != "" {
		said += " " + queue
	}
	return said
}

// Fix is what has to happen for the controller to remove its gate.
func (c QueueController) Fix(pod *corev1.Pod) report.Fix {
	title := "see " + c.See
	if queue := c.Queue(pod.Labels); queue != "" {
		title += " " + queue
	}
	return report.Fix{
		Title: title, Kind: report.FixQueue, Affects: []report.Affected{}, Remaining: []string{"gated until " + c.Admits}, Steps: 1,
	}
}
