package report

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
)

// Refusing are the plugins that refuse at least one node.
func (r *Report) Refusing() []PluginResult {
	return slices.DeleteFunc(slices.Clone(r.Plugins), func(p PluginResult) bool { return p.Refuses == 0 })
}

// RefusedBy names the plugins that refuse the nodes of a group: "fits" where none
// does, "?" where that is not known.
func (g *Group) RefusedBy() string {
	var plugins []string
	for _, refusal := range g.Refusals {
		if !slices.Contains(plugins, refusal.Plugin) {
			plugins = append(plugins, refusal.Plugin)
		}
	}
	switch {
	case len(plugins) > 0:
		return strings.Join(plugins, ", ")
	case g.Fits == nil:
		return "?"
	default:
		return "fits"
	}
}

// Title names the pod; one that was not created goes by its owner.
func (p *PodRef) Title() string {
	switch {
	case p.Name != "":
		return p.Namespace + "/" + p.Name
	case p.Owner != nil:
		return fmt.Sprintf("%s/%s (%s)", p.Namespace, p.Owner.Name, p.Owner.Kind)
	default:
		return p.Namespace
	}
}

// Line is what the pod asks for, in one line.
func (p *PodRef) Line() string {
	asked := "requests nothing"
	if len(p.Requests) > 0 {
		var requests []string
		for _, name := range slices.SortedFunc(maps.Keys(p.Requests), func(a, b string) int {
			return strings.Compare(ResourceRank(corev1.ResourceName(a)), ResourceRank(corev1.ResourceName(b)))
		}) {
			requests = append(requests, name+" "+p.Requests[name])
		}
		asked = "requests " + strings.Join(requests, ", ")
	}
	parts := []string{asked, p.QOSClass, fmt.Sprintf("priority %d", p.Priority)}
	if p.Owner != nil && p.Name != "" {
		parts = append(parts, p.Owner.Kind+" "+p.Owner.Name)
	}
	return strings.Join(parts, " · ")
}

// Assumed is the origin of the default profile.
const Assumed = "default profile assumed"

// ResourceRank orders resources: the scheduler's own four, then by name.
func ResourceRank(name corev1.ResourceName) string {
	first := []corev1.ResourceName{
		corev1.ResourcePods, corev1.ResourceCPU, corev1.ResourceMemory, corev1.ResourceEphemeralStorage,
	}
	if i := slices.Index(first, name); i >= 0 {
		return fmt.Sprint(i)
	}
	return "9" + string(name)
}
