package fixes

import (
	"context"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-fathom/kubectl-fathom/explain/fixes/remedy"
	"github.com/kubectl-fathom/kubectl-fathom/explain/placement"
	"github.com/kubectl-fathom/kubectl-fathom/explain/plugins"
	"github.com/kubectl-fathom/kubectl-fathom/explain/rejectiongroups"
	"github.com/kubectl-fathom/kubectl-fathom/explain/scheduler"
	"github.com/kubectl-fathom/kubectl-fathom/model"
)

const (
	// mostNewNodes is how many nodes are tried at most as what one more may be like.
	mostNewNodes = 16
	// addingTime is how long they are tried in a large cluster before the rest is left
	// out, leastNewNodes how many are tried however long they take.
	addingTime    = 100 * time.Millisecond
	leastNewNodes = 4
)

// newNode is what one more node may be like.
type newNode struct {
	like, pool, zone string
	to               *corev1.Node // one in the zone that it is for; nil is the zone of the node which it is like
	first            bool         // its pool has no node there
}

// newNodes are what one more node may be like: of each group of nodes that reject the pod
// for the same reasons a node of each pool, zone and size, those of the closest group first.
// Nodes that are not Ready or wait for an agent are left out, and those with a cordon are as long as there are
// others. After them come those in zones that have none like them.
func (f *Search) newNodes(q *plugins.Question, m *scheduler.Matrix) []newNode {
	if m.WantsDevices() {
		return nil // the devices of a new node are not known
	}
	type key struct {
		group                int
		pool, zone, instance string
		cpu, memory          int64
	}
	known := map[key]int{}
	var found []newNode
	zones := newZonal()
	for group, g := range rejectiongroups.Of(q, m) {
		byZone := mayBeByZone(g, m)
		for _, i := range g.Nodes {
			node := m.Nodes[i].Node()
			one := newNode{like: node.Name, pool: model.PoolOf(node, f.PoolLabel), zone: node.Labels[corev1.LabelTopologyZone]}
			of := kindOf(node, one.pool)
			zones.add(node, of)
			if notReady(node) || slices.ContainsFunc(node.Spec.Taints, func(t corev1.Taint) bool { return model.AgentOf(t.Key) != "" }) {
				continue
			}
			f.ready++
			if byZone {
				zones.addModel(one, of)
			}
			size := node.Status.Allocatable
			k := key{group, one.pool, one.zone, node.Labels[corev1.LabelInstanceTypeStable], size.Cpu().MilliValue(), size.Memory().Value()}
			at, seen := known[k]
			switch {
			case !seen:
				known[k] = len(found)
				found = append(found, one)
			case f.Scheduler.State.Nodes[found[at].like].Spec.Unschedulable && !node.Spec.Unschedulable:
				found[at] = one
			}
		}
	}
	f.inZones, f.notAll = zones.elsewhere()
	f.notAll = f.notAll || len(found) > mostNewNodes
	return found[:min(len(found), mostNewNodes)]
}

// notReady says whether a node has said that it is not Ready, or no longer says anything.
func notReady(node *corev1.Node) bool {
	return slices.ContainsFunc(node.Status.Conditions, func(c corev1.NodeCondition) bool {
		return c.Type == corev1.NodeReady && c.Status != corev1.ConditionTrue
	})
}

// addNode simulates one more node, like the first that lets the pod fit; none says that
// none does.
func (f *Search) addNode(ctx context.Context) (tried []Attempt, none string, err error) {
	open := "" // why one of them could not be simulated
	begun, limited := time.Now(), f.ready >= scheduler.ManyNodes
	for i, one := range slices.Concat(f.models, f.inZones) {
		if limited && i >= leastNewNodes && time.Since(begun) > addingTime {
			return nil, "", nil
		}
		fix, err := f.attempt(ctx, func(*corev1.Pod) (candidate, error) { return newNodeLike(ctx, f, one) })
		if err != nil {
			return nil, "", err
		}
		if fix.NodesGained > 0 {
			return []Attempt{fix}, "", nil
		}
		if open == "" && one.to == nil {
			open = fix.open
		}
	}
	switch {
	case len(f.models) == 0, f.notAll:
		return nil, "", nil
	case open != "":
		return nil, "whether one more node would help is unknown: " + open, nil
	}
	like := "any of the " + model.FormatCount(f.ready) + " Ready nodes"
	if f.ready == 1 {
		like = f.models[0].like
	}
	return nil, fmt.Sprintf("one more node like %s would not help", like), nil
}

// newNodeLike is one more node as a candidate; none where the node that it is like has gone meanwhile.
func newNodeLike(ctx context.Context, f *Search, one newNode) (candidate, error) {
	if f.Scheduler.State.Nodes[one.like] == nil {
		return candidate{}, nil
	}
	step := remedy.AddNode{Pool: one.pool, Zone: one.zone}
	change := func(*corev1.Node) {}
	if one.to != nil {
		step.Zone, step.Moved, step.First = one.to.Labels[corev1.LabelTopologyZone], true, one.first
		change = func(node *corev1.Node) { moveTo(node, one.to) }
	}
	nodes, err := placement.NewNodes(ctx, f.Scheduler, one.like, 1, change)
	if err != nil {
		return candidate{}, err
	}
	step.New = nodes[0]
	return candidate{steps: []remedy.Step{step}, nodes: []string{nodes[0].Node.Name}}, nil
}
