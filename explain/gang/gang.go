// Package gang schedules the pending pods of a PodGroup in a simulated state, one after another and
// with the ones before on their nodes, as kube-scheduler's cycle for a whole group does
// (podGroupSchedulingDefaultAlgorithm of pkg/scheduler). Whether a pod fits is decided by the
// scheduler's plugins, and whether the group may be scheduled by its GangScheduling.
package gang

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	schedulingv1beta1 "k8s.io/api/scheduling/v1beta1"
	"k8s.io/apimachinery/pkg/types"
	corev1helpers "k8s.io/component-helpers/scheduling/corev1"
	fwk "k8s.io/kube-scheduler/framework"
	schedutil "k8s.io/kubernetes/pkg/scheduler/util"

	"github.com/kubectl-fathom/kubectl-fathom/explain/placement"
	"github.com/kubectl-fathom/kubectl-fathom/explain/scheduler"
	"github.com/kubectl-fathom/kubectl-fathom/model"
)

const (
	// mostOrders is in how many orders the pods are placed, and with as many choices between nodes
	// that rank alike, where that decides.
	mostOrders = 12
	// leastOrders is how many have to have been simulated for an answer.
	leastOrders = 3
	// playingTime is after how long no order beyond leastOrders is begun; longestOrder is how long one may take, and after
	// how long none is begun.
	playingTime  = 300 * time.Millisecond
	longestOrder = 2 * time.Second
)

// Outcome is what would become of the pending pods of a group.
type Outcome struct {
	// Pending are they, in the order in which the scheduler takes them, as far as that is known: how
	// often each was tried is not.
	Pending []*corev1.Pod
	// Orders is in how many orders they were placed, Feasible in how many of these the group is
	// scheduled.
	Orders, Feasible int
	// Least and Most are how many of them find a node.
	Least, Most int
	// Placed is in how many of the orders in which the group is scheduled a pod finds a node. Of equal
	// pods any may be the one that finds none.
	Placed map[types.UID]int
	// Without is the first that finds no node, Nth its place in the order, from 1, and Why the reasons of
	// the closest node; nil if all do.
	Without *corev1.Pod
	Nth     int
	Why     string
	// Equal says that all pods are equal, and take no more than room on their nodes: how many fit does
	// not depend on the order.
	Equal bool
	// Invalid is why the scheduler does not schedule such a group at all; "" if it does.
	Invalid string
	// Unknown is why nothing of this counts; "" if it does.
	Unknown string
}

// simulation places the pods of one group.
type simulation struct {
	profile *scheduler.Profile
	group   *schedulingv1beta1.PodGroup
	state   fwk.PodGroupState
	told    *Outcome
	kinds   map[types.UID]string
	matters map[string]bool // by kind: where one such pod is decides where others may go
}

// Simulate places the pending pods of the group of a pod, which belongs to them whether it exists or
// not. It is under the scheduler's lock; nothing of it is kept.
func Simulate(ctx context.Context, p *scheduler.Profile, group *schedulingv1beta1.PodGroup, pod *corev1.Pod) (*Outcome, error) {
	state, err := p.Question(pod).Groups.PodGroupStates().Get(group.Namespace, group.Name)
	if err != nil {
		return nil, fmt.Errorf("find pods of PodGroup %s/%s: %w", group.Namespace, group.Name, err)
	}
	told := &Outcome{Pending: pendingOf(p.Scheduler, state, pod), Placed: map[types.UID]int{}}
	if told.Invalid = invalid(group, slices.Concat(told.Pending, state.ScheduledPods())); told.Invalid != "" {
		return told, nil
	}
	s := &simulation{profile: p, group: group, state: state, told: told, kinds: map[types.UID]string{}, matters: map[string]bool{}}
	for _, pod := range told.Pending {
		key := model.NewPod(pod).EquivalenceKey()
		s.kinds[pod.UID] = key
		if _, known := s.matters[key]; !known {
			s.matters[key] = placement.PlaceMatters(p, pod)
		}
	}
	told.Equal = len(s.matters) == 1 && !s.matters[s.kinds[told.Pending[0].UID]]
	if err := s.playAll(ctx); err != nil {
		return nil, fmt.Errorf("schedule PodGroup %s/%s: %w", group.Namespace, group.Name, err)
	}
	if told.Unknown == "" && told.Feasible > 0 {
		told.Unknown = s.unsimulated()
	}
	return told, nil
}

// pendingOf are the pods of a group that the scheduler would place, and the pod in question: by
// priority, then by age and by name (PodGroupMemberPodsOrderingFunc of pkg/scheduler/framework).
func pendingOf(s *scheduler.Scheduler, state fwk.PodGroupState, pod *corev1.Pod) []*corev1.Pod {
	pending := []*corev1.Pod{pod}
	for _, other := range state.UnscheduledPods() {
		if other.UID != pod.UID && s.Considers(other) {
			pending = append(pending, other)
		}
	}
	slices.SortFunc(pending, func(a, b *corev1.Pod) int {
		return cmp.Or(
			cmp.Compare(corev1helpers.PodPriority(b), corev1helpers.PodPriority(a)),
			a.CreationTimestamp.Compare(b.CreationTimestamp.Time),
			strings.Compare(a.Name, b.Name),
		)
	})
	return pending
}

