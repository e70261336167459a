// Package nodefit is the page of why the pending pods do not fit one node.
package nodefit

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/query"
	"github.com/kubectl-fathom/kubectl-fathom/ui/cells"
	"github.com/kubectl-fathom/kubectl-fathom/ui/figures"
	"github.com/kubectl-fathom/kubectl-fathom/ui/keymap"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page/list"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page/why"
	"github.com/kubectl-fathom/kubectl-fathom/ui/table"
	"github.com/kubectl-fathom/kubectl-fathom/ui/tone"
)

// Page is the page of why each kind of pending pods does not fit one node, the
// closest to fitting first.
type Page struct {
	list.Page[query.PendingRow, *row]
	node    string
	answers map[string]report.NodeAnswer // by a kind's key
	next    map[string]report.NodeAnswer // of the round that is under way
	todo    []*model.Kind                // of that round, not asked about yet
	whole   bool                         // a round is complete
	asks    page.Question[answered]
	asked   int64 // the revision that the last round began with
	spent   time.Duration
	trouble error // of the last question
}

// row is one kind of pods, and why it does not fit the node.
type row struct {
	kind   *model.Kind
	answer *report.NodeAnswer // nil: not known yet
}

// New is the page about a node.
func New(h page.Host, node string) *Page {
	p := &Page{node: node, answers: map[string]report.NodeAnswer{}}
	p.Host, p.Self, p.Noun = h, p, "pod"
	p.Natural, p.Rows = p.kinds, p.rowsOf
	p.Born = func(r *row) time.Time { return r.kind.Since() }
	p.Fields = func() *query.Fields[query.PendingRow] { return query.PendingFields(h.Observed().AsOf()) }
	p.Table = table.New(func(r *row) string { return r.kind.Key }, p.columns()...)
	return p
}

func (p *Page) columns() []table.Column[*row] {
	h := p.Host
	return []table.Column[*row]{
		{Head: "NAMESPACE/POD", Field: "name", Min: 19, Max: 40, Names: true, Text: func(r *row) table.Cell { return table.Cell{Text: page.KindName(h, r.kind)} }},
		{Head: "PRIO", Field: "prio", Min: 6, Right: true, Text: func(r *row) table.Cell { return table.Cell{Text: strconv.Itoa(int(r.kind.Priority()))} }},
		{Head: "AGE", Field: "age", Ticks: true, From: 100, Right: true, Text: func(r *row) table.Cell { return table.Cell{Text: h.Observed().Since(r.kind.Since())} }},
		{Head: "REASON", Field: "why", Min: 26, Flex: true, State: true, Text: p.words},
	}
}

// waitingKinds are those of the namespace whose pods have no node.
func (p *Page) waitingKinds() []*model.Kind {
	namespace := p.Host.Namespace()
	var kinds []*model.Kind
	for _, kind := range p.Host.Observed().Snapshot.Pending {
		if first := kind.First(); first.Exists() && !first.Bound() && (namespace == "" || kind.Namespace() == namespace) {
			kinds = append(kinds, kind)
		}
	}
	return kinds
}

// kinds are those in the order of the page: the closest first once all are known,
// until then as in the scheduler's queue.
func (p *Page) kinds() []query.PendingRow {
	kinds := p.waitingKinds()
	if p.whole {
		slices.SortStableFunc(kinds, func(a, b *model.Kind) int {
			x, known := p.answers[a.Key]
			y, too := p.answers[b.Key]
			if !known || !too { // kinds that came since then are last
				return last(known) - last(too)
			}
			return x.Compare(&y)
		})
	}
	rows := make([]query.PendingRow, len(kinds))
	for i, kind := range kinds {
		rows[i] = query.PendingRow{Kind: kind}
		if answer, ok := p.answers[kind.Key]; ok {
			rows[i].Why = wordsOf(&answer).Text
			rows[i].State = "rejected"
			if len(answer.Refusals) == 0 {
				rows[i].State = rows[i].Why
			}
		}
	}
	return rows
}

// last puts kinds without an answer behind the others.
func last(known bool) int {
	if known {
		return 0
	}
	return 1
}

func (p *Page) rowsOf(kinds []query.PendingRow) []*row {
	rows := make([]*row, len(kinds))
	for i, k := range kinds {
		rows[i] = &row{kind: k.Kind}
		if answer, ok := p.answers[k.Kind.Key]; ok {
			rows[i].answer = &answer
		}
	}
	return rows
}

// words say why a kind does not fit the node.
func (p *Page) words(row *row) table.Cell {
	switch {
	case row.answer == nil && p.trouble != nil:
		return table.Cell{Text: "not evaluated", Tone: tone.Unknown}
	case row.answer == nil:
		return table.Cell{Text: "explaining", Tone: tone.Dim}
	}
	made := wordsOf(row.answer)
	made.Text = p.Host.Observed().Brief(report.ShortLabels(made.Text))
	return made
}

