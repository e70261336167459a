package ui

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
	"github.com/kubectl-fathom/kubectl-fathom/ui/page/why"
	"github.com/kubectl-fathom/kubectl-fathom/ui/table"
	"github.com/kubectl-fathom/kubectl-fathom/ui/tone"
)

// notHere is the page of what one node has against each kind of pods that wait
// for a node, the nearest to a yes first.
type notHere struct {
	list[query.PendingRow, *hereRow]
	node    string
	answers map[string]report.NodeAnswer // by a kind's key
	coming  map[string]report.NodeAnswer // of the round that is on its way
	todo    []*model.Kind                // of that round, not asked about yet
	whole   bool                         // a round came to its end
	asks    asking
	resting bool  // no round begins until hereAgainMsg
	asked   int64 // the revision that the last round began with
	spent   time.Duration
	trouble error // of the last question
}

// hereRow is one kind of pods, and what the node has against it.
type hereRow struct {
	kind   *model.Kind
	answer *report.NodeAnswer // nil: not known yet
}

// newNotHere is the page about a node.
func newNotHere(a *App, node string) *notHere {
	p := &notHere{node: node, answers: map[string]report.NodeAnswer{}}
	p.app, p.self, p.noun = a, p, "kind of pod"
	p.natural, p.rows = p.kinds, p.rowsOf
	p.born = func(row *hereRow) time.Time { return row.kind.Since() }
	p.fields = func() *query.Fields[query.PendingRow] { return query.PendingFields(a.observed.asOf()) }
	p.table = table.New(func(row *hereRow) string { return row.kind.Key }, p.columns()...)
	return p
}

func (p *notHere) columns() []table.Column[*hereRow] {
	a := p.app
	return []table.Column[*hereRow]{
		{Head: "NAMESPACE/POD", Field: "name", Min: 19, Max: 40, Names: true, Text: func(row *hereRow) table.Cell { return table.Cell{Text: a.opener.kindName(row.kind)} }},
		{Head: "PRIO", Field: "prio", Min: 6, Right: true, Text: func(row *hereRow) table.Cell { return table.Cell{Text: strconv.Itoa(int(row.kind.Priority()))} }},
		{Head: "FOR", Field: "for", Ticks: true, From: 100, Right: true, Text: func(row *hereRow) table.Cell { return table.Cell{Text: a.observed.since(row.kind.Since())} }},
		{Head: "WHAT KEEPS IT OFF", Field: "why", Min: 26, Flex: true, State: true, Text: p.words},
	}
}

// kindName is a kind's name with how many pods it has.
func (o *opener) kindName(kind *model.Kind) string {
	name := kind.Name()
	if o.app.namespace() == "" {
		name = kind.FullName()
	}
	if len(kind.Pods) > 1 {
		name += fmt.Sprintf(" ×%d", len(kind.Pods))
	}
	return name
}

// waitingKinds are those of the namespace whose pods have no node.
func (p *notHere) waitingKinds() []*model.Kind {
	namespace := p.app.namespace()
	var kinds []*model.Kind
	for _, kind := range p.app.observed.snapshot.Pending {
		if first := kind.First(); first.Exists() && !first.Bound() && (namespace == "" || kind.Namespace() == namespace) {
			kinds = append(kinds, kind)
		}
	}
	return kinds
}

// kinds are those in the order of the page: once all is known the nearest first,
// until then as in the scheduler's queue.
func (p *notHere) kinds() []query.PendingRow {
	kinds := p.waitingKinds()
	if p.whole {
		slices.SortStableFunc(kinds, func(a, b *model.Kind) int {
			x, known := p.answers[a.Key]
			y, too := p.answers[b.Key]
			if !known || !too { // kinds that came since are last
				return last(known) - last(too)
			}
			return x.Compare(&y)
		})
	}
	rows := make([]query.PendingRow, len(kinds))
	for i, kind := range kinds {
		rows[i] = query.PendingRow{Kind: kind}
		if answer, ok := p.answers[kind.Key]; ok {
			rows[i].Why = hereWords(&answer).Text
			rows[i].State = "refused"
			if len(answer.Refusals) == 0 {
				rows[i].State = rows[i].Why
			}
		}
	}
	return rows
}

// last is where kinds stand of which nothing is known.
func last(known bool) int {
	if known {
		return 0
	}
	return 1
}

func (p *notHere) rowsOf(kinds []query.PendingRow) []*hereRow {
	rows := make([]*hereRow, len(kinds))
	for i, k := range kinds {
		rows[i] = &hereRow{kind: k.Kind}
		if answer, ok := p.answers[k.Kind.Key]; ok {
			rows[i].answer = &answer
		}
	}
	return rows
}

