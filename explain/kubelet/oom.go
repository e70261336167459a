package kubelet

import (
	corev1 "k8s.io/api/core/v1"
	resourcehelper "k8s.io/component-helpers/resource"
	"k8s.io/kubectl/pkg/util/qos"
)

// The scores of pkg/kubelet/qos/policy.go. The kernel kills the processes of the highest
// score first when the node has no memory left.
const (
	protectedScore  = -997
	bestEffortScore = 1000
	leastBurstable  = bestEffortScore + protectedScore
)

// OOMScoreAdj is the oom_score_adj of a container on a node of so much memory, in bytes
// (GetContainerOOMScoreAdjust in pkg/kubelet/qos/policy.go); nil where memory is not known
// and decides.
func OOMScoreAdj(pod *corev1.Pod, container *corev1.Container, memory int64) *int {
	class := qos.GetPodQOS(pod)
	switch {
	case isCritical(pod) && pod.Spec.PriorityClassName == nodeCriticalClass, class == corev1.PodQOSGuaranteed:
		return new(protectedScore)
	case class == corev1.PodQOSBestEffort:
		return new(bestEffortScore)
	case memory <= 0:
		return nil
	}
	rest := restOfPod(pod)
	requested := container.Resources.Requests.Memory().Value() + rest
	if isSidecar(container) && len(pod.Spec.Containers) > 0 && isInit(pod, container) {
		requested = max(requested, leastRequested(pod)+rest) // a sidecar outlives the others
	}
	score := bestEffortScore - bestEffortScore*requested/memory
	return new(int(min(max(score, leastBurstable), bestEffortScore-1)))
}

// restOfPod is what the pod as a whole requests beyond its containers, in equal shares.
func restOfPod(pod *corev1.Pod) int64 {
	if !resourcehelper.IsPodLevelRequestsSet(pod) || pod.Spec.Resources.Requests.Memory().IsZero() {
		return 0
	}
	ofContainers := resourcehelper.AggregateContainerRequests(pod, resourcehelper.PodResourcesOptions{})
	rest := pod.Spec.Resources.Requests.Memory().Value() - ofContainers.Memory().Value()
	return max(rest, 0) / int64(len(pod.Spec.Containers)+len(pod.Spec.InitContainers))
}

// leastRequested is the smallest memory request of the containers that are not init
// containers.
func leastRequested(pod *corev1.Pod) int64 {
	least := pod.Spec.Containers[0].Resources.Requests.Memory().Value()
	for i := range pod.Spec.Containers {
		least = min(least, pod.Spec.Containers[i].Resources.Requests.Memory().Value())
	}
	return least
}

// isInit reports whether a container is an init container of the pod.
func isInit(pod *corev1.Pod, container *corev1.Container) bool {
	for i := range pod.Spec.InitContainers {
		if pod.Spec.InitContainers[i].Name == container.Name {
			return true
		}
	}
	return false
}
