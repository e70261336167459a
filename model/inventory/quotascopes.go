package inventory

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/selection"

	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// counted are the pods that a quota counts: those in all of its scopes.
func counted(spec *corev1.ResourceQuotaSpec, pods []*model.Pod) []*model.Pod {
	terms := termsOf(spec)
	if len(terms) == 0 {
		return pods
	}
	var found []*model.Pod
	for _, pod := range pods {
		if !slices.ContainsFunc(terms, func(t corev1.ScopedResourceSelectorRequirement) bool { return !inScope(pod, t) }) {
			found = append(found, pod)
		}
	}
	return found
}

// termsOf are the scopes of a quota, each as a term of a scope selector.
func termsOf(spec *corev1.ResourceQuotaSpec) []corev1.ScopedResourceSelectorRequirement {
	var terms []corev1.ScopedResourceSelectorRequirement
	for _, scope := range spec.Scopes {
		terms = append(terms, corev1.ScopedResourceSelectorRequirement{ScopeName: scope, Operator: corev1.ScopeSelectorOpExists})
	}
	if spec.ScopeSelector != nil {
		terms = append(terms, spec.ScopeSelector.MatchExpressions...)
	}
	return terms
}

// inScope reports whether a pod is in a scope (podMatchesScopeFunc in
// pkg/quota/v1/evaluator/core/pods.go).
func inScope(pod *model.Pod, term corev1.ScopedResourceSelectorRequirement) bool {
	spec := &pod.Object.Spec
	ends := spec.ActiveDeadlineSeconds != nil && *spec.ActiveDeadlineSeconds >= 0
	switch term.ScopeName {
	case corev1.ResourceQuotaScopeTerminating:
		return ends
	case corev1.ResourceQuotaScopeNotTerminating:
		return !ends
	case corev1.ResourceQuotaScopeBestEffort:
		return pod.QOS == corev1.PodQOSBestEffort
	case corev1.ResourceQuotaScopeNotBestEffort:
		return pod.QOS != corev1.PodQOSBestEffort
	case corev1.ResourceQuotaScopePriorityClass:
		return ofClass(spec.PriorityClassName, term)
	case corev1.ResourceQuotaScopeCrossNamespacePodAffinity:
		return crossesNamespaces(spec.Affinity)
	}
	return false
}

// ofClass reports whether a PriorityClass is one that a term selects.
func ofClass(class string, term corev1.ScopedResourceSelectorRequirement) bool {
	operator := selection.Operator(strings.ToLower(string(term.Operator)))
	if term.Operator == corev1.ScopeSelectorOpDoesNotExist {
		operator = selection.DoesNotExist
	}
	requirement, err := labels.NewRequirement(string(term.ScopeName), operator, term.Values)
	if err != nil {
		return false
	}
	named := labels.Set{}
	if class != "" {
		named[string(term.ScopeName)] = class
	}
	return requirement.Matches(named)
}

// crossesNamespaces reports whether a term of pod affinity or anti-affinity names other namespaces.
func crossesNamespaces(affinity *corev1.Affinity) bool {
	if affinity == nil {
		return false
	}
	var terms []corev1.PodAffinityTerm
	var weighted []corev1.WeightedPodAffinityTerm
	if of := affinity.PodAffinity; of != nil {
		terms, weighted = append(terms, of.RequiredDuringSchedulingIgnoredDuringExecution...), append(weighted, of.PreferredDuringSchedulingIgnoredDuringExecution...)
	}
	if of := affinity.PodAntiAffinity; of != nil {
		terms, weighted = append(terms, of.RequiredDuringSchedulingIgnoredDuringExecution...), append(weighted, of.PreferredDuringSchedulingIgnoredDuringExecution...)
	}
	for i := range weighted {
		terms = append(terms, weighted[i].PodAffinityTerm)
	}
	return slices.ContainsFunc(terms, func(t corev1.PodAffinityTerm) bool { return len(t.Namespaces) > 0 || t.NamespaceSelector != nil })
}
