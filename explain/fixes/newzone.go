package fixes

import (
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"

	"github.com/kubectl-fathom/kubectl-fathom/explain/rejectiongroups"
	"github.com/kubectl-fathom/kubectl-fathom/explain/scheduler"
)

// mostInZones is how many nodes are tried at most as what one more may be like in a zone that has
// none like them.
const mostInZones = 8

// zonalPlugins may reject nodes for the zone that they are in.
var zonalPlugins = []string{names.VolumeBinding, names.VolumeZone, names.NodeAffinity, names.PodTopologySpread, names.InterPodAffinity}

// mayBeByZone reports whether a group of nodes may be rejected for its zone.
func mayBeByZone(g *rejectiongroups.Group, m *scheduler.Matrix) bool {
	return slices.ContainsFunc(g.Rejecting, func(k int) bool { return slices.Contains(zonalPlugins, m.Profile.Plugins[k].Name) })
}

// kinds are nodes of one pool, instance type and size, and the zones that they are in.
type kinds struct {
	order  []string // those that may be rejected for their zone, of the closest group first
	models map[string]newNode
	zones  map[string]map[string]bool
}

// add adds a node that one more may be like.
func (k *kinds) add(one newNode, kind string, byZone bool) {
	if k.zones == nil {
		k.models, k.zones = map[string]newNode{}, map[string]map[string]bool{}
	}
	if k.zones[kind] == nil {
		k.zones[kind] = map[string]bool{}
	}
	k.zones[kind][one.zone] = true
	if _, known := k.models[kind]; !known && byZone && one.zone != "" {
		k.models[kind], k.order = one, append(k.order, kind)
	}
}

// elsewhere are what one more node may be like in each zone of the cluster that has none of its kind.
func (k *kinds) elsewhere() []newNode {
	all := map[string]bool{}
	for _, zones := range k.zones {
		maps.Copy(all, zones)
	}
	delete(all, "")
	var found []newNode
	for _, kind := range k.order {
		for _, zone := range slices.Sorted(maps.Keys(all)) {
			if !k.zones[kind][zone] && len(found) < mostInZones {
				one := k.models[kind]
				one.to = zone
				found = append(found, one)
			}
		}
	}
	return found
}

// moveTo gives a new node another zone: each of its labels with the name of the old one, as those of
// CSI drivers, gets that of the new one.
func moveTo(node *corev1.Node, zone string) {
	old := node.Labels[corev1.LabelTopologyZone]
	for label, value := range node.Labels {
		if value == old {
			node.Labels[label] = zone
		}
	}
}
