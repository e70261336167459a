package explanation

import (
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/ui/cells"
)

// VerdictCut says whether the row of the answer has no room for all of it.
func (p *Drawing) VerdictCut() bool { return p.Width < cells.Width(wholeVerdict(p))+1 }

// wholeVerdict is the answer with its symbol, however wide it is.
func wholeVerdict(p *Drawing) string {
	symbol := symbolOf(p.Report)
	return symbol + p.Brief(p.Report.Summary)
}

// Verdict is the answer with its symbol. What it says of other nodes than the closest is left out
// where there is no room for it. Before a count of nodes stands the verdict's name, where there is
// room.
func (p *Drawing) Verdict() string {
	symbol := symbolOf(p.Report)
	said := p.Report.Summary
	if further := p.Report.Further; further != "" && p.VerdictCut() {
		said = strings.TrimSuffix(said, " "+further)
	}
	said = p.Brief(said)
	if p.Report.Verdict == report.Unschedulable && strings.HasPrefix(said, "0 of ") {
		if named := symbol + "Unschedulable: " + said; cells.Width(named)+1 <= p.Width {
			return named
		}
	}
	return symbol + said
}

// RestOfVerdict is what of the answer the row has no room for; "" where it has all.
func RestOfVerdict(p *Drawing) string {
	if !p.VerdictCut() {
		return ""
	}
	shown := p.Verdict()
	if further := p.Report.Further; further != "" && cells.Width(shown)+1 <= p.Width {
		return p.Brief(further)
	}
	return endOf(wholeVerdict(p), p.Width-1)
}

// afterVerdict is what follows what the row of the answer has room for, from a sentence, a clause or a word that the
// row cuts: all of it, in any number of lines; "" where the row has all, or the message row has room for what it says of other nodes.
func afterVerdict(p *Drawing) string {
	if !p.VerdictCut() {
		return ""
	}
	whole, shown := wholeVerdict(p), p.Verdict()
	if further := p.Brief(p.Report.Further); further != "" && cells.Width(shown)+1 <= p.Width {
		if cells.Width(further)+2 <= p.Width {
			return ""
		}
		return further
	}
	return restFrom(whole, ansi.Truncate(whole, p.Width-2, ""), p.Width-restMargin)
}

// restMargin is how much narrower the lines of restLines are than the page.
const restMargin = 4

// restFrom is the rest of a text that is cut after some of it, from the beginning of the sentence that is cut, of the
// clause, or else of the word: the first of these that takes no more lines than the last.
func restFrom(whole, fits string, width int) string {
	from := func(at int) string { return "… " + whole[at:] }
	word := from(strings.LastIndexByte(fits, ' ') + 1)
	least := len(cells.Wrap(word, width))
	for _, end := range []string{". ", "; ", ": ", ", "} {
		at := strings.LastIndex(fits, end)
		if at < 0 {
			continue
		}
		rest := from(at + len(end))
		if end == ". " {
			rest = whole[at+len(end):]
		}
		if len(cells.Wrap(rest, width)) <= least {
			return rest
		}
	}
	return word
}

// restLines are afterVerdict in lines, on the page of a verdict about nodes.
func restLines(p *Drawing) []string {
	if !p.AboutNodes() || p.Preview || p.old() {
		return nil
	}
	return cells.Indent(3, cells.Wrap(afterVerdict(p), p.Width-restMargin))
}

// ShowsRest reports whether the body has rows for RestOfVerdict.
func ShowsRest(p *Drawing) bool {
	c := p.Content()
	r := c.Room(p.Height - TopRows)
	return r.rest > 0
}

// endOf is the end of a text that has no room in width cells, from a word on.
func endOf(text string, width int) string {
	if cells.Width(text) <= width {
		return text
	}
	end := ansi.TruncateLeft(text, cells.Width(text)-width+1, "")
	_, words, ok := strings.Cut(end, " ")
	if !ok {
		return "… " + ansi.TruncateLeft(end, 1, "")
	}
	return "… " + words
}
