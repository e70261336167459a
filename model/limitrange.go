package model

import (
	"strings"

	corev1 "k8s.io/api/core/v1"
)

// limitRanger is the annotation of pods that got defaults of a LimitRange. The admission plugin
// LimitRanger writes what it set into it, for instance "LimitRanger plugin set: cpu, memory
// request for container app; memory limit for container app" (SetDefaults and
// mergePodResourceRequirements of plugin/pkg/admission/limitranger).
const limitRanger = "kubernetes.io/limit-ranger"

// HasLimitRangeDefaults reports whether a LimitRange gave containers of a pod requests or limits.
func HasLimitRangeDefaults(pod *corev1.Pod) bool { return pod.Annotations[limitRanger] != "" }

// LimitRangeDefaults is how much of what the containers of a pod request, init containers apart, are
// defaults of a LimitRange; nil where none are.
func LimitRangeDefaults(pod *corev1.Pod) corev1.ResourceList {
	_, set, ok := strings.Cut(pod.Annotations[limitRanger], " set: ")
	if !ok {
		return nil
	}
	var defaults corev1.ResourceList
	for part := range strings.SplitSeq(set, "; ") {
		resources, container, ok := strings.Cut(part, " request for container ")
		if !ok {
			continue
		}
		for i := range pod.Spec.Containers {
			if pod.Spec.Containers[i].Name != container {
				continue
			}
			for name := range strings.SplitSeq(resources, ", ") {
				amount, set := pod.Spec.Containers[i].Resources.Requests[corev1.ResourceName(name)]
				if !set || amount.IsZero() {
					continue
				}
				if defaults == nil {
					defaults = corev1.ResourceList{}
				}
				amount.Add(defaults[corev1.ResourceName(name)])
				defaults[corev1.ResourceName(name)] = amount
			}
		}
	}
	return defaults
}
