package scheduler

import (
	"context"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"

	"github.com/kubectl-fathom/kubectl-fathom/explain/plugins"
)

// tryingState is the CycleState that nodes are tried with. Upstream copies all
// that plugins have counted for each node, which is most of what a dry run costs
// where PodTopologySpread counts by host. Here a node gets copies only where a
// pod goes or comes back that some plugin counts.
type tryingState struct {
	fwk.CycleState
	counts func(fwk.PodInfo) bool // whether any plugin counts the pod in its state
}

// Clone implements fwk.CycleState.
func (s tryingState) Clone() fwk.CycleState {
	return &nodeState{CycleState: s.CycleState, counts: s.counts}
}

// nodeState is what one node is tried with: the state of all nodes, with the
// parts over it that are this node's own. One goroutine uses it.
type nodeState struct {
	fwk.CycleState
	counts  func(fwk.PodInfo) bool
	own     map[fwk.StateKey]fwk.StateData
	changes bool // what is read now is about to be changed
}

// Read implements fwk.CycleState.
func (s *nodeState) Read(key fwk.StateKey) (fwk.StateData, error) {
	if data, ok := s.own[key]; ok {
		if data == nil {
			return nil, fwk.ErrNotFound
		}
		return data, nil
	}
	data, err := s.CycleState.Read(key)
	if err == nil && s.changes {
		data = data.Clone()
		s.Write(key, data)
	}
	return data, err
}

// Write implements fwk.CycleState.
func (s *nodeState) Write(key fwk.StateKey, data fwk.StateData) {
	if s.own == nil {
		s.own = map[fwk.StateKey]fwk.StateData{}
	}
	s.own[key] = data
}

// Delete implements fwk.CycleState.
func (s *nodeState) Delete(key fwk.StateKey) { s.Write(key, nil) }

// Clone implements fwk.CycleState. It copies everything: who asks for a copy of
// one node's state changes it without saying so (nominated pods).
func (s *nodeState) Clone() fwk.CycleState {
	all := s.CycleState.Clone()
	for key, data := range s.own {
		if data == nil {
			all.Delete(key)
		} else {
			all.Write(key, data.Clone())
		}
	}
	return all
}

// change lets plugins count a pod in or out of a state. A pod that none of them
// counts is left alone.
func change(state fwk.CycleState, pod fwk.PodInfo, do func() *fwk.Status) *fwk.Status {
	s, ok := state.(*nodeState)
	if !ok {
		return do()
	}
	if !s.counts(pod) {
		return nil
	}
	s.changes = true
	defer func() { s.changes = false }()
	return do()
}

// RunPreFilterExtensionAddPod implements fwk.Handle.
func (g guarded) RunPreFilterExtensionAddPod(ctx context.Context, state fwk.CycleState, pod *corev1.Pod, added fwk.PodInfo, node fwk.NodeInfo) *fwk.Status {
	return change(state, added, func() *fwk.Status {
		return g.Handle.RunPreFilterExtensionAddPod(ctx, state, pod, added, node)
	})
}

// RunPreFilterExtensionRemovePod implements fwk.Handle.
func (g guarded) RunPreFilterExtensionRemovePod(ctx context.Context, state fwk.CycleState, pod *corev1.Pod, removed fwk.PodInfo, node fwk.NodeInfo) *fwk.Status {
	return change(state, removed, func() *fwk.Status {
		return g.Handle.RunPreFilterExtensionRemovePod(ctx, state, pod, removed, node)
	})
}

// TryingState is the CycleState of the evaluation for trying nodes: one whose copies
// are cheap where no plugin counts the pods that come and go.
func (m *Matrix) TryingState(q *plugins.Question) fwk.CycleState {
	var rules []func(fwk.PodInfo) bool
	for k, p := range m.Profile.Plugins {
		a := &m.Answers[k]
		if p.pre == nil || p.pre.PreFilterExtensions() == nil || a.Skipped {
			continue
		}
		rule := countedBy[p.Name]
		if rule == nil || a.Pre != nil {
			return m.State
		}
		counts := rule(q, m.State)
		if counts == nil {
			return m.State
		}
		rules = append(rules, counts)
	}
	return tryingState{m.State, func(pod fwk.PodInfo) bool {
		for _, counts := range rules {
			if counts(pod) {
				return true
			}
		}
		return false
	}}
}

