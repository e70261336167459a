// Package nodefit is the page of why the pending pods do not fit one node.
package nodefit

import (
	"strconv"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/query"
	"github.com/kubectl-fathom/kubectl-fathom/ui/cells"
	"github.com/kubectl-fathom/kubectl-fathom/ui/keymap"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page/list"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page/why/explanation"
	"github.com/kubectl-fathom/kubectl-fathom/ui/table"
	"github.com/kubectl-fathom/kubectl-fathom/ui/tone"
)

// Page is the page of why each kind of pending pods does not fit one node, the
// closest to fitting first.
type Page struct {
	list.Page[query.PendingRow, *row]
	node   string
	rounds rounds
}

// row is one kind of pods, and why it does not fit the node.
type row struct {
	kind   *model.EquivalenceClass
	answer *report.NodeAnswer // nil: not known yet
}

// New is the page about a node.
func New(h page.Host, node string) *Page {
	p := &Page{node: node}
	p.rounds = rounds{host: h, view: p, node: node, answers: map[string]report.NodeAnswer{}}
	p.Host, p.Self, p.Noun = h, p, "pod"
	p.Natural, p.Rows = p.rounds.kinds, p.rounds.rowsOf
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

// words say why a kind does not fit the node.
func (p *Page) words(row *row) table.Cell {
	switch {
	case row.answer == nil && p.rounds.trouble != nil:
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
	case answer.Fits == nil && len(answer.Rejections) == 0:
		made = table.Cell{Text: "not evaluated", Tone: tone.Unknown}
		if len(answer.Unknown) > 0 {
			made.Text = "not evaluated: " + answer.Unknown[0].Why
		}
	case len(answer.Rejections) == 0:
		made = table.Cell{Text: "fits", Tone: tone.Good}
	default:
		made = table.Cell{Text: answer.Words()}
	}
	if answer.Held != "" {
		return table.Cell{Text: answer.Held + "; " + made.Text, Tone: tone.Warning}
	}
	return made
}

// Update takes snapshots, answers and the mouse.
func (p *Page) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case page.SnapshotMsg:
		return tea.Batch(p.Page.Update(msg), p.rounds.begin())
	case page.Answer[answered]:
		return p.onAnswers(msg)
	case page.Rested[answered]:
		if p.rounds.asks.IsRested(msg) {
			return p.rounds.begin()
		}
		return nil
	}
	return p.Page.Update(msg)
}

// onAnswers takes some answers and asks for more. A later round is shown when it
// is complete, so that rows move only once.
func (p *Page) onAnswers(msg page.Answer[answered]) tea.Cmd {
	r := &p.rounds
	if !r.asks.Takes(msg) {
		return nil
	}
	r.spent += msg.Took
	if r.trouble = msg.Err; msg.Err != nil {
		r.todo = nil
		return r.rest()
	}
	r.keep(msg.Value)
	if len(r.todo) > 0 {
		return tea.Batch(p.Query().Arrange(list.Renewed), r.askNext())
	}
	cursor := list.Renewed
	if !r.whole {
		cursor = list.FromTop // the closest row is what the user came for
	}
	r.whole, r.answers = true, r.next
	return tea.Batch(p.Query().Arrange(cursor), r.rest())
}

// Leave cancels what is no longer shown.
func (p *Page) Leave() { p.rounds.leave() }

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
	case p.rounds.gone():
		return page.AbsentNode(p.Host.Observed(), nil, name)
	case p.rounds.trouble != nil:
		return "Not available: " + model.Clean(p.rounds.trouble.Error())
	case len(p.rounds.waiting()) == 0:
		return "No pending pods without a node."
	case !p.rounds.whole:
		return "Evaluating the pending pods on " + name + "."
	}
	if words := p.Query().NothingKept(); words != "" {
		return words
	}
	taken, next := p.rounds.tally(name)
	if keeps := p.Query().Keeps(); cells.Width(taken)+cells.Width(next)+cells.Width(keeps) > width && keeps != "" {
		return taken + "." + keeps
	}
	return taken + next + "." + p.Query().Keeps()
}

// Note is the selected row's reasons in full.
func (p *Page) Note() string {
	row, ok := p.Table.Selected()
	if !ok || row.answer == nil || len(row.answer.Rejections) == 0 {
		return p.Page.Note()
	}
	var all []string
	for _, rejection := range row.answer.Rejections {
		all = append(all, explanation.SentenceOn(p.node, rejection))
	}
	hidden := list.Hidden(&p.Page)
	return page.WithHidden(cells.CutWords(p.Host.Observed().Brief(strings.Join(all, "; ")), page.NoteWidth(p.Width, hidden)-1), hidden, p.Width)
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
	t := page.Targets{Marked: len(p.Table.Marks) > 0}
	if node, ok := p.Host.Observed().Snapshot.Node(p.node); ok {
		t.Nodes = []*model.Node{node}
	}
	if p.rounds.gone() {
		t.Gone = page.AbsentNode(p.Host.Observed(), nil, p.node)
	}
	rows, _ := p.Table.Acted()
	for _, row := range rows {
		t.Pods = append(t.Pods, row.kind.Pods...)
	}
	return t
}
