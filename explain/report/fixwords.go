package report

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
)

// Works says whether the pod fits with the fix, and nothing is left in the way.
func (f *Fix) Works() bool { return f.Verified || f.Simulated }

// May says whether it depends on other pods whether the fix works.
func (f *Fix) May() bool { return !f.Works() && len(f.Unless) > 0 && !f.Circumvents() }

// Unevaluated says whether it is unknown if the fix works.
func (f *Fix) Unevaluated() bool { return f.Open && !f.Works() && !f.May() && !f.Circumvents() }

// Circumvents says whether the fix gets round the controller of the pod's queue, or takes the pod out of
// its PodGroup. Such a fix never works.
func (f *Fix) Circumvents() bool { return f.Bypasses != "" || f.Leaves != "" }

// Advises says whether nothing is tried: the fix is what somebody else has to do, or undoes a rollout.
func (f *Fix) Advises() bool {
	return f.Kind == FixQueue || f.Kind == FixGroup || f.Kind == FixUndo
}

// Work counts the fixes that work.
func (f *Fixes) Work() int { return f.count((*Fix).Works) }

func (f *Fixes) count(is func(*Fix) bool) (n int) {
	for i := range f.Tried {
		if is(&f.Tried[i]) {
			n++
		}
	}
	return n
}

// Sentence says how many fixes work and how many do not, or why none was simulated.
func (f *Fixes) Sentence() string {
	work, tried := f.Work(), len(f.Tried)
	switch {
	case f.Left > 0:
		return "Simulating fixes: " + f.Progress() + "."
	case f.Advice != "":
		return sentence(f.Advice)
	case f.simulated() == 0 && f.None != "":
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

// Progress says how far the simulation of fixes is: "2 of 7 done".
func (f *Fixes) Progress() string {
	return fmt.Sprintf("%d of %d done", len(f.Tried), len(f.Tried)+f.Left)
}

// countSentence counts the fixes that work, and those that do not, without a period.
func (f *Fixes) countSentence() string {
	work, may, tried := f.Work(), f.count((*Fix).May), f.simulated()
	switch {
	case tried == 0:
		return "No fix was simulated"
	case work+may == 0:
		if f.count((*Fix).Unevaluated) > 0 {
			return "No fix is known to work: " + f.Counts()
		}
		return fmt.Sprintf("No fix works: %d simulated, none is enough", tried)
	case work == 0:
		return "No fix is certain to work: " + f.Counts()
	}
	return strings.Join(append([]string{grammar.Count(work, "fix works", "fixes work")}, f.others(may, tried-work-may)...), ", ")
}

// simulated is how many fixes were: advice is not.
func (f *Fixes) simulated() int { return len(f.Tried) - f.count((*Fix).Advises) }

// HeadWord is the head of a list of fixes, without their counts.
func (f *Fixes) HeadWord() string {
	if f.simulated() == 0 {
		return FixesWord
	}
	return FixesHead
}

// others count the fixes that may work, and those that do not.
func (f *Fixes) others(may, not int) (counts []string) {
	if may > 0 {
		counts = append(counts, grammar.Count(may, "may work", "may work"))
	}
	unknown := f.count((*Fix).Unevaluated)
	if not -= unknown; not > 0 {
		counts = append(counts, grammar.Count(not, "does not", "do not"))
	}
	if unknown > 0 {
		counts = append(counts, grammar.Count(unknown, "is unknown", "are unknown"))
	}
	return counts
}

// Counts counts the fixes that work, those that may, and those that do not: "5 work, 1 may
// work, 3 do not".
func (f *Fixes) Counts() string {
	work, may, tried := f.Work(), f.count((*Fix).May), f.simulated()
	switch {
	case tried == 0:
		return "none simulated"
	case work+may == 0 && f.count((*Fix).Unevaluated) == 0:
		return grammar.Count(tried, "does not work", "do not work")
	}
	var counts []string
	if work > 0 {
		counts = append(counts, grammar.Count(work, "works", "work"))
	}
	return strings.Join(append(counts, f.others(may, tried-work-may)...), ", ")
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
	case len(f.Unread) > 0:
		return "if " + strings.Join(f.Unread, " and ") + " " + grammar.Agree(len(f.Unread), "allows", "allow") + " it: " + cmp.Or(f.Brief, "none")
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
