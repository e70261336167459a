package fixes

import (
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"

	"github.com/kubectl-fathom/kubectl-fathom/explain/rejectiongroups"
	"github.com/kubectl-fathom/kubectl-fathom/explain/scheduler"
	"github.com/kubectl-fathom/kubectl-fathom/model"
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

// set is a set of names.
type set = map[string]bool

// zonal are nodes by their kind, which is the pool and the instance type, and the zones of all nodes,
// Ready or not.
type zonal struct {
	poolLabel string
	order     []string           // kinds that may be rejected for their zone, of the closest group first
	models    map[string]newNode // one of each
	zones     map[string]set     // by kind
	pools     map[string]set     // zones by pool
	nodes     map[string]*corev1.Node
}

func newZonal(poolLabel string) *zonal {
	return &zonal{poolLabel: poolLabel, models: map[string]newNode{}, zones: map[string]set{}, pools: map[string]set{}, nodes: map[string]*corev1.Node{}}
}

// kindOf is the kind of a node. Without an instance type nodes of one size are a kind.
func (z *zonal) kindOf(node *corev1.Node) string {
	of := node.Labels[corev1.LabelInstanceTypeStable]
	if of == "" {
		memory := model.FormatMemory(node.Status.Allocatable.Memory().Value(), model.Nearest)
		of = node.Status.Allocatable.Cpu().String() + " " + memory
	}
	return model.PoolOf(node, z.poolLabel) + "\n" + of
}

// add adds a node and its zone.
func (z *zonal) add(node *corev1.Node) {
	zone := node.Labels[corev1.LabelTopologyZone]
	if zone == "" {
		return
	}
	if z.nodes[zone] == nil {
		z.nodes[zone] = node
	}
	kind, pool := z.kindOf(node), model.PoolOf(node, z.poolLabel)
	if z.zones[kind] == nil {
		z.zones[kind] = set{}
	}
	if z.pools[pool] == nil {
		z.pools[pool] = set{}
	}
	z.zones[kind][zone], z.pools[pool][zone] = true, true
}

// addModel adds a node that may be rejected for its zone: one more may be like it elsewhere.
func (z *zonal) addModel(one newNode, node *corev1.Node) {
	kind := z.kindOf(node)
	if _, known := z.models[kind]; !known && one.zone != "" {
		z.models[kind], z.order = one, append(z.order, kind)
	}
}

// elsewhere are what one more node may be like in each zone of its region that has none of its kind;
// cut says that there are more.
func (z *zonal) elsewhere() (found []newNode, cut bool) {
	for _, kind := range z.order {
		one := z.models[kind]
		region := z.nodes[one.zone].Labels[corev1.LabelTopologyRegion]
		for _, zone := range slices.Sorted(maps.Keys(z.nodes)) {
			if z.zones[kind][zone] || z.nodes[zone].Labels[corev1.LabelTopologyRegion] != region {
				continue
			}
			if len(found) == mostInZones {
				return found, true
			}
			one.to, one.first = z.nodes[zone], !z.pools[one.pool][zone]
			found = append(found, one)
		}
	}
	return found, false
}

// topologyDomains begin the labels that say where a node is: Kubernetes' own, and those of cloud
// providers and CSI drivers.
var topologyDomains = []string{"topology.", "failure-domain.beta.kubernetes.io/"}

// moveTo gives a new node the labels of a node in another zone that say where it is. A label with the
// node's own name is not among them.
func moveTo(node, there *corev1.Node) {
	topology := func(label, value string) bool {
		return value != node.Name && value != there.Name && slices.ContainsFunc(topologyDomains, func(domain string) bool { return strings.HasPrefix(label, domain) })
	}
	maps.DeleteFunc(node.Labels, topology)
	for label, value := range there.Labels {
		if topology(label, value) {
			node.Labels[label] = value
		}
	}
}
