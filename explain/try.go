package explain

import (
	"context"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework"
)

// trial is where a pod fits in the present state, real or supposed.
type trial struct {
	fits     []string       // names of nodes, in the snapshot's order
	feasible []fwk.NodeInfo // the same nodes
	state    *framework.CycleState
	open     bool // something that plugins read could not be read: the answer does not count
}

// try asks whether the pod fits. PreFilter sees all nodes; only those named are
// filtered (nil: all), and each no further than its first refusal.
func (e *Engine) try(ctx context.Context, pod *corev1.Pod, only []string) (*trial, error) {
	defer e.asFor(pod)()
	m := &e.trials
	m.brief = true
	if err := e.askInto(ctx, m, pod, only); err != nil {
		return nil, err
	}
	t := &trial{state: m.state, open: m.open()}
	for i, node := range m.nodes {
		if m.left[i] {
			continue
		}
		switch fits := m.fits(i); {
		case fits == nil:
			t.open = true
		case *fits:
			t.fits = append(t.fits, node.Node().Name)
			t.feasible = append(t.feasible, node)
		}
	}
	return t, nil
}

// leave notes which nodes are not asked about.
func (m *matrix) leave(only []string) {
	m.left = slices.Grow(m.left[:0], len(m.nodes))[:len(m.nodes)]
	clear(m.left)
	if only == nil {
		return
	}
	asked := sets.New(only...)
	for i, node := range m.nodes {
		m.left[i] = !asked.Has(node.Node().Name)
	}
}

// settle leaves out the nodes that a plugin has just refused.
func (m *matrix) settle(a *answer) {
	if a.open != nil {
		return
	}
	for i := range m.nodes {
		status := a.pre
		if a.column != nil {
			status = a.column[i]
		}
		m.left[i] = m.left[i] || status.IsRejected()
	}
}
