package scheduler

import (
	"context"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	fwk "k8s.io/kube-scheduler/framework"

	"github.com/kubectl-fathom/kubectl-fathom/explain/plugins"
)

// SimulatedState is a simulated state that outlasts the lock: where the real state has
// moved on meanwhile it is put together again from what was done to it.
type SimulatedState struct {
	state     *State
	fork      *Fork
	revision  int64 // of the real state that it lies over
	mutations []func(*Fork) error
	placed    map[types.UID]*corev1.Pod         // pods on nodes that are not there in truth
	frees     map[types.UID][]func(*Fork) error // by pod: how the devices come back that it got here
	called    []*corev1.Pod                     // nominated pods whose turn has come
	suspended map[string][]fwk.PodInfo          // their nominations by node, while the simulated state is entered
}

// NewSimulatedState is the state with these nodes in the place of those of their
// names, and without the pods that are gone.
func (t *State) NewSimulatedState(nodes []*corev1.Node, gone []*corev1.Pod) *SimulatedState {
	on := &SimulatedState{state: t, placed: map[types.UID]*corev1.Pod{}, frees: map[types.UID][]func(*Fork) error{}}
	for _, node := range nodes {
		on.mutations = append(on.mutations, func(s *Fork) error { return s.SetNode(node) })
	}
	for _, pod := range gone {
		on.mutations = append(on.mutations, func(s *Fork) error { return s.RemovePod(pod) })
	}
	return on
}

// enter has the plugins see the simulated state until the function that it returns is
// called. Both are under the lock. Deeds about pods and nodes that are not there
// any more are left out.
func (on *SimulatedState) enter() (leave func()) {
	t := on.state
	t.overlay.fork = nil
	if on.fork != nil && on.revision == t.Revision {
		t.overlay.fork = on.fork
		on.fork.lay()
	} else {
		on.fork, on.revision = t.Fork(), t.Revision
		for _, mutation := range on.mutations {
			_ = mutation(on.fork)
		}
	}
	on.suspended = map[string][]fwk.PodInfo{}
	for _, pod := range on.called {
		on.suspend(pod)
	}
	var counted []*corev1.Pod
	for _, pod := range on.placed {
		t.Priorities.add(pod, 1)
		counted = append(counted, pod)
	}
	return func() {
		for _, pod := range counted {
			t.Priorities.add(pod, -1)
		}
		on.restore()
		on.fork.Revert()
	}
}

// Begin has the state begin with a change. It was not entered yet.
func (on *SimulatedState) Begin(change func(*Fork) error) {
	on.mutations = append(on.mutations, change)
}

// Make makes a change of nodes, volumes or claims.
func (on *SimulatedState) Make(change func(*Fork) error) error { return on.change(change) }

// Listers are those of what is neither a node nor a pod.
func (on *SimulatedState) Listers() plugins.Listers { return on.state.Listers }

// suspend takes a pod off the node that it is nominated to.
func (on *SimulatedState) suspend(pod *corev1.Pod) {
	if info := on.state.unnominate(pod); info != nil {
		node := pod.Status.NominatedNodeName
		on.suspended[node] = append(on.suspended[node], info)
	}
}

// restore nominates again whom suspend has taken off.
func (on *SimulatedState) restore() {
	for node, infos := range on.suspended {
		for _, info := range infos {
			on.state.nominator.AddNominatedPod(on.state.Logger, info, &fwk.NominatingInfo{NominatingMode: fwk.ModeOverride, NominatedNodeName: node})
		}
	}
	on.suspended = nil
}

// change changes the state, and again whenever it is put together.
func (on *SimulatedState) change(mutation func(*Fork) error) error {
	on.mutations = append(on.mutations, mutation)
	return mutation(on.fork)
}

// Terminate lets a pod begin to end: it still takes its room.
func (on *SimulatedState) Terminate(pod *corev1.Pod) error {
	ending := pod.DeepCopy()
	ending.DeletionTimestamp = new(metav1.NewTime(on.state.now()))
	return on.change(func(s *Fork) error {
		if err := s.RemovePod(pod); err != nil {
			return err
		}
		return s.AddPod(ending, pod.Spec.NodeName)
	})
}

// RemovePod takes a pod off its node. Devices that Place allocated for it are free again.
func (on *SimulatedState) RemovePod(pod *corev1.Pod) error {
	for _, free := range on.frees[pod.UID] {
		if err := on.change(free); err != nil {
			return err
		}
	}
	delete(on.frees, pod.UID)
	delete(on.placed, pod.UID)
	return on.change(func(s *Fork) error { return s.RemovePod(pod) })
}

// AddPod puts a pod on a node, and returns it as it is there.
func (on *SimulatedState) AddPod(pod *corev1.Pod, node string) (*corev1.Pod, error) {
	there := pod.DeepCopy()
	there.Spec.NodeName, there.Status.NominatedNodeName = node, ""
	on.placed[pod.UID] = there
	return there, on.change(func(s *Fork) error {
		if Assigned(on.state.Pods[pod.UID]) {
			return nil // it came in truth
		}
		return s.AddPod(there, node)
	})
}

// Place puts a pod on a node that it was found to fit, with the devices that the scheduler's
// own plugin allocates to its ResourceClaims there: they count for the pods after it. It returns
// the pod as it is there. No other question came since the one that found it.
func (on *SimulatedState) Place(ctx context.Context, found *FittingNodes, pod *corev1.Pod, node string) (*corev1.Pod, error) {
	profile := found.Matrix.Profile
	claims, err := profile.reserve(ctx, found.State, pod, node)
	if err != nil {
		return nil, err
	}
	for _, claim := range claims {
		if err := on.change(func(s *Fork) error { return s.SetObject(claim) }); err != nil {
			return nil, err
		}
		on.frees[pod.UID] = append(on.frees[pod.UID], func(s *Fork) error { return profile.Scheduler.dra.release(s, claim, pod.UID) })
	}
	return on.AddPod(pod, node)
}

// Consider is the turn of a pod that is nominated: it no longer counts as being
// where it is nominated to.
func (on *SimulatedState) Consider(pod *corev1.Pod) {
	if pod.Status.NominatedNodeName != "" && !slices.Contains(on.called, pod) {
		on.called = append(on.called, pod)
		on.suspend(pod)
	}
}