// Helps says which pods may let a pod onto a node that rejects it, by coming to any node: those
// that its required affinity or its spread constraints count. All others only take what there is. It
// is asked with the answers about the pod.
func Helps(m *Matrix, pod *corev1.Pod) func(other *corev1.Pod) bool {
	together := fwk.GetPodAffinityTerms(pod.Spec.Affinity)
	own := plugins.OwnTerms(m.Profile.Question(pod), together)
	spreads := selectedBy(plugins.ReadSpreads(m.State), pod.Namespace)
	hard := func(c corev1.TopologySpreadConstraint) bool { return c.WhenUnsatisfiable == corev1.DoNotSchedule }
	isSpread := slices.ContainsFunc(pod.Spec.TopologySpreadConstraints, hard) || spreadsByDefault(m.Profile)
	notAsked := spreads == nil && isSpread && m.Profile.IndexOf(names.PodTopologySpread) >= 0
	if len(own) != len(together) || len(pod.Spec.ResourceClaims) > 0 || notAsked {
		return func(*corev1.Pod) bool { return true } // some terms do not parse, or a claim may be shared
	}
	return func(other *corev1.Pod) bool {
		return spreads != nil && spreads(other) || slices.ContainsFunc(own, func(term plugins.Term) bool { return term.Matches(other, nil) })
	}
}

// SelectionDiffers says whether the labels of two pods differ in one that any pod selects others by.
func SelectionDiffers(s *Scheduler, a, b *corev1.Pod) bool {
	return s.State.selected.differ(a.Labels, b.Labels)
}

// countedBy has a rule for each plugin that keeps counts of pods: which pods
// those can be, or more. Nil: any.
var countedBy = map[string]func(q *plugins.Question, state fwk.CycleState) func(fwk.PodInfo) bool{
	names.PodTopologySpread:  spreadCounts,
	names.InterPodAffinity:   neighboursCount,
	names.VolumeRestrictions: claimsCount,
}

// spreadCounts are the pods that a constraint selects.
func spreadCounts(q *plugins.Question, state fwk.CycleState) func(fwk.PodInfo) bool {
	spreads := plugins.ReadSpreads(state)
	if spreads == nil {
		return nil
	}
	return func(info fwk.PodInfo) bool {
		pod := info.GetPod()
		if pod.Namespace != q.Pod.Namespace {
			return false
		}
		for i := range spreads {
			if spreads[i].Selector.Matches(labels.Set(pod.Labels)) {
				return true
			}
		}
		return false
	}
}

// neighboursCount are the pods that the pod's own terms mean, and those whose
// anti-affinity means it.
func neighboursCount(q *plugins.Question, _ fwk.CycleState) func(fwk.PodInfo) bool {
	together, apart := fwk.GetPodAffinityTerms(q.Pod.Spec.Affinity), fwk.GetPodAntiAffinityTerms(q.Pod.Spec.Affinity)
	own := append(plugins.OwnTerms(q, together), plugins.OwnTerms(q, apart)...)
	if len(own) != len(together)+len(apart) { // some do not parse
		return nil
	}
	ours := plugins.NamespaceLabels(q)
	return func(info fwk.PodInfo) bool {
		for i := range own {
			if own[i].Matches(info.GetPod(), nil) {
				return true
			}
		}
		terms := info.GetRequiredAntiAffinityTerms()
		for i := range terms {
			if terms[i].Matches(q.Pod, ours) {
				return true
			}
		}
		return false
	}
}

// claimsCount are the pods with volume claims.
func claimsCount(*plugins.Question, fwk.CycleState) func(fwk.PodInfo) bool {
	return func(info fwk.PodInfo) bool {
		for _, volume := range info.GetPod().Spec.Volumes {
			if volume.PersistentVolumeClaim != nil {
				return true
			}
		}
		return false
	}
}
