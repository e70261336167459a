package preemption

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	corev1helpers "k8s.io/component-helpers/scheduling/corev1"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"

	"github.com/kubectl-fathom/kubectl-fathom/explain/plugins"
	"github.com/kubectl-fathom/kubectl-fathom/explain/quantity"
	"github.com/kubectl-fathom/kubectl-fathom/explain/scheduler"
	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
)

// mostWithout is on how many nodes it is tried whether a pod fits without those of another workload.
const mostWithout = 3

// equalHolders are the pods of one workload that have the priority of a pending pod, so that preemption spares
// them, and without which it would fit a node.
type equalHolders struct {
	workload string // "job/report"
	resource corev1.ResourceName
	held     int64 // of the resource, in the scheduler's unit
	pods     int
	on       map[string][]*corev1.Pod // by node
}

// words say why they are no victims: "28 pods of job/report have the same priority and hold cpu 56".
func (h *equalHolders) words() string {
	return fmt.Sprintf("%s of %s %s the same priority and %s %s %s", grammar.Plural(h.pods, "pod"), h.workload,
		grammar.Agree(h.pods, "has", "have"), grammar.Agree(h.pods, "holds", "hold"), model.ResourceWord(h.resource),
		quantity.RoundedDown(h.resource, h.held))
}

// notPreempted is why they stay.
const notPreempted = "pods of equal priority are not preempted"

// equalHolders finds, among the workloads whose pods have the priority of the pod, the one that holds most of what the
// nodes lack where evictions could help; nil where there is none, or where the scheduler rejects the pod without it too.
// Priority 0 is what all pods have where nobody thinks of priorities, and says nothing.
func (s Simulator) equalHolders(ctx context.Context, m *scheduler.Matrix, pod *corev1.Pod, c *candidates) (*equalHolders, error) {
	own := corev1helpers.PodPriority(pod)
	fit := m.Profile.IndexOf(names.NodeResourcesFit)
	if fit < 0 || m.Answers[fit].Pre != nil || own == 0 || own >= model.SystemCritical || !m.Profile.Scheduler.State.Priorities.Held(own, own+1) {
		return nil, nil
	}
	most := mostOf(c.holding(m, fit, s.Profile.Question(pod)))
	if most == nil {
		return nil, nil
	}
	nodes := slices.SortedFunc(maps.Keys(most.on), func(a, b string) int {
		return cmp.Or(cmp.Compare(len(most.on[b]), len(most.on[a])), cmp.Compare(a, b))
	})
	nodes = nodes[:min(len(nodes), mostWithout)]
	fork := m.Profile.Scheduler.State.Fork()
	defer fork.Revert()
	for _, node := range nodes {
		for _, other := range most.on[node] {
			if err := fork.RemovePod(other); err != nil {
				return nil, err
			}
		}
	}
	t, err := m.Profile.Scheduler.FittingNodes(ctx, pod, nodes)
	if err != nil || len(t.Names) == 0 {
		return nil, err
	}
	return most, nil
}

// holding are the pods of the pod's priority where evictions could help, with what they hold of the resource that most of
// these nodes lack, by controller. Pods of its own workload, of DaemonSets and without a controller are not among them.
func (c *candidates) holding(m *scheduler.Matrix, fit int, q *plugins.Question) map[types.UID]*equalHolders {
	lacking := c.lacking(m, fit, q)
	resource := mostCommon(lacking)
	workload := model.NewPod(q.Pod).Owner.String()
	found := map[types.UID]*equalHolders{}
	for i, node := range m.Nodes {
		if _, lacks := lacking[i]; !lacks {
			continue
		}
		for _, info := range node.GetPods() {
			other := info.GetPod()
			by := metav1.GetControllerOfNoCopy(other)
			if by == nil || by.Kind == "DaemonSet" || other.DeletionTimestamp != nil || corev1helpers.PodPriority(other) != corev1helpers.PodPriority(q.Pod) {
				continue
			}
			h, seen := found[by.UID]
			if !seen {
				if of := model.NewPod(other).Owner.String(); of != workload || other.Namespace != q.Pod.Namespace {
					h = &equalHolders{workload: of, resource: resource, on: map[string][]*corev1.Pod{}}
				}
				found[by.UID] = h
			}
			if h != nil {
				h.pods++
				h.held += plugins.Held(info, resource)
				h.on[node.Node().Name] = append(h.on[node.Node().Name], other)
			}
		}
	}
	return found
}

// lacking is what the nodes lack most where evictions could help, by their place.
func (c *candidates) lacking(m *scheduler.Matrix, fit int, q *plugins.Question) map[int]corev1.ResourceName {
	lacking := map[int]corev1.ResourceName{}
	for i, could := range c.could {
		if !could || m.Rejects(fit, i) == nil {
			continue
		}
		if short := plugins.Shortages(q, m.Rejection(fit, i)); len(short) > 0 {
			lacking[i] = short[0].Resource
		}
	}
	return lacking
}

// mostCommon is the resource that most of the nodes lack.
func mostCommon(lacking map[int]corev1.ResourceName) (most corev1.ResourceName) {
	nodes := map[corev1.ResourceName]int{}
	for _, resource := range lacking {
		nodes[resource]++
	}
	for resource, n := range nodes {
		if n > nodes[most] || n == nodes[most] && resource < most {
			most = resource
		}
	}
	return most
}

// mostOf are the holders that hold most of the resource; nil where none holds any.
func mostOf(all map[types.UID]*equalHolders) (most *equalHolders) {
	for _, h := range all {
		if h == nil || h.held == 0 {
			continue
		}
		if most == nil || cmp.Or(cmp.Compare(h.held, most.held), cmp.Compare(most.workload, h.workload)) > 0 {
			most = h
		}
	}
	return most
}