// words are what the node has against a kind.
func (p *notHere) words(row *hereRow) table.Cell {
	switch {
	case row.answer == nil && p.trouble != nil:
		return table.Cell{Text: "not evaluated", Tone: tone.Unknown}
	case row.answer == nil:
		return table.Cell{Text: "explaining", Tone: tone.Dim}
	}
	made := hereWords(row.answer)
	made.Text = p.app.observed.brief(made.Text)
	return made
}

// hereWords tell an answer in one line.
func hereWords(answer *report.NodeAnswer) table.Cell {
	var made table.Cell
	switch {
	case answer.Fits == nil && len(answer.Refusals) == 0:
		made = table.Cell{Text: "not decided", Tone: tone.Unknown}
		if len(answer.Unknown) > 0 {
			made.Text = "not decided: " + answer.Unknown[0].Why
		}
	case len(answer.Refusals) == 0:
		made = table.Cell{Text: "fits here", Tone: tone.Good}
	default:
		made = table.Cell{Text: answer.Words()}
	}
	if answer.Held != "" {
		return table.Cell{Text: answer.Held + "; " + made.Text, Tone: tone.Warning}
	}
	return made
}

// gone says that the node is no more.
func (p *notHere) gone() bool {
	_, ok := p.app.observed.snapshot.Node(p.node)
	return !ok && len(p.app.observed.snapshot.Status.Reading) == 0 && p.app.observed.notRead("nodes") == ""
}

func (p *notHere) crumbs() []string {
	return []string{"nodes", p.app.observed.nodeName(p.node), "why not here"}
}

// answer counts what the node would take, and names the nearest of the others.
func (p *notHere) answer(width int) string {
	name := model.Clean(p.app.observed.nodeName(p.node))
	switch {
	case p.app.observed.isReading():
		return p.app.contexts.readingWords()
	case p.gone():
		return name + " is gone."
	case p.trouble != nil:
		return "No answer: " + model.Clean(p.trouble.Error())
	case len(p.waitingKinds()) == 0:
		return "No pod waits for a node."
	case !p.whole:
		return "Asking what " + name + " has against each pod that waits for a node."
	}
	if words := p.nothingKept(); words != "" {
		return words
	}
	taken, next := p.tally(name)
	if keeps := p.keeps(); cells.Width(taken)+cells.Width(next)+cells.Width(keeps) > width && keeps != "" {
		return taken + "." + keeps
	}
	return taken + next + "." + p.keeps()
}

// tally is the answer once all kinds were asked about.
func (p *notHere) tally(name string) (taking, next string) {
	all, taken, open := 0, 0, 0
	nearest := ""
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
		case nearest == "":
			nearest = row.Kind.FullName() + ", " + p.app.observed.brief(answer.Words())
		}
	}
	said, others := fmt.Sprintf("%s would take %d of %s", name, taken, figures.Count(all, "pending pod", "pending pods")), "next: "
	switch {
	case taken == 0:
		said, others = fmt.Sprintf("%s would take none of %s", name, figures.Count(all, "pending pod", "pending pods")), "nearest: "
	case taken > 1:
		said += ", each alone"
	}
	if open > 0 {
		said += fmt.Sprintf(", %d not decided", open)
	}
	if nearest == "" {
		return said, ""
	}
	return said, "; " + others + model.Clean(nearest)
}

// note tells the refusals of the selected row whole.
func (p *notHere) note() string {
	row, ok := p.table.Selected()
	if !ok || row.answer == nil || len(row.answer.Refusals) == 0 {
		return p.list.note()
	}
	var all []string
	for _, refusal := range row.answer.Refusals {
		all = append(all, why.SentenceOn(p.node, refusal))
	}
	return cells.CutWords(p.app.observed.brief(strings.Join(all, "; ")), p.width-1)
}

func (p *notHere) selected() selection {
	row, ok := p.table.Selected()
	if !ok {
		return selection{}
	}
	return podSelection(row.kind.First())
}

func (p *notHere) places() keymap.Place {
	return keymap.Everywhere | keymap.Lists | keymap.OnPod | keymap.NodeFacts | keymap.PodFacts
}

func (p *notHere) footer() []footKey {
	return keys(keymap.Open, keymap.Words, keymap.Describe, keymap.YAML, keymap.Filter, keymap.Sort, keymap.Close)
}

func (p *notHere) off(do keymap.Action) string {
	return p.app.opener.offPod(do, p.table.SelectedGone(), p.selected())
}

func (p *notHere) act(do keymap.Action) tea.Cmd {
	if cmd, done := p.actList(do); done {
		return cmd
	}
	return p.app.opener.actOn(do, p.selected())
}
