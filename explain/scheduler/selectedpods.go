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

// mostSelections is for how many kinds of pods selectedPods keeps what they select, those asked about
// last: four bytes for each node, and the lists of selected pods.
const mostSelections = 256

// selectedPods keeps which pods on each node have a part in the answer of a plugin that looks at
// all of them, for each kind of pods that is asked about, until something on the node changes: that
// is most of what simulating such pods costs. The PreFilter halves of the plugins are shown nodes
// with those pods only, and count them themselves:
//   - PodTopologySpread those of the pod's namespace that one of its own selectors matches;
//   - InterPodAffinity those that one of the pod's required terms matches, and of those with required
//     anti-affinity the ones whose terms match the pod; where it asks whether any is about the node
//     alone, those as well.
type selectedPods struct {
	known map[selectionKey]*selection
	uses  int64 // how often any was asked for
	// all and opposed are reused: the two lists of nodes that a plugin is shown.
	all, opposed shownNodes
}

// shownNodes is room for a list of nodes.
type shownNodes struct {
	nodes []selectedNode
	list  []fwk.NodeInfo
}

// selectionKey is all that it depends on which pods of a node are selected.
type selectionKey struct{ plugin, namespace, namespaceLabels, labels, constraints string }

// selection is what one kind of pods selects.
type selection struct {
	selects func(fwk.PodInfo) bool
	at      []int32 // by place of the node in the snapshot's order: where its list is among lists, or one of the below
	mu      sync.Mutex
	lists   [][]fwk.PodInfo
	used    int64 // which use of all was its last
}

// What is known of a node.
const (
	notKnown     int32 = 0
	noneSelected int32 = -1
	listed       int32 = 1 // the place of the first list; the others follow
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
		if place >= len(known.at) {
			continue
		}
		if at := known.at[place]; at >= listed {
			known.lists[at-listed] = nil
		}
		known.at[place] = notKnown
	}
}

