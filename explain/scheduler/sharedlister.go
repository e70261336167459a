package scheduler

import (
	"fmt"
	"maps"
	"slices"

	utilfeature "k8s.io/apiserver/pkg/util/feature"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/features"
	internalcache "k8s.io/kubernetes/pkg/scheduler/backend/cache"
)

// overlay is the state as the plugins see it. Some of them keep the lister that
// they were built with, so they never get the snapshot itself: what an
// explanation is to see is decided here.
type overlay struct {
	*internalcache.Snapshot // of the pod groups; the nodes are not in it
	nodes                   *nodeInfos
	fork                    *Fork // nil: the state as it is
	// opposing is how InterPodAffinity is shown the nodes whose pods with required anti-affinity it
	// counts; nil: as they are.
	opposing func([]fwk.NodeInfo) []fwk.NodeInfo
}

// lists are those of the state as it is, or of the fork.
func (o *overlay) lists() *views {
	if o.fork == nil {
		return &o.nodes.lists
	}
	return o.fork.views()
}

// NodeInfos implements fwk.SharedLister.
func (o *overlay) NodeInfos() fwk.NodeInfoLister { return o }

// StorageInfos implements fwk.SharedLister.
func (o *overlay) StorageInfos() fwk.StorageInfoLister { return o }

// List implements fwk.NodeInfoLister.
func (o *overlay) List() ([]fwk.NodeInfo, error) { return o.lists().all, nil }

// HavePodsWithAffinityList implements fwk.NodeInfoLister.
func (o *overlay) HavePodsWithAffinityList() ([]fwk.NodeInfo, error) {
	return o.lists().affinity, nil
}

// HavePodsWithRequiredAntiAffinityList implements fwk.NodeInfoLister.
func (o *overlay) HavePodsWithRequiredAntiAffinityList() ([]fwk.NodeInfo, error) {
	if o.opposing != nil && !countsBeyondHost() {
		return o.opposing(o.lists().antiAffinity), nil
	}
	return o.lists().antiAffinity, nil
}

// HavePodsWithRequiredNonHostScopedAntiAffinityList implements fwk.NodeInfoLister.
func (o *overlay) HavePodsWithRequiredNonHostScopedAntiAffinityList() ([]fwk.NodeInfo, error) {
	if o.opposing != nil && countsBeyondHost() {
		return o.opposing(o.lists().beyondHost), nil
	}
	return o.lists().beyondHost, nil
}

// countsBeyondHost says from which of two lists InterPodAffinity counts: that of the nodes with terms
// about more than the node. Of the other one it takes the length then.
func countsBeyondHost() bool {
	return utilfeature.DefaultFeatureGate.Enabled(features.InterPodAffinityHostnameFastPath)
}

// Get implements fwk.NodeInfoLister.
func (o *overlay) Get(name string) (fwk.NodeInfo, error) {
	if o.fork != nil {
		if node, ok := o.fork.nodes[name]; ok {
			return node, nil
		}
	}
	if node, ok := o.nodes.byName[name]; ok && node.Node() != nil {
		return node, nil
	}
	return nil, fmt.Errorf("nodeinfo not found for node name %q", name)
}

// GetNodeInPlacement is Get: no placement is ever assumed here.
func (o *overlay) GetNodeInPlacement(name string) (fwk.NodeInfo, error) { return o.Get(name) }

// ListNodesInPlacement is List: no placement is ever assumed here.
func (o *overlay) ListNodesInPlacement() ([]fwk.NodeInfo, error) { return o.List() }

// NumNodesInPlacement is how many there are: no placement is ever assumed here.
func (o *overlay) NumNodesInPlacement() int { return len(o.lists().all) }

// IsPVCUsedByPods implements fwk.StorageInfoLister.
func (o *overlay) IsPVCUsedByPods(key string) bool { return usesClaim(o.lists().all, key) }

// views are the lists of a simulated state.
type views struct {
	all, affinity, antiAffinity, beyondHost []fwk.NodeInfo
}

// selectFrom adds those of some nodes that hold pods with rules to the lists of these.
func (v *views) selectFrom(nodes []fwk.NodeInfo) {
	for _, node := range nodes {
		if len(node.GetPodsWithAffinity()) > 0 {
			v.affinity = append(v.affinity, node)
		}
		if len(node.GetPodsWithRequiredAntiAffinity()) > 0 {
			v.antiAffinity = append(v.antiAffinity, node)
		}
		if len(node.GetPodsWithRequiredNonHostScopedAntiAffinity()) > 0 {
			v.beyondHost = append(v.beyondHost, node)
		}
	}
}

// views lays the changed nodes over the lists of the state as it is, where they keep
// their places and those that were added come last; in the lists of those that hold
// pods with rules changed nodes come last.
func (s *Fork) views() *views {
	if s.lists != nil {
		return s.lists
	}
	real := s.state.overlay.nodes
	v := &views{all: slices.Clone(real.lists.all)}
	var replaced []fwk.NodeInfo
	for name, node := range s.nodes {
		if at, ok := real.at[name]; ok {
			replaced = append(replaced, v.all[at])
			v.all[at] = node
		}
	}
	for _, added := range s.added {
		v.all = append(v.all, s.nodes[added.Node.Name])
	}
	v.affinity = without(real.lists.affinity, replaced, func(n fwk.NodeInfo) bool { return len(n.GetPodsWithAffinity()) > 0 })
	v.antiAffinity = without(real.lists.antiAffinity, replaced, func(n fwk.NodeInfo) bool { return len(n.GetPodsWithRequiredAntiAffinity()) > 0 })
	v.beyondHost = without(real.lists.beyondHost, replaced, func(n fwk.NodeInfo) bool { return len(n.GetPodsWithRequiredNonHostScopedAntiAffinity()) > 0 })
	v.selectFrom(slices.Collect(maps.Values(s.nodes)))
	s.lists = v
	return v
}

// without is a list of the nodes with some property, without those that are replaced; it is
// not shared once it grows.
func without(nodes, replaced []fwk.NodeInfo, listed func(fwk.NodeInfo) bool) []fwk.NodeInfo {
	gone := map[fwk.NodeInfo]bool{}
	for _, node := range replaced {
		if listed(node) {
			gone[node] = true
		}
	}
	if len(gone) == 0 {
		return slices.Clip(nodes)
	}
	return slices.DeleteFunc(slices.Clone(nodes), func(node fwk.NodeInfo) bool { return gone[node] })
}

// change gives a copy of a node that may be changed: the lists are rebuilt.
func (s *Fork) change(name string) (fwk.NodeInfo, error) {
	s.lists = nil
	if s.copied[name] {
		return s.nodes[name], nil
	}
	node, err := s.state.overlay.Get(name)
	if err != nil {
		return nil, fmt.Errorf("simulate a change of node %s: %w", name, err)
	}
	s.nodes[name], s.copied[name] = node.Snapshot(), true
	return s.nodes[name], nil
}
