package scheduler

import (
	"iter"
	"maps"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// podIndex finds pods without going over all of them.
type podIndex struct {
	unassigned map[types.UID]*corev1.Pod
	// controlled are the pods by the UID of their controller; nil until somebody asks, and
	// again once a pod has changed.
	controlled map[types.UID][]*corev1.Pod
}

func (p *podIndex) set(pod *corev1.Pod) {
	p.controlled = nil
	if pod.Spec.NodeName == "" {
		p.unassigned[pod.UID] = pod
	} else {
		delete(p.unassigned, pod.UID)
	}
}

func (p *podIndex) drop(uid types.UID) {
	p.controlled = nil
	delete(p.unassigned, uid)
}

// Unassigned are the real pods without a node, those that have ended too, in no order.
func (s *State) Unassigned() iter.Seq[*corev1.Pod] { return maps.Values(s.index.unassigned) }

// ControlledBy are the real pods whose controller has that UID, in no order. Read only.
func (s *State) ControlledBy(controller types.UID) []*corev1.Pod {
	if s.index.controlled == nil {
		s.index.controlled = map[types.UID][]*corev1.Pod{}
		for _, pod := range s.Pods {
			if by := metav1.GetControllerOfNoCopy(pod); by != nil {
				s.index.controlled[by.UID] = append(s.index.controlled[by.UID], pod)
			}
		}
	}
	return s.index.controlled[controller]
}
