package plan

import (
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubectl-fathom/kubectl-fathom/model"
)

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
