package explain

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"

	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// heads are the plugins that may refuse nodes, in the scheduler's order, with
// what stands over their columns: of marks, and of words about a node.
var heads = []struct{ plugin, head, words string }{
	{names.NodeName, "name", "ANOTHER NODE"},
	{names.NodeUnschedulable, "cordon", "CORDON"},
	{names.TaintToleration, "taint", "UNTOLERATED TAINT"},
	{names.NodeAffinity, "node-aff", "WHAT IT HAS INSTEAD"},
	{names.NodePorts, "ports", "PORT, AND WHO HOLDS IT"},
	{names.NodeResourcesFit, "fit", "ROOM"},
	{names.VolumeRestrictions, "vol-use", "VOLUME, AND WHO HOLDS IT"},
	{names.NodeVolumeLimits, "vol-max", "VOLUMES IN USE"},
	{names.VolumeBinding, "vol-bind", "CLAIM, AND WHAT KEEPS IT AWAY"},
	{names.VolumeZone, "vol-zone", "VOLUME, AND ITS ZONE"},
	{names.PodTopologySpread, "spread", "COUNTS BY DOMAIN"},
	{names.InterPodAffinity, "pod-aff", "RULE, AND WHOSE PODS"},
	{names.DynamicResources, "claims", "CLAIM, AND ITS DEVICES"},
	{names.NodeDeclaredFeatures, "features", "FEATURES IT LACKS"},
	{names.DeferredPodScheduling, "deferred", "WHAT IS DEFERRED"},
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

// WordsHead is what stands over a plugin's words about a node.
func WordsHead(plugin string) string {
	for _, known := range heads {
		if known.plugin == plugin {
			return known.words
		}
	}
	return strings.ToUpper(Head(plugin))
}

// Headed are the plugins that have a head of their own, in the scheduler's order.
func Headed() []string {
	plugins := make([]string, len(heads))
	for i, known := range heads {
		plugins[i] = known.plugin
	}
	return plugins
}
