package ui

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/ui/cells"
	"github.com/kubectl-fathom/kubectl-fathom/ui/figures"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page/why"
	"github.com/kubectl-fathom/kubectl-fathom/ui/table"
	"github.com/kubectl-fathom/kubectl-fathom/ui/tone"
)

// comparing is how the scheduler chooses between nodes.
const comparing = "The scheduler compares PDBs broken, highest victim, sum, number, latest start."

func (p *preemption) crumbs() []string {
	return []string{"pending", p.app.opener.podName(p.pod).Text, "preemption"}
}

// answer says what preemption does, could do, or why it cannot help.
func (p *preemption) answer(int) string {
	switch {
	case p.trouble != nil:
		return "No answer: " + model.Clean(p.trouble.Error())
	case p.plan == nil && p.gone:
		return "Gone."
	case p.plan == nil && len(p.app.observed.snapshot.Status.Reading) > 0:
		return p.app.contexts.readingWords()
	case p.plan == nil:
		return "Trying on a copy of the cluster which pods would have to end."
	case p.gone:
		return "Gone. It was: " + p.app.observed.brief(p.plan.Answer)
	}
	return p.app.observed.brief(p.plan.Answer)
}

func (p *preemption) nodeColumns() []table.Column[*report.PreemptionNode] {
	type row = *report.PreemptionNode
	unless := func(known bool, text string) table.Cell {
		if !known {
			return table.Cell{Text: "?", Tone: tone.Unknown}
		}
		return table.Cell{Text: text}
	}
	return []table.Column[row]{
		{Head: "NODE", Min: 8, Max: 24, Names: true, Text: func(n row) table.Cell { return table.Cell{Text: p.app.observed.nodeName(n.Name)} }},
		{Head: "VICTIMS", Right: true, Text: func(n row) table.Cell { return unless(n.Broken >= 0, model.FormatCount(len(n.Victims))) }},
		{Head: "HIGHEST PRIO", Right: true, Text: func(n row) table.Cell { return unless(n.Broken >= 0, strconv.Itoa(int(n.Highest()))) }},
		{Head: "PDBS BROKEN", Right: true, Text: func(n row) table.Cell { return unless(n.Broken >= 0, strconv.Itoa(n.Broken)) }},
		{Head: "WHY, OR WHY NOT", Min: 15, Flex: true, State: true, Text: func(n row) table.Cell {
			return table.Cell{Text: p.app.observed.brief(n.Why), Tone: whyTone(n)}
		}},
	}
}

// whyTone tells apart what may be taken, what breaks a budget, and the rest.
func whyTone(n *report.PreemptionNode) tone.Tone {
	switch {
	case n.Broken < 0:
		return tone.Unknown
	case n.May:
		return tone.Good
	case n.Broken > 0:
		return tone.Warning
	}
	return tone.Plain
}

// victimColumns are those of the victims, with what they hold of one resource.
func (p *preemption) victimColumns(resource string) []table.Column[*report.PreemptionVictim] {
	type row = *report.PreemptionVictim
	return []table.Column[row]{
		{Head: "VICTIM", Min: 25, Max: 30, Names: true, Text: func(v row) table.Cell { return table.Cell{Text: v.Namespace + "/" + v.Name} }},
		{Head: "PRIO", Min: 4, Right: true, Text: func(v row) table.Cell { return table.Cell{Text: strconv.Itoa(int(v.Priority))} }},
		{Head: resourceHead(resource), Min: 3, Right: true, Text: func(v row) table.Cell { return table.Cell{Text: v.Amount} }},
		{Head: "PDB", Min: 15, Max: 22, Text: func(v row) table.Cell { return budgetCell(v) }},
		{Head: "AFTERWARDS", Min: 12, Flex: true, State: true, Text: func(v row) table.Cell { return p.afterwards(v) }},
	}
}

// resourceHead is the head over amounts of a resource.
func resourceHead(resource string) string {
	switch resource {
	case "":
		return "CPU"
	case "memory":
		return "MEM"
	}
	return strings.ToUpper(model.Clean(resource[strings.LastIndexByte(resource, '/')+1:]))
}

func budgetCell(v *report.PreemptionVictim) table.Cell {
	switch {
	case len(v.Budgets) == 0:
		return table.Cell{Text: "none"}
	case v.ViolatesPDB:
		return table.Cell{Text: strings.Join(v.Budgets, ", "), Tone: tone.Warning}
	}
	return table.Cell{Text: strings.Join(v.Budgets, ", ")}
}

// afterwards is what becomes of a victim, once that is known.
func (p *preemption) afterwards(v *report.PreemptionVictim) table.Cell {
	switch {
	case v.Afterwards == "":
		return table.Cell{Text: "trying", Tone: tone.Dim}
	case v.LandsOn != "":
		return table.Cell{Text: p.app.observed.brief(v.Afterwards)}
	}
	return table.Cell{Text: p.app.observed.brief(v.Afterwards), Tone: tone.Warning}
}

