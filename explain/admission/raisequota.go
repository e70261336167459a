package admission

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/kubectl-fathom/kubectl-fathom/explain/quantity"
	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/explain/shell"
)

// raise is a quota that allows more than it does.
type raise struct {
	rejection quotaRejection
	to        resource.Quantity
}

func (r raise) title() string {
	return fmt.Sprintf("raise quota %s to %s %s instead of %s", r.rejection.name, r.rejection.resource,
		quotaAmount(r.rejection.resource, r.to, quantity.RoundedUp), quotaAmount(r.rejection.resource, r.rejection.hard, quantity.RoundedDown))
}

// command sets the quota's limit, and back.
func (r raise) command(to resource.Quantity) string {
	patch := map[string]any{"spec": map[string]any{"hard": map[string]any{string(r.rejection.resource): to.String()}}}
	return shell.Line("kubectl", "-n", r.rejection.namespace, "patch", "resourcequota/"+r.rejection.name, "--type=merge", "-p", shell.OneLine(patch))
}

// Fixes tries what would let a controller's pods be created: quotas that allow as
// much as all of them need. It works where the API server's own
// admission code then takes one after the other, and the plugins have a node for
// the first.
func (j *Judgement) Fixes(ifCreated *report.Report) *report.Fixes {
	found := &report.Fixes{Revision: ifCreated.Revision, Tried: []report.Fix{}}
	raises, why := j.raises()
	if why != "" {
		found.None = why
		return found
	}
	fix := newRaise(raises)
	fix.Alike = j.refused.Missing
	fix.PodsPlaced = created(j.Pod, raised(j.existing, raises), j.refused.Missing)
	fix.NodesGained = ifCreated.Fits
	switch {
	case fix.PodsPlaced == 0:
		fix.Remaining = append(fix.Remaining, "something else still rejects it")
	case ifCreated.Verdict != report.Schedulable:
		fix.Remaining = append(fix.Remaining, "once created, it would be Pending: "+strings.TrimSuffix(ifCreated.Summary, "."))
	}
	fix.Verified = len(fix.Remaining) == 0
	found.Tried = append(found.Tried, fix)
	return found
}

// raises are what the quotas would have to allow for all missing pods; or why
// that is not enough, or not known.
func (j *Judgement) raises() (raises []raise, why string) {
	switch {
	case len(j.limits)+len(j.security) > 0:
		return nil, "The pod template itself is rejected: changes to quotas, nodes or other pods won't help."
	case len(j.quotas) == 0 && len(j.unknown) > 0:
		return nil, "Unknown: " + j.unknown[0].Why + "."
	case len(j.quotas) == 0:
		return nil, "No quota rejects the pod now: there is nothing to raise."
	}
	for _, r := range j.quotas {
		if len(r.unset) > 0 || r.uncounted {
			return nil, strings.ToUpper(r.sentence()[:1]) + r.sentence()[1:] + ": raising it won't help."
		}
		to := r.used.DeepCopy()
		for range j.refused.Missing {
			to.Add(r.wanted)
		}
		raises = append(raises, raise{r, to})
	}
	return raises, ""
}

// newRaise is the fix that raises quotas, before it was tried.
func newRaise(raises []raise) report.Fix {
	fix := report.Fix{Kind: report.FixQuota, Affects: []report.Affected{}, Remaining: []string{}, Brief: "quota of the whole namespace"}
	var titles, lines, undos []string
	for _, r := range raises {
		titles = append(titles, r.title())
		lines, undos = append(lines, r.command(r.to)), append(undos, r.command(r.rejection.hard))
		fix.Affects = append(fix.Affects, report.Affected{
			Kind: "ResourceQuota", Namespace: r.rejection.namespace, Name: r.rejection.name,
			How: fmt.Sprintf("allows %s %s; other pods in the namespace can use it too", r.rejection.resource, r.to.String()),
		})
	}
	slices.Reverse(undos)
	fix.Title, fix.Command, fix.Undo = strings.Join(titles, " and "), strings.Join(lines, " && "), strings.Join(undos, " && ")
	return fix
}

// raised are the quotas with more allowed.
func raised(quotas []corev1.ResourceQuota, raises []raise) []corev1.ResourceQuota {
	changed := make([]corev1.ResourceQuota, 0, len(quotas))
	for _, quota := range quotas {
		quota = *quota.DeepCopy()
		for _, r := range raises {
			if r.rejection.name == quota.Name {
				quota.Status.Hard[r.rejection.resource] = r.to
			}
		}
		changed = append(changed, quota)
	}
	return changed
}
