package admission

import corev1 "k8s.io/api/core/v1"

// Replacement is what quotas say of the replacement of a pod.
type Replacement struct {
	Rejected string // "quota compute: requests.cpu"; "" where no quota rejects it
	Certain  bool   // whichever replacement comes first
}

// Recreated says for each of the pods of a namespace, which all go, what the quotas say of its
// replacement. Which of them come first depends on their controllers; without says which pods
// have none.
func Recreated(pods []*corev1.Pod, quotas []corev1.ResourceQuota, without func(*corev1.Pod) bool) []Replacement {
	left := copied(quotas)
	for _, pod := range pods {
		charge(left, pod, -1)
	}
	found := make([]Replacement, len(pods))
	all := copied(left) // once all others have come
	for i, pod := range pods {
		if without(pod) {
			continue
		}
		if refusing := quotasRefusing(pod, left); len(refusing) > 0 {
			found[i] = Replacement{refusing[0].rejection().Short, true}
			continue
		}
		charge(all, pod, 1)
	}
	for i, pod := range pods {
		if without(pod) || found[i].Certain {
			continue
		}
		charge(all, pod, -1)
		if refusing := quotasRefusing(pod, all); len(refusing) > 0 {
			found[i] = Replacement{refusing[0].rejection().Short, false}
		}
		charge(all, pod, 1)
	}
	return found
}
