package report

import (
	"fmt"
	"strings"

	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
)

// Works says whether the pod fits with the fix, and nothing is left in the way.
func (f *Fix) Works() bool { return f.Verified || f.Simulated }

// Work counts the fixes that work.
func (f *Fixes) Work() int {
	work := 0
	for i := range f.Tried {
		if f.Tried[i].Works() {
			work++
		}
	}
	return work
}

// Sentence says how many fixes work and how many do not, or why none was simulated.
func (f *Fixes) Sentence() string {
	work, tried := f.Work(), len(f.Tried)
	switch {
	case f.Advice != "":
		return sentence(f.Advice)
	case tried == 0 && f.None != "":
		return sentence(f.None)
	case tried == 0 && f.Stopped != "":
		return sentence("no fix was simulated: " + f.Stopped)
	case tried == 0:
		return "There is no fix to simulate."
	case f.Stopped != "":
		return f.countSentence() + "; " + strings.TrimSuffix(f.Stopped, ".") + "."
	case work > 1:
		return f.countSentence() + "; least disruptive first."
	}
	return f.countSentence() + "."
}

// countSentence counts the fixes that work, and those that do not, without a period.
func (f *Fixes) countSentence() string {
	work, tried := f.Work(), len(f.Tried)
	switch work {
	case 0:
		return fmt.Sprintf("No fix works: %d simulated, none is enough", tried)
	case tried:
		return grammar.Count(work, "fix works", "fixes work")
	}
	return fmt.Sprintf("%s, %s", grammar.Count(work, "fix works", "fixes work"), grammar.Count(tried-work, "does not", "do not"))
}

// Counts counts the fixes that work, and those that do not: "5 work, 3 do not".
func (f *Fixes) Counts() string {
	work, tried := f.Work(), len(f.Tried)
	switch work {
	case 0:
		return grammar.Count(tried, "does not work", "do not work")
	case tried:
		return grammar.Count(work, "works", "work")
	}
	return grammar.Count(work, "works", "work") + ", " + grammar.Count(tried-work, "does not", "do not")
}

// Gains says how many nodes the fix adds: "3 nodes"; "–" for none.
func (f *Fix) Gains() string {
	if f.NodesGained == 0 {
		return "–"
	}
	return grammar.Plural(f.NodesGained, "node")
}

// Places says how many of the equal pods it places: "1 of 3"; "–" for none.
func (f *Fix) Places() string {
	if f.PodsPlaced == 0 {
		return "–"
	}
	return fmt.Sprintf("%d of %d", f.PodsPlaced, max(f.PodsPlaced, f.Alike))
}

// Outcome is whom a fix that works affects, and what still stands in the way of
// one that does not, in few words.
func (f *Fix) Outcome() string {
	switch {
	case !f.Works() && len(f.Remaining) > 0:
		return f.Remaining[0]
	case f.Brief != "" || !f.Works():
		return f.Brief
	case f.Recreates:
		return "recreates the pod"
	}
	return "none"
}

// Title names the object: "deployment/checkout", "batch/report-1" for a pod.
func (a *Affected) Title() string {
	switch {
	case strings.EqualFold(a.Kind, "pod") && a.Namespace != "":
		return a.Namespace + "/" + a.Name
	case strings.EqualFold(a.Kind, "pod"):
		return a.Name
	}
	return strings.ToLower(a.Kind) + "/" + a.Name
}

// sentence begins with a capital and ends in a period.
func sentence(words string) string {
	return grammar.Capital(strings.TrimSuffix(words, ".")) + "."
}
