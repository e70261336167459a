package explain

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"

	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// heads are the plugins that may refuse nodes, in the scheduler's order, with
// what stands over their columns.
var heads = []struct{ plugin, head string }{
	{names.NodeName, "name"},
	{names.NodeUnschedulable, "cordon"},
	{names.TaintToleration, "taint"},
	{names.NodeAffinity, "node-aff"},
	{names.NodePorts, "ports"},
	{names.NodeResourcesFit, "fit"},
	{names.VolumeRestrictions, "vol-use"},
	{names.NodeVolumeLimits, "vol-max"},
	{names.VolumeBinding, "vol-bind"},
	{names.VolumeZone, "vol-zone"},
	{names.PodTopologySpread, "spread"},
	{names.InterPodAffinity, "pod-aff"},
	{names.DynamicResources, "claims"},
	{names.NodeDeclaredFeatures, "features"},
	{names.DeferredPodScheduling, "deferred"},
}

// headMost is the most cells that a plugin of another profile gets for its head.
const headMost = 8

// Head is what stands over a plugin's column: at most eight cells.
func Head(plugin string) string {
	for _, known := range heads {
		if known.plugin == plugin {
			return known.head
		}
	}
	return ansi.Truncate(strings.ToLower(model.Clean(plugin)), headMost, "")
}

// Headed are the plugins that have a head of their own, in the scheduler's order.
func Headed() []string {
	plugins := make([]string, len(heads))
	for i, known := range heads {
		plugins[i] = known.plugin
	}
	return plugins
}
