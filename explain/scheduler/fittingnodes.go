package scheduler

import (
	"context"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/volumebinding"
)

// ManyNodes is how many there have to be for the changes of a few of them to be
// tried on those alone.
const ManyNodes = 1000

// FittingNodes is where a pod fits in the present state, real or simulated.
type FittingNodes struct {
	Names  []string       // names of nodes, in the snapshot's order
	Nodes  []fwk.NodeInfo // the same nodes
	State  *framework.CycleState
	Matrix *Matrix // it holds until the next question
	Open   bool    // something that plugins read could not be read: the answer does not count
}

// FittingNodes asks whether the pod fits. PreFilter sees all nodes; only those named are
// filtered (nil: all), and each no further than its first rejection.
func (s *Scheduler) FittingNodes(ctx context.Context, pod *corev1.Pod, only []string) (*FittingNodes, error) {
	m := &s.trial
	m.brief = true
	if err := m.ask(ctx, s.Profile(pod), pod, only); err != nil {
		return nil, err
	}
	t := &FittingNodes{State: m.State, Matrix: m, Open: m.Open()}
	for i, node := range m.Nodes {
		if m.skipped[i] {
			continue
		}
		switch fits := m.Fits(i); {
		case fits == nil:
			t.Open = true
		case *fits:
			t.Names = append(t.Names, node.Node().Name)
			t.Nodes = append(t.Nodes, node)
		}
	}
	return t, nil
}

// lasting are the plugins whose rejection of a node stands whichever pods come: they look at the
// node and at what the pods on it take.
var lasting = sets.New(names.NodeUnschedulable, names.NodeName, names.TaintToleration, names.NodeAffinity, names.NodePorts, names.NodeResourcesFit)

// ReachableNodes are the nodes that the pod may fit in the present state, real or simulated, and once
// other pods have come: those that no plugin rejects which looks at the node alone. Pods that are
// nominated to nodes do not count.
func (s *Scheduler) ReachableNodes(ctx context.Context, pod *corev1.Pod) ([]string, error) {
	m := &s.trial
	m.brief = true
	if err := m.begin(s.Profile(pod), nil); err != nil {
		return nil, err
	}
	err := askEach(ctx, m, pod, func(plugin string) bool { return lasting.Has(plugin) })
	reached := make([]string, 0, len(m.left))
	for _, i := range m.left {
		reached = append(reached, m.Nodes[i].Node().Name)
	}
	return reached, err
}

// Devices says whether the pod gets devices where it fits: of ResourceClaims, or for extended
// resources.
func (t *FittingNodes) Devices() bool { return len(t.Names) > 0 && t.Matrix.WantsDevices() }

// WantsDevices says whether the pod needs devices: for ResourceClaims, or for extended resources
// that a DeviceClass provides.
func (m *Matrix) WantsDevices() bool {
	k := m.Profile.IndexOf(names.DynamicResources)
	return k >= 0 && !m.Answers[k].Skipped
}

// LacksDevices says whether a node is rejected for devices.
func (t *FittingNodes) LacksDevices() bool {
	k := t.Matrix.Profile.IndexOf(names.DynamicResources)
	for i := range t.Matrix.Nodes {
		if k >= 0 && t.Matrix.Rejects(k, i) != nil {
			return true
		}
	}
	return false
}

// BindsVolumes says whether the scheduler would bind claims of the pod to volumes that exist, on a
// node that it fits, or have them provisioned from a capacity (CSIStorageCapacity) that so many
// pods like it may use up, and one more.
func (t *FittingNodes) BindsVolumes(pod *corev1.Pod, node string, pods int) (bool, error) {
	p, at := t.Matrix.Profile, slices.Index(t.Names, node)
	k := p.IndexOf(names.VolumeBinding)
	if at < 0 || k < 0 {
		return false, nil
	}
	plugin, ok := p.Plugins[k].Filter.(*volumebinding.VolumeBinding)
	if !ok {
		return false, nil
	}
	claims, err := plugin.Binder.GetPodVolumeClaims(p.state().Logger, pod)
	if err != nil {
		return false, fmt.Errorf("find volumes of pod %s/%s: %w", pod.Namespace, pod.Name, err)
	}
	volumes, _, err := plugin.Binder.FindPodVolumes(p.state().Logger, pod, claims, t.Nodes[at].Node())
	if err != nil {
		return false, fmt.Errorf("find volumes of pod %s/%s: %w", pod.Namespace, pod.Name, err)
	}
	usesUp := func(of *volumebinding.DynamicProvision) bool {
		if of.NodeCapacity == nil || of.NodeCapacity.Capacity == nil {
			return false
		}
		size := of.PVC.Spec.Resources.Requests[corev1.ResourceStorage]
		return size.AsApproximateFloat64()*float64(pods+1) > of.NodeCapacity.Capacity.AsApproximateFloat64()
	}
	return len(volumes.StaticBindings) > 0 || slices.ContainsFunc(volumes.DynamicProvisions, usesUp), nil
}

// leave notes which nodes are asked about: those named, nil: all.
func (m *Matrix) leave(only []string) {
	m.skipped = slices.Grow(m.skipped[:0], len(m.Nodes))[:len(m.Nodes)]
	m.left = slices.Grow(m.left[:0], len(m.Nodes))
	for i := range m.skipped {
		m.skipped[i] = only != nil
		if only == nil {
			m.left = append(m.left, i)
		}
	}
	for _, name := range only {
		if i := placeOf(m, name); i >= 0 && m.skipped[i] {
			m.skipped[i] = false
			m.left = append(m.left, i)
		}
	}
	slices.Sort(m.left)
}

// placeOf is where a node is among those of the question; -1 if it is not there. Those that are
// simulated come last.
func placeOf(m *Matrix, name string) int {
	real := m.Profile.state().overlay.nodes
	if i, ok := real.at[name]; ok {
		return i
	}
	for i := len(real.lists.all); i < len(m.Nodes); i++ {
		if m.Nodes[i].Node().Name == name {
			return i
		}
	}
	return -1
}

// settle leaves out the nodes that a plugin has just rejected.
func (m *Matrix) settle(a *Answer) {
	if a.Open != nil || a.Pre == nil && a.Column == nil {
		return
	}
	left := m.left[:0]
	for _, i := range m.left {
		status := a.Pre
		if a.Column != nil {
			status = a.Column[i]
		}
		if m.skipped[i] = status.IsRejected(); !m.skipped[i] {
			left = append(left, i)
		}
	}
	m.left = left
}
