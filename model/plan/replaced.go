package plan

import (
	"fmt"

	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// Replaced words the values of labels, annotations and taints that the plan puts others
// in the place of, with their objects: "std-a-01 disktype=hdd".
func (p *Plan) Replaced() []string {
	var words []string
	for _, change := range p.Changes {
		for _, edit := range change.Edits {
			for _, value := range edit.replaced() {
				words = append(words, change.Target.Words()+" "+model.Clean(value))
			}
		}
	}
	return words
}

// replaced are the values that the edit puts others in the place of.
func (e Edit) replaced() []string {
	if len(e.Path) == 3 && e.Path[0] == "metadata" && e.From != nil && e.To != nil {
		if e.Path[1] == annotations {
			return []string{e.Path[2]} // its value may be anything
		}
		return []string{fmt.Sprintf("%s=%v", e.Path[2], e.From)}
	}
	if len(e.Path) != len(taintsPath) || e.Path[0] != taintsPath[0] || e.Path[1] != taintsPath[1] {
		return nil
	}
	var values []string
	for _, was := range items(e.From) {
		for _, is := range items(e.To) {
			before, after := taintOf(was), taintOf(is)
			if before.MatchTaint(&after) && before.Value != after.Value {
				values = append(values, before.ToString())
			}
		}
	}
	return values
}
