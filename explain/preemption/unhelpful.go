package preemption

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	corev1helpers "k8s.io/component-helpers/scheduling/corev1"
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
	if above := c.higher; above.pods > 0 && above.pods*tellingShare >= above.of {
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
	on       map[string]int // how many are on each node
}

// outranking counts the pods that rank higher where evictions could help, if the scheduler would accept one of the nodes
// that hold most of them if it could evict them as well: none where something other than their priority keeps
// preemption from helping, such as anti-affinity to pods of the same priority.
func (s Simulator) outranking(ctx context.Context, m *scheduler.Matrix, pod *corev1.Pod, c *candidates) (outranking, error) {
	above := c.above(m, pod)
	nodes := slices.SortedFunc(maps.Keys(above.on), func(a, b string) int {
		return cmp.Or(cmp.Compare(above.on[b], above.on[a]), cmp.Compare(a, b))
	})
	nodes = nodes[:min(len(nodes), mostWithout)]
	if len(nodes) == 0 {
		return outranking{}, nil
	}
	fork, own := m.Profile.Scheduler.State.Fork(), corev1helpers.PodPriority(pod)
	defer fork.Revert()
	for _, node := range m.Nodes {
		if !slices.Contains(nodes, node.Node().Name) {
			continue
		}
		for _, info := range slices.Clone(node.GetPods()) {
			if value := corev1helpers.PodPriority(info.GetPod()); value == own || value > own && spared(info.GetPod()) {
				continue
			}
			if err := fork.RemovePod(info.GetPod()); err != nil {
				return outranking{}, err
			}
		}
	}
	t, err := m.Profile.Scheduler.FittingNodes(ctx, pod, nodes)
	if err != nil || len(t.Names) == 0 {
		return outranking{}, err
	}
	return above, nil
}

// spared reports whether a pod that ranks higher is critical, or of a DaemonSet, which every node runs.
func spared(pod *corev1.Pod) bool {
	owner := metav1.GetControllerOfNoCopy(pod)
	return corev1helpers.PodPriority(pod) >= model.SystemCritical || owner != nil && owner.Kind == "DaemonSet"
}

// above counts the pods that rank higher where evictions could help. Critical pods and those of
// DaemonSets, which every node runs, count for nothing.
func (c *candidates) above(m *scheduler.Matrix, pod *corev1.Pod) (above outranking) {
	own := corev1helpers.PodPriority(pod)
	if !m.Profile.Scheduler.State.HoldsPriority(own+1, model.SystemCritical) {
		return above
	}
	held := map[heldPriority]int{}
	above.on = map[string]int{}
	for _, node := range m.Nodes {
		if !c.could(node.Node().Name) {
			continue
		}
		for _, info := range node.GetPods() {
			other := info.GetPod()
			value := corev1helpers.PodPriority(other)
			if spared(other) {
				continue
			}
			above.of++
			if value > own {
				above.pods++
				above.on[node.Node().Name]++
				held[heldPriority{value, other.Spec.PriorityClassName}]++
			}
		}
	}
	for p, n := range held {
		if n > held[above.most] || n == held[above.most] && p.compare(above.most) > 0 {
			above.most = p
		}
	}
	above.ofMost = held[above.most]
	return above
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
func lackOnlyCapacity(m *scheduler.Matrix, could func(node string) bool) bool {
	fit := m.Profile.IndexOf(names.NodeResourcesFit)
	for i, node := range m.Nodes {
		for _, k := range m.Objecting {
			if k != fit && m.Rejects(k, i) != nil && could(node.Node().Name) {
				return false
			}
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
