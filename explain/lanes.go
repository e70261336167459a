package explain

import (
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	storagehelpers "k8s.io/component-helpers/storage/volume"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
)

// withLanes adds to what a verdict comes to what an unbound pod waits for beside
// a node that would take it: its nomination, and volumes.
func withLanes(q *subject, r *report.Report, told overall) overall {
	switch r.Verdict {
	case report.Schedulable:
		told = tellProvisioning(q, told)
		if said := nomination(q); said != "" {
			told.summary += " " + grammar.Capital(said) + "."
		}
	case report.Unschedulable:
		if said := nomination(q); said != "" {
			told.facts = append(told.facts, said)
		}
	case report.Preempting:
	default:
		return told
	}
	for _, claim := range podClaims(q.question) {
		if said := claim.awaits(q); said != "" && !slices.Contains(told.facts, said) {
			told.facts = append(told.facts, said)
		}
	}
	return told
}

// nomination is for a pod whose victims are gone and that has no node yet.
func nomination(q *subject) string {
	name := q.pod.Status.NominatedNodeName
	if name == "" || len(q.found.victims) > 0 {
		return ""
	}
	if _, err := q.nodes.NodeInfos().Get(name); err != nil {
		return "it is nominated to " + name + ", which does not exist"
	}
	return "it is nominated to " + name + ", where no pod of lower priority is ending"
}

// provisioning is a claim whose volume is being made for a node.
type provisioning struct {
	claim  podClaim
	node   string
	by     string
	since  time.Time // when somebody first said so; zero: nobody did
	failed *model.Event
}

// provisioned are the claims of the pod that wait for a volume on the node that
// the scheduler has chosen.
func provisioned(q *subject) []provisioning {
	var all []provisioning
	for _, claim := range podClaims(q.question) {
		if !claim.isProvisioned() {
			continue
		}
		p := provisioning{claim: claim, node: claim.selectedNode(), by: claim.provisioner(q)}
		for _, event := range q.found.claims[claim.name] {
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

// isProvisioned says whether a node was selected for the claim, which has no
// volume yet.
func (c podClaim) isProvisioned() bool {
	return c.object != nil && c.object.Spec.VolumeName == "" && c.object.DeletionTimestamp == nil && c.selectedNode() != ""
}

// provisioner is who has to make the claim's volume; "" if that is not known.
func (c podClaim) provisioner(q *subject) string {
	for _, key := range []string{storagehelpers.AnnStorageProvisioner, storagehelpers.AnnBetaStorageProvisioner} {
		if by := c.object.Annotations[key]; by != "" {
			return by
		}
	}
	if class, err := q.listers.classes.Get(c.class()); err == nil {
		return class.Provisioner
	}
	return ""
}

// tellProvisioning puts the volume before the nodes where the scheduler has
// chosen one already, and waits for the volume before it binds the pod.
func tellProvisioning(q *subject, told overall) overall {
	all := provisioned(q)
	if len(all) == 0 {
		return told
	}
	first := all[0]
	summary := fmt.Sprintf("Waits for volume claim %s to be provisioned on %s", first.claim.name, first.node)
	why := fmt.Sprintf("claim %s on %s", first.claim.name, first.node)
	if !first.since.IsZero() {
		summary += " since " + model.FormatAge(first.since, q.now)
		why += " since " + model.FormatAge(first.since, q.now)
	}
	if first.by != "" {
		summary += ", by " + first.by
	}
	told.facts = append([]string{told.summary}, told.facts...)
	told.summary, told.state, told.why = summary+".", "provisioning", why
	for _, p := range all {
		if p.failed != nil {
			told.facts = append(told.facts, fmt.Sprintf("%s failed %s ago for claim %s: %s",
				orSomebody(p.by), model.FormatAge(p.failed.Last, q.now), p.claim.name, p.failed.Message))
		}
	}
	if failed := first.failed; failed != nil {
		told.summary += fmt.Sprintf(" It failed %s ago: %s", model.FormatAge(failed.Last, q.now), failed.Message)
		told.why += ": failed"
	}
	return told
}

func orSomebody(name string) string {
	if name == "" {
		return "the provisioner"
	}
	return name
}

// awaits is what a claim without a volume waits for; "" if that is not the pod's
// node, or is told elsewhere.
func (c podClaim) awaits(q *subject) string {
	if c.object == nil || c.object.DeletionTimestamp != nil || c.object.Spec.VolumeName != "" || !q.listers.readable("storageclasses") {
		return ""
	}
	switch {
	case c.selectedNode() != "":
		return fmt.Sprintf("claim %s is to be provisioned on %s, which kube-scheduler selected; %s has not provided a volume",
			c.name, c.selectedNode(), orSomebody(c.provisioner(q)))
	case c.waitsForConsumer(q.question):
		return fmt.Sprintf("claim %s gets its volume once the pod has a node: class %s waits for its first consumer", c.name, c.class())
	}
	return ""
}

// claimsToAsk are the claims of pod that somebody is making a volume for.
func (l listers) claimsToAsk(pod *corev1.Pod) []podClaim {
	if !l.readable("persistentvolumeclaims") {
		return nil
	}
	return slices.DeleteFunc(l.claimsOf(pod), func(c podClaim) bool { return !c.isProvisioned() })
}
