package report

import (
	"fmt"
	"strings"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
)

// KubeScheduler decides about PodGroups of scheduling.k8s.io.
const KubeScheduler = "kube-scheduler"

// Gang is the group of pods that the pod is scheduled with. Null figures are not known.
type Gang struct {
	Kind      string   `json:"kind"`      // PodGroup
	Name      string   `json:"name"`      // in the pod's namespace
	Scheduler string   `json:"scheduler"` // who decides: kube-scheduler, Volcano, KAI Scheduler, Coscheduling (the plugin)
	Policy    string   `json:"policy"`    // gang: minCount pods or none; basic: each for itself; "": not known
	MinCount  *int     `json:"minCount"`
	Members   *int     `json:"members"` // pods that exist
	Bound     *int     `json:"bound"`   // of these, with a node
	Pending   *int     `json:"pending"` // of these, without one
	Places    *int     `json:"places"`  // of the pending ones, those that find a node, one after another; in several orders the fewest
	Fits      *bool    `json:"fits"`    // the group would be scheduled now
	Reason    string   `json:"reason"`  // why it would not, or why that is not known
	Status    []string `json:"status"`  // what its own status says, where another scheduler decides

	Queue      string           `json:"queue,omitempty"`      // of that scheduler; "": none is named
	Phase      string           `json:"phase,omitempty"`      // by its status; "": none is written
	Conditions []GroupCondition `json:"conditions,omitempty"` // of its status
}

// GroupCondition is a condition of a PodGroup of another scheduler than kube-scheduler.
type GroupCondition struct {
	Condition

	NodePool string `json:"nodePool"` // about which it speaks, by KAI Scheduler; ""
}

// Sentence says how much of the gang there is, and what becomes of it.
func (g *Gang) Sentence() string {
	words := g.Kind + " " + g.Name
	if g.Scheduler != KubeScheduler {
		words += ", scheduled by " + g.Scheduler
	}
	var parts []string
	if g.MinCount != nil {
		parts = append(parts, "it needs "+grammar.Plural(*g.MinCount, "pod"))
	}
	if g.Members != nil {
		parts = append(parts, grammar.Count(*g.Members, "exists", "exist"))
	}
	if g.Bound != nil {
		parts = append(parts, grammar.Count(*g.Bound, "has a node", "have a node"))
	}
	if len(parts) > 0 {
		words += ": " + strings.Join(parts, ", ")
	}
	if g.Places != nil {
		words += "; " + g.placed()
	}
	if g.Reason != "" {
		words += "; " + g.Reason
	}
	return words + "."
}

// GangSentence is the sentence of the pod's gang, beside the summary: without the reason and
// the count of pods that fit that the summary has given already. "" without a gang.
func (r *Report) GangSentence() string {
	if r.Gang == nil {
		return ""
	}
	g := *r.Gang
	if strings.Contains(r.Summary, g.Reason) {
		g.Reason = ""
	}
	if g.Places != nil && strings.Contains(r.Summary, g.placed()) {
		g.Places = nil
	}
	return g.Sentence()
}

// placed says how many of the pending pods find a node: "5 of 8 pending pods fit now".
func (g *Gang) placed() string {
	if g.Pending != nil && *g.Places < *g.Pending {
		return fmt.Sprintf("%s of %s now", model.FormatCount(*g.Places), grammar.Count(*g.Pending, "pending pod fits", "pending pods fit"))
	}
	return grammar.Agree(*g.Places, "its pending pod fits now", "all "+model.FormatCount(*g.Places)+" pending pods fit now")
}

// gang is the group of the pod, and what its status says.
func (c composer) gang() Section {
	g := c.report.Gang
	if g == nil {
		return Section{}
	}
	if len(g.Status) == 0 {
		return Section{Lines: []string{"GANG " + c.report.GangSentence()}}
	}
	return Section{Heading: "GANG " + c.report.GangSentence(), Lines: g.Status}
}
