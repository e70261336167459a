package why

import (
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/themes"
	"github.com/kubectl-fathom/kubectl-fathom/ui/cells"
	"github.com/kubectl-fathom/kubectl-fathom/ui/figures"
)

// leadCells is the most that a node's name takes beside its details.
const leadCells = 24

// details are about the closest node of the selected group: what it lacks and which pods
// request most of it, then the sentences of the other rejections. The first line begins with
// the node's name, the others stand under its text.
func (n groupNodes) details() []string {
	name, refusals := "", n.group.Refusals
	if len(n.group.Nodes) > 0 && !n.group.OverAll() {
		name, refusals = n.group.Nodes[0], n.page.RefusalsOn(n.group.Nodes[0], n.group)
	}
	lead := cells.CutMiddle(n.page.Brief(name), leadCells)
	width := n.page.Width - cells.Width(lead) - 4
	node, _ := n.page.Snapshot.Node(name)
	var texts []string
	for _, s := range n.page.FiguresOf(n.group, node, refusals) {
		texts = append(texts, shortageFigures(s, width+1))
		if held := held(node, s.Resource, width); held != "" {
			texts = append(texts, held)
		}
	}
	told := len(texts) > 0
	for _, refusal := range refusals {
		if !told || refusal.Plugin != figures.FitPlugin {
			texts = append(texts, cells.Wrap(n.page.Brief(report.ShortLabels(strings.TrimPrefix(SentenceOn(name, refusal), name+" "))), width)...)
		}
	}
	return under(n.page.Styles, lead, texts)
}

// FiguresOf are the resources that a node lacks; where it lacks none, its room
// for what the pod requests.
func (p *Page) FiguresOf(g *report.Group, node *model.Node, refusals []report.Refusal) []figures.Shortage {
	if g.Fits == nil || !*g.Fits || node == nil || p.Pod == nil {
		return figures.Shortages(refusals, node, p.Snapshot.Usage)
	}
	var room []figures.Shortage
	for _, name := range []corev1.ResourceName{corev1.ResourceCPU, corev1.ResourceMemory} {
		if wanted := figures.AmountIn(p.Pod.Requests, name); wanted > 0 {
			s := figures.Shortage{
				Resource: name, Wanted: wanted,
				Requested: figures.AmountIn(node.Requested, name), Allocatable: figures.AmountIn(node.Allocatable, name),
			}
			s.Used, s.Measured = figures.UsedOn(node, name, p.Snapshot.Usage)
			room = append(room, s)
		}
	}
	return room
}

// RefusalsOn are one node's refusals with its own figures; a group's hold ranges.
func (p *Page) RefusalsOn(name string, g *report.Group) []report.Refusal {
	if result, ok := p.Nodes[name]; ok {
		return result.Refusals
	}
	return g.Refusals
}

// SentenceOn is a refusal told whole, without the node's name before it.
func SentenceOn(node string, refusal report.Refusal) string {
	if refusal.What == "" {
		return refusal.Reason
	}
	return strings.TrimPrefix(refusal.What, node+": ")
}

// under puts texts beside a lead, which stands on the first line only.
func under(s *themes.Styles, lead string, texts []string) []string {
	lines := make([]string, len(texts))
	indent := cells.Blank(cells.Width(lead) + 3)
	for i, text := range texts {
		lines[i] = indent + text
		if i == 0 {
			lines[i] = " " + s.Strong.Render(lead) + "  " + text
		}
	}
	return lines
}

// shortageFigures is the sum behind a shortage, and where width cells have room for it
// what is used.
func shortageFigures(s figures.Shortage, width int) string {
	text := fmt.Sprintf("requests %s %s; free %s = allocatable %s − requested %s", model.Clean(string(s.Resource)),
		figures.AmountText(s.Resource, s.Wanted, model.Up), figures.AmountText(s.Resource, s.Free(), model.Down),
		figures.AmountText(s.Resource, s.Allocatable, model.Down), figures.AmountText(s.Resource, s.Requested, model.Up))
	if s.Measured {
		if whole := text + "; used " + figures.ColumnText(s.Resource, s.Used, model.Nearest); cells.Width(whole) <= width {
			return whole
		}
	}
	return text
}

// held tells who holds most of a resource on node, in width cells: two by name,
// the rest in sum.
func held(node *model.Node, name corev1.ResourceName, width int) string {
	if node == nil || name == corev1.ResourcePods {
		return ""
	}
	all, sum := figures.HoldersOn(node, name)
	if len(all) == 0 {
		return ""
	}
	all = all[:min(2, len(all))]
	tail := ""
	if rest := len(node.Pods) - len(all); rest > 0 {
		for _, h := range all {
			sum -= h.Amount
		}
		tail = ", " + figures.Count(rest, "more pod ", "more pods ") + figures.ColumnText(name, sum, model.Nearest)
	}
	return holderNames(all, name, " requests ", width-cells.Width(tail)) + tail
}

// holderNames names pods with what each holds, the first one with that verb; the
// names lose their middles where width cells are too few.
func holderNames(all []figures.Holding, name corev1.ResourceName, holds string, width int) string {
	tell := func(most int) string {
		texts := make([]string, len(all))
		for i, h := range all {
			verb := " "
			if i == 0 {
				verb = holds
			}
			texts[i] = cells.CutMiddle(model.Clean(h.Pod.FullName()), most) + verb + figures.ColumnText(name, h.Amount, model.Nearest)
		}
		return strings.Join(texts, ", ")
	}
	longest := 0
	for _, h := range all {
		longest = max(longest, cells.Width(model.Clean(h.Pod.FullName())))
	}
	for most := longest; most > 8; most-- {
		if text := tell(most); cells.Width(text) <= width {
			return text
		}
	}
	return tell(8)
}
