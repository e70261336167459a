package report

import (
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// heads are the plugins that may refuse nodes, by their names in
// k8s.io/kubernetes/pkg/scheduler/framework/plugins/names, in the scheduler's order, with
// what stands over their columns: of marks, and of words about a node.
var heads = []struct{ plugin, head, words string }{
	{"NodeName", "name", "ANOTHER NODE"},
	{"NodeUnschedulable", "cordon", "CORDON"},
	{"TaintToleration", "taint", "UNTOLERATED TAINT"},
	{"NodeAffinity", "node-aff", "WHAT IT HAS INSTEAD"},
	{"NodePorts", "ports", "PORT, AND WHO HOLDS IT"},
	{"NodeResourcesFit", "fit", "ROOM"},
	{"VolumeRestrictions", "vol-use", "VOLUME, AND WHO HOLDS IT"},
	{"NodeVolumeLimits", "vol-max", "VOLUMES IN USE"},
	{"VolumeBinding", "vol-bind", "CLAIM, AND WHAT KEEPS IT AWAY"},
	{"VolumeZone", "vol-zone", "VOLUME, AND ITS ZONE"},
	{"PodTopologySpread", "spread", "COUNTS BY DOMAIN"},
	{"InterPodAffinity", "pod-aff", "RULE, AND WHOSE PODS"},
	{"DynamicResources", "claims", "CLAIM, AND ITS DEVICES"},
	{"NodeDeclaredFeatures", "features", "FEATURES IT LACKS"},
	{"DeferredPodScheduling", "deferred", "WHAT IS DEFERRED"},
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
