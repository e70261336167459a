package summary

import (
	"fmt"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
)

// tellGang is for a pod that fits a node and is not scheduled, because its group is not, or not with
// it.
func tellGang(r *report.Report) overall {
	g := r.Gang
	told := overall{state: unschedulable, cause: "gang"}
	alone := "It fits " + grammar.Plural(r.Fits, "node") + " alone, but "
	switch {
	case g.Places == nil:
		told.why = "gang " + g.Name + ": " + g.Reason
		told.summary = fmt.Sprintf("%skube-scheduler schedules no pod of %s %s: %s.", alone, g.Kind, g.Name, g.Reason)
		return told
	case g.Fits != nil && *g.Fits:
		told.summary = fmt.Sprintf("%snone once the other pods of %s %s are placed: ", alone, g.Kind, g.Name)
	default:
		told.summary = fmt.Sprintf("%s%s %s does not fit: ", alone, g.Kind, g.Name)
	}
	told.why = fmt.Sprintf("gang %s: %d of %d fit; %s", g.Name, *g.Places, *g.Pending, g.Reason)
	told.summary += fmt.Sprintf("%d of %s now", *g.Places, grammar.Count(*g.Pending, "pending pod fits", "pending pods fit"))
	if g.MinCount != nil && g.Bound != nil {
		told.summary += fmt.Sprintf(", it needs %d", max(0, *g.MinCount-*g.Bound))
	}
	told.summary += "."
	return told
}

// withGang adds to the answer about a pod that fits that all of its group do.
func withGang(r *report.Report, told overall) overall {
	if g := r.Gang; g != nil && g.Places != nil && g.Pending != nil && *g.Pending > 1 && *g.Places == *g.Pending {
		told.summary += fmt.Sprintf(" All %d pending pods of %s %s fit.", *g.Pending, g.Kind, g.Name)
	}
	return told
}