// wordsOf are an answer in one line.
func wordsOf(answer *report.NodeAnswer) table.Cell {
	var made table.Cell
	switch {
	case answer.Fits == nil && len(answer.Refusals) == 0:
		made = table.Cell{Text: "not evaluated", Tone: tone.Unknown}
		if len(answer.Unknown) > 0 {
			made.Text = "not evaluated: " + answer.Unknown[0].Why
		}
	case len(answer.Refusals) == 0:
		made = table.Cell{Text: "fits", Tone: tone.Good}
	default:
		made = table.Cell{Text: answer.Words()}
	}
	if answer.Held != "" {
		return table.Cell{Text: answer.Held + "; " + made.Text, Tone: tone.Warning}
	}
	return made
}

// gone reports whether the node no longer exists.
func (p *Page) gone() bool {
	_, ok := p.Host.Observed().Snapshot.Node(p.node)
	return !ok && len(p.Host.Observed().Snapshot.Status.Reading) == 0 && p.Host.Observed().NotRead("nodes") == ""
}

// Crumbs implements page.View.
func (p *Page) Crumbs() []string {
	return []string{"nodes", p.Host.Observed().NodeName(p.node), "why not here"}
}

// Answer counts the pods that would fit, and names the closest of the others.
func (p *Page) Answer(width int) string {
	name := model.Clean(p.Host.Observed().NodeName(p.node))
	switch {
	case p.Host.Observed().IsReading():
		return p.Host.ReadingWords()
	case p.gone():
		return name + " is gone."
	case p.trouble != nil:
		return "No answer: " + model.Clean(p.trouble.Error())
	case len(p.waitingKinds()) == 0:
		return "No pending pods without a node."
	case !p.whole:
		return "Evaluating the pending pods on " + name + "."
	}
	if words := p.NothingKept(); words != "" {
		return words
	}
	taken, next := p.tally(name)
	if keeps := p.Keeps(); cells.Width(taken)+cells.Width(next)+cells.Width(keeps) > width && keeps != "" {
		return taken + "." + keeps
	}
	return taken + next + "." + p.Keeps()
}

// tally is the answer once all kinds were asked about.
func (p *Page) tally(name string) (taking, next string) {
	all, taken, open := 0, 0, 0
	closest := ""
	for _, row := range p.kinds() {
		answer, ok := p.answers[row.Kind.Key]
		n := len(row.Kind.Pods)
		all += n
		switch {
		case !ok || answer.Held != "":
		case answer.Fits == nil:
			open += n
		case *answer.Fits:
			taken += n
		case closest == "":
			closest = row.Kind.FullName() + " (" + p.Host.Observed().Brief(answer.Words()) + ")"
		}
	}
	said := fmt.Sprintf("%d of %s would fit %s", taken, figures.Count(all, "pending pod", "pending pods"), name)
	if taken == 0 && open == 0 {
		said = fmt.Sprintf("None of %s would be scheduled on %s", figures.Count(all, "pending pod", "pending pods"), name)
	}
	if taken > 1 {
		said += ", one at a time"
	}
	if open > 0 {
		said += fmt.Sprintf(", %d not evaluated", open)
	}
	if closest == "" {
		return said, ""
	}
	return said, ". Closest: " + model.Clean(closest)
}

// Note is the selected row's reasons in full.
func (p *Page) Note() string {
	row, ok := p.Table.Selected()
	if !ok || row.answer == nil || len(row.answer.Refusals) == 0 {
		return p.Page.Note()
	}
	var all []string
	for _, refusal := range row.answer.Refusals {
		all = append(all, why.SentenceOn(p.node, refusal))
	}
	return cells.CutWords(p.Host.Observed().Brief(strings.Join(all, "; ")), p.Width-1)
}

// Selected implements page.View.
func (p *Page) Selected() page.Selection {
	row, ok := p.Table.Selected()
	if !ok {
		return page.Selection{}
	}
	return page.SelectPod(row.kind.First())
}

// Places implements page.View.
func (p *Page) Places() keymap.Place {
	return keymap.Everywhere | keymap.Lists | keymap.OnPod | keymap.NodeFacts | keymap.PodFacts
}

// Footer implements page.View.
func (p *Page) Footer() []page.Key {
	return page.Keys(keymap.Open, keymap.Words, keymap.Describe, keymap.YAML, keymap.Filter, keymap.Sort, keymap.Close)
}

// Off implements page.View.
func (p *Page) Off(do keymap.Action) string {
	return page.OffPod(p.Host.Observed(), do, p.Table.SelectedGone(), p.Selected())
}

// Act implements page.View.
func (p *Page) Act(do keymap.Action) tea.Cmd {
	if cmd, done := p.ActList(do); done {
		return cmd
	}
	return p.Host.ActOn(do, p.Selected())
}

// Targets of the page about a node are that node, and the pods that are selected.
func (p *Page) Targets() page.Targets {
	var t page.Targets
	if node, ok := p.Host.Observed().Snapshot.Node(p.node); ok {
		t.Nodes = []*model.Node{node}
	}
	if p.gone() {
		t.Gone = p.node
	}
	rows, _ := p.Table.Acted()
	for _, row := range rows {
		t.Pods = append(t.Pods, row.kind.Pods...)
	}
	return t
}
