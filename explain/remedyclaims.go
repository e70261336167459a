package explain

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
	// resizeClaim recreates a claim that is not bound, for less storage.
	resizeClaim struct {
		claim *corev1.PersistentVolumeClaim
		to    resource.Quantity
	}
	// releaseVolume lets a volume be claimed again that a deleted claim has left.
	releaseVolume struct {
		volume *corev1.PersistentVolume
		claim  *corev1.PersistentVolumeClaim // the one that would have it
	}
)

func (resizeClaim) kind() report.FixKind   { return report.FixClaim }
func (releaseVolume) kind() report.FixKind { return report.FixClaim }
func (resizeClaim) harm() int              { return 70 }
func (releaseVolume) harm() int            { return 80 }

func (r resizeClaim) title() string {
	was := r.claim.Spec.Resources.Requests[corev1.ResourceStorage]
	return fmt.Sprintf("recreate claim %s with %s instead of %s", r.claim.Name, r.to.String(), was.String())
}

func (r releaseVolume) title() string {
	return fmt.Sprintf("release volume %s for claim %s", r.volume.Name, r.claim.Name)
}

func (r resizeClaim) apply(s *scheduler.Fork, pod *corev1.Pod) (*corev1.Pod, error) {
	claim := r.claim.DeepCopy()
	claim.Spec.Resources.Requests[corev1.ResourceStorage] = r.to
	return pod, claimed(s, claim, nil)
}

func (r releaseVolume) apply(s *scheduler.Fork, pod *corev1.Pod) (*corev1.Pod, error) {
	volume := r.volume.DeepCopy()
	volume.Spec.ClaimRef, volume.Status.Phase = nil, corev1.VolumeAvailable
	if err := s.SetObject(volume); err != nil {
		return nil, err
	}
	return pod, claimed(s, r.claim, volume)
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
	if waits {
		return s.SetObject(claim)
	}
	volumes := plugins.Everything(listers.Volumes)
	volume, err := storagehelpers.FindMatchingVolume(claim, volumes, nil, nil, false, false)
	if err != nil || volume == nil || (freed != nil && volume.Name != freed.Name) {
		return s.SetObject(claim)
	}
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

// claimRemedies ask for less storage, or free a volume that a deleted claim has
// left, for the one claim that has none.
func claimRemedies(q *plugins.Question, rs []plugins.Refused) []option {
	b := plugins.BinderOf(q)
	if len(b.Free) != 1 || b.Free[0].Ephemeral || b.Free[0].Object.Spec.VolumeName != "" {
		return nil
	}
	claim := b.Free[0]
	wanted := claim.Size()
	var options []option
	most := resource.Quantity{}
	for _, volume := range b.Volumes[claim.Class()] {
		size := volume.Spec.Capacity[corev1.ResourceStorage]
		switch {
		case volume.Status.Phase == corev1.VolumeReleased && size.Cmp(wanted) >= 0:
			options = append(options, option{releaseVolume{volume, claim.Object}})
		case volume.Status.Phase == corev1.VolumeAvailable && size.Cmp(wanted) < 0 && size.Cmp(most) > 0:
			most = size
		}
	}
	options = options[:min(len(options), nearNodes)]
	if figures := plugins.CapacityFigures(q, rs[0]); len(figures) == 1 && most.Value() < figures[0].Allocatable {
		most = *resource.NewQuantity(figures[0].Allocatable, resource.BinarySI)
	}
	if most.Value() >= wanted.Value()/least && !most.IsZero() {
		options = append(options, option{resizeClaim{claim.Object, most}})
	}
	return options
}

// zoneRemedies have nothing to add where the zones are not known only because a
// claim is not bound: what binds it helps both plugins.
func zoneRemedies(_ *plugins.Question, rs []plugins.Refused) []option {
	if rs[0].Node == nil {
		return []option{nil}
	}
	return nil
}
