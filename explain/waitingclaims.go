package explain

import (
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	storagehelpers "k8s.io/component-helpers/storage/volume"
)

// waitingFaults are why no node was looked at: claims that are no use as they
// are, or that something else has to bind first.
func waitingFaults(q *question) []fault {
	var faults []fault
	for _, claim := range podClaims(q) {
		if f, ok := claim.unusable(q); ok {
			faults = append(faults, f)
		}
	}
	if len(faults) > 0 {
		return faults
	}
	b := binderOf(q)
	for _, claim := range slices.Concat(b.started, b.free) {
		if !claim.waitsForConsumer(q) {
			faults = append(faults, newFault(claim.unboundWhy(q), func() string { return b.waiting(claim) }))
		}
	}
	return faults
}

// unusable is why the claim serves no pod, bound or not.
func (c podClaim) unusable(q *question) (fault, bool) {
	switch {
	case c.object == nil:
		return c.absent(", so there is nothing to bind"), true
	case c.object.Status.Phase == corev1.ClaimLost:
		gone := c.volumeGone()
		if _, err := q.listers.volumes.Get(c.object.Spec.VolumeName); err == nil || !q.listers.readable("persistentvolumes") {
			return plainFault(fmt.Sprintf("claim %s has lost its volume %s", c.name, c.object.Spec.VolumeName)), true
		}
		return newFault(gone.short, func() string {
			return fmt.Sprintf("claim %s is Lost: volume %s does not exist", c.name, c.object.Spec.VolumeName)
		}), true
	case c.object.DeletionTimestamp != nil:
		return plainFault(fmt.Sprintf("claim %s is being deleted", c.name)), true
	case c.foreign(q.pod):
		return newFault(fmt.Sprintf("claim %s is not the pod's", c.name), func() string {
			return fmt.Sprintf("claim %s has the name that the pod's ephemeral volume needs, but was not made for the pod", c.name)
		}), true
	}
	return fault{}, false
}

// fullyBound says whether the binding of the claim is over.
func (c podClaim) fullyBound() bool {
	return c.object.Spec.VolumeName != "" && metav1.HasAnnotation(c.object.ObjectMeta, storagehelpers.AnnBindCompleted)
}

// selectedNode is the node that a volume is being provisioned for.
func (c podClaim) selectedNode() string { return c.object.Annotations[storagehelpers.AnnSelectedNode] }

func (c podClaim) size() resource.Quantity {
	return c.object.Spec.Resources.Requests[corev1.ResourceStorage]
}

// wish is what the claim asks for: "10Gi ReadWriteOnce", "10Gi ReadWriteOnce Block".
func (c podClaim) wish() string {
	size := c.size()
	said := size.String() + " " + modes(c.object.Spec.AccessModes)
	if c.object.Spec.VolumeMode != nil && *c.object.Spec.VolumeMode != corev1.PersistentVolumeFilesystem {
		said += " " + string(*c.object.Spec.VolumeMode)
	}
	return said
}

// waitsForConsumer says whether the scheduler has to choose a node before the
// claim, which is not bound, is served.
func (c podClaim) waitsForConsumer(q *question) bool {
	class, err := q.listers.classes.Get(c.class())
	return c.object.Spec.VolumeName == "" && c.class() != "" && err == nil && class.VolumeBindingMode != nil &&
		*class.VolumeBindingMode == storagev1.VolumeBindingWaitForFirstConsumer
}

// unboundWhy is the clause of a claim that should be bound already, in the same
// words for every plugin that needs its volume.
func (c podClaim) unboundWhy(q *question) string {
	said := fmt.Sprintf("claim %s is not bound", c.name)
	if _, err := q.listers.classes.Get(c.class()); c.object.Spec.VolumeName == "" && c.class() != "" && err != nil && q.listers.readable("storageclasses") {
		said += fmt.Sprintf(": class %s does not exist", c.class())
	}
	return said
}

// waiting tells what has to bind the claim before the scheduler goes on.
func (b *binder) waiting(claim podClaim) string {
	said := fmt.Sprintf("claim %s for %s is not bound", claim.name, claim.wish())
	if claim.object.Spec.VolumeName != "" {
		return said + ": it names " + b.named(claim)
	}
	if claim.class() == "" {
		return said + " and names no class: " + b.whyNone(claim, nil, nil)
	}
	class, err := b.classes.Get(claim.class())
	switch {
	case err != nil:
		return fmt.Sprintf("%s: class %s does not exist", said, claim.class())
	case class.Provisioner == "" || class.Provisioner == storagehelpers.NotSupportedProvisioner:
		return fmt.Sprintf("%s: class %s binds at once and has no provisioner: %s", said, class.Name, b.whyNone(claim, nil, nil))
	}
	return fmt.Sprintf("%s: class %s binds at once, and %s has not provided a volume", said, class.Name, class.Provisioner)
}

// named is the volume that the claim names, and why it is not bound to it.
func (b *binder) named(claim podClaim) string {
	name := "volume " + claim.object.Spec.VolumeName
	if !b.readable("persistentvolumes") {
		return name
	}
	volume, err := b.listers.volumes.Get(claim.object.Spec.VolumeName)
	switch {
	case err != nil:
		return name + ", which does not exist"
	case volume.Spec.ClaimRef != nil && !storagehelpers.IsVolumeBoundToClaim(volume, claim.object):
		return fmt.Sprintf("%s, which belongs to claim %s/%s", name, volume.Spec.ClaimRef.Namespace, volume.Spec.ClaimRef.Name)
	}
	if why := b.unfit(claim, volume); len(why) > 0 {
		return name + ", which " + why[0]
	}
	return name + ", and the binding is not over"
}
