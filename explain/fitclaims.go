package explain

import (
	"context"
	"errors"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/kubernetes/pkg/features"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"

	"github.com/kubectl-fathom/kubectl-fathom/explain/placement"
	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
)

// fitTemplate is what the pods of a Fit are made from.
type fitTemplate struct {
	placement.Template
	devices bool                 // they have ResourceClaims
	unknown []report.UnknownPart // why some of their devices or volumes are not simulated; empty: all are
	caveats []string
	// unplaced are volumes that were left out of the pod: where they would be is not known. Quotas count their claims.
	unplaced []corev1.Volume
}

// newFitTemplate finds what the claims of so many pods equal to one are made from. A claim of
// which that is not known is left out of the pod, for what else may reject it.
func newFitTemplate(ctx context.Context, e *Engine, pod *corev1.Pod, replicas int) (*fitTemplate, error) {
	t := &fitTemplate{devices: len(pod.Spec.ResourceClaims) > 0, Template: placement.Template{Pod: pod.DeepCopy(), Claims: map[string]*resourcev1.ResourceClaimSpec{}}}
	t.Pod.Spec.ResourceClaims = nil
	for _, use := range pod.Spec.ResourceClaims {
		if use.ResourceClaimTemplateName != nil {
			spec, err := t.specOf(ctx, e, *use.ResourceClaimTemplateName)
			if err != nil {
				return nil, fmt.Errorf("fit pods like %s/%s: %w", pod.Namespace, pod.Name, err)
			}
			if spec == nil {
				continue
			}
			t.Claims[use.Name] = spec
		}
		t.Pod.Spec.ResourceClaims = append(t.Pod.Spec.ResourceClaims, use)
	}
	if err := e.scheduler.Hold(ctx, nil, func() error { t.readVolumes(e, replicas); return nil }); err != nil {
		return nil, err
	}
	if replicas < 2 || len(t.Pod.Spec.ResourceClaims) == 0 {
		return t, nil
	}
	return t, t.countNodeResources(ctx, e)
}

// specOf is what ResourceClaims are made from by a ResourceClaimTemplate: its spec, or where
// that could not be read, the spec of a ResourceClaim that was made from it; nil where there is
// none either.
func (t *fitTemplate) specOf(ctx context.Context, e *Engine, template string) (*resourcev1.ResourceClaimSpec, error) {
	namespace := t.Pod.Namespace
	name := "ResourceClaimTemplate " + namespace + "/" + template
	if t.Pod.Spec.SchedulingGroup != nil { // a claim may be its PodGroup's, which has one for all its pods
		t.leaveOpen(claimTemplates, names.DynamicResources, "its ResourceClaims are made from "+name+", which is not simulated for pods of a PodGroup")
		return nil, nil
	}
	spec, err := e.scheduler.ClaimTemplate(ctx, namespace, template)
	if err == nil || ctx.Err() != nil {
		return spec, err
	}
	why := unreadTemplate(err)
	err = e.scheduler.Hold(ctx, nil, func() error {
		made := placement.ClaimMadeFrom(e.scheduler, namespace, template)
		if made == nil {
			t.leaveOpen(claimTemplates, names.DynamicResources, "its ResourceClaims are made from "+name+", which "+why)
			return nil
		}
		spec = made.Spec.DeepCopy()
		t.caveats = append(t.caveats, fmt.Sprintf("%s %s: the ResourceClaims are simulated like %s/%s, which was made from it", name, why, namespace, made.Name))
		return nil
	})
	return spec, err
}

// unreadTemplate says why a ResourceClaimTemplate was not read.
func unreadTemplate(err error) string {
	switch {
	case apierrors.IsNotFound(err):
		return "was not found"
	case apierrors.IsForbidden(err):
		return "cannot be read (not allowed to get resourceclaimtemplates)"
	}
	if status, ok := errors.AsType[*apierrors.StatusError](err); ok && status.ErrStatus.Message != "" {
		return "cannot be read (" + status.ErrStatus.Message + ")"
	}
	return "cannot be read (" + err.Error() + ")"
}

// countNodeResources leaves open how many pods fit where devices take cpu or memory of their
// nodes: what a pod has of those is known only once it is bound.
func (t *fitTemplate) countNodeResources(ctx context.Context, e *Engine) error {
	if !utilfeature.DefaultFeatureGate.Enabled(features.DRANodeAllocatableResources) {
		return nil
	}
	return e.scheduler.Hold(ctx, nil, func() error {
		all, err := e.scheduler.Profile(t.Pod).Question(t.Pod).DRA.ResourceSlices().ListWithDeviceTaintRules()
		takes := func(device resourcev1.Device) bool { return len(device.NodeAllocatableResources) > 0 }
		if slices.ContainsFunc(all, func(s *resourcev1.ResourceSlice) bool { return slices.ContainsFunc(s.Spec.Devices, takes) }) {
			t.leaveOpen(claimTemplates, names.DynamicResources, "devices that take cpu or memory of their nodes are not simulated")
		}
		return err
	})
}

// claimTemplates are the resource that ResourceClaims of pods are made from.
const claimTemplates = "resourceclaimtemplates"

// leaveOpen notes why devices or volumes are not simulated, and which plugin would look at them.
func (t *fitTemplate) leaveOpen(resource, plugin, why string) {
	t.unknown = report.MergeUnknown(t.unknown, []report.UnknownPart{{Resource: resource, Why: why, Plugins: []string{plugin}}})
}
