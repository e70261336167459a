package plane

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/tools/cache"
	"k8s.io/component-helpers/storage/volume"
	"k8s.io/utils/ptr"
)

// provisionEvery is how often claims are looked through.
const provisionEvery = 200 * time.Millisecond

// watchVolumes makes the informers that provision reads, before they start.
func (p *Plane) watchVolumes() {
	core := p.informers.Core().V1()
	for _, informer := range []interface {
		Informer() cache.SharedIndexInformer
	}{
		core.PersistentVolumeClaims(), core.PersistentVolumes(), core.Nodes(), p.informers.Storage().V1().StorageClasses(),
	} {
		informer.Informer()
	}
}

// provision makes volumes for claims, as a storage driver does: at once, or
// where the scheduler wants them, in the zone of that node.
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

// serve makes a volume for the claim, if its class does and its time has come.
// What goes wrong is tried again at the next look.
func (p *Plane) serve(ctx context.Context, claim *corev1.PersistentVolumeClaim) {
	if claim.Spec.StorageClassName == nil {
		return
	}
	class, err := p.informers.Storage().V1().StorageClasses().Lister().Get(*claim.Spec.StorageClassName)
	if err != nil || class.Provisioner == "kubernetes.io/no-provisioner" {
		return
	}
	node := claim.Annotations[volume.AnnSelectedNode]
	if waits := class.VolumeBindingMode; waits != nil && *waits == storagev1.VolumeBindingWaitForFirstConsumer && node == "" {
		return
	}
	made, err := p.client.CoreV1().PersistentVolumes().Create(ctx, p.volumeFor(claim, class, node), metav1.CreateOptions{})
	if err != nil {
		return
	}
	made.Status.Phase = corev1.VolumeBound
	if _, err := p.client.CoreV1().PersistentVolumes().UpdateStatus(ctx, made, metav1.UpdateOptions{}); err != nil {
		return
	}
	p.bindClaim(ctx, claim, made)
}

// release does with a volume whose claim is gone what its policy says: it is
// deleted, or kept for someone to look after it.
func (p *Plane) release(ctx context.Context, of *corev1.PersistentVolume) {
	ref := of.Spec.ClaimRef
	if ref == nil || ref.UID == "" || of.Status.Phase != corev1.VolumeBound {
		return
	}
	if claim, err := p.informers.Core().V1().PersistentVolumeClaims().Lister().PersistentVolumeClaims(ref.Namespace).Get(ref.Name); err == nil && claim.UID == ref.UID {
		return
	}
	volumes := p.client.CoreV1().PersistentVolumes()
	claim, err := p.client.CoreV1().PersistentVolumeClaims(ref.Namespace).Get(ctx, ref.Name, metav1.GetOptions{})
	if err == nil && claim.UID == ref.UID || err != nil && !apierrors.IsNotFound(err) {
		return
	}
	if of.Spec.PersistentVolumeReclaimPolicy == corev1.PersistentVolumeReclaimDelete {
		_ = volumes.Delete(ctx, of.Name, metav1.DeleteOptions{Preconditions: metav1.NewUIDPreconditions(string(of.UID))})
		return
	}
	released := of.DeepCopy()
	released.Status.Phase = corev1.VolumeReleased
	_, _ = volumes.UpdateStatus(ctx, released, metav1.UpdateOptions{}) // else at the next look
}

// bindClaim tells the claim its volume.
func (p *Plane) bindClaim(ctx context.Context, claim *corev1.PersistentVolumeClaim, made *corev1.PersistentVolume) {
	bound := claim.DeepCopy()
	bound.Spec.VolumeName = made.Name
	metav1.SetMetaDataAnnotation(&bound.ObjectMeta, volume.AnnBindCompleted, "yes")
	metav1.SetMetaDataAnnotation(&bound.ObjectMeta, volume.AnnBoundByController, "yes")
	claims := p.client.CoreV1().PersistentVolumeClaims(claim.Namespace)
	bound, err := claims.Update(ctx, bound, metav1.UpdateOptions{})
	if err != nil {
		return
	}
	bound.Status.Phase, bound.Status.Capacity, bound.Status.AccessModes = corev1.ClaimBound, made.Spec.Capacity, made.Spec.AccessModes
	_, _ = claims.UpdateStatus(ctx, bound, metav1.UpdateOptions{})
}

// volumeFor is the volume that a claim asks for.
func (p *Plane) volumeFor(claim *corev1.PersistentVolumeClaim, class *storagev1.StorageClass, node string) *corev1.PersistentVolume {
	volume := &corev1.PersistentVolume{
		ObjectMeta: metav1.ObjectMeta{
			Name: fmt.Sprintf("pvc-%s", claim.UID), Annotations: map[string]string{"pv.kubernetes.io/provisioned-by": class.Provisioner},
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

// zoneOf is the zone of a node; "" where it has none.
func (p *Plane) zoneOf(name string) string {
	node, err := p.informers.Core().V1().Nodes().Lister().Get(name)
	if err != nil {
		return ""
	}
	return node.Labels[corev1.LabelTopologyZone]
}
