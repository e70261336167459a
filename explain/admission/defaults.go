package admission

import (
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// DefaultsFrom names the LimitRange that set requests of a pod: the only one from before the pod with
// which the API server's own code sets any of them, and it sets all as the pod has them. "" where that
// is not known.
func DefaultsFrom(ranges []corev1.LimitRange, pod *corev1.Pod, name corev1.ResourceName) (by string) {
	containers := model.LimitRangeDefaulted(pod, name)
	for i := range ranges {
		if ranges[i].CreationTimestamp.After(pod.CreationTimestamp.Time) {
			continue
		}
		given := pod.DeepCopy()
		for at := range given.Spec.Containers {
			if c := &given.Spec.Containers[at]; slices.Contains(containers, c.Name) {
				delete(c.Resources.Requests, name)
			}
		}
		if _, err := ApplyLimitRanges(given, ranges[i:i+1]); err != nil {
			return ""
		}
		sets, same := false, true
		for at, c := range given.Spec.Containers {
			now, set := c.Resources.Requests[name]
			sets = sets || set && slices.Contains(containers, c.Name)
			same = same && now.Cmp(pod.Spec.Containers[at].Resources.Requests[name]) == 0
		}
		switch {
		case sets && (!same || by != ""):
			return ""
		case sets:
			by = ranges[i].Name
		}
	}
	return by
}
