package plugins

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/component-helpers/storage/ephemeral"
	storagehelpers "k8s.io/component-helpers/storage/volume"
)

// PodClaim is a claim that a volume of a pod stands for.
type PodClaim struct {
	Name      string // namespace/name
	Ephemeral bool   // made for the pod by a controller
	Object    *corev1.PersistentVolumeClaim
}

// PodClaims are the claims of the pod, in the order of its volumes.
func PodClaims(q *Question) []PodClaim {
	type claimsKey struct{}
	return Remember(q, claimsKey{}, func() []PodClaim { return q.Listers.claimsOf(q.Pod) })
}

// claimsOf are the claims of pod; the object of one that does not exist is nil.
func (l Listers) claimsOf(pod *corev1.Pod) []PodClaim {
	var found []PodClaim
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
		found = append(found, PodClaim{Name: pod.Namespace + "/" + name, Ephemeral: made, Object: claim})
	}
	return found
}

// ClaimNames are the names of all claims in the pod's namespace, in order.
func ClaimNames(q *Question) []string {
	var names []string
	for _, claim := range Everything(q.Listers.claims.PersistentVolumeClaims(q.Pod.Namespace)) {
		names = append(names, claim.Name)
	}
	slices.Sort(names)
	return names
}

// ObjectName is the claim's name without its namespace.
func (c PodClaim) ObjectName() string { return c.Name[strings.IndexByte(c.Name, '/')+1:] }

// foreign says whether the claim bears the name that the pod's ephemeral volume
// wants, but was not made for the pod.
func (c PodClaim) foreign(pod *corev1.Pod) bool {
	return c.Ephemeral && c.Object != nil && ephemeral.VolumeIsForPod(pod, c.Object) != nil
}

// absent is the reason of a claim that does not exist, in the same clause for
// every plugin that looks for it. wanted continues the sentence: what the plugin
// cannot know without the claim.
func (c PodClaim) absent(wanted string) Reason {
	short := fmt.Sprintf("claim %s does not exist", c.Name)
	if c.Ephemeral {
		short = fmt.Sprintf("claim %s of an ephemeral volume does not exist yet", c.Name)
	}
	return newReason(short, func() string { return short + wanted })
}

// volumeGone is the reason of a claim that is bound to a volume that does not
// exist.
func (c PodClaim) volumeGone() Reason {
	return plainReason(fmt.Sprintf("volume %s of claim %s does not exist", c.Object.Spec.VolumeName, c.Name))
}

// Class is the name of the claim's StorageClass; "" for none.
func (c PodClaim) Class() string { return storagehelpers.GetPersistentVolumeClaimClass(c.Object) }

// absentClaims are the reasons of the claims that do not exist. Ephemeral says
// whether the plugin looks at ephemeral volumes.
func absentClaims(q *Question, ephemeral bool, wanted string) []Reason {
	var reasons []Reason
	for _, claim := range PodClaims(q) {
		if claim.Object == nil && (ephemeral || !claim.Ephemeral) {
			reasons = append(reasons, claim.absent(wanted))
		}
	}
	return reasons
}

// Fact is the claim's state in a sentence.
func (c PodClaim) Fact() string {
	if c.Object == nil {
		return fmt.Sprintf("Claim %s does not exist.", c.Name)
	}
	class := ""
	if name := c.Class(); name != "" {
		class = ", class " + name
	}
	phase := cmp.Or(c.Object.Status.Phase, corev1.ClaimPending)
	if phase == corev1.ClaimBound {
		return fmt.Sprintf("Claim %s is bound to volume %s%s.", c.Name, c.Object.Spec.VolumeName, class)
	}
	wants := c.Object.Spec.Resources.Requests[corev1.ResourceStorage]
	return fmt.Sprintf("Claim %s is %s: it requests %s%s.", c.Name, phase, wants.String(), class)
}

// IsProvisioned says whether a node was selected for the claim, which has no
// volume yet.
func (c PodClaim) IsProvisioned() bool {
	return c.Object != nil && c.Object.Spec.VolumeName == "" && c.Object.DeletionTimestamp == nil && c.SelectedNode() != ""
}

// Provisioner is the name of the provisioner of the claim's volume; "" if it is not known.
func (c PodClaim) Provisioner(q *Question) string {
	for _, key := range []string{storagehelpers.AnnStorageProvisioner, storagehelpers.AnnBetaStorageProvisioner} {
		if by := c.Object.Annotations[key]; by != "" {
			return by
		}
	}
	if class, err := q.Listers.Classes.Get(c.Class()); err == nil {
		return class.Provisioner
	}
	return ""
}

// Awaits is what a claim without a volume waits for; "" if that is not the pod's
// node, or is shown elsewhere.
func (c PodClaim) Awaits(q *Question) string {
	if c.Object == nil || c.Object.DeletionTimestamp != nil || c.Object.Spec.VolumeName != "" || !q.Listers.Readable("storageclasses") {
		return ""
	}
	switch {
	case c.SelectedNode() != "":
		return fmt.Sprintf("claim %s is waiting for %s to provision a volume for %s, the node that kube-scheduler selected",
			c.Name, OrSomebody(c.Provisioner(q)), c.SelectedNode())
	case c.waitsForConsumer(q):
		return fmt.Sprintf("claim %s is bound once the pod has a node: class %s has volumeBindingMode WaitForFirstConsumer", c.Name, c.Class())
	}
	return ""
}

// ClaimsToAsk are the claims of pod that a volume is being provisioned for.
func (l Listers) ClaimsToAsk(pod *corev1.Pod) []PodClaim {
	if !l.Readable("persistentvolumeclaims") {
		return nil
	}
	return slices.DeleteFunc(l.claimsOf(pod), func(c PodClaim) bool { return !c.IsProvisioned() })
}

// OrSomebody is the name of a provisioner, or a phrase for one that is not known.
func OrSomebody(name string) string {
	if name == "" {
		return "the provisioner"
	}
	return name
}
