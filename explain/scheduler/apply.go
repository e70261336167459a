package scheduler

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	schedulingv1alpha3 "k8s.io/api/scheduling/v1alpha3"
	schedulingv1beta1 "k8s.io/api/scheduling/v1beta1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/runtime"
	fwk "k8s.io/kube-scheduler/framework"
)

// Change is one event of an informer: New is nil for a deletion, Old for an
// addition. Both are a Node, a Pod, a PodGroup or a CompositePodGroup.
type Change struct {
	Old, New runtime.Object
}

// Apply brings the state up to changes and numbers it rev. What an
// object was before is taken from what Apply was told, not from Old, so lost or
// doubled events do no harm. Changes that cannot be applied are left out and
// reported together.
func (s *Scheduler) Apply(rev int64, changes []Change) error {
	release, err := s.Acquire(context.Background())
	if err != nil {
		return err
	}
	defer release()
	return s.State.update(rev, changes)
}

// update brings the state up to changes.
func (s *State) update(rev int64, changes []Change) error {
	var errs []error
	for _, change := range changes {
		if err := s.apply(change); err != nil {
			errs = append(errs, err)
		}
	}
	s.nodes.settle()
	s.updates++
	if err := s.groups.UpdateSnapshot(s.Logger, s.overlay.Snapshot); err != nil {
		errs = append(errs, fmt.Errorf("update pod groups: %w", err))
	}
	s.Revision = rev
	if s.changes.pending.Swap(false) {
		s.changes.revision.Store(rev)
	}
	return errors.Join(errs...)
}

func (s *State) apply(change Change) error {
	switch now := change.New.(type) {
	case *corev1.Node:
		s.setNode(now)
		return nil
	case *corev1.Pod:
		if old, ok := change.Old.(*corev1.Pod); ok && old.UID != now.UID {
			if err := s.dropPod(old); err != nil {
				return err
			}
		}
		return s.setPod(now)
	case *schedulingv1beta1.PodGroup:
		if old, ok := change.Old.(*schedulingv1beta1.PodGroup); !ok {
			s.changes.came(now.CreationTimestamp.Time, s.now())
		} else if !apiequality.Semantic.DeepEqual(old.Spec, now.Spec) { // the scheduler writes the status whenever it tries the group
			s.changes.now(s.now())
		}
		s.groups.AddPodGroup(now) // takes the place of what it was
		return nil
	case *schedulingv1alpha3.CompositePodGroup:
		s.changes.came(now.CreationTimestamp.Time, s.now())
		s.groups.AddCompositePodGroup(s.Logger, now)
		return nil
	}
	switch old := change.Old.(type) {
	case *corev1.Node:
		s.dropNode(old)
		return nil
	case *corev1.Pod:
		return s.dropPod(old)
	case *schedulingv1beta1.PodGroup:
		s.changes.now(s.now())
		s.groups.RemovePodGroup(s.Logger, old)
		return nil
	case *schedulingv1alpha3.CompositePodGroup:
		s.changes.now(s.now())
		s.groups.RemoveCompositePodGroup(s.Logger, old)
		return nil
	}
	return fmt.Errorf("apply change of %T to %T: neither nodes, pods nor pod groups", change.Old, change.New)
}

func (s *State) setNode(node *corev1.Node) {
	was := s.Nodes[node.Name]
	s.changes.node(was, node, s.now())
	if was == nil || !maps.Equal(was.Labels, node.Labels) {
		s.counts.clear()
	}
	s.nodes.setNode(node)
	s.Nodes[node.Name] = node
}

func (s *State) dropNode(node *corev1.Node) {
	if _, ok := s.Nodes[node.Name]; !ok {
		return
	}
	delete(s.Nodes, node.Name)
	delete(s.Priorities.onNode, node.Name)
	s.changes.now(s.now())
	s.counts.clear()
	s.nodes.dropNode(node)
}

