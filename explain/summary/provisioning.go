package summary

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/kubectl-fathom/kubectl-fathom/explain/plugins"
	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
)

// withLanes adds to what a verdict comes to what an unbound pod waits for beside
// a node that would take it: its nomination, and volumes.
func withLanes(q *podQuestion, r *report.Report, told overall) overall {
	switch r.Verdict {
	case report.Schedulable:
		told = tellProvisioning(q, told)
		if said := nomination(q, r); said != "" {
			told.summary += " " + grammar.Capital(said) + "."
		}
	case report.Unschedulable:
		if said := nomination(q, r); said != "" {
			told.facts = append(told.facts, said)
		}
	case report.Preempting:
	default:
		return told
	}
	for _, claim := range plugins.PodClaims(q.Question) {
		if said := claim.Awaits(q.Question); said != "" && !slices.Contains(told.facts, said) {
			told.facts = append(told.facts, said)
		}
	}
	return told
}

// schedulerManager is the field manager of kube-scheduler: the name of its program, as client-go sets it.
const schedulerManager = "kube-scheduler"

// nomination is for a pod that has no node yet and is nominated to one, where nothing is being preempted:
// its victims are gone, or it is being bound, or another program than kube-scheduler named the node.
func nomination(q *podQuestion, r *report.Report) string {
	n := r.Nomination
	if n == nil || len(q.found.Victims) > 0 {
		return ""
	}
	said := "it is nominated to " + n.Node + n.Who(q.Now)
	if _, err := q.Nodes.NodeInfos().Get(n.Node); err != nil {
		return said + ", which does not exist"
	}
	switch {
	case len(n.Waits) > 0 && (n.By == "" || n.By == schedulerManager):
		return said + " and is being bound there: kube-scheduler waits for " + strings.Join(n.Waits, " and ")
	case n.By == schedulerManager:
		return said + ", where no pod of lower priority is terminating: it is being bound there, or the victims of a preemption have terminated"
	case n.By != "":
		return said + ": kube-scheduler tries this node before all others"
	}
	return said + ", where no pod of lower priority is terminating"
}

// provisioning is a claim whose volume is being made for a node.
type provisioning struct {
	claim  plugins.PodClaim
	node   string
	by     string
	since  time.Time // when somebody first said so; zero: nobody did
	failed *model.Event
}

// provisioned are the claims of the pod that wait for a volume on the node that
// the scheduler has chosen.
func provisioned(q *podQuestion) []provisioning {
	var all []provisioning
	for _, claim := range plugins.PodClaims(q.Question) {
		if !claim.IsProvisioned() {
			continue
		}
		p := provisioning{claim: claim, node: claim.SelectedNode(), by: claim.Provisioner(q.Question)}
		for _, event := range q.found.Claims[claim.Name] {
			switch event.Reason {
			case "ProvisioningFailed":
				if p.failed == nil || event.Last.After(p.failed.Last) {
					p.failed = &event
				}
			case "ExternalProvisioning", "Provisioning", "WaitForPodScheduled":
			default:
				continue
			}
			if p.since.IsZero() || event.First.Before(p.since) {
				p.since = event.First
			}
		}
		all = append(all, p)
	}
	return all
}

// tellProvisioning puts the volume before the nodes where the scheduler has
// chosen one already, and waits for the volume before it binds the pod.
func tellProvisioning(q *podQuestion, told overall) overall {
	all := provisioned(q)
	if len(all) == 0 {
		return told
	}
	first := all[0]
	summary := fmt.Sprintf("Waiting for the volume of claim %s to be provisioned on %s", first.claim.Name, first.node)
	why := fmt.Sprintf("claim %s on %s", first.claim.Name, first.node)
	if !first.since.IsZero() {
		summary += " for " + model.FormatAge(first.since, q.Now)
		why += " for " + model.FormatAge(first.since, q.Now)
	}
	if first.by != "" {
		summary += ", by " + first.by
	}
	told.facts = append([]string{told.summary}, told.facts...)
	told.summary, told.state, told.cause, told.why = summary+".", "provisioning", "volume", why
	for _, p := range all {
		if p.failed != nil {
			told.facts = append(told.facts, fmt.Sprintf("%s failed %s ago for claim %s: %s",
				plugins.OrSomebody(p.by), model.FormatAge(p.failed.Last, q.Now), p.claim.Name, p.failed.Message))
		}
	}
	if failed := first.failed; failed != nil {
		told.summary += fmt.Sprintf(" It failed %s ago: %s", model.FormatAge(failed.Last, q.Now), failed.Message)
		told.why += ": failed"
	}
	return told
}
