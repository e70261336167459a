package group

import (
	"slices"
	"strings"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/ui/cells"
	"github.com/kubectl-fathom/kubectl-fathom/ui/figures"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page/nodes"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page/why"
	"github.com/kubectl-fathom/kubectl-fathom/ui/table"
)

// wordsFrom is the width from which reasons fit beside the figures.
const wordsFrom = 100

// column makes the columns for what rejects the group, for the width.
func (p *Page) column() {
	columns := []table.Column[*row]{
		{Head: "NODE", Field: "name", Min: 9, Max: 30, Names: true, Text: func(n *row) table.Cell { return table.Cell{Text: p.Host.Observed().NodeName(n.node.Name)} }},
		{Head: "ZONE", Field: "zone", Min: 5, Max: 20, Text: func(n *row) table.Cell { return table.Cell{Text: n.node.Zone} }},
	}
	words := p.wordsColumn()
	if p.resource() == "" {
		columns = append(columns, words)
	} else {
		columns = append(columns, p.figureColumns()...)
		if p.Width < wordsFrom || p.wordless() {
			columns[0].Flex, columns[0].Max = true, 0
		} else {
			columns = append(columns, words)
		}
	}
	old := p.Table
	p.Table = table.New(func(n *row) string { return nodes.ID(n.node) }, columns...)
	if old != nil {
		p.Table.TakeOver(old)
		p.Table.Blurred = old.Blurred
	}
}

// figureColumns are those of the resource that is shown, which the first head names.
func (p *Page) figureColumns() []table.Column[*row] {
	needs := "REQUESTS"
	if len(p.resources) > 1 || p.Width >= wordsFrom {
		needs = figures.ResourceHead(string(p.resource())) + " REQUESTS"
	}
	short := map[string]string{"cpu": "cpu", "memory": "mem"}[string(p.resource())]
	sorts := func(what string) string {
		if short == "" {
			return ""
		}
		return short + what
	}
	figure := func(at int) func(*row) table.Cell {
		return func(n *row) table.Cell { return table.Cell{Text: p.figure(n, at)} }
	}
	columns := []table.Column[*row]{
		{Head: needs, Gap: 1, Min: 5, Right: true, Text: figure(0)},
		{Head: "FREE", Field: sorts(".free"), Gap: 1, Min: 5, Right: true, Text: figure(1)},
		{Head: "LACKS", Gap: 1, Min: 5, Right: true, State: true, Text: figure(2)},
		{Head: "ALLOCATABLE", Field: sorts(".alloc"), Gap: 1, Right: true, Text: figure(3)},
		{Head: "REQUESTED", Field: sorts(""), Gap: 1, Right: true, Text: figure(4)},
		{Head: "USED", Field: sorts(".used"), Gap: 1, Min: 5, Right: true, Text: figure(5)},
		{Head: "PODS", Field: "pods", Min: 6, Right: true, Text: figure(6)},
	}
	if !p.group.Rejects(figures.FitPlugin) {
		columns = slices.Delete(columns, 2, 3) // nothing is lacking
	}
	return columns
}

// figure is one of roomCells for the resource that is shown.
func (p *Page) figure(n *row, at int) string {
	i := slices.IndexFunc(n.figures, func(s figures.Shortage) bool { return s.Resource == p.resource() })
	if i < 0 {
		return "–"
	}
	return why.RoomCells(n.figures[i], n.node)[at]
}

// wordless reports whether the figures say all that rejects the group.
func (p *Page) wordless() bool {
	return !slices.ContainsFunc(p.group.Refusals, func(r report.Refusal) bool { return r.Plugin != figures.FitPlugin })
}

// wordsColumn says what rejects a node, apart from insufficient resources.
func (p *Page) wordsColumn() table.Column[*row] {
	head := "REASON"
	var plugins []string
	for _, refusal := range p.group.Refusals {
		if refusal.Plugin != figures.FitPlugin {
			plugins = append(plugins, refusal.Plugin)
		}
	}
	if len(plugins) == 1 {
		head = report.WordsHead(plugins[0])
	}
	return table.Column[*row]{Head: head, Flex: true, State: true, Text: func(n *row) table.Cell { return table.Cell{Text: p.words(n)} }}
}

// words are the clauses of a node's rejections, except those that are figures.
func (p *Page) words(n *row) string {
	if p.group.Fits == nil {
		return "not evaluated: " + p.openWords()
	}
	left := report.Group{}
	for _, refusal := range n.refusals {
		if refusal.Plugin != figures.FitPlugin || p.resource() == "" {
			left.Refusals = append(left.Refusals, refusal)
		}
	}
	return p.Host.Observed().Brief(report.ShortLabels(left.Clauses()))
}

// Note is what does not fit the selected row: the sentences of what rejects the
// node, or what an eviction of the pod would do.
func (p *Page) Note() string {
	if p.Holders.focused {
		return p.Holders.note()
	}
	n, ok := p.Table.Selected()
	if !ok || p.wordless() {
		return p.Page.Note()
	}
	var all []string
	for _, refusal := range n.refusals {
		if refusal.Plugin != figures.FitPlugin {
			all = append(all, why.SentenceOn(n.node.Name, refusal))
		}
	}
	return cells.CutWords(p.Host.Observed().Brief(strings.Join(all, "; ")), p.Width-1)
}
