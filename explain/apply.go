package explain

import (
	"context"
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	schedulingv1alpha3 "k8s.io/api/scheduling/v1alpha3"
	schedulingv1beta1 "k8s.io/api/scheduling/v1beta1"
	"k8s.io/apimachinery/pkg/runtime"
	corev1helpers "k8s.io/component-helpers/scheduling/corev1"
	fwk "k8s.io/kube-scheduler/framework"
)

// Change is one event of an informer: New is nil for a deletion, Old for an
// addition. Both are a Node, a Pod, a PodGroup or a CompositePodGroup.
type Change struct {
	Old, New runtime.Object
}

// Apply brings the engine's state up to changes and numbers it rev. What an
// object was before is taken from what Apply was told, not from Old, so lost or
// doubled events do no harm. Changes that cannot be applied are left out and
// reported together.
func (e *Engine) Apply(rev int64, changes []Change) error {
	release, err := e.acquire(context.Background())
	if err != nil {
		return err
	}
	defer release()
	var errs []error
	for _, change := range changes {
		if err := e.apply(change); err != nil {
			errs = append(errs, err)
		}
	}
	if err := e.cache.UpdateSnapshot(e.logger, e.snapshot); err != nil {
		errs = append(errs, fmt.Errorf("update snapshot: %w", err))
	}
	e.revision = rev
	if e.moves.pending.Swap(false) {
		e.moves.revision.Store(rev)
	}
	return errors.Join(errs...)
}

func (e *Engine) apply(change Change) error {
	switch now := change.New.(type) {
	case *corev1.Node:
		e.setNode(now)
		return nil
	case *corev1.Pod:
		if old, ok := change.Old.(*corev1.Pod); ok && old.UID != now.UID {
			if err := e.dropPod(old); err != nil {
				return err
			}
		}
		return e.setPod(now)
	case *schedulingv1beta1.PodGroup:
		e.cache.AddPodGroup(now) // takes the place of what it was
		return nil
	case *schedulingv1alpha3.CompositePodGroup:
		e.cache.AddCompositePodGroup(e.logger, now)
		return nil
	}
	switch old := change.Old.(type) {
	case *corev1.Node:
		return e.dropNode(old)
	case *corev1.Pod:
		return e.dropPod(old)
	case *schedulingv1beta1.PodGroup:
		e.cache.RemovePodGroup(e.logger, old)
		return nil
	case *schedulingv1alpha3.CompositePodGroup:
		e.cache.RemoveCompositePodGroup(e.logger, old)
		return nil
	}
	return fmt.Errorf("apply change of %T to %T: neither nodes, pods nor pod groups", change.Old, change.New)
}

func (e *Engine) setNode(node *corev1.Node) {
	e.nodeMoved(e.nodes[node.Name], node)
	if old, ok := e.nodes[node.Name]; ok {
		e.cache.UpdateNode(e.logger, old, node)
	} else {
		e.cache.AddNode(e.logger, node)
	}
	e.nodes[node.Name] = node
}

func (e *Engine) dropNode(node *corev1.Node) error {
	known, ok := e.nodes[node.Name]
	if !ok {
		return nil
	}
	delete(e.nodes, node.Name)
	e.moves.now(e.options.Now())
	if err := e.cache.RemoveNode(e.logger, known); err != nil {
		return fmt.Errorf("remove node %s: %w", node.Name, err)
	}
	return nil
}

// setPod takes pod as the newest state of its UID. As in the scheduler, whose
// informers leave out terminated pods, a pod that has ended takes no room; and a
// pod without a node counts only where it is nominated by a profile of ours.
func (e *Engine) setPod(pod *corev1.Pod) error {
	if pod.UID == "" {
		return fmt.Errorf("apply pod %s/%s: it has no uid", pod.Namespace, pod.Name)
	}
	old := e.pods[pod.UID]
	e.pods[pod.UID] = pod
	e.podMoved(old, pod)
	if err := e.place(old, pod); err != nil {
		return fmt.Errorf("apply pod %s/%s: %w", pod.Namespace, pod.Name, err)
	}
	e.nominator.DeleteNominatedPodIfExists(pod)
	if pod.Spec.NodeName == "" && pod.Status.NominatedNodeName != "" && e.serves(pod.Spec.SchedulerName) && !ended(pod) {
		e.nominator.AddNominatedPod(e.logger, nominee(pod), &fwk.NominatingInfo{NominatingMode: fwk.ModeOverride, NominatedNodeName: pod.Status.NominatedNodeName})
	}
	return nil
}

// place moves a pod between the nodes of the cache. Cache.UpdatePod would end
// the program for a pod that changed its node, so that is a removal and an
// addition.
func (e *Engine) place(old, pod *corev1.Pod) error {
	was, is := onNode(old), onNode(pod)
	if was {
		e.countPriority(old, -1)
	}
	if is {
		e.countPriority(pod, 1)
	}
	switch {
	case was && is && old.Spec.NodeName == pod.Spec.NodeName:
		return e.cache.UpdatePod(e.logger, old, pod)
	case was:
		if err := e.cache.RemovePod(e.logger, old); err != nil {
			return err
		}
	}
	switch {
	case is:
		return e.cache.AddPod(e.logger, pod)
	case ended(pod):
		e.cache.RemovePodGroupMember(pod)
	default: // only its gang counts it; the cache leaves out pods of none
		e.cache.AddPodGroupMember(pod)
	}
	return nil
}

func (e *Engine) dropPod(pod *corev1.Pod) error {
	known, ok := e.pods[pod.UID]
	if !ok {
		return nil
	}
	delete(e.pods, pod.UID)
	e.nominator.DeleteNominatedPodIfExists(known)
	if !onNode(known) {
		e.cache.RemovePodGroupMember(known)
		return nil
	}
	e.moves.now(e.options.Now())
	e.countPriority(known, -1)
	if err := e.cache.RemovePod(e.logger, known); err != nil {
		return fmt.Errorf("remove pod %s/%s: %w", pod.Namespace, pod.Name, err)
	}
	return nil
}

// countPriority keeps count of the priorities on the nodes.
func (e *Engine) countPriority(pod *corev1.Pod, change int) {
	priority := corev1helpers.PodPriority(pod)
	e.priorities[priority] += change
	if e.priorities[priority] == 0 {
		delete(e.priorities, priority)
	}
}

// onNode says whether a pod takes room on a node. Nil does not.
func onNode(pod *corev1.Pod) bool {
	return pod != nil && pod.Spec.NodeName != "" && !ended(pod)
}

// ended says whether all that a pod ran is over.
func ended(pod *corev1.Pod) bool {
	return pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed
}
