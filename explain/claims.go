package explain

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/component-helpers/storage/ephemeral"
	storagehelpers "k8s.io/component-helpers/storage/volume"
)

// podClaim is a claim that a volume of a pod stands for.
type podClaim struct {
	name      string // namespace/name
	ephemeral bool   // made for the pod by a controller
	object    *corev1.PersistentVolumeClaim
}

// podClaims are the claims of the pod, in the order of its volumes.
func podClaims(q *question) []podClaim {
	type claimsKey struct{}
	return remember(q, claimsKey{}, func() []podClaim { return q.listers.claimsOf(q.pod) })
}

// claimsOf are the claims of pod; the object of one that does not exist is nil.
func (l listers) claimsOf(pod *corev1.Pod) []podClaim {
	var found []podClaim
	for i := range pod.Spec.Volumes {
		volume := &pod.Spec.Volumes[i]
		name, made := "", false
		switch {
		case volume.PersistentVolumeClaim != nil:
			name = volume.PersistentVolumeClaim.ClaimName
		case volume.Ephemeral != nil:
			name, made = ephemeral.VolumeClaimName(pod, volume), true
		default:
			continue
		}
		claim, err := l.claims.PersistentVolumeClaims(pod.Namespace).Get(name)
		if err != nil {
			claim = nil
		}
		found = append(found, podClaim{name: pod.Namespace + "/" + name, ephemeral: made, object: claim})
	}
	return found
}

// foreign says whether the claim bears the name that the pod's ephemeral volume
// wants, but was not made for the pod.
func (c podClaim) foreign(pod *corev1.Pod) bool {
	return c.ephemeral && c.object != nil && ephemeral.VolumeIsForPod(pod, c.object) != nil
}

// absent is the fault of a claim that does not exist, in the same clause for
// every plugin that looks for it. For says what the plugin wanted of it.
func (c podClaim) absent(wanted string) fault {
	short := fmt.Sprintf("claim %s does not exist", c.name)
	if c.ephemeral {
		short = fmt.Sprintf("claim %s of an ephemeral volume is not created yet", c.name)
	}
	return newFault(short, func() string { return short + wanted })
}

// volumeGone is the fault of a claim that is bound to a volume that does not
// exist.
func (c podClaim) volumeGone() fault {
	return plainFault(fmt.Sprintf("volume %s of claim %s does not exist", c.object.Spec.VolumeName, c.name))
}

// class is the name of the claim's StorageClass; "" for none.
func (c podClaim) class() string { return storagehelpers.GetPersistentVolumeClaimClass(c.object) }

// absentClaims are the faults of the claims that do not exist. Ephemeral says
// whether the plugin looks at ephemeral volumes.
func absentClaims(q *question, ephemeral bool, wanted string) []fault {
	var faults []fault
	for _, claim := range podClaims(q) {
		if claim.object == nil && (ephemeral || !claim.ephemeral) {
			faults = append(faults, claim.absent(wanted))
		}
	}
	return faults
}
