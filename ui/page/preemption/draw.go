package preemption

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/ui/cells"
	"github.com/kubectl-fathom/kubectl-fathom/ui/figures"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page"
	"github.com/kubectl-fathom/kubectl-fathom/ui/table"
	"github.com/kubectl-fathom/kubectl-fathom/ui/tone"
)

// comparing is how the scheduler chooses between nodes.
const comparing = "Order: PDB violations, top priority, priority sum, victim count, latest start."

// Crumbs implements page.View.
func (p *Page) Crumbs() []string {
	return []string{"pending", page.PodName(p.Host, p.Pod), "preemption"}
}

// Answer says what preemption does, would do, or why it won't help.
func (p *Page) Answer(int) string {
	switch {
	case p.Poll.Trouble != nil:
		return "Not available: " + model.Clean(p.Poll.Trouble.Error())
	case p.plan == nil && p.Gone:
		return page.Deleted(p.Host.Observed(), p.Pod, "")
	case p.plan == nil && len(p.Host.Observed().Snapshot.Status.Reading) > 0:
		return p.Host.ReadingWords()
	case p.plan == nil:
		return "Simulating which pods preemption would evict."
	case p.Gone:
		return page.Deleted(p.Host.Observed(), p.Pod, p.Host.Observed().Brief(p.plan.Answer))
	}
	return p.Host.Observed().Brief(p.plan.Answer)
}

