package rejectiongroup

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
	"github.com/kubectl-fathom/kubectl-fathom/ui/figures"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page/why/explanation"
)

// sentence says how many nodes are rejected, by what, and what is sufficient.
func (c *content) sentence() string {
	g := c.group
	switch {
	case len(g.Rejections) == 0 && g.Fits == nil:
		return figures.Count(g.Count, "node is", "nodes are") + " not evaluated: " + c.openWords() + "."
	case len(g.Rejections) == 0:
		return figures.Count(g.Count, "node fits", "nodes fit") + "."
	}
	said := figures.Count(g.Count, "node", "nodes") + " rejected "
	if len(g.Rejections) == 1 && g.Rejects(figures.FitPlugin) && len(c.resources) > 0 {
		return said + "only for " + c.tooLittle() + "." + c.sufficient()
	}
	said += rejectedBy(g) + ": "
	return said + strings.TrimSuffix(c.host.Observed().Brief(g.Words), ".") + "."
}

// openWords say why nodes could not be evaluated.
func (c *content) openWords() string {
	var all []string
	if r := c.why.Explanation().Report; r != nil {
		for _, part := range r.Unknown {
			if len(part.Plugins) == 0 {
				continue // not about nodes
			}
			all = append(all, model.Clean(part.Why))
		}
	}
	if len(all) == 0 {
		return "reason unknown"
	}
	return figures.Named(all)
}

// tooLittle names what the nodes lack.
func (c *content) tooLittle() string {
	var little []string
	for _, name := range c.resources {
		if name != corev1.ResourcePods {
			little = append(little, model.Clean(string(name)))
		}
	}
	said := "insufficient " + figures.Joined(little)
	if slices.Contains(c.resources, corev1.ResourcePods) {
		if len(little) == 0 {
			return "too many pods"
		}
		said += ", and too many pods"
	}
	return said
}

// podSlots are what the pod limit of a node leaves.
const podSlots = "pod slots"

// sufficient names what else the pod requests, of which all the nodes have enough.
func (c *content) sufficient() string {
	if c.why.Explanation().Report == nil {
		return ""
	}
	var enough []string
	for name := range c.why.Explanation().Report.Pod.Requests {
		if !slices.Contains(c.resources, corev1.ResourceName(name)) {
			enough = append(enough, model.Clean(name))
		}
	}
	slices.SortFunc(enough, figures.CompareResources)
	if !slices.Contains(c.resources, corev1.ResourcePods) {
		enough = append(enough, podSlots)
	}
	switch {
	case len(enough) == 0:
		return ""
	case len(enough) == 1 && enough[0] != podSlots:
		return " " + grammar.Capital(enough[0]) + " is sufficient."
	}
	return " " + grammar.Capital(figures.Joined(enough)) + " are sufficient."
}

// counting names the pods that the figures of a node count beside those on it; "" is none.
func (c *content) counting(n *row) string {
	var names []string
	for _, pod := range explanation.Counted(c.why.Explanation(), n.node.Name, n.rejections) {
		names = append(names, pod.FullName())
	}
	if len(names) == 0 {
		return ""
	}
	return n.node.Name + ": counting " + grammar.List(names, 1) + ", nominated to it"
}

// rejectedBy names the plugins that reject a group's nodes: "only by taint", "by taint, resources".
func rejectedBy(g *report.Group) string {
	if plugins := g.Plugins(); len(plugins) > 1 {
		return "by " + strings.Join(plugins, ", ")
	}
	return "only by " + strings.Join(g.Plugins(), "")
}
