package placement

import (
	"maps"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/component-helpers/storage/ephemeral"
)

// VolumeClaimsOf makes the PersistentVolumeClaims of a pod's generic ephemeral volumes, as the
// ephemeral volume controller does (handleVolume of pkg/controller/volume/ephemeral).
func VolumeClaimsOf(pod *corev1.Pod) []*corev1.PersistentVolumeClaim {
	var claims []*corev1.PersistentVolumeClaim
	for i := range pod.Spec.Volumes {
		volume := &pod.Spec.Volumes[i]
		if volume.Ephemeral == nil || volume.Ephemeral.VolumeClaimTemplate == nil {
			continue
		}
		template, name := volume.Ephemeral.VolumeClaimTemplate, ephemeral.VolumeClaimName(pod, volume)
		claims = append(claims, &corev1.PersistentVolumeClaim{
			ObjectMeta: metav1.ObjectMeta{
				Namespace: pod.Namespace, Name: name, UID: types.UID("to be made: " + name),
				Annotations: maps.Clone(template.Annotations), Labels: maps.Clone(template.Labels),
				OwnerReferences: []metav1.OwnerReference{{
					APIVersion: "v1", Kind: "Pod", Name: pod.Name, UID: pod.UID, Controller: new(true), BlockOwnerDeletion: new(true),
				}},
			},
			Spec:   *template.Spec.DeepCopy(),
			Status: corev1.PersistentVolumeClaimStatus{Phase: corev1.ClaimPending},
		})
	}
	return claims
}
