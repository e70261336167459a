package explain

import "strings"

// schedulingGates names the gates that are left.
func schedulingGates(q *question) (held, bool) {
	var names []string
	for _, gate := range q.pod.Spec.SchedulingGates {
		names = append(names, gate.Name)
	}
	h := held{
		what:  "Gated by " + strings.Join(names, ", "),
		short: strings.Join(names, ", "),
		until: "the gate is removed",
	}
	if len(names) > 1 {
		h.until = "all of them are removed"
	}
	return h, len(names) > 0
}
