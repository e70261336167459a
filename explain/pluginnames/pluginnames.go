// Package pluginnames holds what kube-scheduler's plugins are called in heads of columns and in sentences.
package pluginnames

import (
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// heads are the plugins that may reject nodes, by their names in
// k8s.io/kubernetes/pkg/scheduler/framework/plugins/names, in the scheduler's order, with
// the heads of their columns: of marks, and of reasons for one node; and how a sentence names them.
var heads = []struct{ plugin, head, name, words string }{
	{"NodeName", "name", "node name", "ANOTHER NODE"},
	{"NodeUnschedulable", "cordon", "cordon", "CORDON"},
	{"TaintToleration", "taint", "taint", "UNTOLERATED TAINT"},
	{"NodeAffinity", "node-aff", "node affinity", "NODE LABEL"},
	{"NodePorts", "ports", "host port", "PORT, USED BY"},
	{"NodeResourcesFit", "fit", "resources", "FREE"},
	{"VolumeRestrictions", "vol-use", "volume in use", "VOLUME, USED BY"},
	{"NodeVolumeLimits", "vol-max", "volume limit", "VOLUMES IN USE"},
	{"VolumeBinding", "vol-bind", "volume binding", "CLAIM, REASON"},
	{"VolumeZone", "vol-zone", "volume zone", "VOLUME, ZONE"},
	{"PodTopologySpread", "spread", "topology spread", "PODS BY DOMAIN"},
	{"InterPodAffinity", "pod-aff", "pod affinity", "TERM, PODS"},
	{"DynamicResources", "claims", "device claim", "CLAIM, DEVICES"},
	{"NodeDeclaredFeatures", "features", "node features", "MISSING FEATURES"},
	{"DeferredPodScheduling", "deferred", "deferred", "DEFERRED"},
}

// headMost is the most cells that a plugin of another profile gets for its head.
const headMost = 8

// Head is the head of a plugin's column: at most eight cells.
func Head(plugin string) string {
	for _, known := range heads {
		if known.plugin == plugin {
			return known.head
		}
	}
	return ansi.Truncate(strings.ToLower(model.Clean(plugin)), headMost, "")
}

// Name is how a sentence names what a plugin rejects for: "resources".
func Name(plugin string) string {
	for _, known := range heads {
		if known.plugin == plugin {
			return known.name
		}
	}
	return model.Clean(plugin)
}

// WordsHead is the head of the column of a plugin's reasons for one node.
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
