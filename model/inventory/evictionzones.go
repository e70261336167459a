package inventory

import (
	"cmp"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	topology "k8s.io/component-helpers/node/topology"

	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// ZoneState is how the node lifecycle controller sees a zone.
type ZoneState string

// The states of a zone (pkg/controller/nodelifecycle).
const (
	NormalZone        ZoneState = "Normal"
	PartialDisruption ZoneState = "PartialDisruption" // more than two nodes, and 55% of all, are not Ready
	FullDisruption    ZoneState = "FullDisruption"    // no node is Ready
)

// What kube-controller-manager's flags are unless they are set. No API shows them.
const (
	nodeEvictionRate          = 0.1  // --node-eviction-rate, nodes a second
	secondaryNodeEvictionRate = 0.01 // --secondary-node-eviction-rate, in a large zone
	unhealthyZoneThreshold    = 0.55 // --unhealthy-zone-threshold
	largeClusterSizeThreshold = 50   // --large-cluster-size-threshold, nodes of a zone

	// leastDisrupted is how many nodes have to be not Ready for a PartialDisruption.
	leastDisrupted = 3
	// excludesFromDisruption is the label of nodes that the controller does not count.
	excludesFromDisruption = "node.kubernetes.io/exclude-disruption"
)

// EvictionZone is a zone as the node lifecycle controller counts it. Nodes that are not
// Ready get a NoExecute taint at its rate; a pod's own countdown begins with that taint,
// and the rate does not change it.
type EvictionZone struct {
	Region   string    `json:"region"`
	Zone     string    `json:"zone"`
	Nodes    int       `json:"nodes"`
	NotReady int       `json:"notReady"`
	Waiting  int       `json:"waiting"` // nodes that are not Ready, and have no NoExecute taint for it yet
	State    ZoneState `json:"state"`
	// Rate is how many nodes a second get a NoExecute taint, with the default flags of
	// kube-controller-manager; 0 is none.
	Rate float64 `json:"nodesPerSecond"`

	key string
}

// Name is the zone for people.
func (z *EvictionZone) Name() string {
	return cmp.Or(z.Zone, z.Region, "no zone")
}

// EvictionZones are the zones of the nodes, with what monitorNodeHealth and handleDisruption
// of pkg/controller/nodelifecycle make of them: the most disturbed ones first, then by
// name. Where no node of any zone is Ready, the controller removes the NoExecute taints
// that it has set, and sets none.
func EvictionZones(s *model.Snapshot) []EvictionZone {
	byKey := map[string]*EvictionZone{}
	for _, node := range s.Nodes {
		if _, excluded := node.Object.Labels[excludesFromDisruption]; excluded {
			continue
		}
		key := zoneKey(node.Object)
		zone := byKey[key]
		if zone == nil {
			region, name, _ := strings.Cut(key, ":\x00:")
			zone = &EvictionZone{Region: region, Zone: name, key: key}
			byKey[key] = zone
		}
		zone.Nodes++
		if node.Ready != corev1.ConditionTrue {
			zone.NotReady++
			if !slices.ContainsFunc(node.Object.Spec.Taints, ofLostNode) {
				zone.Waiting++
			}
		}
	}
	zones := make([]EvictionZone, 0, len(byKey))
	allFull := true
	for _, zone := range byKey {
		zone.State = zoneState(zone.NotReady, zone.Nodes)
		zone.Rate = zoneRate(zone.State, zone.Nodes)
		allFull = allFull && zone.State == FullDisruption
		zones = append(zones, *zone)
	}
	for i := range zones {
		if allFull {
			zones[i].Rate = 0
		}
	}
	rank := map[ZoneState]int{FullDisruption: 0, PartialDisruption: 1, NormalZone: 2}
	slices.SortFunc(zones, func(a, b EvictionZone) int {
		return cmp.Or(
			cmp.Compare(rank[a.State], rank[b.State]), cmp.Compare(b.NotReady, a.NotReady),
			cmp.Compare(a.Region, b.Region), cmp.Compare(a.Zone, b.Zone),
		)
	})
	return zones
}

// zoneKey tells zones apart: it holds the region too.
func zoneKey(node *corev1.Node) string { return topology.GetZoneKey(node) }

// zoneState is ComputeZoneState of the controller.
func zoneState(notReady, nodes int) ZoneState {
	switch {
	case notReady > 0 && notReady == nodes:
		return FullDisruption
	case notReady >= leastDisrupted && float32(notReady)/float32(nodes) >= unhealthyZoneThreshold:
		return PartialDisruption
	}
	return NormalZone
}

// zoneRate is setLimiterInZone of the controller: a zone in FullDisruption goes on at the
// whole rate, for the nodes are more likely lost than cut off while others are Ready.
func zoneRate(state ZoneState, nodes int) float64 {
	switch {
	case state != PartialDisruption:
		return nodeEvictionRate
	case nodes > largeClusterSizeThreshold:
		return secondaryNodeEvictionRate
	}
	return 0
}

// ofLostNode reports whether a taint is one that the controller sets at the zone's rate.
func ofLostNode(taint corev1.Taint) bool {
	return isLostKey(taint.Key) && taint.Effect == corev1.TaintEffectNoExecute
}

func isLostKey(key string) bool {
	return key == corev1.TaintNodeNotReady || key == corev1.TaintNodeUnreachable
}
