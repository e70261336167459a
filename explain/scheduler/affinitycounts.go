package scheduler

import (
	"context"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/labels"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"
)

const (
	// mostCounted is for how many kinds of pods the counts are kept.
	mostCounted = 64
	// mostMoves is how many moves of pods are kept; counts that are older are made again.
	mostMoves = 4096
	// affinityCountsKey is where the plugin keeps its counts (preFilterStateKey of
	// pkg/scheduler/framework/plugins/interpodaffinity).
	affinityCountsKey = "PreFilter" + names.InterPodAffinity
)

// affinityCounts keeps what the PreFilter half of InterPodAffinity counted for pods with
// required terms about other pods, for which it looks at each pod of the cluster. The counts
// are those of the real state. What changed since, there or in a fork, is told to the plugin
// pod by pod (AddPod, RemovePod), as kube-scheduler does when it simulates preemption.
type affinityCounts struct {
	known map[countsKey]*counted
	uses  int64
	moves []podMove // since the oldest counts
	cut   int       // how many moves were left out before these
}

// countsKey is all that the counts depend on beside the pods on the nodes.
type countsKey struct {
	profile         *Profile
	namespace       string
	labels          string
	namespaceLabels string
	affinity        string
}

// counted are the counts for one kind of pods.
type counted struct {
	state *framework.CycleState // with the counts alone
	moves int                   // how many moves they know of
	used  int64                 // when they were used last
}

// podMove is that a pod came to a node or left it.
type podMove struct {
	pod  fwk.PodInfo
	node fwk.NodeInfo
	gone bool
}

// clear forgets all counts: nodes came, went or have other labels.
func (c *affinityCounts) clear() { *c = affinityCounts{uses: c.uses} }

// note takes down that a pod came to a node or left it.
func (c *affinityCounts) note(move podMove) {
	if len(c.known) == 0 || move.node.Node() == nil { // pods of a node that is not known do not count
		return
	}
	c.moves = append(c.moves, move)
	if len(c.moves) < mostMoves {
		return
	}
	left := mostMoves / 2
	c.cut += left
	c.moves = slices.Clone(c.moves[left:])
	maps.DeleteFunc(c.known, func(_ countsKey, known *counted) bool { return known.moves < c.cut })
}

// sameTerms reports whether a pod looks the same to the terms of other pods, and has the same.
func sameTerms(was, is *corev1.Pod) bool {
	return was.Spec.NodeName == is.Spec.NodeName && was.Namespace == is.Namespace && maps.Equal(was.Labels, is.Labels) &&
		(was.Spec.Affinity == is.Spec.Affinity || apiequality.Semantic.DeepEqual(was.Spec.Affinity, is.Spec.Affinity))
}

// recall gives m what PreFilter of plugin k would count for the pod, and reports whether it
// did. The scheduler is held.
func (c *affinityCounts) recall(ctx context.Context, m *Matrix, k int, pod *corev1.Pod) bool {
	plugin := m.Profile.Plugins[k]
	if plugin.Name != names.InterPodAffinity || !m.Profile.Scheduler.allRead() || !minds(pod) || selectsNamespaces(pod) {
		return false
	}
	key, ok := keyOf(m.Profile, pod)
	if !ok {
		return false
	}
	c.uses++
	known := c.known[key]
	if known == nil {
		if known = c.count(ctx, m, plugin, pod); known == nil {
			return false
		}
		c.keep(key, known)
	}
	known.used = c.uses
	tell := teller{ctx, plugin.pre.PreFilterExtensions(), known.state, pod}
	for _, move := range c.moves[known.moves-c.cut:] {
		if !tell.move(move) {
			delete(c.known, key)
			return false
		}
	}
	known.moves = c.cut + len(c.moves)
	counts, err := known.state.Read(affinityCountsKey)
	if err != nil {
		return false
	}
	m.State.Write(affinityCountsKey, counts.Clone())
	tell.state = m.State
	if m.Profile.state().overlay.fork != nil && !tell.fork(m.Profile.state()) {
		m.State.Delete(affinityCountsKey)
		return false
	}
	return true
}

