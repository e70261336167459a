package admission

import (
	corev1 "k8s.io/api/core/v1"
)

// Recreated says for each of the pods of a namespace, which all go, whether the quotas reject its
// replacement: "quota compute: requests.cpu"; "" where none does. Replacements are created in the
// order of the pods; without says which pods have none.
func Recreated(pods []*corev1.Pod, quotas []corev1.ResourceQuota, without func(*corev1.Pod) bool) []string {
	left := copied(quotas)
	for _, pod := range pods {
		release(left, usageOf(pod))
	}
	rejected := make([]string, len(pods))
	for i, pod := range pods {
		if without(pod) {
			continue
		}
		if refusing := quotasRefusing(pod, left); len(refusing) > 0 {
			rejected[i] = refusing[0].rejection().Short
			continue
		}
		charge(left, usageOf(pod), 1)
	}
	return rejected
}

// release takes the usage of a pod off what the quotas count as used.
func release(quotas []corev1.ResourceQuota, usage corev1.ResourceList) {
	for i := range quotas {
		for name, used := range quotas[i].Status.Used {
			used.Sub(usage[name])
			quotas[i].Status.Used[name] = used
		}
	}
}
