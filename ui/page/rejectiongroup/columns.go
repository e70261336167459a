package rejectiongroup

import (
	"slices"

	"github.com/kubectl-fathom/kubectl-fathom/explain/pluginnames"
	"github.com/kubectl-fathom/kubectl-fathom/ui/figures"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page/nodes"
	"github.com/kubectl-fathom/kubectl-fathom/ui/table"
)

// wordsFrom is the width from which reasons fit beside the figures.
const wordsFrom = 100

// column makes the columns for what rejects the group, for the width.
func (p parts) column() {
	columns := []table.Column[*row]{
		{Head: "NODE", Field: "name", Min: 9, Max: 30, Names: true, Text: func(n *row) table.Cell { return table.Cell{Text: p.list.Host.Observed().NodeName(n.node.Name)} }},
		{Head: "ZONE", Field: "zone", Min: 5, Max: 20, Text: func(n *row) table.Cell { return table.Cell{Text: n.node.Zone} }},
	}
	words := p.wordsColumn()
	if p.content.resource() == "" {
		columns = append(columns, words)
	} else {
		columns = append(columns, p.figureColumns()...)
		if p.list.Width < wordsFrom || p.content.wordless() {
			columns[0].Flex, columns[0].Max = true, 0
		} else {
			columns = append(columns, words)
		}
	}
	old := p.list.Table
	p.list.Table = table.New(func(n *row) string { return nodes.ID(n.node) }, columns...)
	if old != nil {
		p.list.Table.TakeOver(old)
		p.list.Table.Blurred = old.Blurred
	}
}

// figureColumns are those of the resource that is shown, which the first head names.
func (p parts) figureColumns() []table.Column[*row] {
	needs := "REQUESTS"
	if len(p.content.resources) > 1 || p.list.Width >= wordsFrom {
		needs = figures.ResourceHead(string(p.content.resource())) + " REQUESTS"
	}
	short := map[string]string{"cpu": "cpu", "memory": "mem"}[string(p.content.resource())]
	sorts := func(what string) string {
		if short == "" {
			return ""
		}
		return short + what
	}
	figure := func(at int) func(*row) table.Cell {
		return func(n *row) table.Cell { return table.Cell{Text: p.content.figure(n, at)} }
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
	if !p.content.group.Rejects(figures.FitPlugin) {
		columns = slices.Delete(columns, 2, 3) // nothing is lacking
	}
	return columns
}

// wordsColumn says what rejects a node, apart from insufficient resources.
func (p parts) wordsColumn() table.Column[*row] {
	head := "REASON"
	var plugins []string
	for _, rejection := range p.content.group.Rejections {
		if rejection.Plugin != figures.FitPlugin {
			plugins = append(plugins, rejection.Plugin)
		}
	}
	if len(plugins) == 1 {
		head = pluginnames.WordsHead(plugins[0])
	}
	return table.Column[*row]{Head: head, Flex: true, State: true, Text: func(n *row) table.Cell { return table.Cell{Text: p.content.words(n)} }}
}
