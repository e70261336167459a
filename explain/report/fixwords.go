package report

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
)

// Work counts the fixes that work.
func (f *Fixes) Work() int {
	work := 0
	for i := range f.Tried {
		if f.Tried[i].Verified {
			work++
		}
	}
	return work
}

// Sentence says how many fixes work and how many do not, or why none was tried.
func (f *Fixes) Sentence() string {
	work, tried := f.Work(), len(f.Tried)
	switch {
	case f.Advice != "":
		return sentence(f.Advice)
	case tried == 0 && f.None != "":
		return sentence(f.None)
	case tried == 0 && f.Stopped != "":
		return sentence("no fix was tried: " + f.Stopped)
	case tried == 0:
		return "Nothing is known that could be tried."
	case f.Stopped != "":
		return f.counts() + "; " + strings.TrimSuffix(f.Stopped, ".") + "."
	case work == 0:
		return fmt.Sprintf("No fix works: %d %s.", tried, grammar.Agree(tried, "was tried and is not enough", "were tried and are not enough"))
	case work == 1 && tried == 1:
		return "1 fix works."
	case work == tried:
		return fmt.Sprintf("%d fixes work. Least harm first.", work)
	}
	return fmt.Sprintf("%s; %d more %s. Least harm first.", grammar.Count(work, "fix works", "fixes work"),
		tried-work, grammar.Agree(tried-work, "was tried and is not enough", "were tried and are not enough"))
}

// counts tells of fixes some of which may not have been tried.
func (f *Fixes) counts() string {
	work, tried := f.Work(), len(f.Tried)
	switch {
	case work == 0 && tried == 1:
		return "The 1 fix that was tried does not work"
	case work == 0:
		return fmt.Sprintf("None of %d fixes works", tried)
	case work == tried:
		return grammar.Count(work, "fix works", "fixes work")
	}
	return fmt.Sprintf("%s, %d %s", grammar.Count(work, "fix works", "fixes work"), tried-work, grammar.Agree(tried-work, "does not", "do not"))
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
	case !f.Verified && len(f.Remaining) > 0:
		return f.Remaining[0]
	case f.Brief != "" || !f.Verified:
		return f.Brief
	case f.Recreates:
		return "the pod is created again"
	}
	return "nothing else"
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
	first, size := utf8.DecodeRuneInString(words)
	return string(unicode.ToUpper(first)) + strings.TrimSuffix(words[size:], ".") + "."
}