// during has the PreFilter half of plugin k answer for a pod, and shows it the nodes with the selected
// pods. Nodes that are simulated are shown with all their pods; so are all nodes when a kind of pods
// is asked about first.
func (c *selectedPods) during(ctx context.Context, m *Matrix, k int, pod *corev1.Pod, ask func(nodes []fwk.NodeInfo)) {
	switch m.Profile.Plugins[k].Name {
	case names.PodTopologySpread:
		c.spread(ctx, m, pod, ask)
	case names.InterPodAffinity:
		c.affinity(ctx, m, pod, m.Nodes, ask)
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
	key := selectionKey{plugin: names.PodTopologySpread, namespace: pod.Namespace}
	for i := range pod.Spec.TopologySpreadConstraints {
		constraint := &pod.Spec.TopologySpreadConstraints[i]
		key.constraints += constraint.String()
		if len(constraint.MatchLabelKeys) > 0 {
			key.labels = labels.Set(pod.Labels).String()
		}
	}
	if known := c.recall(key); known != nil {
		ask(c.show(ctx, m, known, m.Nodes))
		return
	}
	ask(m.Nodes)
	if selects := selectedBy(plugins.ReadSpreads(m.State), pod.Namespace); selects != nil {
		c.keep(key, func(info fwk.PodInfo) bool { return selects(info.GetPod()) })
	}
}

// selectedBy is which pods spread constraints of a pod of that namespace select; nil where it has none.
func selectedBy(spreads []plugins.Spread, namespace string) func(*corev1.Pod) bool {
	if len(spreads) == 0 {
		return nil
	}
	selectors := make([]labels.Selector, len(spreads)) // alone: their counts are large
	for i := range spreads {
		selectors[i] = spreads[i].Selector
	}
	return func(other *corev1.Pod) bool {
		return other.Namespace == namespace && slices.ContainsFunc(selectors, func(s labels.Selector) bool { return s.Matches(labels.Set(other.Labels)) })
	}
}

// affinity asks InterPodAffinity about a pod and some state's nodes.
func (c *selectedPods) affinity(ctx context.Context, m *Matrix, pod *corev1.Pod, nodes []fwk.NodeInfo, ask func(nodes []fwk.NodeInfo)) {
	over, opposing := m.Profile.state().overlay, c.opposing(m, pod)
	over.opposing = func(nodes []fwk.NodeInfo) []fwk.NodeInfo { return c.showOpposing(ctx, m, opposing, nodes) }
	defer func() { over.opposing = nil }()
	if own := c.meant(m, pod); own != nil {
		nodes = c.show(ctx, m, own, nodes)
	}
	ask(nodes)
}

// meant is which pods the required terms of a pod are about; nil where that is any, or depends on
// labels of namespaces.
func (c *selectedPods) meant(m *Matrix, pod *corev1.Pod) *selection {
	if !minds(pod) || selectsNamespaces(pod) {
		return nil
	}
	key := selectionKey{plugin: names.InterPodAffinity, namespace: pod.Namespace, constraints: pod.Spec.Affinity.String()}
	if known := c.recall(key); known != nil {
		return known
	}
	q := m.Profile.Question(pod)
	together, apart := fwk.GetPodAffinityTerms(pod.Spec.Affinity), fwk.GetPodAntiAffinityTerms(pod.Spec.Affinity)
	own := append(plugins.OwnTerms(q, together), plugins.OwnTerms(q, apart)...)
	if len(own) != len(together)+len(apart) { // some do not parse
		return nil
	}
	return c.keep(key, func(info fwk.PodInfo) bool {
		return slices.ContainsFunc(own, func(term plugins.Term) bool { return term.Matches(info.GetPod(), nil) })
	})
}

// opposing is which pods with required anti-affinity InterPodAffinity is shown for a pod. As there,
// a namespace that is not known has no labels.
func (c *selectedPods) opposing(m *Matrix, pod *corev1.Pod) *selection {
	var of labels.Set
	if namespace, err := m.Profile.Scheduler.namespaces.Get(pod.Namespace); err == nil {
		of = namespace.Labels
	}
	key := selectionKey{plugin: names.InterPodAffinity, namespace: pod.Namespace, namespaceLabels: of.String(), labels: labels.Set(pod.Labels).String()}
	if known := c.recall(key); known != nil {
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

// recall is what is kept for a kind of pods; nil where nothing is.
func (c *selectedPods) recall(key selectionKey) *selection {
	known := c.known[key]
	if known != nil {
		c.uses++
		known.used = c.uses
	}
	return known
}

// keep begins to keep what a kind of pods selects, in the place of the one that was not asked for
// for longest where there are too many.
func (c *selectedPods) keep(key selectionKey, selects func(fwk.PodInfo) bool) *selection {
	if c.known == nil {
		c.known = map[selectionKey]*selection{}
	}
	if len(c.known) >= mostSelections {
		oldest, least := key, c.uses+1
		for other, known := range c.known {
			if known.used < least {
				oldest, least = other, known.used
			}
		}
		delete(c.known, oldest)
	}
	c.known[key] = &selection{selects: selects}
	return c.recall(key)
}

// show are the nodes of a state with the selected of all their pods.
func (c *selectedPods) show(ctx context.Context, m *Matrix, selected *selection, nodes []fwk.NodeInfo) []fwk.NodeInfo {
	existing := len(m.Profile.state().answers.generations) // those that are simulated come after these
	return c.all.show(ctx, m, selected, nodes, func(n int) (place int, ok bool) { return n, n < existing }, func(node fwk.NodeInfo, place int) selectedNode {
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
	return c.opposed.show(ctx, m, selected, nodes, placeOf, func(node fwk.NodeInfo, place int) selectedNode {
		return selectedNode{node, node.GetPods(), selected.of(place, node.GetPodsWithRequiredAntiAffinity())}
	})
}

// show takes nodes, each of which has a place in the snapshot's order, unless it is simulated, and shows
// those with a place as is wanted.
func (r *shownNodes) show(ctx context.Context, m *Matrix, selected *selection, nodes []fwk.NodeInfo, placeOf func(n int) (int, bool), as func(node fwk.NodeInfo, place int) selectedNode) []fwk.NodeInfo {
	answers := &m.Profile.state().answers
	selected.fit(len(answers.generations))
	r.list = append(r.list[:0], nodes...)
	r.nodes = slices.Grow(r.nodes[:0], len(nodes))[:len(nodes)]
	parallelizer{m.Profile.Scheduler.options.Parallelism}.Until(ctx, len(nodes), func(n int) {
		if place, ok := placeOf(n); ok && !answers.loose[place] {
			r.nodes[n] = as(nodes[n], place)
			r.list[n] = &r.nodes[n]
		}
	}, "")
	return r.list
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
