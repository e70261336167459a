package gang

import (
	"context"
	"math/rand/v2"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework"

	"github.com/kubectl-fathom/kubectl-fathom/explain/placement"
	"github.com/kubectl-fathom/kubectl-fathom/explain/scheduler"
)

// order is one order in which the pods of a group are placed.
type order struct {
	*simulation
	random *rand.Rand
	first  bool
	pods   []*corev1.Pod
	fork   *scheduler.Fork
	room   map[string][]string // by kind: the nodes that still have room for a pod of it; nil: not asked yet

	nodes    map[types.UID]string // of the pods that found one
	without  *corev1.Pod          // the first that found none
	nth      int
	why      string
	feasible bool
	unknown  string // why it could not be played to its end
}

// play places the pods one after another, and asks GangScheduling after each whether the group can
// still be scheduled. Unlike the scheduler it goes on after a no, to count them.
func (o *order) play(ctx context.Context) error {
	state := o.profile.Scheduler.State
	o.fork = state.Fork()
	defer o.fork.Revert()
	info := &framework.PodGroupInfo{
		Namespace: o.group.Namespace, Name: o.group.Name, Type: fwk.PodGroupKeyType, UnscheduledPods: o.pods, PodGroup: o.group,
	}
	cycle := framework.NewCycleState()
	cycle.SetPodGroupSchedulingCycle(framework.NewCycleState())
	progress := framework.PlacementProgress{Remaining: len(o.pods), Scheduled: o.state.ScheduledPodsCount()}
	status := o.profile.Framework.RunPlacementFeasiblePlugins(ctx, cycle, info, progress)
	begun := time.Now()
	for i, pod := range o.pods {
		if time.Since(begun) > longestOrder {
			o.unknown = "there was no time to simulate all of its pods"
		}
		if err := ctx.Err(); err != nil || o.unknown != "" {
			return err
		}
		node, err := o.find(ctx, pod)
		if err != nil || o.unknown != "" {
			return err
		}
		if node == "" {
			if o.without == nil {
				o.without, o.nth = pod, i+1
			}
		} else {
			defer state.Unnominate(pod)() // it is where it is now
			o.nodes[pod.UID] = node
			if err := o.fork.AddPod(pod, node); err != nil {
				return err
			}
			progress.Scheduled++
		}
		progress.Remaining--
		if status.Code() != fwk.Unschedulable {
			status = o.profile.Framework.RunPlacementFeasiblePlugins(ctx, cycle, info, progress)
		}
		if status.IsError() {
			return status.AsError()
		}
	}
	o.feasible = status.IsSuccess() && len(o.nodes) > 0
	return nil
}

// find is the node that the scheduler would take for the pod now; "" if it fits none. The reasons of
// the first such pod are kept.
func (o *order) find(ctx context.Context, pod *corev1.Pod) (string, error) {
	s, kind := o.profile.Scheduler, o.kinds[pod.UID]
	only, asked := o.room[kind]
	if !asked || o.matters[kind] {
		only = nil
	} else if len(only) == 0 {
		return "", nil // the others only take room
	}
	if o.told.Equal && asked {
		only = only[:1]
	}
	t, err := s.FittingNodes(ctx, pod, only)
	switch {
	case err != nil:
		return "", err
	case o.leftOpen(t):
		return "", nil
	case o.told.Equal && asked && len(t.Names) == 0:
		o.room[kind] = o.room[kind][1:]
		if len(o.room[kind]) > 0 {
			return o.find(ctx, pod)
		}
		return "", o.tell(ctx, pod)
	case len(t.Names) == 0:
		o.room[kind] = []string{}
		return "", o.tell(ctx, pod)
	case o.told.Equal: // each node takes so many of them, in whichever order they come
		if !asked {
			o.room[kind] = slices.Clone(t.Names)
		}
		return t.Names[0], nil
	}
	o.room[kind] = slices.Clone(t.Names)
	return o.choose(ctx, pod, t)
}

// leftOpen says whether it cannot be decided where a pod fits, and notes why.
func (o *order) leftOpen(t *scheduler.FittingNodes) bool {
	switch {
	case t.Open:
		o.unknown = placement.WhyUnread(t.Matrix.Unknown())
	case t.Devices() && len(o.told.Pending) > 1:
		o.unknown = "devices for its pods are not allocated in a simulation"
	default:
		return false
	}
	return true
}

// tell keeps why the pod fits no node, if it is the first.
func (o *order) tell(ctx context.Context, pod *corev1.Pod) error {
	if o.without != nil {
		return nil
	}
	var err error
	o.why, err = placement.Why(ctx, o.profile.Scheduler, pod, nil)
	return err
}

// choose is the node of those that fit which the scheduler would take: the one that the pod is
// nominated to, or the first by rank. Chance decides between equal ones, and where it is not known
// which of them the scheduler looks at, or how it ranks them.
func (o *order) choose(ctx context.Context, pod *corev1.Pod, t *scheduler.FittingNodes) (string, error) {
	if nominated := pod.Status.NominatedNodeName; slices.Contains(t.Names, nominated) {
		return nominated, nil
	}
	if len(t.Names) == 1 {
		return t.Names[0], nil
	}
	sampled := o.profile.Sample(t.Matrix.Included()) < len(t.Names) || !o.profile.Scheduler.Serves(scheduler.NameOf(pod))
	chance := func() string { return t.Names[o.random.IntN(len(t.Names))] }
	if sampled && !o.first {
		return chance(), nil
	}
	ranking, err := o.profile.Prioritize(ctx, t.State, pod, t.Nodes)
	switch {
	case err != nil:
		return "", err
	case len(ranking.Unread) > 0:
		return chance(), nil
	}
	best := slices.DeleteFunc(slices.Clone(ranking.Nodes), func(node scheduler.RankedNode) bool { return !node.Tied })
	if o.first {
		return best[0].Node, nil
	}
	return best[o.random.IntN(len(best))].Node, nil
}
