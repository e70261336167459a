package plan

import (
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// defaultGrace is what a pod's containers get to end where its spec says nothing.
const defaultGrace = corev1.DefaultTerminationGracePeriodSeconds * time.Second

// endOf is the end of a pod, with what is lost by it.
func endOf(pod *model.Pod, how Ending) End {
	end := End{Pod: pod, How: how, Grace: graceOf(pod.Object), Terminating: pod.Object.DeletionTimestamp != nil}
	if pod.Finished() {
		end.Fate.Outcome = Finished
		return end
	}
	end.Lost = metav1.GetControllerOfNoCopy(pod.Object) == nil
	end.EmptyDir = slices.ContainsFunc(pod.Object.Spec.Volumes, func(v corev1.Volume) bool { return v.EmptyDir != nil })
	return end
}

func graceOf(pod *corev1.Pod) time.Duration {
	seconds := pod.Spec.TerminationGracePeriodSeconds
	if pod.DeletionTimestamp != nil && pod.DeletionGracePeriodSeconds != nil {
		seconds = pod.DeletionGracePeriodSeconds
	}
	if seconds == nil {
		return defaultGrace
	}
	return time.Duration(*seconds) * time.Second
}

// isMirror says whether the pod is a static pod's image in the API: its kubelet
// runs it whatever becomes of the image.
func isMirror(pod *corev1.Pod) bool {
	_, mirror := pod.Annotations[corev1.MirrorPodAnnotationKey]
	return mirror
}

func ofDaemonSet(pod *corev1.Pod) bool {
	owner := metav1.GetControllerOfNoCopy(pod)
	return owner != nil && owner.Kind == "DaemonSet"
}

// ending counts the pods that end because of the plan: not those that end already.
func ending(ends []End) int {
	n := 0
	for i := range ends {
		if !ends[i].Terminating {
			n++
		}
	}
	return n
}

// longestGrace is the longest that one of the ends takes.
func longestGrace(ends []End) time.Duration {
	var longest time.Duration
	for i := range ends {
		longest = max(longest, ends[i].Grace)
	}
	return longest
}

// countEnds counts the ends that something holds for.
func countEnds(ends []End, holds func(End) bool) int {
	n := 0
	for i := range ends {
		if holds(ends[i]) {
			n++
		}
	}
	return n
}

// recreating are the controllers of which it is known what becomes of their pods:
// Kubernetes' own, which recreate them, and the kubelet for its static pods. Their
// groups are Kubernetes' alone.
var (
	recreating       = []string{"ReplicaSet", "StatefulSet", "DaemonSet", "Job", "ReplicationController", "Node"}
	recreatingGroups = []string{"", "apps", "batch"}
)

// RecreationUnknown says that a controller owns the pod of which nobody knows
// whether it recreates its pods: "not known whether its controller (Workflow x)
// recreates it". It is "" where no controller owns it, or one of Kubernetes' own.
// A kind of the same name in another group is another controller.
func RecreationUnknown(pod *corev1.Pod) string {
	controller := metav1.GetControllerOfNoCopy(pod)
	if controller == nil || slices.Contains(recreating, controller.Kind) &&
		slices.Contains(recreatingGroups, schema.FromAPIVersionAndKind(controller.APIVersion, controller.Kind).Group) {
		return ""
	}
	return fmt.Sprintf("not known whether its controller (%s %s) recreates it", model.Clean(controller.Kind), model.Clean(controller.Name))
}
