package recount

import (
	"slices"
	"strconv"

	corev1 "k8s.io/api/core/v1"
)

// nodeAffinity refuses nodes without a label of the nodeSelector, and nodes
// that no term of the required affinity matches.
func (s *State) nodeAffinity(pod *corev1.Pod, node *corev1.Node) *Rejection {
	r := &Rejection{Plugin: "NodeAffinity"}
	for key, value := range pod.Spec.NodeSelector {
		if had, ok := node.Labels[key]; !ok || had != value {
			r.Names = append(r.Names, key, value, had)
		}
	}
	missed, terms := missedTerms(pod, node)
	r.Names = append(r.Names, missed...)
	for i := range terms { // they are told by their numbers
		r.Also = append(r.Also, count(i+1))
	}
	if r.Names == nil {
		return nil
	}
	return r
}

// missedTerms names what each term misses, unless one matches, and counts them.
func missedTerms(pod *corev1.Pod, node *corev1.Node) (names []string, terms int) {
	affinity := pod.Spec.Affinity
	if affinity == nil || affinity.NodeAffinity == nil || affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution == nil {
		return nil, 0
	}
	all := affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution.NodeSelectorTerms
	for _, term := range all {
		missed := missedRequirements(term, node)
		if missed == nil {
			return nil, 0
		}
		names = append(names, missed...)
	}
	return names, len(all)
}

// missedRequirements names what a term misses: the key, the values, and what
// the node has instead.
func missedRequirements(term corev1.NodeSelectorTerm, node *corev1.Node) []string {
	var names []string
	for _, wanted := range term.MatchExpressions {
		had, ok := node.Labels[wanted.Key]
		if !satisfied(wanted, had, ok) {
			names = append(append(names, wanted.Key, had), wanted.Values...)
		}
	}
	for _, wanted := range term.MatchFields {
		if !satisfied(wanted, node.Name, true) {
			names = append(names, wanted.Values...)
		}
	}
	return names
}

// satisfied tells whether a value satisfies a requirement.
func satisfied(wanted corev1.NodeSelectorRequirement, had string, ok bool) bool {
	switch wanted.Operator {
	case corev1.NodeSelectorOpIn:
		return ok && slices.Contains(wanted.Values, had)
	case corev1.NodeSelectorOpNotIn:
		return !ok || !slices.Contains(wanted.Values, had)
	case corev1.NodeSelectorOpExists:
		return ok
	case corev1.NodeSelectorOpDoesNotExist:
		return !ok
	}
	number, err := strconv.Atoi(had)
	limit, limitErr := strconv.Atoi(wanted.Values[0])
	if err != nil || limitErr != nil {
		return false
	}
	if wanted.Operator == corev1.NodeSelectorOpGt {
		return number > limit
	}
	return number < limit
}
