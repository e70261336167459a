package scheduler

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework"
)

// nominee is what a nominated pod counts as on its node. The scheduler takes one
// that is being deleted out of its queue for good when it comes upon it, and
// then knows no more of it than its name: it asks for nothing, has priority 0,
// and is one more pod (PriorityQueue.nominatedPodToInfo).
func nominee(pod *corev1.Pod) fwk.PodInfo {
	if LeavesQueue(pod) {
		pod = &corev1.Pod{
			ObjectMeta: metav1.ObjectMeta{Namespace: pod.Namespace, Name: pod.Name, UID: pod.UID},
			Spec:       corev1.PodSpec{SchedulingGroup: pod.Spec.SchedulingGroup},
		}
	}
	info, _ := framework.NewPodInfo(pod) // terms that do not parse count as none, as in the scheduler
	return info
}

// LeavesQueue says whether the scheduler will skip a pod without a node. It
// never comes upon one that is gated.
func LeavesQueue(pod *corev1.Pod) bool {
	return pod.DeletionTimestamp != nil && len(pod.Spec.SchedulingGates) == 0
}
