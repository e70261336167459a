package recount

import (
	"fmt"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
)

// podAffinity refuses nodes that are too far from the pods that pod wants to
// be near, too near to those that it wants to be away from, and too near to
// those that want to be away from it.
func (s *State) podAffinity(pod *corev1.Pod, node *corev1.Node) *Rejection {
	r := &Rejection{Plugin: "InterPodAffinity"}
	s.addLonely(r, pod, node)
	for _, term := range antiAffinity(pod) {
		var there []*corev1.Pod
		for _, other := range s.near(node, term.TopologyKey) {
			if s.matches(pod, term, other) {
				there = append(there, other)
			}
		}
		r.addPods(term, there)
	}
	hostile, terms := map[string][]*corev1.Pod{}, map[string]corev1.PodAffinityTerm{}
	for i := range s.Nodes {
		for _, other := range s.byNode[s.Nodes[i].Name] {
			for _, term := range antiAffinity(other) {
				if sameDomain(node, &s.Nodes[i], term.TopologyKey) && s.matches(other, term, pod) {
					meaning := s.meaning(other, term)
					hostile[meaning], terms[meaning] = append(hostile[meaning], other), term
				}
			}
		}
	}
	for meaning, others := range hostile {
		r.addPods(terms[meaning], others)
	}
	if r.Names == nil {
		return nil
	}
	return r
}

// addPods tells of the pods that a term is about, if there are any.
func (r *Rejection) addPods(term corev1.PodAffinityTerm, pods []*corev1.Pod) {
	if len(pods) == 0 {
		return
	}
	r.Names = append(r.Names, term.TopologyKey)
	r.Figures = append(r.Figures, count(len(pods)))
	r.addValues(term)
	for _, pod := range pods {
		r.Names = append(r.Names, full(pod))
	}
}

// addValues notes the values of the term's selectors.
func (r *Rejection) addValues(term corev1.PodAffinityTerm) {
	for _, selector := range []*metav1.LabelSelector{term.LabelSelector, term.NamespaceSelector} {
		if selector == nil {
			continue
		}
		r.Words = slices.AppendSeq(r.Words, maps.Values(selector.MatchLabels))
		for _, e := range selector.MatchExpressions {
			r.Words = append(r.Words, e.Values...)
		}
	}
}

// meaning is the same for terms that mean the same pods.
func (s *State) meaning(owner *corev1.Pod, term corev1.PodAffinityTerm) string {
	namespaces := slices.Sorted(slices.Values(term.Namespaces))
	if len(namespaces) == 0 && term.NamespaceSelector == nil {
		namespaces = []string{owner.Namespace}
	}
	return fmt.Sprint(term.TopologyKey, selectorOf(term.LabelSelector), namespaces, selectorOf(term.NamespaceSelector))
}

// addLonely tells of the topologies of the node where the pod would miss its
// company, and how many pods would be some elsewhere. A pod that nobody matches,
// and that matches itself, may be the first.
func (s *State) addLonely(r *Rejection, pod *corev1.Pod, node *corev1.Node) {
	terms := affinity(pod)
	anywhere := false
	elsewhere := map[string]int{}
	for i := range s.Nodes {
		for _, other := range s.byNode[s.Nodes[i].Name] {
			if !s.matchesAll(pod, terms, other) {
				continue
			}
			for _, term := range terms {
				if _, ok := s.Nodes[i].Labels[term.TopologyKey]; ok {
					anywhere = true
					elsewhere[term.TopologyKey]++
				}
			}
		}
	}
	first := !anywhere && s.matchesAll(pod, terms, pod)
	unselected := outside(s, pod, terms)
	for _, term := range terms {
		if _, ok := node.Labels[term.TopologyKey]; !ok {
			r.Names = append(r.Names, term.TopologyKey)
			continue
		}
		company := slices.ContainsFunc(s.near(node, term.TopologyKey), func(other *corev1.Pod) bool { return s.matchesAll(pod, terms, other) })
		if company || first {
			continue
		}
		r.Names = append(r.Names, term.TopologyKey, node.Labels[term.TopologyKey])
		r.addValues(term)
		if elsewhere[term.TopologyKey] > 0 {
			r.Figures = append(r.Figures, count(elsewhere[term.TopologyKey]))
		}
		if unselected > 0 {
			r.Figures = append(r.Figures, count(unselected))
			for _, namespace := range s.namespaces { // of which a label may be told that is not the wanted one
				r.Words = slices.AppendSeq(r.Words, maps.Values(namespace))
			}
		}
	}
}

// outside counts the pods on nodes that the terms mean but for their namespaces, where they mean none.
func outside(s *State, pod *corev1.Pod, terms []corev1.PodAffinityTerm) (pods int) {
	for i := range s.Nodes {
		for _, other := range s.byNode[s.Nodes[i].Name] {
			if s.matchesAll(pod, terms, other) {
				return 0
			}
			if !slices.ContainsFunc(terms, func(term corev1.PodAffinityTerm) bool {
				return !selectorOf(term.LabelSelector).Matches(labels.Set(other.Labels))
			}) {
				pods++
			}
		}
	}
	return pods
}

// near are the pods in the node's domain of a topology.
func (s *State) near(node *corev1.Node, key string) []*corev1.Pod {
	var pods []*corev1.Pod
	for i := range s.Nodes {
		if sameDomain(node, &s.Nodes[i], key) {
			pods = append(pods, s.byNode[s.Nodes[i].Name]...)
		}
	}
	return pods
}

// sameDomain tells whether two nodes have the label and the same value of it.
func sameDomain(a, b *corev1.Node, key string) bool {
	first, ok := a.Labels[key]
	second, also := b.Labels[key]
	return ok && also && first == second
}

// matchesAll tells whether every term of owner means other.
func (s *State) matchesAll(owner *corev1.Pod, terms []corev1.PodAffinityTerm, other *corev1.Pod) bool {
	return !slices.ContainsFunc(terms, func(t corev1.PodAffinityTerm) bool { return !s.matches(owner, t, other) })
}

// matches tells whether a term of owner means other. The API server has merged
// matchLabelKeys into the selector when the pod was created.
func (s *State) matches(owner *corev1.Pod, term corev1.PodAffinityTerm, other *corev1.Pod) bool {
	namespaces := term.Namespaces
	if len(namespaces) == 0 && term.NamespaceSelector == nil {
		namespaces = []string{owner.Namespace}
	}
	named := slices.Contains(namespaces, other.Namespace)
	selected := term.NamespaceSelector != nil && selectorOf(term.NamespaceSelector).Matches(labels.Set(s.namespaces[other.Namespace]))
	return (named || selected) && selectorOf(term.LabelSelector).Matches(labels.Set(other.Labels))
}

// affinity are the required terms.
func affinity(pod *corev1.Pod) []corev1.PodAffinityTerm {
	if pod.Spec.Affinity == nil || pod.Spec.Affinity.PodAffinity == nil {
		return nil
	}
	return pod.Spec.Affinity.PodAffinity.RequiredDuringSchedulingIgnoredDuringExecution
}

// antiAffinity are the required terms.
func antiAffinity(pod *corev1.Pod) []corev1.PodAffinityTerm {
	if pod.Spec.Affinity == nil || pod.Spec.Affinity.PodAntiAffinity == nil {
		return nil
	}
	return pod.Spec.Affinity.PodAntiAffinity.RequiredDuringSchedulingIgnoredDuringExecution
}
