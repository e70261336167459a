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

// zonal are nodes by their kind, and the zones of all nodes, Ready or not.
type zonal struct {
	order  []kind           // those that may be rejected for their zone, of the closest group first
	models map[kind]newNode // one of each
	zones  map[kind]set     // by kind
	pools  map[string]set   // zones by pool
	nodes  map[string]*corev1.Node
}

// kind is the pool and the instance type of a node. Without an instance type nodes of one size are a
// kind: the same cpu, and the same memory as it is shown.
type kind struct {
	pool, instance, memory string
	cpu                    int64 // in thousandths
}

func newZonal() *zonal {
	return &zonal{models: map[kind]newNode{}, zones: map[kind]set{}, pools: map[string]set{}, nodes: map[string]*corev1.Node{}}
}

// kindOf is the kind of a node of a pool.
func kindOf(node *corev1.Node, pool string) kind {
	if instance := node.Labels[corev1.LabelInstanceTypeStable]; instance != "" {
		return kind{pool: pool, instance: instance}
	}
	memory := model.FormatMemory(node.Status.Allocatable.Memory().Value(), model.Nearest)
	return kind{pool: pool, cpu: node.Status.Allocatable.Cpu().MilliValue(), memory: memory}
}

// add adds a node of a kind, and its zone.
func (z *zonal) add(node *corev1.Node, of kind) {
	zone := node.Labels[corev1.LabelTopologyZone]
	if zone == "" || z.zones[of][zone] {
		return
	}
	if z.nodes[zone] == nil {
		z.nodes[zone] = node
	}
	if z.zones[of] == nil {
		z.zones[of] = set{}
	}
	if z.pools[of.pool] == nil {
		z.pools[of.pool] = set{}
	}
	z.zones[of][zone], z.pools[of.pool][zone] = true, true
}

// addModel adds a node that may be rejected for its zone: one more may be like it elsewhere.
func (z *zonal) addModel(one newNode, of kind) {
	if _, known := z.models[of]; !known && one.zone != "" {
		z.models[of], z.order = one, append(z.order, of)
	}
}

// elsewhere are what one more node may be like in each zone of its region that has none of its kind;
// cut says that there are more.
func (z *zonal) elsewhere() (found []newNode, cut bool) {
	for _, of := range z.order {
		one := z.models[of]
		region := z.nodes[one.zone].Labels[corev1.LabelTopologyRegion]
		for _, zone := range slices.Sorted(maps.Keys(z.nodes)) {
			if z.zones[of][zone] || z.nodes[zone].Labels[corev1.LabelTopologyRegion] != region {
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
