package recount

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
)

// podAffinity refuses nodes that are too far from the pods that pod wants to
// be near, too near to those that it wants to be away from, and too near to
// those that want to be away from it.
func (s *State) podAffinity(pod *corev1.Pod, node *corev1.Node) *Refusal {
	r := &Refusal{Plugin: "InterPodAffinity"}
	r.Names = append(r.Names, s.lonely(pod, node)...)
	for _, term := range antiAffinity(pod) {
		for _, other := range s.near(node, term.TopologyKey) {
			if s.matches(pod, term, other) {
				r.Names = append(r.Names, term.TopologyKey, other.Namespace+"/"+other.Name)
			}
		}
	}
	for i := range s.Nodes {
		for _, other := range s.byNode[s.Nodes[i].Name] {
			for _, term := range antiAffinity(other) {
				if sameDomain(node, &s.Nodes[i], term.TopologyKey) && s.matches(other, term, pod) {
					r.Names = append(r.Names, term.TopologyKey, other.Namespace+"/"+other.Name)
				}
			}
		}
	}
	if r.Names == nil {
		return nil
	}
	return r
}

// lonely names the topologies of the node where the pod would miss its company.
// A pod that nobody matches, and that matches itself, may be the first.
func (s *State) lonely(pod *corev1.Pod, node *corev1.Node) []string {
	terms := affinity(pod)
	if len(terms) == 0 {
		return nil
	}
	var missing, without []string
	anywhere := false
	for i := range s.Nodes {
		for _, other := range s.byNode[s.Nodes[i].Name] {
			all := s.matchesAll(pod, terms, other)
			anywhere = anywhere || all && slices.ContainsFunc(terms, func(t corev1.PodAffinityTerm) bool {
				_, ok := s.Nodes[i].Labels[t.TopologyKey]
				return ok
			})
		}
	}
	for _, term := range terms {
		if _, ok := node.Labels[term.TopologyKey]; !ok {
			missing = append(missing, term.TopologyKey)
			continue
		}
		company := slices.ContainsFunc(s.near(node, term.TopologyKey), func(other *corev1.Pod) bool { return s.matchesAll(pod, terms, other) })
		if !company {
			without = append(without, term.TopologyKey, node.Labels[term.TopologyKey])
		}
	}
	if len(missing) == 0 && !anywhere && s.matchesAll(pod, terms, pod) {
		return nil
	}
	return append(missing, without...)
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
