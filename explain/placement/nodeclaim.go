package placement

import (
	"context"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-fathom/kubectl-fathom/explain/scheduler"
	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// OnItsWay is a node that a provisioner has launched, as it would be once it is Ready.
type OnItsWay struct {
	Node    *corev1.Node   // of the name of the node, if that is there already
	Startup []corev1.Taint // of the node, that are removed before it is initialized
	Mates   func(*corev1.Node) bool
}

// Simulate puts a node that is on its way into a fork: a new one has the pods of DaemonSets and
// the storage drivers of a mate, a node of the same pool; one that is there already keeps its
// pods. mated says whether there was a mate, or the node itself. The scheduler is held.
func (w *OnItsWay) Simulate(ctx context.Context, s *scheduler.Scheduler, fork *scheduler.Fork) (mated bool, err error) {
	if old := s.State.Nodes[w.Node.Name]; old != nil {
		return true, fork.SetNode(w.ready(old))
	}
	one := scheduler.NewNode{Node: w.Node}
	var pods []*corev1.Pod
	if mate := w.mate(s); mate != "" {
		one.Like, mated = mate, true
		pods = daemonPods(s, mate, w.Node.Name)
	}
	if err := fork.AddNode(one); err != nil {
		return mated, err
	}
	for _, pod := range pods {
		t, err := s.FittingNodes(ctx, pod, []string{w.Node.Name})
		if err != nil {
			return mated, err
		}
		if len(t.Names) > 0 || t.Open {
			if err := fork.AddPod(pod, w.Node.Name); err != nil {
				return mated, err
			}
		}
	}
	return mated, nil
}

// mate is the first by name of the nodes of the same pool; "" if there is none.
func (w *OnItsWay) mate(s *scheduler.Scheduler) string {
	first := ""
	for name, node := range s.State.Nodes {
		if (first == "" || name < first) && w.Mates(node) {
			first = name
		}
	}
	return first
}

// ready is a node that is there already as it would be once it is Ready.
func (w *OnItsWay) ready(old *corev1.Node) *corev1.Node {
	node := old.DeepCopy()
	if len(node.Status.Allocatable) == 0 {
		node.Status.Allocatable, node.Status.Capacity = w.Node.Status.Allocatable, w.Node.Status.Allocatable
	}
	node.Spec.Taints = slices.DeleteFunc(node.Spec.Taints, func(taint corev1.Taint) bool {
		starts := func(t corev1.Taint) bool { return t.MatchTaint(&taint) }
		return model.IsStateTaint(taint.Key) || slices.ContainsFunc(w.Startup, starts)
	})
	node.Status.Conditions = w.Node.Status.Conditions
	return node
}
