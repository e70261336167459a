package scheduler

import (
	"iter"
	"maps"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// PodIndex finds pods without going over all of them.
type PodIndex struct {
	pods       map[types.UID]*corev1.Pod // all, those of the State
	unassigned map[types.UID]*corev1.Pod
	daemons    map[types.UID]*corev1.Pod // those that DaemonSets control
	// controlled are the pods by the UID of their controller; nil until somebody asks, and
	// again once a pod has changed.
	controlled map[types.UID][]*corev1.Pod
}

func (p *PodIndex) set(pod *corev1.Pod) {
	p.controlled = nil
	if pod.Spec.NodeName == "" {
		p.unassigned[pod.UID] = pod
	} else {
		delete(p.unassigned, pod.UID)
	}
	if by := metav1.GetControllerOfNoCopy(pod); by != nil && by.Kind == "DaemonSet" {
		p.daemons[pod.UID] = pod
	} else {
		delete(p.daemons, pod.UID)
	}
}

func (p *PodIndex) drop(uid types.UID) {
	p.controlled = nil
	delete(p.unassigned, uid)
	delete(p.daemons, uid)
}

// Unassigned are the real pods without a node, those that have ended too, in no order.
func (p *PodIndex) Unassigned() iter.Seq[*corev1.Pod] { return maps.Values(p.unassigned) }

// OfDaemonSets are the real pods that DaemonSets control, in no order.
func (p *PodIndex) OfDaemonSets() iter.Seq[*corev1.Pod] { return maps.Values(p.daemons) }

// ControlledBy are the real pods whose controller has that UID, in no order. Read only.
func (p *PodIndex) ControlledBy(controller types.UID) []*corev1.Pod {
	if p.controlled == nil {
		p.controlled = map[types.UID][]*corev1.Pod{}
		for _, pod := range p.pods {
			if by := metav1.GetControllerOfNoCopy(pod); by != nil {
				p.controlled[by.UID] = append(p.controlled[by.UID], pod)
			}
		}
	}
	return p.controlled[controller]
}
