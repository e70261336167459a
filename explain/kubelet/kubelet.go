// Package kubelet says what the kubelet of a node does with its pods: in which order it
// evicts them under pressure, how it ranks them for the kernel's OOM killer, and which
// cgroups it makes for them. No kubelet is asked. The rules are those of Kubernetes 1.37
// with its default feature gates; each has its source.
package kubelet

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// DefaultThresholds are the hard thresholds of a kubelet whose configuration sets none
// (pkg/kubelet/eviction/defaults_linux.go). pid.available has none.
var DefaultThresholds = []string{
	"memory.available<100Mi", "nodefs.available<10%", "nodefs.inodesFree<5%", "imagefs.available<15%", "imagefs.inodesFree<5%",
}

const (
	// nodeCriticalClass is the class of pods that their node cannot do without.
	nodeCriticalClass = "system-node-critical"
)

// NeverEvicted says why the kubelet never evicts a pod; "" if it may
// (pkg/kubelet/types.IsCriticalPod).
func NeverEvicted(pod *corev1.Pod) string {
	switch {
	case model.IsMirror(pod):
		return "static pod"
	case isCritical(pod):
		return "critical priority"
	}
	return ""
}

// isCritical reports whether the kubelet counts a pod as critical.
func isCritical(pod *corev1.Pod) bool {
	return model.IsMirror(pod) || pod.Spec.Priority != nil && *pod.Spec.Priority >= model.SystemCritical
}
