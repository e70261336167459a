package ui

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-fathom/kubectl-fathom/explain"
	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// details tells of the nearest node of the selected group: how much it lacks of
// what, and who holds it; else each refusal's sentence. The first line leads
// with the node's name, the others stand under its text.
func (p *whyPage) details(g whyGroup) []string {
	if len(g.nodes) == 0 || overAll(g) {
		return p.sentences("", g.refusals)
	}
	name := g.nodes[0]
	node, _ := p.snapshot.Node(name)
	refusals := p.refusalsOn(name, g)
	var texts []string
	for _, s := range shortages(refusals, node, p.snapshot.Usage) {
		texts = append(texts, figures(s))
		if held := held(node, s.resource, p.width-cells(name)-4); held != "" {
			texts = append(texts, held)
		}
	}
	rest := withoutFit(refusals)
	if len(texts) == 0 {
		rest = refusals
	}
	lines := p.under(model.Clean(name), texts)
	if len(lines) > 0 {
		return append(lines, p.sentences(blank(cells(name)), rest)...)
	}
	return p.sentences(model.Clean(name), rest)
}

// overAll says whether a group stands for a refusal that holds for every node.
func overAll(g whyGroup) bool { return len(g.refusals) == 1 && g.refusals[0].PreFilter }

// refusalsOn are one node's refusals with its own figures; a group's hold ranges.
func (p *whyPage) refusalsOn(name string, g whyGroup) []explain.Refusal {
	if result, ok := p.nodes[name]; ok {
		return result.Refusals
	}
	return g.refusals
}

func withoutFit(refusals []explain.Refusal) []explain.Refusal {
	var rest []explain.Refusal
	for _, refusal := range refusals {
		if refusal.Plugin != fitPlugin {
			rest = append(rest, refusal)
		}
	}
	return rest
}

// sentences are the refusals told whole, wrapped.
func (p *whyPage) sentences(lead string, refusals []explain.Refusal) []string {
	var texts []string
	for _, refusal := range refusals {
		text := refusal.What
		if text == "" {
			text = refusal.Reason
		}
		texts = append(texts, wrapped(model.Clean(text), p.width-cells(lead)-4)...)
	}
	return p.under(lead, texts)
}

// under puts texts beside a lead, which stands on the first line only.
func (p *whyPage) under(lead string, texts []string) []string {
	lines := make([]string, len(texts))
	indent := blank(cells(lead) + 3)
	for i, text := range texts {
		lines[i] = indent + text
		if i == 0 {
			lines[i] = " " + p.styles.Strong.Render(lead) + "  " + text
		}
	}
	return lines
}

// figures is the sum behind a shortage.
func figures(s shortage) string {
	text := fmt.Sprintf("wants %s %s, free %s = allocatable %s − requested %s", model.Clean(string(s.resource)),
		amountText(s.resource, s.wanted, model.Up), amountText(s.resource, s.free(), model.Down),
		amountText(s.resource, s.allocatable, model.Down), amountText(s.resource, s.requested, model.Up))
	if s.measured {
		text += "; used " + columnText(s.resource, s.used, model.Nearest)
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
	return holderNames(all, name, width-cells(tail)) + tail
}

// holderNames names pods with what each holds; the names lose their middles
// where width cells are too few.
func holderNames(all []holding, name corev1.ResourceName, width int) string {
	tell := func(most int) string {
		text := ""
		for i, h := range all {
			between, verb := ", ", " "
			if i == 0 {
				between, verb = "", " holds "
			}
			text += between + cutMiddle(model.Clean(h.pod.FullName()), most) + verb + columnText(name, h.amount, model.Nearest)
		}
		return text
	}
	longest := 0
	for _, h := range all {
		longest = max(longest, cells(model.Clean(h.pod.FullName())))
	}
	for most := longest; most > 8; most-- {
		if text := tell(most); cells(text) <= width {
			return text
		}
	}
	return tell(8)
}
