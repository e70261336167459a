package ui

import (
	"slices"
	"strings"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// wordsFrom is the width from which figures leave room for words beside them.
const wordsFrom = 100

// column makes the columns that fit what refuses the group, for the width.
func (p *groupPage) column() {
	columns := []column[*groupNode]{
		{head: "NODE", field: "name", min: 9, max: 30, names: true, text: func(n *groupNode) cell { return cell{text: p.app.nodeName(n.node.Name)} }},
		{head: "ZONE", field: "zone", min: 5, max: 20, text: func(n *groupNode) cell { return cell{text: n.node.Zone} }},
	}
	words := p.wordsColumn()
	if p.resource() == "" {
		columns = append(columns, words)
	} else {
		columns = append(columns, p.figureColumns()...)
		if p.width < wordsFrom || p.wordless() {
			columns[0].flex, columns[0].max = true, 0
		} else {
			columns = append(columns, words)
		}
	}
	old := p.table
	p.table = newTable(func(n *groupNode) string { return nodeID(n.node) }, columns...)
	if old != nil {
		p.table.rows, p.table.chosen, p.table.top, p.table.marks = old.rows, old.chosen, old.top, old.marks
		p.table.blurred = old.blurred
	}
}

// figureColumns are those of the resource that is shown. Where others are short
// too, the first head says which it is.
func (p *groupPage) figureColumns() []column[*groupNode] {
	wants := "WANTS"
	if len(p.resources) > 1 {
		wants = strings.ToUpper(model.Clean(string(p.resource()))) + " WANTS"
	}
	short := map[string]string{"cpu": "cpu", "memory": "mem"}[string(p.resource())]
	sorts := func(what string) string {
		if short == "" {
			return ""
		}
		return short + what
	}
	figure := func(at int) func(*groupNode) cell {
		return func(n *groupNode) cell { return cell{text: p.figure(n, at)} }
	}
	columns := []column[*groupNode]{
		{head: wants, gap: 1, min: 5, right: true, text: figure(0)},
		{head: "FREE", field: sorts(".free"), gap: 1, min: 5, right: true, text: figure(1)},
		{head: "SHORT", gap: 1, min: 5, right: true, state: true, text: figure(2)},
		{head: "ALLOCATABLE", field: sorts(".alloc"), gap: 1, right: true, text: figure(3)},
		{head: "REQUESTED", field: sorts(""), gap: 1, right: true, text: figure(4)},
		{head: "USED", field: sorts(".used"), gap: 1, min: 5, right: true, text: figure(5)},
		{head: "PODS", field: "pods", min: 6, right: true, text: figure(6)},
	}
	if !p.group.refuses(fitPlugin) {
		columns = slices.Delete(columns, 2, 3) // nothing is short
	}
	return columns
}

// figure is one of roomCells for the resource that is shown.
func (p *groupPage) figure(n *groupNode, at int) string {
	i := slices.IndexFunc(n.figures, func(s shortage) bool { return s.resource == p.resource() })
	if i < 0 {
		return "–"
	}
	return roomCells(n.figures[i], n.node)[at]
}

// wordless says that figures tell all that refuses the group.
func (p *groupPage) wordless() bool {
	return !slices.ContainsFunc(p.group.refusals, func(r report.Refusal) bool { return r.Plugin != fitPlugin })
}

// wordsColumn tells what refuses a node beside the room that it lacks.
func (p *groupPage) wordsColumn() column[*groupNode] {
	head := "WHAT STANDS IN THE WAY"
	var plugins []string
	for _, refusal := range p.group.refusals {
		if refusal.Plugin != fitPlugin {
			plugins = append(plugins, refusal.Plugin)
		}
	}
	if len(plugins) == 1 {
		head = report.WordsHead(plugins[0])
	}
	return column[*groupNode]{head: head, flex: true, state: true, text: func(n *groupNode) cell { return cell{text: p.words(n)} }}
}

// words are the clauses of a node's refusals but for those of its figures.
func (p *groupPage) words(n *groupNode) string {
	if p.group.fits == nil {
		return "not decided: " + p.openWords()
	}
	left := report.Group{}
	for _, refusal := range n.refusals {
		if refusal.Plugin != fitPlugin || p.resource() == "" {
			left.Refusals = append(left.Refusals, refusal)
		}
	}
	return p.app.brief(left.Clauses())
}

// note is what the selected row has no room for: the sentences of what refuses
// the node, or what would become of the pod.
func (p *groupPage) note() string {
	if p.holders.focused {
		return p.holders.note()
	}
	n, ok := p.table.selected()
	if !ok || p.wordless() {
		return p.list.note()
	}
	var all []string
	for _, refusal := range n.refusals {
		if refusal.Plugin != fitPlugin {
			all = append(all, sentenceOn(n.node.Name, refusal))
		}
	}
	return cutWords(p.app.brief(strings.Join(all, "; ")), p.width-1)
}
