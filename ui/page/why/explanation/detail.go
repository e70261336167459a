package explanation

import (
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/ui/cells"
	"github.com/kubectl-fathom/kubectl-fathom/ui/figures"
)

// FiguresOf are the resources that a node lacks; where it lacks none, its room
// for what the pod requests.
func (p *Drawing) FiguresOf(g *report.Group, node *model.Node, rejections []report.Rejection) []figures.Shortage {
	if g.Fits == nil || !*g.Fits || node == nil || p.Pod == nil {
		return figures.Shortages(rejections, node, p.Snapshot.Usage)
	}
	var room []figures.Shortage
	for _, name := range []corev1.ResourceName{corev1.ResourceCPU, corev1.ResourceMemory} {
		if wanted := figures.AmountIn(*p.Pod.Requests, name); wanted > 0 {
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

// RejectionsOn are one node's rejections with its own figures; a group's hold ranges.
func (p *Drawing) RejectionsOn(name string, g *report.Group) []report.Rejection {
	if result, ok := p.Nodes[name]; ok {
		return result.Rejections
	}
	return g.Rejections
}

// SentenceOn is a rejection told whole, without the node's name before it.
func SentenceOn(node string, rejection report.Rejection) string {
	if rejection.What == "" {
		return rejection.Reason
	}
	return strings.TrimPrefix(rejection.What, node+": ")
}

// holderNames names pods with what each holds; the names lose their middles where width
// cells are too few.
func holderNames(all []figures.Holding, name corev1.ResourceName, width int) string {
	tell := func(most int) string {
		texts := make([]string, len(all))
		for i, h := range all {
			texts[i] = cells.CutMiddle(model.Clean(h.Pod.FullName()), most) + " " + figures.ColumnText(name, h.Amount, model.Nearest)
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
