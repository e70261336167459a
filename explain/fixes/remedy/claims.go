package remedy

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	storagehelpers "k8s.io/component-helpers/storage/volume"

	"github.com/kubectl-fathom/kubectl-fathom/explain/plugins"
	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/explain/scheduler"
)

// The remedies that change claims and volumes.
type (
	// ResizeClaim recreates a claim that is not bound, for less storage.
	ResizeClaim struct {
		Claim *corev1.PersistentVolumeClaim
		To    resource.Quantity
	}
	// SetClaimClass recreates a claim that is not bound, of another StorageClass; one without a class gets it.
	SetClaimClass struct {
		Claim *corev1.PersistentVolumeClaim
		Class string
		// Set is the StatefulSet whose template keeps the claim's class; "" where the claim is not made of one.
		Set string
	}
	// UnselectNode lets a claim be provisioned for another node than the one that kube-scheduler has selected.
	UnselectNode struct{ Claim *corev1.PersistentVolumeClaim }
	// ReleaseVolume lets a volume be claimed again that a deleted claim has left.
	ReleaseVolume struct {
		Volume *corev1.PersistentVolume
		Claim  *corev1.PersistentVolumeClaim // the one that would have it
	}
)

func (ResizeClaim) kind() report.FixKind   { return report.FixClaim }
func (SetClaimClass) kind() report.FixKind { return report.FixClaim }
func (UnselectNode) kind() report.FixKind  { return report.FixClaim }
func (ReleaseVolume) kind() report.FixKind { return report.FixClaim }
func (ResizeClaim) harm() int              { return 70 }

func (r SetClaimClass) harm() int {
	if r.Gives() {
		return 30
	}
	return 75
}

// Gives says whether the claim has no class before, and need not be recreated.
func (r SetClaimClass) Gives() bool {
	return storagehelpers.GetPersistentVolumeClaimClass(r.Claim) == ""
}

func (UnselectNode) harm() int  { return 60 }
func (ReleaseVolume) harm() int { return 80 }

func (r ResizeClaim) title() string {
	was := r.Claim.Spec.Resources.Requests[corev1.ResourceStorage]
	return fmt.Sprintf("recreate claim %s with %s instead of %s", r.Claim.Name, r.To.String(), was.String())
}

func (r SetClaimClass) title() string {
	if r.Gives() {
		return fmt.Sprintf("give claim %s StorageClass %s", r.Claim.Name, r.Class)
	}
	return fmt.Sprintf("use StorageClass %s instead of %s: recreate claim %s", r.Class, storagehelpers.GetPersistentVolumeClaimClass(r.Claim), r.Claim.Name)
}

func (r UnselectNode) title() string {
	return fmt.Sprintf("let claim %s be provisioned for another node than %s", r.Claim.Name, r.Selected())
}

// Selected is the node that kube-scheduler has selected for the claim.
func (r UnselectNode) Selected() string { return r.Claim.Annotations[storagehelpers.AnnSelectedNode] }

func (r ReleaseVolume) title() string {
	return fmt.Sprintf("release volume %s for claim %s", r.Volume.Name, r.Claim.Name)
}

func (r ResizeClaim) apply(s *scheduler.Fork, pod *corev1.Pod) (*corev1.Pod, error) {
	claim := r.Claim.DeepCopy()
	claim.Spec.Resources.Requests[corev1.ResourceStorage] = r.To
	return pod, claimed(s, claim, nil)
}

// Recreated is the claim that replaces it.
func (r SetClaimClass) Recreated() *corev1.PersistentVolumeClaim {
	claim := r.Claim.DeepCopy()
	delete(claim.Annotations, corev1.BetaStorageClassAnnotation) // it would take precedence
	claim.Spec.StorageClassName = &r.Class
	return claim
}

func (r SetClaimClass) apply(s *scheduler.Fork, pod *corev1.Pod) (*corev1.Pod, error) {
	return pod, claimed(s, r.Recreated(), nil)
}

func (r UnselectNode) apply(s *scheduler.Fork, pod *corev1.Pod) (*corev1.Pod, error) {
	claim := r.Claim.DeepCopy()
	delete(claim.Annotations, storagehelpers.AnnSelectedNode)
	return pod, claimed(s, claim, nil)
}

func (r ReleaseVolume) apply(s *scheduler.Fork, pod *corev1.Pod) (*corev1.Pod, error) {
	volume := r.Volume.DeepCopy()
	volume.Spec.ClaimRef, volume.Status.Phase = nil, corev1.VolumeAvailable
	if err := s.SetObject(volume); err != nil {
		return nil, err
	}
	return pod, claimed(s, r.Claim, volume)
}

// claimed lays the claim as it would stand a moment later: one that is not to
// wait for its first consumer is bound by then to the volume that the volume
// controller would take, which is found by its own code.
func claimed(s *scheduler.Fork, claim *corev1.PersistentVolumeClaim, freed *corev1.PersistentVolume) error {
	listers := s.Listers()
	waits, err := storagehelpers.IsDelayBindingMode(claim, listers.Classes)
	if err != nil {
		return fmt.Errorf("read class of claim %s: %w", claim.Name, err)
	}
	if claim.Spec.VolumeName != "" && freed != nil { // it names the one that is freed
		return bind(s, claim, freed)
	}
	if waits {
		return s.SetObject(claim)
	}
	volumes := plugins.Everything(listers.Volumes)
	volume, err := storagehelpers.FindMatchingVolume(claim, volumes, nil, nil, false, false)
	if err != nil || volume == nil || (freed != nil && volume.Name != freed.Name) {
		return s.SetObject(claim)
	}
	return bind(s, claim, volume)
}

// bind lays the two as the volume controller binds them.
func bind(s *scheduler.Fork, claim *corev1.PersistentVolumeClaim, volume *corev1.PersistentVolume) error {
	bound, taken := claim.DeepCopy(), volume.DeepCopy()
	bound.Spec.VolumeName, bound.Status.Phase = volume.Name, corev1.ClaimBound
	if bound.Annotations == nil {
		bound.Annotations = map[string]string{}
	}
	bound.Annotations[storagehelpers.AnnBindCompleted] = "yes"
	taken.Spec.ClaimRef = &corev1.ObjectReference{
		Kind: "PersistentVolumeClaim", Namespace: claim.Namespace, Name: claim.Name, UID: claim.UID,
	}
	taken.Status.Phase = corev1.VolumeBound
	if err := s.SetObject(taken); err != nil {
		return err
	}
	return s.SetObject(bound)
}
