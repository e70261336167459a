package plugins

import (
	corev1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"
)

// Held is what a pod holds of a resource, as the scheduler counts.
func Held(info fwk.PodInfo, name corev1.ResourceName) int64 {
	counted := info.CalculateResource().Resource
	switch name {
	case corev1.ResourcePods:
		return 1
	case corev1.ResourceCPU:
		return counted.GetMilliCPU()
	case corev1.ResourceMemory:
		return counted.GetMemory()
	case corev1.ResourceEphemeralStorage:
		return counted.GetEphemeralStorage()
	}
	return counted.GetScalarResources()[name]
}
