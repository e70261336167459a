package explain

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	fwk "k8s.io/kube-scheduler/framework"
)

// simulatedState is a supposed state that outlasts the lock: where the real state has
// moved on meanwhile it is put together again from what was done to it.
type simulatedState struct {
	engine   *Engine
	supposed *fork
	revision int64 // of the real state that it lies over
	deeds    []func(*fork) error
	placed   map[types.UID]*corev1.Pod // pods on nodes that are not there in truth
	called   []*corev1.Pod             // nominated pods whose turn has come
	withheld map[string][]fwk.PodInfo  // their nominations by node, while the simulated state is entered
}

// newScene is the state with these nodes in the place of those of their names.
func (e *Engine) newScene(nodes []*corev1.Node) *simulatedState {
	on := &simulatedState{engine: e, placed: map[types.UID]*corev1.Pod{}}
	for _, node := range nodes {
		on.deeds = append(on.deeds, func(s *fork) error { return s.node(node) })
	}
	return on
}

// enter has the plugins see the simulated state until the function that it returns is
// called. Both are under the lock. Deeds about pods and nodes that are not there
// any more are left out.
func (on *simulatedState) enter() (leave func()) {
	e := on.engine
	e.overlay.supposed = nil
	if on.supposed != nil && on.revision == e.revision {
		e.overlay.supposed = on.supposed
	} else {
		on.supposed, on.revision = e.fork(), e.revision
		for _, deed := range on.deeds {
			_ = deed(on.supposed)
		}
	}
	on.withheld = map[string][]fwk.PodInfo{}
	for _, pod := range on.called {
		on.suspend(pod)
	}
	var counted []*corev1.Pod
	for _, pod := range on.placed {
		e.countPriority(pod, 1)
		counted = append(counted, pod)
	}
	return func() {
		for _, pod := range counted {
			e.countPriority(pod, -1)
		}
		on.restore()
		e.overlay.supposed = nil
	}
}

// suspend takes a pod off the node that it is nominated to.
func (on *simulatedState) suspend(pod *corev1.Pod) {
	if info := on.engine.unnominate(pod); info != nil {
		node := pod.Status.NominatedNodeName
		on.withheld[node] = append(on.withheld[node], info)
	}
}

// restore nominates again whom suspend has taken off.
func (on *simulatedState) restore() {
	for node, infos := range on.withheld {
		for _, info := range infos {
			on.engine.nominator.AddNominatedPod(on.engine.logger, info, &fwk.NominatingInfo{NominatingMode: fwk.ModeOverride, NominatedNodeName: node})
		}
	}
	on.withheld = nil
}

// do changes the state, and again whenever it is put together.
func (on *simulatedState) do(deed func(*fork) error) error {
	on.deeds = append(on.deeds, deed)
	return deed(on.supposed)
}

// terminate lets a pod begin to end: it still takes its room.
func (on *simulatedState) terminate(pod *corev1.Pod) error {
	ending := pod.DeepCopy()
	ending.DeletionTimestamp = new(metav1.NewTime(on.engine.options.Now()))
	return on.do(func(s *fork) error {
		if err := s.without(pod); err != nil {
			return err
		}
		return s.with(ending, pod.Spec.NodeName)
	})
}

// leave takes a pod off its node.
func (on *simulatedState) leave(pod *corev1.Pod) error {
	delete(on.placed, pod.UID)
	return on.do(func(s *fork) error { return s.without(pod) })
}

// place puts a pod on a node, and returns it as it is there.
func (on *simulatedState) place(pod *corev1.Pod, node string) (*corev1.Pod, error) {
	there := pod.DeepCopy()
	there.Spec.NodeName, there.Status.NominatedNodeName = node, ""
	on.placed[pod.UID] = there
	return there, on.do(func(s *fork) error {
		if onNode(on.engine.pods[pod.UID]) {
			return nil // it came in truth
		}
		return s.with(there, node)
	})
}

// call is the turn of a pod that is nominated: it no longer counts as being
// where it is nominated to.
func (on *simulatedState) call(pod *corev1.Pod) {
	if pod.Status.NominatedNodeName != "" && !slices.Contains(on.called, pod) {
		on.called = append(on.called, pod)
		on.suspend(pod)
	}
}
