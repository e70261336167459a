package explain

import (
	"context"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-fathom/kubectl-fathom/explain/admission"
	"github.com/kubectl-fathom/kubectl-fathom/explain/placement"
	"github.com/kubectl-fathom/kubectl-fathom/explain/plugins"
	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
)

// FitLike is Fit of pods that equal one that exists.
func FitLike(ctx context.Context, e *Engine, uid types.UID, replicas int) (*report.Fit, error) {
	var pod, another *corev1.Pod
	without := false // its volumes
	if err := e.scheduler.Hold(ctx, nil, func() error {
		if pod = e.scheduler.State.Pods[uid]; pod != nil {
			another, without = anotherLike(e.scheduler.State.Listers, pod)
		}
		return nil
	}); err != nil {
		return nil, err
	}
	switch {
	case pod == nil:
		return nil, fmt.Errorf("fit pods: %w", ErrNoPod)
	case placement.ControllerKind(pod) == "DaemonSet":
		return nil, fmt.Errorf("fit pods like %s: a DaemonSet has one pod per node, however many fit", pod.Name)
	}
	answer, err := e.Fit(ctx, report.FitQuery{Pod: another, Replicas: replicas})
	if err == nil && without {
		answer.WithoutVolumes = true
		answer.Scheduler.Caveats = append(answer.Scheduler.Caveats, "the volumes of another replica do not exist yet and are left out")
	}
	return answer, err
}

// anotherLike is a further pod that equals one that exists, without what that got from
// being scheduled. In the place of claims of its own it has new ones like them; without says that
// it has none where the volume of a new one would be is not known.
func anotherLike(l plugins.Listers, pod *corev1.Pod) (another *corev1.Pod, without bool) {
	another = pod.DeepCopy()
	another.ObjectMeta = metav1.ObjectMeta{
		Namespace: pod.Namespace, Name: pod.Name, Labels: another.Labels, Annotations: another.Annotations, OwnerReferences: another.OwnerReferences,
	}
	another.Spec.NodeName, another.Spec.EphemeralContainers, another.Status = "", nil, corev1.PodStatus{}
	if pod.Spec.NodeName != "" { // binding has copied them from the node (admission plugin PodTopologyLabels)
		delete(another.Labels, corev1.LabelTopologyZone)
		delete(another.Labels, corev1.LabelTopologyRegion)
	}
	if placement.ControllerKind(pod) != "StatefulSet" {
		return another, false
	}
	another.Spec.Volumes = nil
	for _, volume := range pod.Spec.Volumes {
		if volume.PersistentVolumeClaim != nil && strings.HasSuffix(volume.PersistentVolumeClaim.ClaimName, "-"+pod.Name) {
			claim, err := l.Claim(pod.Namespace, volume.PersistentVolumeClaim.ClaimName)
			if err != nil {
				without = true
				continue
			}
			volume.VolumeSource = admission.NewClaimLike(claim)
			if why, _ := whereMade(l, volume.Ephemeral.VolumeClaimTemplate); why != "" {
				without = true
				continue
			}
		}
		another.Spec.Volumes = append(another.Spec.Volumes, volume)
	}
	return another, without
}