// setPod takes pod as the newest state of its UID. As in the scheduler, whose
// informers leave out terminated pods, a pod that has ended takes no room; and a
// pod without a node counts only where it is nominated by a profile of ours.
func (s *State) setPod(pod *corev1.Pod) error {
	if pod.UID == "" {
		return fmt.Errorf("apply pod %s/%s: it has no uid", pod.Namespace, pod.Name)
	}
	old := s.Pods[pod.UID]
	s.Pods[pod.UID] = pod
	s.Index.set(old, pod)
	s.selected.count(old, -1)
	s.selected.count(pod, 1)
	s.changes.pod(old, pod, &s.selected, s.now())
	if old == nil && pod.Spec.SchedulingGroup != nil {
		s.changes.came(pod.CreationTimestamp.Time, s.now()) // its group is another
	}
	if err := s.place(old, pod); err != nil {
		return fmt.Errorf("apply pod %s/%s: %w", pod.Namespace, pod.Name, err)
	}
	s.nominator.DeleteNominatedPodIfExists(pod)
	if pod.Spec.NodeName == "" && pod.Status.NominatedNodeName != "" && s.served.Has(pod.Spec.SchedulerName) && !Terminal(pod) {
		s.nominator.AddNominatedPod(s.Logger, nominee(pod), &fwk.NominatingInfo{NominatingMode: fwk.ModeOverride, NominatedNodeName: pod.Status.NominatedNodeName})
	}
	return nil
}

// place moves a pod between the nodes.
func (s *State) place(old, pod *corev1.Pod) error {
	if Assigned(old) && Assigned(pod) && s.nodes.updatePod(old, pod) {
		s.groups.RemovePodGroupMember(old)
		s.groups.AddPodGroupMember(pod)
		return nil
	}
	moves := !Assigned(old) || !Assigned(pod) || !sameTerms(old, pod)
	if Assigned(old) {
		s.Priorities.add(old, -1)
		s.groups.RemovePodGroupMember(old)
		if moves {
			s.noteMove(old, true)
		}
		if err := s.nodes.dropPod(old); err != nil {
			return err
		}
	}
	switch {
	case Assigned(pod):
		s.Priorities.add(pod, 1)
		s.nodes.addPod(pod)
		if moves {
			s.noteMove(pod, false)
		}
		s.groups.AddPodGroupMember(pod)
	case Terminal(pod):
		s.groups.RemovePodGroupMember(pod)
	default: // only its gang counts it
		s.groups.AddPodGroupMember(pod)
	}
	return nil
}

func (s *State) dropPod(pod *corev1.Pod) error {
	known, ok := s.Pods[pod.UID]
	if !ok {
		return nil
	}
	delete(s.Pods, pod.UID)
	s.Index.drop(known)
	s.selected.count(known, -1)
	s.nominator.DeleteNominatedPodIfExists(known)
	if !Assigned(known) {
		if known.Spec.SchedulingGroup != nil || known.Status.NominatedNodeName != "" {
			s.changes.now(s.now())
		}
		s.groups.RemovePodGroupMember(known)
		return nil
	}
	s.changes.now(s.now())
	s.Priorities.add(known, -1)
	s.groups.RemovePodGroupMember(known)
	s.noteMove(known, true)
	if err := s.nodes.dropPod(known); err != nil {
		return fmt.Errorf("remove pod %s/%s: %w", pod.Namespace, pod.Name, err)
	}
	return nil
}

// noteMove takes down that a pod has come to its node, or is about to leave it.
func (s *State) noteMove(pod *corev1.Pod, gone bool) {
	node := s.nodes.byName[pod.Spec.NodeName]
	if node == nil {
		return
	}
	for _, info := range slices.Backward(node.Pods) {
		if info.GetPod().UID == pod.UID {
			s.counts.note(podMove{info, node, gone})
			return
		}
	}
}

// Assigned says whether a pod takes room on a node. Nil does not.
func Assigned(pod *corev1.Pod) bool {
	return pod != nil && pod.Spec.NodeName != "" && !Terminal(pod)
}

// Terminal says whether all that a pod ran is over.
func Terminal(pod *corev1.Pod) bool {
	return pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed
}