// minds reports whether a pod has required terms about other pods, and waits for a node: the
// plugin leaves out what is resized where it is.
func minds(pod *corev1.Pod) bool {
	a := pod.Spec.Affinity
	if a == nil || a.PodAffinity == nil && a.PodAntiAffinity == nil {
		return false
	}
	resized := slices.ContainsFunc(pod.Status.Conditions, func(c corev1.PodCondition) bool { return c.Type == corev1.PodResizePending })
	return !resized && (a.PodAffinity != nil && len(a.PodAffinity.RequiredDuringSchedulingIgnoredDuringExecution) > 0 ||
		a.PodAntiAffinity != nil && len(a.PodAntiAffinity.RequiredDuringSchedulingIgnoredDuringExecution) > 0)
}

// keyOf is what the counts for a pod depend on; false where that cannot be told.
func keyOf(p *Profile, pod *corev1.Pod) (countsKey, bool) {
	affinity, err := pod.Spec.Affinity.Marshal()
	if err != nil {
		return countsKey{}, false
	}
	key := countsKey{profile: p, namespace: pod.Namespace, labels: labels.Set(pod.Labels).String(), affinity: string(affinity)}
	if namespace, err := p.Scheduler.namespaces.Get(pod.Namespace); err == nil {
		key.namespaceLabels = labels.Set(namespace.Labels).String()
	}
	return key, true
}

// count has the plugin count in the real state; nil where it does not count.
func (c *affinityCounts) count(ctx context.Context, m *Matrix, plugin Plugin, pod *corev1.Pod) *counted {
	over := m.Profile.state().overlay
	fork := over.fork
	over.fork = nil
	defer func() { over.fork = fork }()
	known := &counted{state: framework.NewCycleState(), moves: c.cut + len(c.moves)}
	var result *fwk.PreFilterResult
	var status *fwk.Status
	m.Profile.state().chosen.affinity(ctx, m, pod, over.lists().all, func(nodes []fwk.NodeInfo) {
		result, status = plugin.pre.PreFilter(ctx, known.state, pod, nodes)
	})
	if !status.IsSuccess() || !result.AllNodes() {
		return nil
	}
	return known
}

// keep keeps counts, in the place of those that were not used for longest where they are too many.
func (c *affinityCounts) keep(key countsKey, known *counted) {
	if c.known == nil {
		c.known = map[countsKey]*counted{}
	}
	if len(c.known) >= mostCounted {
		oldest, least := countsKey{}, c.uses
		for other, k := range c.known {
			if k.used < least {
				oldest, least = other, k.used
			}
		}
		delete(c.known, oldest)
	}
	c.known[key] = known
}

// teller tells the plugin which pods come and go.
type teller struct {
	ctx   context.Context
	ask   fwk.PreFilterExtensions
	state *framework.CycleState
	pod   *corev1.Pod
}

// move tells of one pod, and reports whether the plugin took it in.
func (t teller) move(move podMove) bool {
	if move.gone {
		return t.ask.RemovePod(t.ctx, t.state, t.pod, move.pod, move.node).IsSuccess()
	}
	return t.ask.AddPod(t.ctx, t.state, t.pod, move.pod, move.node).IsSuccess()
}

// fork tells of the nodes that a fork has changed.
func (t teller) fork(s *State) bool {
	for name, now := range s.overlay.fork.nodes {
		var was *framework.NodeInfo
		if real := s.nodes.byName[name]; real != nil && real.Node() != nil {
			was = real
		}
		if !t.node(was, now) {
			return false
		}
	}
	return true
}

// node tells of the pods by which a node differs; was is nil for a node that is added.
func (t teller) node(was *framework.NodeInfo, now fwk.NodeInfo) bool {
	var before []fwk.PodInfo
	relabelled := false
	if was != nil {
		before = was.Pods
		relabelled = !maps.Equal(was.Node().Labels, now.Node().Labels)
	}
	after := now.GetPods()
	for i, pod := range before {
		if (relabelled || !holds(after, i, pod)) && !t.move(podMove{pod, was, true}) {
			return false
		}
	}
	for i, pod := range after {
		if (relabelled || !holds(before, i, pod)) && !t.move(podMove{pod, now, false}) {
			return false
		}
	}
	return true
}

// holds reports whether a pod is among others, most likely at place i.
func holds(pods []fwk.PodInfo, i int, pod fwk.PodInfo) bool {
	return i < len(pods) && pods[i] == pod || slices.Contains(pods, pod)
}