func nodeColumns(h page.Display) []table.Column[*report.PreemptionNode] {
	type row = *report.PreemptionNode
	unless := func(known bool, text string) table.Cell {
		if !known {
			return table.Cell{Text: "?", Tone: tone.Unknown}
		}
		return table.Cell{Text: text}
	}
	return []table.Column[row]{
		{Head: "NODE", Min: 8, Max: 24, Names: true, Text: func(n row) table.Cell { return table.Cell{Text: h.Observed().NodeName(n.Name)} }},
		{Head: "VICTIMS", Right: true, Text: func(n row) table.Cell { return unless(n.Broken >= 0, model.FormatCount(len(n.Victims))) }},
		{Head: "HIGHEST PRIO", Right: true, Text: func(n row) table.Cell { return unless(n.Broken >= 0, strconv.Itoa(int(n.Highest()))) }},
		{Head: "PDB VIOLATIONS", Right: true, Text: func(n row) table.Cell { return unless(n.Broken >= 0, strconv.Itoa(n.Broken)) }},
		{Head: "REASON", Min: 15, Flex: true, State: true, Text: func(n row) table.Cell {
			return table.Cell{Text: h.Observed().Brief(n.Why), Tone: whyTone(n)}
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
func victimColumns(h page.Display, resource string) []table.Column[*report.PreemptionVictim] {
	type row = *report.PreemptionVictim
	return []table.Column[row]{
		{Head: "VICTIM", Min: 25, Max: 30, Names: true, Text: func(v row) table.Cell { return table.Cell{Text: v.Namespace + "/" + v.Name} }},
		{Head: "PRIO", Min: 4, Right: true, Text: func(v row) table.Cell { return table.Cell{Text: strconv.Itoa(int(v.Priority))} }},
		{Head: figures.ResourceHead(resource), Min: 3, Right: true, Text: func(v row) table.Cell { return table.Cell{Text: v.Amount} }},
		{Head: "PDB", Min: 15, Max: 22, Text: func(v row) table.Cell { return budgetCell(v) }},
		{Head: "AFTERWARDS", Min: 12, Flex: true, State: true, Text: func(v row) table.Cell { return afterwards(h, v) }},
	}
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

// afterwards is where a victim is rescheduled, once that is known.
func afterwards(h page.Display, v *report.PreemptionVictim) table.Cell {
	switch {
	case v.Afterwards == "":
		return table.Cell{Text: "simulating", Tone: tone.Dim}
	case v.RescheduledOn != "":
		return table.Cell{Text: h.Observed().Brief(v.Afterwards)}
	}
	return table.Cell{Text: h.Observed().Brief(v.Afterwards), Tone: tone.Warning}
}

// facts are what the pod asks for, and what its priority is.
func facts(r *report.Report, slow bool) string {
	said := r.Pod.Requested() + " · " + r.Pod.PriorityBrief()
	if r.Plan.PriorityClass != "" && r.Pod.DefaultPriorityClass == "" {
		said += " (PriorityClass " + r.Plan.PriorityClass + ")"
	}
	if slow {
		said += " · explaining"
	}
	return cells.Blank(table.Gutter) + model.Clean(said)
}

// sum is the figure that decides on a node.
func sum(o *page.Observed, n *report.PreemptionNode) string {
	switch {
	case n.Broken < 0:
		return " " + o.NodeName(n.Name) + ": evicting pods of lower priority would help; which ones is unknown"
	case n.Room == "":
		return " " + o.NodeName(n.Name) + ": victims"
	}
	return " " + o.Brief(n.Name+": "+n.Room)
}

// Body is what the pod asks for, the nodes, those that cannot be helped, and the
// victims on the selected one.
func (p *Page) Body() []string {
	if p.plan == nil {
		return nil
	}
	s := p.Host.Styles()
	lines := []string{cells.Cut(facts(p.report, p.Poll.Slow), p.Width)}
	if len(p.nodes.Rows) > 0 {
		lines = append(lines, p.nodes.Draw(s)...)
		if rest := len(p.nodes.Rows) - p.nodes.Top - p.nodes.Lines(); rest > 0 {
			lines = append(lines, s.Dim.Render("   "+figures.Count(rest, "more node", "more nodes")))
		}
	}
	lines = append(lines, others(p.Host.Observed(), p.plan, p.Width)...)
	if n, ok := p.nodes.Selected(); ok {
		lines = append(lines, cells.Cut(sum(p.Host.Observed(), n), p.Width))
	}
	if p.victims.Height > 1 {
		lines = append(lines, p.victims.Draw(s)...)
	}
	lines = lines[:min(len(lines), p.Height)]
	if p.Poll.Slow || p.Gone {
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
func others(o *page.Observed, plan *report.PreemptionPlan, width int) []string {
	said := o.Brief(plan.OthersLine())
	if plan.Tried < plan.Could {
		said = fmt.Sprintf("%s of %s simulated; %s", model.FormatCount(plan.Tried), figures.Count(plan.Could, "node", "nodes"), said)
	}
	if said == "" {
		return nil
	}
	lines := cells.Indent(table.Gutter, cells.Wrap(said, width-table.Gutter))
	if len(lines) > othersMost {
		lines[othersMost-1] = cells.Cut(lines[othersMost-1]+" "+strings.TrimSpace(lines[othersMost]), width)
		lines = lines[:othersMost]
	}
	return lines
}

// lay gives the victims half of the page at most, and the nodes what they need of
// the rest. It does not depend on which node is selected.
func (p *Page) lay() {
	p.victims.Height = 0
	if p.plan == nil || len(p.nodes.Rows) == 0 {
		return
	}
	above, most := 1+len(others(p.Host.Observed(), p.plan, p.Width)), 0
	for _, n := range p.nodes.Rows {
		most = max(most, len(n.Victims))
	}
	lower := 1
	if most > 0 {
		lower = min(2+most, max(p.Height/2, 3))
	}
	upper := max(p.Height-above-lower, 2)
	if len(p.nodes.Rows)+1 > upper {
		p.nodes.Resize(p.Width, max(upper-1, 2)) // a row says how many are left
	} else {
		p.nodes.Resize(p.Width, len(p.nodes.Rows)+1)
	}
	p.victims.Resize(p.Width, max(lower-1, 0))
	p.nodes.Blurred, p.victims.Blurred = p.focused, !p.focused
}

// Resize implements page.View.
func (p *Page) Resize(width, height int) {
	p.Base.Resize(width, height)
	p.lay()
}

// Note is what the selected row has no room for, else how the scheduler chooses.
func (p *Page) Note() string {
	if p.plan == nil {
		return ""
	}
	cutText := p.nodes.CutNote(p.Width)
	if p.focused {
		cutText = p.victims.CutNote(p.Width)
	}
	switch answer := p.Answer(p.Width); {
	case cutText != "":
		return cutText
	case cells.Width(answer) >= p.Width:
		return answer
	case len(p.nodes.Rows) > 1:
		return comparing
	}
	return ""
}
