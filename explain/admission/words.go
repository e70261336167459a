package admission

import (
	"fmt"
	"strings"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
)

// tell fills in the texts about a rejected pod.
func (j *Judgement) tell(r *report.Report) {
	r.State, r.BlockedBy, r.Facts = "not created", j.blockedBy(), j.facts(r)
	switch {
	case len(j.given) > 0:
		r.Summary, r.Why = j.given[0].What+".", j.given[0].Short
	case len(j.limits) > 0:
		r.Summary, r.Why = j.limits[0].What+".", shorts("LimitRange", j.limits)
	case len(j.security) > 0:
		r.Summary, r.Why = j.security[0].What+".", shorts("Pod Security", j.security)
		if more := len(j.security) - 1; more > 0 {
			r.Summary = fmt.Sprintf("%s and %d more.", j.security[0].What, more)
		}
	case len(j.quotas) > 0:
		r.Summary, r.Why = j.quotas[0].sentence()+".", report.Beside("quota", j.quotasShort())
		if n, of := haveFinished(j.finished); j.quotas[0].countsFinished() && n > 0 {
			r.Summary += fmt.Sprintf(" %s of the namespace %s finished%s, and %s counted until %s deleted.", grammar.Plural(n, "pod"),
				grammar.Agree(n, "has", "have"), of, grammar.Agree(n, "is", "are"), grammar.Agree(n, "it is", "they are"))
			r.Why += fmt.Sprintf(", %d finished", n)
		}
	case len(j.unknown) > 0:
		r.Summary = fmt.Sprintf("kube-apiserver rejected it%s; the reason is unknown: %s.", j.ago(), j.unknown[0].Why)
		r.Why = j.quote()
	default:
		stale, since := "", ""
		if j.changedSince() {
			stale, since = ", before a quota or LimitRange changed", "a quota or LimitRange changed since: "
		}
		r.Summary = fmt.Sprintf("kube-apiserver rejected it%s%s: %s.", j.ago(), stale, strings.TrimSuffix(reasonIn(j.refused.Message), "."))
		r.Why = since + j.quote()
	}
	r.Summary = "Not created: " + r.Summary
}

// blockedBy is the check that rejects the pod, in a word or two.
func (j *Judgement) blockedBy() string {
	switch {
	case len(j.given) > 0:
		return "admission"
	case len(j.limits) > 0:
		return "limit range"
	case len(j.security) > 0:
		return "pod security"
	case len(j.quotas) > 0:
		return "quota"
	}
	return "admission"
}

// shorts are the clauses of rejections, one after the other, without the check that they
// all begin with.
func shorts(check string, rejections []report.Rejection) string {
	var all []string
	for _, r := range rejections {
		all = append(all, report.Beside(check, r.Short))
	}
	return strings.Join(all, "; ")
}

// quotasShort names the resources of the first quota, and the other quotas.
func (j *Judgement) quotasShort() string {
	first := j.quotas[0]
	said := []string{first.rejection().Short}
	for _, r := range j.quotas[1:] {
		if r.name == first.name && len(first.unset)+len(r.unset) == 0 {
			said[0] += ", " + string(r.resource)
		} else {
			said = append(said, r.rejection().Short)
		}
	}
	return strings.Join(said, "; ")
}

// ago is how long ago the last rejection was, " 3m ago"; "" where nobody knows.
func (j *Judgement) ago() string {
	if j.refused.Last.IsZero() {
		return ""
	}
	return " " + model.FormatAge(j.refused.Last, j.now) + " ago"
}

// quote is what the API server said, for a cell beside what blocks the pod.
func (j *Judgement) quote() string { return reasonIn(j.refused.Message) }

// facts are the evidence: the sums, what else rejects the pod, how many pods are
// missing, the API server's message, and the answer for the pod if it were created.
func (j *Judgement) facts(r *report.Report) []string {
	var facts []string
	for i, rejection := range r.Admission.Rejections {
		at := i - len(j.given) - len(j.limits) - len(j.security)
		switch {
		case at >= 0 && j.quotas[at].fact() != "":
			facts = append(facts, j.quotas[at].fact())
		case i > 0:
			facts = append(facts, rejection.What)
		}
	}
	if !explained(j) {
		facts = append(facts, otherRules(j))
	}
	for _, part := range j.unknown {
		facts = append(facts, fmt.Sprintf("%s could not be checked: %s", strings.Join(part.Plugins, ", "), part.Why))
	}
	if class := j.uncovered(); class != "" && !explained(j) {
		facts = append(facts, fmt.Sprintf("no ResourceQuota of namespace %s has priority class %s in its scope; some clusters require one for it", j.Pod.Namespace, class))
	}
	missing := fmt.Sprintf("%s needs %s; %d of them could not be created", j.owner(), grammar.Plural(j.refused.Wanted, "pod"), j.refused.Missing)
	if j.refused.Missing == j.refused.Wanted {
		missing = fmt.Sprintf("%s needs %s, and none could be created", j.owner(), grammar.Plural(j.refused.Wanted, "pod"))
	}
	if since := j.refused.Since; !since.IsZero() {
		missing += " for " + model.FormatAge(since, j.now)
	}
	speaker := "kube-apiserver's message"
	if ago := j.ago(); ago != "" {
		speaker += "," + ago
	}
	facts = append(facts, missing)
	if explained(j) { // otherwise the summary has it
		facts = append(facts, speaker+": "+j.refused.Message)
	}
	return append(facts, IfCreated("it were", r.Admission.IfCreated))
}

// IfCreated is the sentence about what would happen to pods that do not exist: "If it were
// created, it would fit 2 nodes."
func IfCreated(subject, would string) string {
	if rest, fits := strings.CutPrefix(would, "It would"); fits {
		return "If " + subject + " created, it would" + rest
	}
	return "If " + subject + " created: " + would
}

// owner is the controller's own object, as kubectl names it.
func (j *Judgement) owner() string {
	for _, ref := range j.Pod.OwnerReferences {
		return strings.ToLower(ref.Kind) + "/" + ref.Name
	}
	return "its controller"
}
