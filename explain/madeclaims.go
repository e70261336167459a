package explain

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/component-helpers/storage/ephemeral"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"

	"github.com/kubectl-fathom/kubectl-fathom/explain/plugins"
	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
)

// withoutMadeClaims is a pod that does not exist, without the claims that are made for it from
// templates once it does: what else rejects it holds all the same. It comes with why its devices
// and volumes are unknown; none: it has no such claims.
func withoutMadeClaims(l plugins.Listers, pod *corev1.Pod) (bare *corev1.Pod, open []report.UnknownPart) {
	made := func(use corev1.PodResourceClaim) bool { return use.ResourceClaimTemplateName != nil }
	unmade := func(volume corev1.Volume) bool {
		if volume.Ephemeral == nil || volume.Ephemeral.VolumeClaimTemplate == nil {
			return false
		}
		_, err := l.Claim(pod.Namespace, ephemeral.VolumeClaimName(pod, &volume))
		return err != nil // one of another pod is in the way
	}
	bare = pod
	if slices.ContainsFunc(pod.Spec.ResourceClaims, made) {
		bare = bare.DeepCopy()
		bare.Spec.ResourceClaims = slices.DeleteFunc(bare.Spec.ResourceClaims, made)
		open = append(open, report.UnknownPart{
			Resource: "resourceclaims", Why: "its ResourceClaims are made from a template once the pod exists; fit allocates them", Plugins: []string{names.DynamicResources},
		})
	}
	if slices.ContainsFunc(pod.Spec.Volumes, unmade) {
		bare = bare.DeepCopy()
		bare.Spec.Volumes = slices.DeleteFunc(bare.Spec.Volumes, unmade)
		open = append(open, report.UnknownPart{
			Resource: "persistentvolumeclaims", Why: "the claims of its ephemeral volumes are made once the pod exists; fit simulates them", Plugins: []string{names.VolumeBinding},
		})
	}
	return bare, open
}

// leaveOpen notes what was left out of the question: a yes does not count then.
func leaveOpen(x *explanation, open []report.UnknownPart) {
	if len(open) == 0 {
		return
	}
	x.report.Unknown = report.MergeUnknown(x.report.Unknown, open)
	if x.report.Verdict == report.Schedulable {
		x.report.Verdict, x.report.SchedulerMessage = report.Unknown, ""
	}
}

// onlyIfNone leaves open how many replicas fit that were placed without what was left out of them.
func onlyIfNone(r *report.Replicas, open []report.UnknownPart) *report.Replicas {
	if r != nil && len(open) > 0 && r.Placed > 0 {
		r.Fit, r.Placed, r.Why = nil, 0, open[0].Why
	}
	return r
}
