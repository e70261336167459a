package plugins

import (
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	storagehelpers "k8s.io/component-helpers/storage/volume"
)

// waitingReasons are why no node was checked: claims that cannot be used as they
// are, or that something else has to bind first.
func waitingReasons(q *Question) []Reason {
	var reasons []Reason
	for _, claim := range PodClaims(q) {
		if f, ok := claim.unusable(q); ok {
			reasons = append(reasons, f)
		}
	}
	if len(reasons) > 0 {
		return reasons
	}
	b := BinderOf(q)
	for _, claim := range slices.Concat(b.Started, b.Free) {
		if !claim.waitsForConsumer(q) {
			reasons = append(reasons, newReason(claim.unboundWhy(q), func() string { return b.waiting(claim) }))
		}
	}
	return reasons
}

// unusable is why the claim serves no pod, bound or not.
func (c PodClaim) unusable(q *Question) (Reason, bool) {
	switch {
	case c.Object == nil:
		return c.absent(", so it cannot be bound"), true
	case c.IsLost():
		return c.lost(q), true
	case c.Object.DeletionTimestamp != nil:
		return plainReason(fmt.Sprintf("claim %s is being deleted", c.Name)), true
	case c.foreign(q.Pod):
		return newReason(fmt.Sprintf("claim %s was not created for this pod", c.Name), func() string {
			return fmt.Sprintf("claim %s has the name that the pod's ephemeral volume needs, but was not created for this pod", c.Name)
		}), true
	}
	return Reason{}, false
}

// IsLost says whether the claim was bound, and is not bound to its volume any more.
func (c PodClaim) IsLost() bool { return c.Object != nil && c.Object.Status.Phase == corev1.ClaimLost }

// lost is the reason of such a claim: its volume does not exist, or belongs to another claim (syncBoundClaim of the
// volume controller).
func (c PodClaim) lost(q *Question) Reason {
	name := c.Object.Spec.VolumeName
	if name == "" {
		return plainReason(fmt.Sprintf("claim %s is Lost: it names no volume", c.Name))
	}
	if !q.Listers.Readable("persistentvolumes") {
		return plainReason(fmt.Sprintf("claim %s has lost its volume %s", c.Name, name))
	}
	volume, err := q.Listers.Volumes.Get(name)
	switch {
	case err != nil:
		return newReason(c.volumeGone().short, func() string {
			return fmt.Sprintf("claim %s is Lost: volume %s does not exist", c.Name, name)
		})
	case volume.Spec.ClaimRef != nil && !storagehelpers.IsVolumeBoundToClaim(volume, c.Object):
		return newReason(fmt.Sprintf("claim %s has lost its volume %s", c.Name, name), func() string {
			return fmt.Sprintf("claim %s is Lost: volume %s %s", c.Name, name, belongs(volume, c.Object))
		})
	}
	return plainReason(fmt.Sprintf("claim %s has lost its volume %s", c.Name, name))
}

// belongs says whose a volume is that belongs to another claim.
func belongs(volume *corev1.PersistentVolume, claim *corev1.PersistentVolumeClaim) string {
	if ofEarlier(volume, claim) {
		return "still belongs to an earlier claim of the same name"
	}
	return fmt.Sprintf("belongs to claim %s/%s", volume.Spec.ClaimRef.Namespace, volume.Spec.ClaimRef.Name)
}

// fullyBound says whether the binding of the claim is over.
func (c PodClaim) fullyBound() bool {
	return c.Object.Spec.VolumeName != "" && metav1.HasAnnotation(c.Object.ObjectMeta, storagehelpers.AnnBindCompleted)
}

// SelectedNode is the node that a volume is being provisioned for.
func (c PodClaim) SelectedNode() string { return c.Object.Annotations[storagehelpers.AnnSelectedNode] }

// Size is how much storage the claim requests.
func (c PodClaim) Size() resource.Quantity {
	return c.Object.Spec.Resources.Requests[corev1.ResourceStorage]
}

// wish is what the claim asks for: "10Gi ReadWriteOnce", "10Gi ReadWriteOnce Block".
func (c PodClaim) wish() string {
	size := c.Size()
	said := size.String() + " " + modes(c.Object.Spec.AccessModes)
	if c.Object.Spec.VolumeMode != nil && *c.Object.Spec.VolumeMode != corev1.PersistentVolumeFilesystem {
		said += " " + string(*c.Object.Spec.VolumeMode)
	}
	return said
}

