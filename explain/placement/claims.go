package placement

import (
	"cmp"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/dynamic-resource-allocation/resourceclaim"

	"github.com/kubectl-fathom/kubectl-fathom/explain/plugins"
	"github.com/kubectl-fathom/kubectl-fathom/explain/scheduler"
)

// Template is what equal pods are made from, which do not exist.
type Template struct {
	Pod *corev1.Pod // one of them
	// Claims are the specs of the ResourceClaims that are made for each of them, by the name
	// that the pod gives the claim.
	Claims map[string]*resourcev1.ResourceClaimSpec
	// Unclaimed says that no claims are made for them once they are created: quotas do not admit any.
	Unclaimed bool
	// Anywhere are the names of their volumes that every node can use where the claims are new.
	Anywhere map[string]bool
}

// AsNewPod is the pod of that number, from 0, before it is created: it has no UID. Its
// claims are put into a simulated state, which is entered.
func (t Template) AsNewPod(on *scheduler.SimulatedState, n int) (*corev1.Pod, error) {
	pod := numbered(t.Pod, n)
	pod.UID = ""
	return pod, t.claim(on, pod, n)
}

// AsOnlyPod is the pod under its own name, before it is created: it has no UID. Its claims are put
// into a simulated state, which is entered.
func (t Template) AsOnlyPod(on *scheduler.SimulatedState) (*corev1.Pod, error) {
	pod := AsNewPod(t.Pod).DeepCopy()
	pod.UID = ""
	return pod, t.claim(on, pod, 0)
}

// replica is the pod of that number with a UID of its own, and its claims.
func (t Template) replica(on *scheduler.SimulatedState, n int) (*corev1.Pod, error) {
	pod := numbered(t.Pod, n)
	return pod, t.claim(on, pod, n)
}

// claim puts the ResourceClaims of the pod of that number, which it notes in its status, and the
// claims of its volumes into a simulated state, and mounts those of a StatefulSet.
func (t Template) claim(on *scheduler.SimulatedState, pod *corev1.Pod, n int) error {
	var claims []runtime.Object
	for _, claim := range t.mount(on.Listers(), pod, n) {
		claims = append(claims, claim)
	}
	if !t.Unclaimed {
		for _, claim := range t.ClaimsOf(pod) {
			claims = append(claims, claim)
		}
		for _, claim := range VolumeClaimsOf(pod) {
			claims = append(claims, claim)
		}
	}
	for _, claim := range claims {
		if err := on.Make(func(s *scheduler.Fork) error { return s.SetObject(claim) }); err != nil {
			return fmt.Errorf("make claims of pod %s: %w", plugins.FullName(pod), err)
		}
	}
	return nil
}

// ClaimsOf makes the ResourceClaims of one of the pods, as the resourceclaim controller does
// (handleClaim of pkg/controller/resourceclaim), and notes them in its status.
func (t Template) ClaimsOf(pod *corev1.Pod) []*resourcev1.ResourceClaim {
	var claims []*resourcev1.ResourceClaim
	for _, use := range pod.Spec.ResourceClaims {
		spec := t.Claims[use.Name]
		if spec == nil {
			continue
		}
		name := pod.Name + "-" + use.Name
		pod.Status.ResourceClaimStatuses = slices.DeleteFunc(pod.Status.ResourceClaimStatuses, func(made corev1.PodResourceClaimStatus) bool { return made.Name == use.Name })
		claims = append(claims, &resourcev1.ResourceClaim{
			ObjectMeta: metav1.ObjectMeta{
				Namespace: pod.Namespace, Name: name, UID: types.UID("to be made: " + name),
				Annotations:     map[string]string{resourcev1.PodResourceClaimAnnotation: use.Name},
				OwnerReferences: []metav1.OwnerReference{{APIVersion: "v1", Kind: "Pod", Name: pod.Name, UID: pod.UID, Controller: new(true)}},
			},
			Spec: *spec.DeepCopy(),
		})
		pod.Status.ResourceClaimStatuses = append(pod.Status.ResourceClaimStatuses, corev1.PodResourceClaimStatus{Name: use.Name, ResourceClaimName: &name})
	}
	return claims
}

// ClaimMadeFrom is the newest ResourceClaim that was made from a ResourceClaimTemplate for a pod;
// nil if there is none. The scheduler is held.
func ClaimMadeFrom(s *scheduler.Scheduler, namespace, template string) *resourcev1.ResourceClaim {
	var newest *resourcev1.ResourceClaim
	for _, pod := range s.State.Pods {
		if pod.Namespace != namespace {
			continue
		}
		for _, use := range pod.Spec.ResourceClaims {
			if use.ResourceClaimTemplateName == nil || *use.ResourceClaimTemplateName != template {
				continue
			}
			if claim := claimOf(s, pod, use); claim != nil && (newest == nil || newer(claim, newest) > 0) {
				newest = claim
			}
		}
	}
	return newest
}

// claimOf is the ResourceClaim that was made for a pod; nil if there is none.
func claimOf(s *scheduler.Scheduler, pod *corev1.Pod, use corev1.PodResourceClaim) *resourcev1.ResourceClaim {
	at := slices.IndexFunc(pod.Status.ResourceClaimStatuses, func(made corev1.PodResourceClaimStatus) bool { return made.Name == use.Name })
	if at < 0 || pod.Status.ResourceClaimStatuses[at].ResourceClaimName == nil {
		return nil
	}
	claim, err := s.Profile(pod).Question(pod).DRA.ResourceClaims().Get(pod.Namespace, *pod.Status.ResourceClaimStatuses[at].ResourceClaimName)
	if err != nil || resourceclaim.IsForPod(pod, claim, false) != nil {
		return nil
	}
	return claim
}

// newer compares when two claims were created.
func newer(a, b *resourcev1.ResourceClaim) int {
	return cmp.Or(a.CreationTimestamp.Compare(b.CreationTimestamp.Time), cmp.Compare(a.Name, b.Name))
}
