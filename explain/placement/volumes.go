package placement

import (
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/component-helpers/storage/ephemeral"

	"github.com/kubectl-fathom/kubectl-fathom/explain/admission"
	"github.com/kubectl-fathom/kubectl-fathom/explain/plugins"
)

// mount gives the pod of that number the claims that a StatefulSet makes for it before it makes the pod, and
// returns those that do not exist: one that does is used as it is. A volume of a new claim that every node can
// use is left out.
func (t Template) mount(l plugins.Listers, pod *corev1.Pod, n int) (made []*corev1.PersistentVolumeClaim) {
	unmade := SetClaimsOf(l, pod, n)
	var volumes []corev1.Volume
	for _, volume := range pod.Spec.Volumes {
		claim, _ := admission.SetClaim(&volume, n)
		at := slices.IndexFunc(unmade, func(one *corev1.PersistentVolumeClaim) bool { return one.Name == claim })
		if isNew := at >= 0 || claim == "" && !t.Unclaimed; isNew && t.Anywhere[volume.Name] {
			continue
		}
		if at >= 0 {
			made = append(made, unmade[at])
		}
		if claim != "" {
			volume.VolumeSource = corev1.VolumeSource{PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: claim}}
		}
		volumes = append(volumes, volume)
	}
	pod.Spec.Volumes = volumes
	return made
}

// SetClaimsOf are the claims that a StatefulSet makes for the replica of that number, from 0: those of its
// templates that do not exist.
func SetClaimsOf(l plugins.Listers, pod *corev1.Pod, n int) []*corev1.PersistentVolumeClaim {
	var claims []*corev1.PersistentVolumeClaim
	for i := range pod.Spec.Volumes {
		name, _ := admission.SetClaim(&pod.Spec.Volumes[i], n)
		if name == "" {
			continue
		}
		if _, err := l.Claim(pod.Namespace, name); err == nil {
			continue
		}
		claims = append(claims, claimFrom(pod.Spec.Volumes[i].Ephemeral.VolumeClaimTemplate, pod.Namespace, name))
	}
	return claims
}

// claimFrom is a new claim from a template.
func claimFrom(template *corev1.PersistentVolumeClaimTemplate, namespace, name string) *corev1.PersistentVolumeClaim {
	return &corev1.PersistentVolumeClaim{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: namespace, Name: name, UID: types.UID("to be made: " + name),
			Annotations: maps.Clone(template.Annotations), Labels: maps.Clone(template.Labels),
		},
		Spec:   *template.Spec.DeepCopy(),
		Status: corev1.PersistentVolumeClaimStatus{Phase: corev1.ClaimPending},
	}
}

// MakesClaims reports whether claims are made for the volumes of a pod that does not exist.
func MakesClaims(pod *corev1.Pod) bool {
	return slices.ContainsFunc(pod.Spec.Volumes, func(volume corev1.Volume) bool { return volume.Ephemeral != nil })
}

// VolumeClaimsOf makes the PersistentVolumeClaims of a pod's generic ephemeral volumes, as the
// ephemeral volume controller does (handleVolume of pkg/controller/volume/ephemeral).
func VolumeClaimsOf(pod *corev1.Pod) []*corev1.PersistentVolumeClaim {
	var claims []*corev1.PersistentVolumeClaim
	for i := range pod.Spec.Volumes {
		volume := &pod.Spec.Volumes[i]
		if volume.Ephemeral == nil || volume.Ephemeral.VolumeClaimTemplate == nil {
			continue
		}
		if set, _ := admission.SetClaim(volume, 0); set != "" {
			continue
		}
		claim := claimFrom(volume.Ephemeral.VolumeClaimTemplate, pod.Namespace, ephemeral.VolumeClaimName(pod, volume))
		claim.OwnerReferences = []metav1.OwnerReference{{
			APIVersion: "v1", Kind: "Pod", Name: pod.Name, UID: pod.UID, Controller: new(true), BlockOwnerDeletion: new(true),
		}}
		claims = append(claims, claim)
	}
	return claims
}
