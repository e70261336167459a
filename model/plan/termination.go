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

// defaultGrace is the grace period where the pod's spec has none.
const defaultGrace = corev1.DefaultTerminationGracePeriodSeconds * time.Second

// endOf is the end of a pod, with what is deleted by it.
func endOf(pod *model.Pod, how Termination) End {
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

func ofDaemonSet(pod *corev1.Pod) bool {
	owner := metav1.GetControllerOfNoCopy(pod)
	return owner != nil && owner.Kind == "DaemonSet"
}

// ending counts the pods that the plan terminates, without those that are already
// terminating.
func ending(ends []End) int {
	n := 0
	for i := range ends {
		if !ends[i].Terminating {
			n++
		}
	}
	return n
}

// longestGrace is the longest grace period of the ends.
func longestGrace(ends []End) time.Duration {
	var longest time.Duration
	for i := range ends {
		longest = max(longest, ends[i].Grace)
	}
	return longest
}

// countEnds counts the ends for which holds returns true.
func countEnds(ends []End, holds func(End) bool) int {
	n := 0
	for i := range ends {
		if holds(ends[i]) {
			n++
		}
	}
	return n
}

// recreating are the controllers that are known to recreate their pods: those of
// Kubernetes, and the kubelet for its static pods. Only Kubernetes uses their
// groups.
var (
	recreating       = []string{"ReplicaSet", "StatefulSet", "DaemonSet", "Job", "ReplicationController", "Node"}
	recreatingGroups = []string{"", "apps", "batch"}
)

// RecreationUnknown says that it is unknown whether the pod's controller recreates
// its pods: "not known whether its controller (Workflow x) recreates it". It is ""
// where the pod has no controller, or one of Kubernetes. A kind of the same name in
// another group is another controller.
func RecreationUnknown(pod *corev1.Pod) string {
	controller := metav1.GetControllerOfNoCopy(pod)
	if controller == nil || slices.Contains(recreating, controller.Kind) &&
		slices.Contains(recreatingGroups, schema.FromAPIVersionAndKind(controller.APIVersion, controller.Kind).Group) {
		return ""
	}
	return fmt.Sprintf("not known whether its controller (%s %s) recreates it", model.Clean(controller.Kind), model.Clean(controller.Name))
}
