package ui

import (
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/ui/cells"
)

// leadCells is the most that a node's name takes beside its details.
const leadCells = 24

// details tells of the nearest node of the selected group: how much it lacks of
// what, and who holds it; then the sentences of the other refusals. The first
// line leads with the node's name, the others stand under its text.
func (p *whyPage) details(g whyGroup) []string {
	name, refusals := "", g.refusals
	if len(g.nodes) > 0 && !overAll(g) {
		name, refusals = g.nodes[0], p.refusalsOn(g.nodes[0], g)
	}
	lead := cells.CutMiddle(p.brief(name), leadCells)
	width := p.width - cells.Width(lead) - 4
	node, _ := p.snapshot.Node(name)
	var texts []string
	for _, s := range p.figuresOf(g, node, refusals) {
		texts = append(texts, figures(s, width+1))
		if held := held(node, s.resource, width); held != "" {
			texts = append(texts, held)
		}
	}
	told := len(texts) > 0
	for _, refusal := range refusals {
		if !told || refusal.Plugin != fitPlugin {
			texts = append(texts, cells.Wrap(p.brief(sentenceOn(name, refusal)), width)...)
		}
	}
	return p.under(lead, texts)
}

// figuresOf are the resources that a node lacks; where it lacks none, its room
// for what the pod requests.
func (p *whyPage) figuresOf(g whyGroup, node *model.Node, refusals []report.Refusal) []shortage {
	if g.fits == nil || !*g.fits || node == nil || p.pod == nil {
		return shortages(refusals, node, p.snapshot.Usage)
	}
	var room []shortage
	for _, name := range []corev1.ResourceName{corev1.ResourceCPU, corev1.ResourceMemory} {
		if wanted := amountIn(p.pod.Requests, name); wanted > 0 {
			s := shortage{
				resource: name, wanted: wanted,
				requested: amountIn(node.Requested, name), allocatable: amountIn(node.Allocatable, name),
			}
			s.used, s.measured = usedOn(node, name, p.snapshot.Usage)
			room = append(room, s)
		}
	}
	return room
}

// overAll says whether a group stands for a refusal that holds for every node.
func overAll(g whyGroup) bool { return len(g.refusals) == 1 && g.refusals[0].PreFilter }

// refusalsOn are one node's refusals with its own figures; a group's hold ranges.
func (p *whyPage) refusalsOn(name string, g whyGroup) []report.Refusal {
	if result, ok := p.nodes[name]; ok {
		return result.Refusals
	}
	return g.refusals
}

// sentenceOn is a refusal told whole, without the node's name before it.
func sentenceOn(node string, refusal report.Refusal) string {
	if refusal.What == "" {
		return refusal.Reason
	}
	return strings.TrimPrefix(refusal.What, node+": ")
}

// under puts texts beside a lead, which stands on the first line only.
func (p *whyPage) under(lead string, texts []string) []string {
	lines := make([]string, len(texts))
	indent := cells.Blank(cells.Width(lead) + 3)
	for i, text := range texts {
		lines[i] = indent + text
		if i == 0 {
			lines[i] = " " + p.styles.Strong.Render(lead) + "  " + text
		}
	}
	return lines
}

// figures is the sum behind a shortage, and where width cells have room for it
// what is used.
func figures(s shortage, width int) string {
	text := fmt.Sprintf("wants %s %s, free %s = allocatable %s − requested %s", model.Clean(string(s.resource)),
		amountText(s.resource, s.wanted, model.Up), amountText(s.resource, s.free(), model.Down),
		amountText(s.resource, s.allocatable, model.Down), amountText(s.resource, s.requested, model.Up))
	if s.measured {
		if whole := text + "; used " + columnText(s.resource, s.used, model.Nearest); cells.Width(whole) <= width {
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
	all, sum := holders(node, name)
	if len(all) == 0 {
		return ""
	}
	all = all[:min(2, len(all))]
	tail := ""
	if rest := len(node.Pods) - len(all); rest > 0 {
		for _, h := range all {
			sum -= h.amount
		}
		tail = ", " + count(rest, "more pod ", "more pods ") + columnText(name, sum, model.Nearest)
	}
	return holderNames(all, name, " holds ", width-cells.Width(tail)) + tail
}

// holderNames names pods with what each holds, the first one with that verb; the
// names lose their middles where width cells are too few.
func holderNames(all []holding, name corev1.ResourceName, holds string, width int) string {
	tell := func(most int) string {
		texts := make([]string, len(all))
		for i, h := range all {
			verb := " "
			if i == 0 {
				verb = holds
			}
			texts[i] = cells.CutMiddle(model.Clean(h.pod.FullName()), most) + verb + columnText(name, h.amount, model.Nearest)
		}
		return strings.Join(texts, ", ")
	}
	longest := 0
	for _, h := range all {
		longest = max(longest, cells.Width(model.Clean(h.pod.FullName())))
	}
	for most := longest; most > 8; most-- {
		if text := tell(most); cells.Width(text) <= width {
			return text
		}
	}
	return tell(8)
}
