package scheduler

import (
	"context"
	"slices"
	"sync"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"

	"github.com/kubectl-fathom/kubectl-fathom/explain/plugins"
)

// mostSelections is for how many kinds of pods selectedPods keeps what they select: four bytes for
// each node, and the lists of selected pods.
const mostSelections = 256

// selectedPods keeps which pods on each node have a part in the answer of a plugin that looks at
// all of them, for each kind of pods that is asked about, until something on the node changes: that
// is most of what simulating such pods costs. The PreFilter halves of the plugins are shown nodes
// with those pods only, and count them themselves:
//   - PodTopologySpread those of the pod's namespace that one of its own selectors matches;
//   - InterPodAffinity those whose required anti-affinity matches the pod; where it asks whether
//     any is about the node alone, those as well.
type selectedPods struct {
	known map[selectionKey]*selection
	nodes []selectedNode // reused: the nodes that a plugin is shown
	shown []fwk.NodeInfo // reused: the same
}

// selectionKey is all that it depends on which pods of a node are selected.
type selectionKey struct{ plugin, namespace, namespaceLabels, labels, constraints string }

// selection is what one kind of pods selects.
type selection struct {
	selects func(fwk.PodInfo) bool
	at      []int32 // by place of the node in the snapshot's order: where its list is among lists, or one of the below
	mu      sync.Mutex
	lists   [][]fwk.PodInfo
}

// What is known of a node without a list.
const (
	notKnown int32 = -iota
	noneSelected
	listed int32 = 1 // the place of the first list
)

// selectedNode is a node of which only some pods are shown.
type selectedNode struct {
	fwk.NodeInfo
	pods, antiAffinity []fwk.PodInfo
}

// GetPods implements fwk.NodeInfo.
func (n *selectedNode) GetPods() []fwk.PodInfo { return n.pods }

// GetPodsWithRequiredAntiAffinity implements fwk.NodeInfo.
func (n *selectedNode) GetPodsWithRequiredAntiAffinity() []fwk.PodInfo { return n.antiAffinity }

// forget drops what is kept of the node at a place.
func (c *selectedPods) forget(place int) {
	for _, known := range c.known {
		if place < len(known.at) {
			known.at[place] = notKnown
		}
	}
}

// during has the PreFilter half of plugin k answer for a pod, shown the nodes with the selected pods:
// with all pods those that are simulated, and all for the first of a kind of pods.
func (c *selectedPods) during(ctx context.Context, m *Matrix, k int, pod *corev1.Pod, ask func(nodes []fwk.NodeInfo)) {
	switch m.Profile.Plugins[k].Name {
	case names.PodTopologySpread:
		c.spread(ctx, m, pod, ask)
	case names.InterPodAffinity:
		over, selected := m.Profile.state().overlay, c.opposing(m, pod)
		over.opposing = func(nodes []fwk.NodeInfo) []fwk.NodeInfo { return c.showOpposing(ctx, m, selected, nodes) }
		defer func() { over.opposing = nil }()
		ask(m.Nodes)
	default:
		ask(m.Nodes)
	}
}

// spread asks PodTopologySpread about a pod: its own selectors are known once it has been asked.
// They depend on the pod alone where it has constraints of its own.
func (c *selectedPods) spread(ctx context.Context, m *Matrix, pod *corev1.Pod, ask func(nodes []fwk.NodeInfo)) {
	hard := func(c corev1.TopologySpreadConstraint) bool { return c.WhenUnsatisfiable == corev1.DoNotSchedule }
	if !slices.ContainsFunc(pod.Spec.TopologySpreadConstraints, hard) {
		ask(m.Nodes)
		return
	}
	key := selectionKey{plugin: names.PodTopologySpread, namespace: pod.Namespace, labels: labels.Set(pod.Labels).String()}
	for i := range pod.Spec.TopologySpreadConstraints {
		key.constraints += pod.Spec.TopologySpreadConstraints[i].String()
	}
	known := c.known[key]
	if known != nil {
		ask(c.show(ctx, m, known))
		return
	}
	ask(m.Nodes)
	if spreads := plugins.ReadSpreads(m.State); len(spreads) > 0 {
		c.keep(key, func(info fwk.PodInfo) bool {
			other := info.GetPod()
			return other.Namespace == key.namespace && slices.ContainsFunc(spreads, func(s plugins.Spread) bool { return s.Selector.Matches(labels.Set(other.Labels)) })
		})
	}
}

