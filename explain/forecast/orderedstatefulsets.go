package forecast

import (
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-fathom/kubectl-fathom/explain/placement"
)

// mostFollowing is how many pods of one set are added that it makes later.
const mostFollowing = 10

// addFollowing adds the pods that ordered StatefulSets make once those that are pending now
// are placed.
func addFollowing(f *forecasting) {
	last := map[types.UID]*pendingPod{}
	for _, c := range f.competitors {
		owner := metav1.GetControllerOfNoCopy(c.pod)
		if owner == nil || owner.Kind != "StatefulSet" {
			continue
		}
		if known := last[owner.UID]; known == nil || known.pod.Name < c.pod.Name {
			last[owner.UID] = c
		}
	}
	for uid, c := range last {
		set := f.setOf(c.pod)
		if set == nil || set.Spec.PodManagementPolicy == appsv1.ParallelPodManagement || set.Spec.Replicas == nil {
			continue
		}
		there := ordinalsOf(f, uid, set)
		added := 0
		for ordinal := range int(*set.Spec.Replicas) {
			if there[ordinal] || added == mostFollowing {
				continue
			}
			added++
			f.competitors = append(f.competitors, &pendingPod{pod: followingPod(f, c.pod, placement.NameIn(set, ordinal)), following: true})
		}
	}
}

// followingPod is a pod of a set that does not exist yet, like another one.
func followingPod(f *forecasting, pod *corev1.Pod, name string) *corev1.Pod {
	next := pod.DeepCopy()
	next.Name = name
	next.UID = types.UID("follows " + string(pod.UID) + " " + name)
	next.CreationTimestamp = f.now
	next.Status = corev1.PodStatus{Phase: corev1.PodPending}
	return next
}

// ordinalsOf are the places, from 0, of the pods of a set that exist or are to come.
func ordinalsOf(f *forecasting, uid types.UID, set *appsv1.StatefulSet) map[int]bool {
	there := map[int]bool{}
	for _, c := range f.competitors {
		if by := metav1.GetControllerOfNoCopy(c.pod); by != nil && by.UID == uid {
			there[placement.OrdinalIn(set, c.pod.Name)] = true
		}
	}
	for _, pod := range f.scheduler.State.Index.ControlledBy(uid) {
		there[placement.OrdinalIn(set, pod.Name)] = true
	}
	return there
}
