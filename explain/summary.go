package explain

import "strings"

// summarize fills in the words about the whole once verdict, groups, plugins and
// figures of the report stand: Summary, State, Why, Facts, and the Words of each
// group. Refusals of a group have their words already.
func summarize(_ *question, r *Report) {
	for i := range r.Groups {
		r.Groups[i].Words = clauses(r.Groups[i].Refusals)
	}
	r.Summary = string(r.Verdict) + "."
	r.State = strings.ToLower(string(r.Verdict))
}

// clauses joins what stands in the way, in the plugins' order.
func clauses(refusals []Refusal) string {
	var all []string
	for _, refusal := range refusals {
		all = append(all, refusal.Short)
	}
	return strings.Join(all, "; ")
}
