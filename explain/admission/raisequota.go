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
	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
)

// raise is a quota that allows as much as all missing pods need.
type raise struct {
	namespace, name string
	limits          []quotaRejection // of the last of these pods, one for each resource
}

func (r raise) title() string {
	var limits []string
	for _, l := range r.limits {
		limits = append(limits, fmt.Sprintf("%s instead of %s", l.allowing(), quotaAmount(l.resource, l.hard, quantity.RoundedDown)))
	}
	return fmt.Sprintf("raise quota %s to %s", r.name, strings.Join(limits, " and "))
}

// affected says what the raised quota allows, and whom.
func (r raise) affected() report.Affected {
	var limits []string
	for _, l := range r.limits {
		limits = append(limits, l.allowing())
	}
	others := "other pods in the namespace"
	if r.limits[0].scoped {
		others += " and in the quota's scope"
	}
	return report.Affected{
		Kind: "ResourceQuota", Namespace: r.namespace, Name: r.name,
		How: fmt.Sprintf("allows %s; %s can use it too", strings.Join(limits, " and "), others),
	}
}

// command sets the quota's limits.
func (r raise) command(to func(quotaRejection) resource.Quantity) string {
	hard := map[string]any{}
	for _, l := range r.limits {
		amount := to(l)
		hard[string(l.resource)] = amount.String()
	}
	patch := map[string]any{"spec": map[string]any{"hard": hard}}
	return shell.Line("kubectl", "-n", r.namespace, "patch", "resourcequota/"+r.name, "--type=merge", "-p", shell.OneLine(patch))
}

// allowing is the resource with as much as the quota would have to allow.
func (r quotaRejection) allowing() string {
	return fmt.Sprintf("%s %s", r.resource, quotaAmount(r.resource, r.needed(), quantity.RoundedUp))
}

// Fixes tries what would let a controller's missing pods be created: quotas that allow as
// much as all of them need. It works where the API server's own admission code then takes
// all of them, one after the other, and the plugins have a node for the first. Where missing
// pods of other controllers may use the room first, it depends on them, and a quota that is
// enough for those too is tried beside it. all are the controllers whose pods are missing.
func (j *Judgement) Fixes(ifCreated *report.Report, all []*model.NotCreated) *report.Fixes {
	found := &report.Fixes{Revision: ifCreated.Revision, Tried: []report.Fix{}}
	raises, why := j.raises(nil)
	if why != "" {
		found.None = why
		return found
	}
	fix, _ := j.tryRaise(ifCreated, raises, nil)
	var others, first []missingPods
	if fix.Verified {
		others = j.otherMissing(all)
		first = j.first(raises, others)
	}
	if len(first) > 0 {
		fix.Verified, fix.Unless = false, unless(first)
		for i := range fix.Unless {
			fix.Remaining = append(fix.Remaining, fix.Unless[i].Words())
		}
		found.Tried = append(found.Tried, j.enough(ifCreated, first, others)...)
	}
	found.Tried = append(found.Tried, fix)
	return found
}

// enough is the fix that raises quotas to what the pods and those of others that may be created first
// need; none where that is not enough for all of these, or where still others may come first.
func (j *Judgement) enough(ifCreated *report.Report, first, others []missingPods) []report.Fix {
	raises, why := j.raises(first)
	if why != "" {
		return nil
	}
	fix, all := j.tryRaise(ifCreated, raises, first)
	if !all || len(j.first(raises, others)) > 0 {
		return nil
	}
	return []report.Fix{fix}
}

// tryRaise asks what raised quotas would let be created, after the missing pods of others, and whether
// all of these are.
func (j *Judgement) tryRaise(ifCreated *report.Report, raises []raise, others []missingPods) (fix report.Fix, all bool) {
	fix, all = newRaise(raises), true
	quotas := raised(j.existing, raises)
	for _, other := range others {
		all = created(other.pod, quotas, other.count) == other.count && all
	}
	if len(others) > 0 {
		fix.Title += ", enough for " + namesOf(others) + " too"
		fix.Affects = append(fix.Affects, alsoFor(others)...)
	}
	fix.Alike = j.refused.Missing
	fix.PodsPlaced = created(j.Pod, quotas, j.refused.Missing)
	fix.NodesGained = ifCreated.Fits
	switch {
	case fix.PodsPlaced < fix.Alike:
		fix.Remaining = append(fix.Remaining, fmt.Sprintf("something else rejects %d of %s", fix.Alike-fix.PodsPlaced, grammar.Plural(fix.Alike, "pod")))
	case ifCreated.Verdict == report.Unknown:
		fix.Open, fix.Remaining = true, append(fix.Remaining, "once created: "+grammar.Small(strings.TrimSuffix(ifCreated.Summary, ".")))
	case ifCreated.Verdict != report.Schedulable:
		fix.Remaining = append(fix.Remaining, "once created, it would be Pending: "+strings.TrimSuffix(ifCreated.Summary, "."))
	}
	fix.Verified = len(fix.Remaining) == 0
	return fix, all
}

