package explain

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
)

// withoutMadeClaims is a pod that does not exist, without the ResourceClaims that are made for
// it from templates once it does: what else rejects it holds all the same. It comes with why its
// devices are unknown; nil: it has no such claims.
func withoutMadeClaims(pod *corev1.Pod) (*corev1.Pod, *report.UnknownPart) {
	made := func(use corev1.PodResourceClaim) bool { return use.ResourceClaimTemplateName != nil }
	if !slices.ContainsFunc(pod.Spec.ResourceClaims, made) {
		return pod, nil
	}
	pod = pod.DeepCopy()
	pod.Spec.ResourceClaims = slices.DeleteFunc(pod.Spec.ResourceClaims, made)
	return pod, &report.UnknownPart{
		Resource: "resourceclaims", Why: "its ResourceClaims are made from a template once the pod exists; fit allocates them", Plugins: []string{names.DynamicResources},
	}
}

// leaveOpen notes what was left out of the question: a yes does not count then.
func leaveOpen(x *explanation, part *report.UnknownPart) {
	if part == nil {
		return
	}
	x.report.Unknown = report.MergeUnknown(x.report.Unknown, []report.UnknownPart{*part})
	if x.report.Verdict == report.Schedulable {
		x.report.Verdict, x.report.SchedulerMessage = report.Unknown, ""
	}
}
