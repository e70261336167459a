package forecast

import (
	"context"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-fathom/kubectl-fathom/explain/rejectiongroups"
	"github.com/kubectl-fathom/kubectl-fathom/explain/scheduler"
	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
	"github.com/kubectl-fathom/kubectl-fathom/model/plan"
)

// tellAdmitted tells the classes of pending pods that fit no node now, and how many
// of each find one in any order.
func (f *forecasting) tellAdmitted() {
	for _, class := range f.classes {
		if class.waits && !class.now && class.least > 0 {
			f.told.Admitted = append(f.told.Admitted, plan.NewlySchedulable{Pod: model.NewPod(class.pod()), Count: class.least, Node: most(class.nodes)})
		}
	}
}

// tellBarred tells the classes of pending pods that lose a node: the only one that
// they fit, or the one that was nearest to fitting.
func (f *forecasting) tellBarred(ctx context.Context) error {
	if len(f.supposed.Nodes) == 0 {
		return nil
	}
	begun := time.Now()
	after := stateOf(f, nil)
	for i, class := range f.classes {
		if !class.waits || class.open != "" || len(class.room) > 0 {
			continue
		}
		if class.now {
			f.told.Barred = append(f.told.Barred, plan.NewlyUnschedulable{Pod: model.NewPod(class.pod()), How: "no longer fits any node"})
			continue
		}
		if time.Since(begun) > f.comparing() {
			f.unsaid(fmt.Sprintf("%d of %s not compared: no time left", len(f.classes)-i, grammar.Plural(len(f.classes), "workload")))
			return nil
		}
		lost, err := f.losesNearest(ctx, class, after)
		if err != nil {
			return err
		}
		if lost {
			f.told.Barred = append(f.told.Barred, plan.NewlyUnschedulable{Pod: model.NewPod(class.pod()), How: "is still unschedulable and loses its closest node"})
		}
	}
	return nil
}

// losesNearest says whether the nodes that were nearest to fitting the class are all
// among those that change, and are behind others then.
func (f *forecasting) losesNearest(ctx context.Context, class *equivalenceClass, after *scheduler.SimulatedState) (bool, error) {
	now, err := f.nearestNodes(ctx, class, nil)
	if err != nil || len(now) == 0 {
		return false, err
	}
	changes := func(name string) bool {
		return slices.ContainsFunc(f.supposed.Nodes, func(node *corev1.Node) bool { return node.Name == name })
	}
	if slices.ContainsFunc(now, func(name string) bool { return !changes(name) }) {
		return false, nil
	}
	then, err := f.nearestNodes(ctx, class, after)
	return err == nil && !slices.ContainsFunc(then, func(name string) bool { return slices.Contains(now, name) }), err
}

// nearestNodes are those that no other node is nearer than, in the state of the
// simulated state; nil: in the real one.
func (f *forecasting) nearestNodes(ctx context.Context, class *equivalenceClass, on *scheduler.SimulatedState) (nodes []string, err error) {
	err = f.scheduler.Hold(ctx, on, func() error {
		pod := f.scheduler.State.Pods[class.pod().UID]
		if pod == nil || !f.scheduler.Considers(pod) {
			return nil
		}
		m, err := f.scheduler.Profile(pod).Evaluate(ctx, pod)
		if err != nil || len(m.Nodes) == 0 || m.Open() {
			return err
		}
		for _, i := range rejectiongroups.Of(m.Profile.Question(pod), m)[0].Closest() {
			nodes = append(nodes, m.Nodes[i].Node().Name)
		}
		return nil
	})
	return nodes, err
}
