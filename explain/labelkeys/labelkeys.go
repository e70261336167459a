// Package labelkeys does as kube-apiserver does with matchLabelKeys and mismatchLabelKeys: it adds what they
// mean for a new pod to the pod's selectors, the only ones that kube-scheduler reads
// (mutatePodAffinity and mutateTopologySpreadConstraints of k8s.io/kubernetes/pkg/registry/core/pod/strategy.go).
package labelkeys

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Merge adds to the selectors of a new pod what the keys mean for its labels.
func Merge(pod *corev1.Pod) {
	for _, s := range selectors(&pod.Spec) {
		s.merge(pod.Labels)
	}
}

// Unmerged is a copy of a pod's spec without what Merge adds: as its template has it. kube-apiserver
// refuses a new pod that says both.
func Unmerged(spec *corev1.PodSpec) *corev1.PodSpec {
	spec = spec.DeepCopy()
	for _, s := range selectors(spec) {
		s.unmerge()
	}
	return spec
}

// Names says whether a selector of a spec is about a label by its key.
func Names(spec *corev1.PodSpec, key string) bool {
	return slices.ContainsFunc(selectors(spec), func(s keyed) bool { return slices.Contains(s.keys, key) })
}

// NotCreated is the value of a label that no pod has yet, such as the hash of a template that nothing was created from.
const NotCreated = "not-created"

// Relabel is a copy of a pod as it is created with another value of a label that it has, in its selectors too.
func Relabel(pod *corev1.Pod, key, value string) *corev1.Pod {
	pod = pod.DeepCopy()
	pod.Labels[key] = value
	for _, s := range selectors(&pod.Spec) {
		for i, r := range s.selector.MatchExpressions {
			if r.Key == key && s.merged(r) {
				s.selector.MatchExpressions[i].Values = []string{value}
			}
		}
	}
	return pod
}

// keyed is a selector with the keys that are merged into it.
type keyed struct {
	selector *metav1.LabelSelector // never nil: no selector matches nothing, whatever the keys
	operator metav1.LabelSelectorOperator
	keys     []string
}

// selectors are those of a spec that have keys.
func selectors(spec *corev1.PodSpec) (all []keyed) {
	add := func(selector *metav1.LabelSelector, operator metav1.LabelSelectorOperator, keys []string) {
		if selector != nil && len(keys) > 0 {
			all = append(all, keyed{selector, operator, keys})
		}
	}
	for i := range spec.TopologySpreadConstraints {
		c := &spec.TopologySpreadConstraints[i]
		add(c.LabelSelector, metav1.LabelSelectorOpIn, c.MatchLabelKeys)
	}
	for _, term := range podTerms(spec.Affinity) {
		add(term.LabelSelector, metav1.LabelSelectorOpIn, term.MatchLabelKeys)
		add(term.LabelSelector, metav1.LabelSelectorOpNotIn, term.MismatchLabelKeys)
	}
	return all
}

// podTerms are the terms of affinity and anti-affinity to pods, required and preferred.
func podTerms(of *corev1.Affinity) (terms []*corev1.PodAffinityTerm) {
	if of == nil {
		return nil
	}
	add := func(required []corev1.PodAffinityTerm, preferred []corev1.WeightedPodAffinityTerm) {
		for i := range required {
			terms = append(terms, &required[i])
		}
		for i := range preferred {
			terms = append(terms, &preferred[i].PodAffinityTerm)
		}
	}
	if a := of.PodAffinity; a != nil {
		add(a.RequiredDuringSchedulingIgnoredDuringExecution, a.PreferredDuringSchedulingIgnoredDuringExecution)
	}
	if a := of.PodAntiAffinity; a != nil {
		add(a.RequiredDuringSchedulingIgnoredDuringExecution, a.PreferredDuringSchedulingIgnoredDuringExecution)
	}
	return terms
}

// merge adds a requirement for each key of which the pod has a label.
func (k keyed) merge(labels map[string]string) {
	for _, key := range k.keys {
		if value, has := labels[key]; has {
			k.selector.MatchExpressions = append(k.selector.MatchExpressions, metav1.LabelSelectorRequirement{Key: key, Operator: k.operator, Values: []string{value}})
		}
	}
}

// unmerge takes out what merge has added.
func (k keyed) unmerge() {
	k.selector.MatchExpressions = slices.DeleteFunc(k.selector.MatchExpressions, k.merged)
	if len(k.selector.MatchExpressions) == 0 {
		k.selector.MatchExpressions = nil
	}
}

// merged says whether merge has added a requirement.
func (k keyed) merged(r metav1.LabelSelectorRequirement) bool {
	return r.Operator == k.operator && len(r.Values) == 1 && slices.Contains(k.keys, r.Key)
}
