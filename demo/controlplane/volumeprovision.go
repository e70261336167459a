package controlplane

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	storagehelpers "k8s.io/component-helpers/storage/volume"
	"k8s.io/utils/ptr"
)

// provisionEvery is the period in which all claims are checked.
const provisionEvery = 200 * time.Millisecond

// provision creates volumes for claims, as a CSI driver does: immediately, or in the
// zone of the node that the scheduler selected.
func (p *Plane) provision(ctx context.Context) {
	wait.UntilWithContext(ctx, func(ctx context.Context) {
		for _, object := range p.informers.Core().V1().PersistentVolumeClaims().Informer().GetStore().List() {
			if claim, ok := object.(*corev1.PersistentVolumeClaim); ok && claim.Spec.VolumeName == "" && claim.DeletionTimestamp == nil {
				p.serve(ctx, claim)
			}
		}
		for _, object := range p.informers.Core().V1().PersistentVolumes().Informer().GetStore().List() {
			if volume, ok := object.(*corev1.PersistentVolume); ok && volume.DeletionTimestamp == nil {
				p.release(ctx, volume)
			}
		}
	}, provisionEvery)
}

// serve creates a volume for the claim, if the PersistentVolume controller requests one.
// A failure is retried in the next period.
func (p *Plane) serve(ctx context.Context, claim *corev1.PersistentVolumeClaim) {
	if claim.Spec.StorageClassName == nil {
		return
	}
	class, err := p.informers.Storage().V1().StorageClasses().Lister().Get(*claim.Spec.StorageClassName)
	if err != nil || class.Provisioner == storagehelpers.NotSupportedProvisioner || claim.Annotations[storagehelpers.AnnStorageProvisioner] != class.Provisioner {
		return
	}
	node := claim.Annotations[storagehelpers.AnnSelectedNode]
	if waits := class.VolumeBindingMode; waits != nil && *waits == storagev1.VolumeBindingWaitForFirstConsumer && node == "" {
		return
	}
	_, _ = p.client.CoreV1().PersistentVolumes().Create(ctx, p.volumeFor(claim, class, node), metav1.CreateOptions{})
}

// release deletes a provisioned volume whose claim was deleted, if its reclaim policy is
// Delete.
func (p *Plane) release(ctx context.Context, of *corev1.PersistentVolume) {
	if of.Status.Phase == corev1.VolumeReleased && of.Spec.PersistentVolumeReclaimPolicy == corev1.PersistentVolumeReclaimDelete &&
		of.Annotations[storagehelpers.AnnDynamicallyProvisioned] != "" {
		_ = p.client.CoreV1().PersistentVolumes().Delete(ctx, of.Name, metav1.DeleteOptions{Preconditions: metav1.NewUIDPreconditions(string(of.UID))})
	}
}

// volumeFor is the volume for a claim.
func (p *Plane) volumeFor(claim *corev1.PersistentVolumeClaim, class *storagev1.StorageClass, node string) *corev1.PersistentVolume {
	volume := &corev1.PersistentVolume{
		ObjectMeta: metav1.ObjectMeta{
			Name: fmt.Sprintf("pvc-%s", claim.UID), Annotations: map[string]string{storagehelpers.AnnDynamicallyProvisioned: class.Provisioner},
		},
		Spec: corev1.PersistentVolumeSpec{
			Capacity:                      corev1.ResourceList{corev1.ResourceStorage: claim.Spec.Resources.Requests[corev1.ResourceStorage]},
			AccessModes:                   claim.Spec.AccessModes,
			StorageClassName:              class.Name,
			PersistentVolumeReclaimPolicy: ptr.Deref(class.ReclaimPolicy, corev1.PersistentVolumeReclaimDelete),
			ClaimRef: &corev1.ObjectReference{
				Kind: "PersistentVolumeClaim", APIVersion: "v1", Namespace: claim.Namespace, Name: claim.Name, UID: claim.UID,
			},
			PersistentVolumeSource: corev1.PersistentVolumeSource{
				CSI: &corev1.CSIPersistentVolumeSource{Driver: class.Provisioner, VolumeHandle: string(claim.UID)},
			},
		},
	}
	if zone := p.zoneOf(node); zone != "" {
		volume.Spec.NodeAffinity = &corev1.VolumeNodeAffinity{Required: &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{{
			MatchExpressions: []corev1.NodeSelectorRequirement{{
				Key: corev1.LabelTopologyZone, Operator: corev1.NodeSelectorOpIn, Values: []string{zone},
			}},
		}}}}
	}
	return volume
}

// zoneOf is the zone of a node; "" if it has none.
func (p *Plane) zoneOf(name string) string {
	node, err := p.informers.Core().V1().Nodes().Lister().Get(name)
	if err != nil {
		return ""
	}
	return node.Labels[corev1.LabelTopologyZone]
}
