package preemption

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	corev1helpers "k8s.io/component-helpers/scheduling/corev1"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/explain/scheduler"
	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
)

// cannot says why evicting pods does not help the pod on any of the nodes.
func (c *candidates) cannot(m *scheduler.Matrix, pod *corev1.Pod) *report.Preemption {
	none := &report.Preemption{Victims: []report.Victim{}}
	could := c.bare + len(c.nodes)
	where := c.where()
	switch {
	case could == 0:
		none.Why = "Evicting pods leaves a reason on every node."
		none.Short = "evicting pods leaves a reason on every node"
		return none
	case len(c.nodes) > 0:
		none.Why = fmt.Sprintf("Even without all lower-priority pods it does not fit %s%s", grammar.Agree(could, "", "any of "), where)
		none.Short = "it does not fit even without all pods of lower priority"
	default:
		none.Why = grammar.Capital(where) + grammar.Agree(could, " runs", " run") + " no lower-priority pod"
		none.Short = "no lower-priority pods where eviction could help"
		if c.capacity {
			none.Short = "no lower-priority pod on otherwise suitable nodes"
		}
	}
	if above := c.higher; above.pods > 0 {
		none.Why += fmt.Sprintf("; %d of the %d pods there %s a higher priority, mostly %s (%d)",
			above.pods, above.of, grammar.Agree(above.pods, "has", "have"), above.most.name(), above.most.value)
		class := above.most.name()
		if above.ofMost < above.pods {
			class = "mostly " + class
		}
		none.Short = fmt.Sprintf("%d of %d pods %s it (%s, %d)", above.pods, above.of, grammar.Agree(above.pods, "outranks", "outrank"), class, above.most.value)
		none.Outranks = none.Short
	}
	if c.equal != nil {
		none.Why += "; " + c.equal.words() + " there: " + notPreempted
		none.Short = c.equal.words() + "; " + notPreempted
		none.Outranks = none.Short
	}
	if rest := len(m.Nodes) - could; rest > 0 {
		none.Why += "; " + grammar.Agree(rest, "the other node rejects it for another reason", fmt.Sprintf("the other %d reject it for other reasons", rest))
	}
	none.Why += "."
	return none
}

// tellingShare is which part of the pods has to rank higher to be told.
const tellingShare = 4

// outranking counts the pods that rank higher than another.
type outranking struct {
	pods, of int
	most     heldPriority   // that most of them have
	ofMost   int            // so many
	nodes    []fwk.NodeInfo // that hold most of them
}

// outranking counts the pods that rank higher where evictions could help, if they are many enough to be told, and the
// scheduler would accept one of the nodes that hold most of them if it could evict them as well: none where something
// other than their priority keeps preemption from helping, such as anti-affinity to pods of the same priority.
func (s Simulator) outranking(ctx context.Context, m *scheduler.Matrix, pod *corev1.Pod, c *candidates) (outranking, error) {
	above := c.above(m, pod)
	if above.pods == 0 || above.pods*tellingShare < above.of {
		return outranking{}, nil
	}
	fork, own := m.Profile.Scheduler.State.Fork(), corev1helpers.PodPriority(pod)
	defer fork.Revert()
	var names []string
	for _, node := range above.nodes {
		names = append(names, node.Node().Name)
		for _, info := range slices.Clone(node.GetPods()) {
			if value := corev1helpers.PodPriority(info.GetPod()); value == own || value > own && spared(value, model.OfDaemonSet(info.GetPod())) {
				continue
			}
			if err := fork.RemovePod(info.GetPod()); err != nil {
				return outranking{}, err
			}
		}
	}
	t, err := m.Profile.Scheduler.FittingNodes(ctx, pod, names)
	if err != nil || len(t.Names) == 0 {
		return outranking{}, err
	}
	return above, nil
}

// spared reports whether a pod that ranks higher is critical, or of a DaemonSet, which every node runs.
func spared(priority int32, ofDaemonSet bool) bool {
	return priority >= model.SystemCritical || ofDaemonSet
}

// above counts the pods that rank higher where evictions could help. Critical pods and those of
// DaemonSets, which every node runs, count for nothing.
func (c *candidates) above(m *scheduler.Matrix, pod *corev1.Pod) (above outranking) {
	own, priorities := corev1helpers.PodPriority(pod), m.Profile.Scheduler.State.Priorities
	if !priorities.Held(own+1, model.SystemCritical) {
		return above
	}
	held := map[heldPriority]int{}
	var most []crowdedNode
	for i, node := range m.Nodes {
		if !c.could[i] {
			continue
		}
		higher := 0
		for _, of := range priorities.On(node) {
			if spared(of.Priority, of.OfDaemonSet) {
				continue
			}
			above.of += of.Pods
			if of.Priority > own {
				higher += of.Pods
				held[heldPriority{of.Priority, of.Class}] += of.Pods
			}
		}
		above.pods += higher
		most = withCrowded(most, crowdedNode{node, higher})
	}
	for _, one := range most {
		above.nodes = append(above.nodes, one.info)
	}
	for p, n := range held {
		if n > held[above.most] || n == held[above.most] && p.compare(above.most) > 0 {
			above.most = p
		}
	}
	above.ofMost = held[above.most]
	return above
}

// crowdedNode is a node with so many pods that rank higher.
type crowdedNode struct {
	info fwk.NodeInfo
	pods int
}

// withCrowded takes a node in among the mostWithout that hold most, by name where they hold as many.
func withCrowded(most []crowdedNode, node crowdedNode) []crowdedNode {
	if node.pods == 0 || len(most) == mostWithout && most[mostWithout-1].pods > node.pods {
		return most
	}
	at, _ := slices.BinarySearchFunc(most, node, func(a, b crowdedNode) int {
		return cmp.Or(cmp.Compare(b.pods, a.pods), cmp.Compare(a.info.Node().Name, b.info.Node().Name))
	})
	most = slices.Insert(most, at, node)
	return most[:min(len(most), mostWithout)]
}

// heldPriority is a priority of pods on nodes, and the class that it comes from.
type heldPriority struct {
	value int32
	class string // "" is none
}

func (p heldPriority) compare(other heldPriority) int {
	return cmp.Or(cmp.Compare(p.value, other.value), cmp.Compare(p.class, other.class))
}

func (p heldPriority) name() string { return cmp.Or(p.class, "without a class") }

// where names the nodes where evictions could help, by their number.
func (c *candidates) where() string {
	could := c.bare + len(c.nodes)
	if c.capacity {
		return theNodes(could) + grammar.Agree(could, " that lacks", " that lack") + " only free capacity"
	}
	return theNodes(could) + " where evictions could help"
}

// lackOnlyCapacity says whether the nodes where evictions could help reject the pod
// for nothing but its requests.
func lackOnlyCapacity(m *scheduler.Matrix, could []bool) bool {
	fit := m.Profile.IndexOf(names.NodeResourcesFit)
	for i := range m.Nodes {
		if could[i] && slices.ContainsFunc(m.Objecting, func(k int) bool { return k != fit && m.Rejects(k, i) != nil }) {
			return false
		}
	}
	return true
}

// theNodes counts nodes that a clause then describes.
func theNodes(n int) string {
	if n == 1 {
		return "the only node"
	}
	return fmt.Sprintf("the %d nodes", n)
}
