package nodemap

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
	"github.com/kubectl-fathom/kubectl-fathom/ui/figures"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page"
	"github.com/kubectl-fathom/kubectl-fathom/ui/tone"
)

// summary is what is said of all nodes of a map, made when they change.
type summary struct {
	seen   *page.Observed
	grid   *grid
	gone   *model.Node
	nodes  []*model.Node // without the one that is gone
	cells  []cell        // of all nodes of the grid
	found  []tally       // the cells that have a meaning of their own, in the order of the legend
	answer []string      // in several lengths
}

// tally is a kind of cell, and how many nodes have it.
type tally struct {
	cell
	nodes int
}

// mostNamed is how many parts of a cluster a sentence names.
const mostNamed = 2

// order is that of the signs in the legend, those of capacity and of state.
const order = "'·CtgPnN?"

// count makes the summary of what is shown.
func (p *Page) count() {
	m := p.measure()
	s := summary{seen: p.Host.Observed(), grid: &p.grid, gone: p.gone, nodes: p.grid.nodes, cells: make([]cell, len(p.grid.nodes))}
	if p.gone != nil {
		s.nodes = slices.DeleteFunc(slices.Clone(s.nodes), func(n *model.Node) bool { return n == p.gone })
	}
	for i, n := range p.grid.nodes {
		if n == p.gone {
			s.cells[i] = cell{sign: goneSign, tone: tone.Dim}
			continue
		}
		s.cells[i] = m.cell(n)
		s.add(s.cells[i])
	}
	slices.SortStableFunc(s.found, func(a, b tally) int { return rank(m, a.sign) - rank(m, b.sign) })
	s.answer = m.answer(&s)
	if _, ok := m.(reasons); !ok && len(s.nodes) == 0 {
		s.answer = []string{"0 nodes."}
	}
	p.summary = s
}

// add counts a cell. Several meanings of one sign go by the word of their family.
func (s *summary) add(c cell) {
	if c.means == "" {
		return
	}
	at := slices.IndexFunc(s.found, func(t tally) bool { return t.sign == c.sign })
	if at < 0 {
		s.found = append(s.found, tally{c, 1})
		return
	}
	t := &s.found[at]
	t.nodes++
	if t.means != c.means {
		t.means = familyWord(c)
	}
}

// familyWord stands for several meanings of a sign.
func familyWord(c cell) string {
	if f, ok := byCause[c.means]; ok && f.sign == c.sign {
		return f.word
	}
	return "other reasons"
}

// rank is the place of a sign in the legend.
func rank(m measure, sign string) int {
	if _, ok := m.(reasons); ok {
		at := slices.IndexFunc(families, func(f family) bool { return f.sign == sign })
		if at < 0 {
			return len(families)
		}
		return at
	}
	return strings.Index(order, sign)
}

// subject is the nodes that are summed up: "412 nodes".
func (s *summary) subject() string { return figures.Count(len(s.nodes), "node", "nodes") }

// stateWords count nodes by what keeps pods away from them: "12 cordoned", "3 NotReady".
// A node that is NotReady and another counts twice, as in Nodes.
func (s *summary) stateWords() []string {
	counts := map[string]int{}
	for _, n := range s.nodes {
		switch {
		case n.IsNew():
			counts["not initialized"]++
		case n.Lifecycle != "":
			counts["removing"]++
		case n.Cordoned:
			counts["cordoned"]++
		}
		if n.IsFailed() {
			counts["NotReady"]++
		}
	}
	return worded(counts, "cordoned", "NotReady", "not initialized", "removing")
}

// worded are counts with their words, without those that are zero.
func worded(counts map[string]int, words ...string) []string {
	var made []string
	for _, word := range words {
		if n := counts[word]; n > 0 {
			made = append(made, model.FormatCount(n)+" "+word)
		}
	}
	return made
}

// part is some nodes that a sentence can name: a zone, a pool, a pool in a zone.
type part struct {
	name  string
	nodes []*model.Node
}

// split puts rows together by some of their values, without those that are not set; nil
// where that gives fewer than two parts.
func (s *summary) split(by []int) []part {
	var parts []part
	index := map[string]int{}
	for _, r := range s.grid.rows {
		names := make([]string, len(by))
		for i, value := range by {
			names[i] = model.Clean(r.values[value])
		}
		if slices.Contains(names, "") {
			continue
		}
		name := strings.Join(names, " in ")
		at, known := index[name]
		if !known {
			at = len(parts)
			index[name] = at
			parts = append(parts, part{name: name})
		}
		for _, n := range s.grid.nodes[r.from:r.to] {
			if n != s.gone {
				parts[at].nodes = append(parts[at].nodes, n)
			}
		}
	}
	if len(parts) < 2 {
		return nil
	}
	slices.SortStableFunc(parts, func(a, b part) int { return strings.Compare(a.name, b.name) })
	return parts
}

