package command

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-fathom/kubectl-fathom/explain/fixes/remedy"
)

// unmerged is a copy of a pod's spec without what the API server adds to the
// selectors for matchLabelKeys and mismatchLabelKeys: it refuses a new pod that
// says both.
func unmerged(spec *corev1.PodSpec) *corev1.PodSpec {
	spec = spec.DeepCopy()
	for i := range spec.TopologySpreadConstraints {
		c := &spec.TopologySpreadConstraints[i]
		unmerge(c.LabelSelector, c.MatchLabelKeys, metav1.LabelSelectorOpIn)
	}
	terms := func(required []corev1.PodAffinityTerm, preferred []corev1.WeightedPodAffinityTerm) {
		for i := range required {
			unmergeTerm(&required[i])
		}
		for i := range preferred {
			unmergeTerm(&preferred[i].PodAffinityTerm)
		}
	}
	if spec.Affinity != nil && spec.Affinity.PodAffinity != nil {
		a := spec.Affinity.PodAffinity
		terms(a.RequiredDuringSchedulingIgnoredDuringExecution, a.PreferredDuringSchedulingIgnoredDuringExecution)
	}
	if spec.Affinity != nil && spec.Affinity.PodAntiAffinity != nil {
		a := spec.Affinity.PodAntiAffinity
		terms(a.RequiredDuringSchedulingIgnoredDuringExecution, a.PreferredDuringSchedulingIgnoredDuringExecution)
	}
	return spec
}

func unmergeTerm(term *corev1.PodAffinityTerm) {
	unmerge(term.LabelSelector, term.MatchLabelKeys, metav1.LabelSelectorOpIn)
	unmerge(term.LabelSelector, term.MismatchLabelKeys, metav1.LabelSelectorOpNotIn)
}

func unmerge(selector *metav1.LabelSelector, keys []string, operator metav1.LabelSelectorOperator) {
	if selector == nil || len(keys) == 0 {
		return
	}
	selector.MatchExpressions = slices.DeleteFunc(selector.MatchExpressions, func(r metav1.LabelSelectorRequirement) bool {
		return r.Operator == operator && len(r.Values) == 1 && slices.Contains(keys, r.Key)
	})
	if len(selector.MatchExpressions) == 0 {
		selector.MatchExpressions = nil
	}
}

// partOf is the part of a spec that a step changes or takes out; nil where the
// spec does not have it, and for what is added.
func partOf(spec *corev1.PodSpec, step remedy.Step) any {
	switch r := step.(type) {
	case remedy.LowerRequest:
		if r.Pod {
			return spec.Resources != nil
		}
		return hasContainer(spec, r.Container, r.Init)
	case remedy.SetResources:
		return hasContainer(spec, r.Container, r.Init)
	case remedy.SetRequests:
		return !slices.ContainsFunc(r.Of, func(of remedy.LowerRequest) bool { return partOf(spec, of) != true })
	case remedy.DropSelector:
		return spec.NodeSelector[r.Key] == r.Value
	case remedy.SetSelector:
		return spec.NodeSelector[r.Key] == r.Values[0]
	case remedy.SetScheduler:
		return spec.SchedulerName
	case remedy.DropExpression:
		return at(requiredNodes(spec), r.Term)
	case remedy.DropPodTerm:
		return at(requiredPods(spec, r.Anti), r.Index)
	case remedy.LoosenSpread:
		return at(spec.TopologySpreadConstraints, r.Index)
	case remedy.DropHostPort:
		for _, c := range spec.Containers {
			if c.Name == r.Container {
				return at(c.Ports, r.Index)
			}
		}
	}
	return nil
}

// hasContainer reports whether a spec has a container, or init container, of that name.
func hasContainer(spec *corev1.PodSpec, name string, init bool) bool {
	containers := spec.Containers
	if init {
		containers = spec.InitContainers
	}
	return slices.ContainsFunc(containers, func(c corev1.Container) bool { return c.Name == name })
}

// requiredNodes are the terms of the required node affinity.
func requiredNodes(spec *corev1.PodSpec) []corev1.NodeSelectorTerm {
	a := spec.Affinity
	if a == nil || a.NodeAffinity == nil || a.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution == nil {
		return nil
	}
	return a.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution.NodeSelectorTerms
}

// requiredPods are the required terms about other pods.
func requiredPods(spec *corev1.PodSpec, anti bool) []corev1.PodAffinityTerm {
	switch a := spec.Affinity; {
	case a != nil && anti && a.PodAntiAffinity != nil:
		return a.PodAntiAffinity.RequiredDuringSchedulingIgnoredDuringExecution
	case a != nil && !anti && a.PodAffinity != nil:
		return a.PodAffinity.RequiredDuringSchedulingIgnoredDuringExecution
	}
	return nil
}

// at is an item of a list; nil past its end.
func at[T any](items []T, i int) any {
	if i >= len(items) {
		return nil
	}
	return items[i]
}