// facts are what the pod asks for, and what its priority is.
func (p *preemption) facts() string {
	r := p.report
	said := why.Requests(r) + " · priority " + strconv.Itoa(int(r.Pod.Priority))
	if p.plan.PriorityClass != "" {
		said += " (" + p.plan.PriorityClass + ")"
	}
	if p.slow {
		said += " · explaining"
	}
	return cells.Blank(table.Gutter) + model.Clean(said)
}

// sum is the figure that decides on the selected node.
func (p *preemption) sum() string {
	n, ok := p.nodes.Selected()
	switch {
	case !ok:
		return ""
	case n.Broken < 0:
		return " " + p.app.observed.nodeName(n.Name) + ": ending pods of lower priority makes room; which ones is not known"
	case n.Room == "":
		return " " + p.app.observed.nodeName(n.Name) + ": what ends there"
	}
	return " " + p.app.observed.brief(n.Name+": "+n.Room)
}

// body is what the pod asks for, the nodes, those that cannot be helped, and the
// victims on the selected one.
func (p *preemption) body() []string {
	if p.plan == nil {
		return nil
	}
	s := p.app.styles()
	lines := []string{cells.Cut(p.facts(), p.width)}
	if len(p.nodes.Rows) > 0 {
		lines = append(lines, p.nodes.Draw(s)...)
		if rest := len(p.nodes.Rows) - p.nodes.Top - p.nodes.Lines(); rest > 0 {
			lines = append(lines, s.Dim.Render("   "+figures.Count(rest, "more node", "more nodes")))
		}
	}
	lines = append(lines, p.others()...)
	if len(p.nodes.Rows) > 0 {
		lines = append(lines, cells.Cut(p.sum(), p.width))
	}
	if p.victims.Height > 1 {
		lines = append(lines, p.victims.Draw(s)...)
	}
	lines = lines[:min(len(lines), p.height)]
	if p.slow || p.gone {
		for i, line := range lines {
			if !strings.HasPrefix(ansi.Strip(line), "▸") {
				lines[i] = s.Dim.Render(ansi.Strip(line))
			}
		}
	}
	return lines
}

// othersMost is how many rows the nodes may take that cannot be helped.
const othersMost = 2

// others count the nodes that cannot be helped, and say how many were not tried.
func (p *preemption) others() []string {
	said := p.app.observed.brief(p.plan.OthersLine())
	if p.plan.Tried < p.plan.Could {
		said = fmt.Sprintf("the first %s of %s were tried; %s", model.FormatCount(p.plan.Tried), figures.Count(p.plan.Could, "node", "nodes"), said)
	}
	if said == "" {
		return nil
	}
	lines := cells.Indent(table.Gutter, cells.Wrap(said, p.width-table.Gutter))
	if len(lines) > othersMost {
		lines[othersMost-1] = cells.Cut(lines[othersMost-1]+" "+strings.TrimSpace(lines[othersMost]), p.width)
		lines = lines[:othersMost]
	}
	return lines
}

// lay gives the victims half of the page at most, and the nodes what they need of
// the rest. It does not depend on which node is selected.
func (p *preemption) lay() {
	p.victims.Height = 0
	if p.plan == nil || len(p.nodes.Rows) == 0 {
		return
	}
	above, most := 1+len(p.others()), 0
	for _, n := range p.nodes.Rows {
		most = max(most, len(n.Victims))
	}
	lower := 1
	if most > 0 {
		lower = min(2+most, max(p.height/2, 3))
	}
	upper := max(p.height-above-lower, 2)
	if len(p.nodes.Rows)+1 > upper {
		p.nodes.Resize(p.width, max(upper-1, 2)) // a row says how many are left
	} else {
		p.nodes.Resize(p.width, len(p.nodes.Rows)+1)
	}
	p.victims.Resize(p.width, max(lower-1, 0))
	p.nodes.Blurred, p.victims.Blurred = p.focused, !p.focused
}

func (p *preemption) resize(width, height int) {
	p.page.resize(width, height)
	p.lay()
}

// note is what the selected row has no room for, else how the scheduler chooses.
func (p *preemption) note() string {
	if p.plan == nil {
		return ""
	}
	cutText := p.nodes.CutNote(p.width)
	if p.focused {
		cutText = p.victims.CutNote(p.width)
	}
	switch answer := p.answer(p.width); {
	case cutText != "":
		return cutText
	case cells.Width(answer) >= p.width:
		return answer
	case len(p.nodes.Rows) > 1:
		return comparing
	}
	return ""
}