// waitsForConsumer says whether the scheduler has to choose a node before the
// claim, which is not bound, is served.
func (c PodClaim) waitsForConsumer(q *Question) bool {
	class, err := q.Listers.Classes.Get(c.Class())
	return c.Object.Spec.VolumeName == "" && c.Class() != "" && err == nil && class.VolumeBindingMode != nil &&
		*class.VolumeBindingMode == storagev1.VolumeBindingWaitForFirstConsumer
}

// unboundWhy is the clause of a claim that should be bound already, in the same
// words for every plugin that needs its volume.
func (c PodClaim) unboundWhy(q *Question) string {
	said := fmt.Sprintf("claim %s is unbound", c.Name)
	if _, err := q.Listers.Classes.Get(c.Class()); c.Object.Spec.VolumeName == "" && c.Class() != "" && err != nil && q.Listers.Readable("storageclasses") {
		said += fmt.Sprintf(": class %s does not exist", c.Class())
	}
	return said
}

// waiting says what has to bind the claim before the scheduler goes on.
func (b *Binder) waiting(claim PodClaim) string {
	said := fmt.Sprintf("claim %s (%s) is unbound", claim.Name, claim.wish())
	if claim.Object.Spec.VolumeName != "" {
		return said + ": it requests " + b.named(claim)
	}
	if claim.Class() == "" {
		return said + " and has no StorageClass: " + b.whyNone(claim, nil, nil)
	}
	class, err := b.Classes.Get(claim.Class())
	switch {
	case err != nil:
		return fmt.Sprintf("%s: class %s does not exist", said, claim.Class())
	case class.Provisioner == "" || class.Provisioner == storagehelpers.NotSupportedProvisioner:
		return fmt.Sprintf("%s: class %s has volumeBindingMode Immediate and no provisioner: %s", said, class.Name, b.whyNone(claim, nil, nil))
	}
	return fmt.Sprintf("%s: class %s has volumeBindingMode Immediate, and %s has not provisioned a volume", said, class.Name, class.Provisioner)
}

// named is the volume that the claim names, and why it is not bound to it.
func (b *Binder) named(claim PodClaim) string {
	name := "volume " + claim.Object.Spec.VolumeName
	if !b.Readable("persistentvolumes") {
		return name
	}
	volume, err := b.Listers.Volumes.Get(claim.Object.Spec.VolumeName)
	switch {
	case err != nil:
		return name + ", which does not exist"
	case ofEarlier(volume, claim.Object):
		said := name + ", which " + belongs(volume, claim.Object)
		if why := b.unfit(claim, freed(volume)); len(why) > 0 {
			said += " and " + why[0]
		}
		return said
	case volume.Spec.ClaimRef != nil && !storagehelpers.IsVolumeBoundToClaim(volume, claim.Object):
		return name + ", which " + belongs(volume, claim.Object)
	}
	if why := b.unfit(claim, volume); len(why) > 0 {
		return name + ", which " + why[0]
	}
	return name + ", and binding is not complete"
}

// ofEarlier says whether a volume belongs to a claim of the same name that was deleted: its UID is another.
func ofEarlier(volume *corev1.PersistentVolume, claim *corev1.PersistentVolumeClaim) bool {
	ref := volume.Spec.ClaimRef
	return ref != nil && ref.Namespace == claim.Namespace && ref.Name == claim.Name && !storagehelpers.IsVolumeBoundToClaim(volume, claim)
}

// LeftFor is the volume that a claim names, where a claim that was deleted has left it and it is as the claim
// requests; nil otherwise. The volume controller binds the two once the volume belongs to no claim.
func (b *Binder) LeftFor(claim PodClaim) *corev1.PersistentVolume {
	if claim.Object.Spec.VolumeName == "" || !b.Readable("persistentvolumes") {
		return nil
	}
	volume, err := b.Listers.Volumes.Get(claim.Object.Spec.VolumeName)
	if err != nil || !IsLeft(volume) || storagehelpers.GetPersistentVolumeClass(volume) != claim.Class() || len(b.unfit(claim, freed(volume))) > 0 {
		return nil
	}
	return volume
}

// IsLeft says whether a claim that was deleted has left a volume and its data. One whose reclaim policy is Delete
// is being deleted with its data, or that has failed.
func IsLeft(volume *corev1.PersistentVolume) bool {
	return volume.Spec.ClaimRef != nil && volume.Status.Phase == corev1.VolumeReleased && volume.Spec.PersistentVolumeReclaimPolicy != corev1.PersistentVolumeReclaimDelete
}

// freed is a volume as it would be if it belonged to no claim.
func freed(volume *corev1.PersistentVolume) *corev1.PersistentVolume {
	free := volume.DeepCopy()
	free.Spec.ClaimRef, free.Status.Phase = nil, corev1.VolumeAvailable
	return free
}