// raises are what the quotas would have to allow for all missing pods, after the missing pods of
// others: what rejects any of them rejects the last one. Or why that is not enough, or not known.
func (j *Judgement) raises(others []missingPods) (raises []raise, why string) {
	if j.ending {
		return nil, "The namespace is being deleted, so no change helps. kubectl describe namespace " + j.Pod.Namespace + " shows what its deletion is waiting for."
	}
	if len(j.given) > 0 {
		return nil, missingAdvice(&j.given[0])
	}
	if len(j.limits)+len(j.security) > 0 || j.message != "" && len(j.quotas) == 0 {
		return nil, "The pod template itself is rejected: changes to quotas, nodes or other pods won't help."
	}
	quotas := copied(j.existing)
	for _, other := range others {
		charge(quotas, other.pod, other.count)
	}
	charge(quotas, j.Pod, j.refused.Missing-1)
	rejections := quotasRefusing(j.Pod, quotas)
	switch {
	case len(rejections) == 0 && len(j.unknown) > 0:
		return nil, "Unknown: " + j.unknown[0].Why + "."
	case len(rejections) == 0:
		return nil, nothingToRaise(j)
	}
	for _, r := range rejections {
		switch {
		case len(r.unset) > 0:
			return nil, fmt.Sprintf("%s. Set %s of a LimitRange: raising the quota won't help.", grammar.Capital(r.sentence()),
				grammar.Agree(len(r.unsetResources()), "it there, or as a default", "them there, or as defaults"))
		case r.uncounted:
			return nil, grammar.Capital(r.sentence()) + ": kube-controller-manager does that. Raising the quota won't help."
		}
		if last := len(raises) - 1; last >= 0 && raises[last].name == r.name {
			raises[last].limits = append(raises[last].limits, r)
			continue
		}
		raises = append(raises, raise{r.namespace, r.name, []quotaRejection{r}})
	}
	return raises, ""
}

// missingAdvice is what to do about an object that the pod needs and that does not exist.
func missingAdvice(r *report.Rejection) string {
	if r.Plugin == namespacePlugin {
		return grammar.Capital(r.What) + ": create it first."
	}
	return grammar.Capital(r.What) + ": create it, or change what the pod names. Changes to quotas, nodes or other pods won't help."
}

// newRaise is the fix that raises quotas, before it was tried.
func newRaise(raises []raise) report.Fix {
	fix := report.Fix{Kind: report.FixQuota, Affects: []report.Affected{}, Remaining: []string{}, Brief: "quota of the whole namespace"}
	was := func(r quotaRejection) resource.Quantity { return r.hard }
	var titles, lines, undos []string
	if !slices.ContainsFunc(raises, func(r raise) bool { return !r.limits[0].scoped }) {
		fix.Brief = "quota of all pods in its scope"
	}
	for _, r := range raises {
		titles = append(titles, r.title())
		lines, undos = append(lines, r.command(quotaRejection.needed)), append(undos, r.command(was))
		fix.Affects = append(fix.Affects, r.affected())
	}
	slices.Reverse(undos)
	fix.Title, fix.Command, fix.Undo = strings.Join(titles, " and "), strings.Join(lines, " && "), strings.Join(undos, " && ")
	return fix
}

// raised are the quotas with more allowed.
func raised(quotas []corev1.ResourceQuota, raises []raise) []corev1.ResourceQuota {
	changed := copied(quotas)
	for i := range changed {
		for _, r := range raises {
			if r.name != changed[i].Name {
				continue
			}
			for _, l := range r.limits {
				changed[i].Status.Hard[l.resource] = l.needed()
			}
		}
	}
	return changed
}