// invalid says why the scheduler schedules no pod of the group, whatever the nodes are: its
// validatePodGroup, without what a feature gate that is off by default adds.
func invalid(group *schedulingv1beta1.PodGroup, pods []*corev1.Pod) string {
	priority := schedutil.PodGroupPriority(group)
	policy := func(pod *corev1.Pod) corev1.PreemptionPolicy {
		if pod.Spec.PreemptionPolicy == nil {
			return corev1.PreemptLowerPriority
		}
		return *pod.Spec.PreemptionPolicy
	}
	for _, pod := range pods {
		switch of := corev1helpers.PodPriority(pod); {
		case of != priority:
			return fmt.Sprintf("pod %s has priority %d and the PodGroup %d: they have to be equal", pod.Name, of, priority)
		case scheduler.NameOf(pod) != scheduler.NameOf(pods[0]):
			return fmt.Sprintf("its pods name the schedulers %s and %s", scheduler.NameOf(pods[0]), scheduler.NameOf(pod))
		case policy(pod) != policy(pods[0]):
			return fmt.Sprintf("its pods have the preemption policies %s and %s", policy(pods[0]), policy(pod))
		}
	}
	return ""
}

// unsimulated is what may keep a group from being scheduled although its pods find nodes, and is not
// simulated; "" if there is nothing.
func (s *simulation) unsimulated() string {
	spec := &s.group.Spec
	switch {
	case spec.ParentCompositePodGroupName != nil:
		return "the other groups of CompositePodGroup " + *spec.ParentCompositePodGroupName + " are not simulated"
	case spec.SchedulingConstraints != nil:
		return "the topology that the PodGroup requires is not simulated"
	case len(spec.ResourceClaims) > 0:
		return "devices of the ResourceClaims of the PodGroup are not allocated in a simulation"
	}
	for _, pod := range s.told.Pending {
		if len(s.told.Pending) > 1 && placement.HasOwnClaims(pod) {
			return "devices and volumes of claims are not allocated in a simulation"
		}
		for _, volume := range pod.Spec.Volumes {
			if volume.PersistentVolumeClaim != nil && len(s.told.Pending) > 1 && s.unbound(pod, volume.PersistentVolumeClaim.ClaimName) {
				return "volumes of claims are not allocated in a simulation"
			}
		}
	}
	return ""
}

// unbound says whether a claim has no volume yet, or is not known.
func (s *simulation) unbound(pod *corev1.Pod, name string) bool {
	claim, err := s.profile.Scheduler.State.Listers.Claim(pod.Namespace, name)
	return err != nil || claim.Spec.VolumeName == ""
}

// playAll places the pods in orders until the answer is certain, or there is no more time.
func (s *simulation) playAll(ctx context.Context) error {
	begun := time.Now()
	for n := range mostOrders {
		limit := playingTime
		if n < leastOrders {
			limit = longestOrder
		}
		if n > 0 && (s.told.Equal || time.Since(begun) > limit) {
			break
		}
		o := newOrder(s, n)
		if err := o.play(ctx); err != nil {
			return err
		}
		if o.unknown != "" {
			s.told.Unknown = o.unknown
			return nil
		}
		s.add(o)
	}
	if s.told.Orders < leastOrders && !s.told.Equal {
		s.told.Unknown = "there was no time to simulate its pods in several orders"
	}
	return nil
}

// add counts what became of the pods in one order.
func (s *simulation) add(o *order) {
	placed := len(o.nodes)
	if s.told.Orders == 0 {
		s.told.Least, s.told.Without, s.told.Nth, s.told.Why = placed, o.without, o.nth, o.why
	}
	s.told.Orders++
	s.told.Least, s.told.Most = min(s.told.Least, placed), max(s.told.Most, placed)
	if !o.feasible {
		return
	}
	s.told.Feasible++
	for uid := range o.nodes {
		s.told.Placed[uid]++
	}
}

// newOrder begins an order: the scheduler's first, then others by chance.
func newOrder(s *simulation, n int) *order {
	o := &order{simulation: s, random: rand.New(rand.NewPCG(1, uint64(n))), first: n == 0, pods: s.told.Pending, nodes: map[types.UID]string{}, room: map[string][]string{}}
	if n%2 == 1 && len(s.matters) > 1 { // in every second only the choice between nodes differs
		o.pods = slices.Clone(s.told.Pending)
		o.random.Shuffle(len(o.pods), func(i, j int) { o.pods[i], o.pods[j] = o.pods[j], o.pods[i] })
	}
	return o
}
