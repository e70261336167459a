package explain

import (
	"context"
	"fmt"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

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
			another, without = anotherLike(e.scheduler.State.Listers, pod, replicas)
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
// being scheduled. In the place of claims of its own it has those of the next pods of its StatefulSet; without says
// that it has none where the volume of a new one would be is not known.
func anotherLike(l plugins.Listers, pod *corev1.Pod, replicas int) (another *corev1.Pod, without bool) {
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
	set := setOf(l, pod)
	another.Spec.Volumes = nil
	for _, volume := range pod.Spec.Volumes {
		if volume.PersistentVolumeClaim != nil && strings.HasSuffix(volume.PersistentVolumeClaim.ClaimName, "-"+pod.Name) {
			source, known := claimOfAnother(l, set, pod, &volume)
			if !known {
				without = true
				continue
			}
			volume.VolumeSource = source
			claims := setClaims(pod.Namespace, &volume, replicas)
			if why, _ := whereMade(l, &volume, claims); why != "" && !claims.exist(l) {
				without = true
				continue
			}
		}
		another.Spec.Volumes = append(another.Spec.Volumes, volume)
	}
	return another, without
}

// claimOfAnother is what the next pod of a StatefulSet has in the place of the claim of a pod: its own from the
// same template, or where that is not read, one like that of the pod; not known where neither is.
func claimOfAnother(l plugins.Listers, set *appsv1.StatefulSet, pod *corev1.Pod, volume *corev1.Volume) (source corev1.VolumeSource, known bool) {
	var claim *corev1.PersistentVolumeClaim
	if set != nil {
		if at := slices.IndexFunc(set.Spec.VolumeClaimTemplates, func(t corev1.PersistentVolumeClaim) bool { return t.Name == volume.Name }); at >= 0 {
			claim = &set.Spec.VolumeClaimTemplates[at]
		}
	}
	if claim == nil {
		existing, err := l.Claim(pod.Namespace, volume.PersistentVolumeClaim.ClaimName)
		if err != nil {
			return corev1.VolumeSource{}, false
		}
		claim = existing
	}
	if set == nil {
		return admission.NewClaimLike(claim), true
	}
	return admission.NewSetClaimLike(claim, admission.ClaimName(set, volume.Name, int(ptr.Deref(set.Spec.Replicas, 1)))), true
}

// setOf is the StatefulSet of a pod; nil where it is not known.
func setOf(l plugins.Listers, pod *corev1.Pod) *appsv1.StatefulSet {
	owner := metav1.GetControllerOfNoCopy(pod)
	set, err := l.StatefulSets.StatefulSets(pod.Namespace).Get(owner.Name)
	if err != nil || set.UID != owner.UID {
		return nil
	}
	return set
}
