package nodemap

import (
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/ui/figures"
	"github.com/kubectl-fathom/kubectl-fathom/ui/gauge"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page"
)

// Note implements page.View: the node under the cursor.
func (p *Page) Note() string {
	n := p.grid.selected()
	if n == nil {
		return ""
	}
	o := p.Host.Observed()
	if n == p.gone {
		return model.Clean(page.AbsentNode(o, n, o.NodeName(n.Name)))
	}
	words := []string{o.NodeName(n.Name)}
	if p.why != nil {
		words = append(words, p.why.Words(n.Name))
	}
	words = append(words, stateWords(o, n)...)
	words = append(words, figureWords(o, n)...)
	if n.Taints != "" {
		words = append(words, "taints "+n.Taints)
	}
	return model.Clean(strings.Join(words, " · "))
}

// stateWords say what is not as usual about a node, and since when.
func stateWords(o *page.Observed, n *model.Node) []string {
	var words []string
	switch state := stateOf(n); {
	case state.means == "new":
		words = append(words, n.Lifecycle)
	case n.Ready != corev1.ConditionTrue && !n.ReadySince.IsZero():
		words = append(words, state.means+" "+o.Since(n.ReadySince))
	case n.Ready != corev1.ConditionTrue:
		words = append(words, state.means)
	case n.Lifecycle != "":
		words = append(words, n.Lifecycle)
	}
	if since := n.CordonedSince(); n.Cordoned && !since.IsZero() {
		words = append(words, "cordoned "+o.Since(since))
	} else if n.Cordoned {
		words = append(words, "cordoned")
	}
	return append(words, n.Pressure...)
}

// figureWords are what is requested of a node, its pods and its age.
func figureWords(o *page.Observed, n *model.Node) []string {
	open := o.PodsUnknown() != ""
	level := func(head string, name corev1.ResourceName) string {
		part, whole := n.Requested.Of(name), n.Allocatable.Of(name)
		if open || whole <= 0 {
			return head + " " + model.UnknownFigure
		}
		words := head + " " + gauge.Words(part, whole)
		if used, measured := figures.UsedOn(n, name, o.Snapshot.Usage); measured {
			words += ", used " + gauge.Words(used, whole)
		}
		return words
	}
	words := []string{level("cpu", corev1.ResourceCPU), level("mem", corev1.ResourceMemory)}
	own := model.Capacity{Allocatable: n.Allocatable}
	for _, name := range own.Extended() {
		part := model.FormatCount(n.Requested.Of(name))
		if open {
			part = model.UnknownFigure
		}
		words = append(words, model.ResourceWord(name)+" "+part+"/"+model.FormatCount(n.Allocatable.Of(name)))
	}
	pods := figures.Count(len(n.Pods), "pod", "pods")
	if open {
		pods = "pods " + model.UnknownFigure
	}
	return append(words, pods, o.Since(n.Object.CreationTimestamp.Time)+" old")
}