// answer counts the nodes that are full, those of which that is not known, and those that
// take no pods.
func (l level) answer(of *summary) []string {
	have, over, open := *of, 0, 0
	if l.isExtended() {
		have.nodes = slices.DeleteFunc(slices.Clone(of.nodes), func(n *model.Node) bool { return n.Allocatable.Of(l.name) <= 0 })
	}
	for _, n := range have.nodes {
		switch part, whole, known := l.part(n); {
		case !known && !stateOf(n).stops:
			open++
		case known && model.Percent(part, whole) >= l.levels.Full:
			over++
		}
	}
	subject := of.subject()
	if len(have.nodes) < len(of.nodes) {
		subject = fmt.Sprintf("%s of %s have %s", model.FormatCount(len(have.nodes)), subject, l.resource())
	}
	states := strings.Join(append([]string{""}, have.stateWords()...), ", ")
	if l.open != "" {
		return []string{subject + ": requests unknown" + states + "; " + l.open + ".", subject + ": requests unknown" + states + "."}
	}
	if open > 0 && open == len(have.nodes) {
		return []string{subject + ": " + l.title() + " unknown."}
	}
	subject += fmt.Sprintf(": %s at %d%%+", countOrNone(over), l.levels.Full)
	if open > 0 {
		subject += ", " + model.FormatCount(open) + " unknown"
	}
	full := l.fullWords(&have)
	return []string{subject + states + "." + full, subject + "." + full, subject + states + "."}
}

// countOrNone is a number, in a word where it is zero.
func countOrNone(n int) string {
	if n == 0 {
		return "none"
	}
	return model.FormatCount(n)
}

// fullWords say which zones are full, else which pools, else which pools of a zone.
func (l level) fullWords(of *summary) string {
	if l.isFull(of.nodes) {
		return " Together they are full."
	}
	for _, by := range of.grid.divisions() {
		var full []string
		for _, p := range of.split(by) {
			if l.isFull(p.nodes) {
				full = append(full, p.name)
			}
		}
		if len(full) > 0 {
			return " " + grammar.List(full, mostNamed) + grammar.Agree(len(full), " is", " are") + " full."
		}
	}
	return ""
}

// isFull reports whether nodes are full together, without those that take no pods and
// those of which that is not known.
func (l level) isFull(nodes []*model.Node) bool {
	var part, whole int64
	for _, n := range nodes {
		if own, all, known := l.part(n); known && !stateOf(n).stops {
			part, whole = part+own, whole+all
		}
	}
	return whole > 0 && model.Percent(part, whole) >= l.levels.Full
}

// answer counts new and old nodes, and names the oldest one.
func (a age) answer(of *summary) []string {
	var oldest *model.Node
	youngs, olds := 0, 0
	for _, n := range of.nodes {
		created := n.Object.CreationTimestamp.Time
		if created.IsZero() {
			continue
		}
		switch is := a.asOf.Sub(created); {
		case is < young:
			youngs++
		case is >= old:
			olds++
		}
		if oldest == nil || created.Before(oldest.Object.CreationTimestamp.Time) {
			oldest = n
		}
	}
	if oldest == nil {
		return []string{of.subject() + ", of unknown age."}
	}
	first := fmt.Sprintf("%s: %s younger than 1h, %s older than 90d.", of.subject(), countOrNone(youngs), countOrNone(olds))
	return []string{
		first + " Oldest: " + model.Clean(of.seen.NodeName(oldest.Name)) + ", " + of.seen.Since(oldest.Object.CreationTimestamp.Time) + ".",
		first,
	}
}

// answer counts the nodes by their state; one with several counts for each.
func (states) answer(of *summary) []string {
	counts := map[string]int{}
	for _, n := range of.nodes {
		if n.IsReady() {
			counts["Ready"]++
		}
		if isTainted(n) {
			counts[taintedWord]++
		}
		if len(n.Pressure) > 0 {
			counts["under pressure"]++
		}
	}
	words := append(worded(counts, "Ready"), of.stateWords()...)
	return []string{of.subject() + ": " + strings.Join(append(words, worded(counts, taintedWord, "under pressure")...), ", ") + "."}
}