// opposing is which pods with required anti-affinity InterPodAffinity is shown for a pod. As there,
// a namespace that is not known has no labels.
func (c *selectedPods) opposing(m *Matrix, pod *corev1.Pod) *selection {
	var of labels.Set
	if namespace, err := m.Profile.Scheduler.namespaces.Get(pod.Namespace); err == nil {
		of = namespace.Labels
	}
	key := selectionKey{plugin: names.InterPodAffinity, namespace: pod.Namespace, namespaceLabels: of.String(), labels: labels.Set(pod.Labels).String()}
	if known := c.known[key]; known != nil {
		return known
	}
	alike, beyond := &corev1.Pod{}, countsBeyondHost()
	alike.Namespace, alike.Labels = pod.Namespace, pod.Labels
	return c.keep(key, func(info fwk.PodInfo) bool {
		return slices.ContainsFunc(info.GetRequiredAntiAffinityTerms(), func(term fwk.AffinityTerm) bool {
			return term.Matches(alike, of) || beyond && term.TopologyKey == corev1.LabelHostname
		})
	})
}

// keep begins to keep what a kind of pods selects.
func (c *selectedPods) keep(key selectionKey, selects func(fwk.PodInfo) bool) *selection {
	if c.known == nil || len(c.known) >= mostSelections {
		c.known = map[selectionKey]*selection{}
	}
	c.known[key] = &selection{selects: selects}
	return c.known[key]
}

// show are the nodes of a question with the selected of all their pods.
func (c *selectedPods) show(ctx context.Context, m *Matrix, selected *selection) []fwk.NodeInfo {
	real := len(m.Profile.state().answers.generations) // those that are simulated come after these
	return c.wrap(ctx, m, selected, m.Nodes, func(n int) (place int, ok bool) { return n, n < real }, func(node fwk.NodeInfo, place int) selectedNode {
		return selectedNode{node, selected.of(place, node.GetPods()), node.GetPodsWithRequiredAntiAffinity()}
	})
}

// showOpposing are some nodes with the selected of their pods with required anti-affinity.
func (c *selectedPods) showOpposing(ctx context.Context, m *Matrix, selected *selection, nodes []fwk.NodeInfo) []fwk.NodeInfo {
	at := m.Profile.state().nodes.at
	placeOf := func(n int) (place int, ok bool) {
		place, ok = at[nodes[n].Node().Name]
		return place, ok
	}
	return c.wrap(ctx, m, selected, nodes, placeOf, func(node fwk.NodeInfo, place int) selectedNode {
		return selectedNode{node, node.GetPods(), selected.of(place, node.GetPodsWithRequiredAntiAffinity())}
	})
}

// wrap shows nodes otherwise, each of which has a place in the snapshot's order, unless it is simulated.
func (c *selectedPods) wrap(ctx context.Context, m *Matrix, selected *selection, nodes []fwk.NodeInfo, placeOf func(n int) (int, bool), show func(node fwk.NodeInfo, place int) selectedNode) []fwk.NodeInfo {
	answers := &m.Profile.state().answers
	selected.fit(len(answers.generations))
	c.shown = append(c.shown[:0], nodes...)
	c.nodes = slices.Grow(c.nodes[:0], len(nodes))[:len(nodes)]
	parallelizer{m.Profile.Scheduler.options.Parallelism}.Until(ctx, len(nodes), func(n int) {
		if place, ok := placeOf(n); ok && !answers.loose[place] {
			c.nodes[n] = show(nodes[n], place)
			c.shown[n] = &c.nodes[n]
		}
	}, "")
	return c.shown
}

// fit makes room for so many nodes, and drops lists that are no longer those of any.
func (s *selection) fit(nodes int) {
	if len(s.at) != nodes || len(s.lists) > 2*nodes {
		s.at, s.lists = make([]int32, nodes), nil
	}
}

// of are the selected ones of the pods of the node at a place.
func (s *selection) of(place int, pods []fwk.PodInfo) (selected []fwk.PodInfo) {
	switch at := s.at[place]; at {
	case noneSelected:
		return nil
	case notKnown:
	default:
		return s.list(at)
	}
	for _, info := range pods {
		if s.selects(info) {
			selected = append(selected, info)
		}
	}
	if s.at[place] = noneSelected; len(selected) > 0 {
		s.at[place] = s.add(selected)
	}
	return selected
}

func (s *selection) list(at int32) []fwk.PodInfo {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.lists[at-listed]
}

func (s *selection) add(list []fwk.PodInfo) int32 {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lists = append(s.lists, list)
	return int32(len(s.lists)-1) + listed
}
