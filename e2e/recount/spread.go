package recount

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
)

// spread refuses nodes whose domain would hold too many of the pods that a
// constraint counts.
func (s *State) spread(pod *corev1.Pod, node *corev1.Node) *Rejection {
	r := &Rejection{Plugin: "PodTopologySpread"}
	for _, constraint := range pod.Spec.TopologySpreadConstraints {
		if constraint.WhenUnsatisfiable != corev1.DoNotSchedule {
			continue
		}
		s.addSkew(r, pod, node, constraint)
	}
	if r.Names == nil {
		return nil
	}
	return r
}

// addSkew tells the figures of one constraint, if the node breaks it.
func (s *State) addSkew(r *Rejection, pod *corev1.Pod, node *corev1.Node, constraint corev1.TopologySpreadConstraint) {
	domain, ok := node.Labels[constraint.TopologyKey]
	if !ok {
		r.Names = append(r.Names, constraint.TopologyKey)
		return
	}
	selector := spreadSelector(pod, constraint)
	counts := s.counts(pod, constraint, selector)
	fewest := -1
	for _, count := range counts {
		if fewest < 0 || count < fewest {
			fewest = count
		}
	}
	var domains []resource.Quantity
	if constraint.MinDomains != nil && len(counts) < int(*constraint.MinDomains) {
		fewest = 0
		domains = append(domains, count(len(counts)), count(int(*constraint.MinDomains)))
	}
	self := 0
	if selector.Matches(labels.Set(pod.Labels)) {
		self = 1
	}
	skew := counts[domain] + self - fewest
	if fewest < 0 || skew <= int(constraint.MaxSkew) {
		return
	}
	r.Names = append(r.Names, constraint.TopologyKey, domain)
	r.Also = append(r.Also, domains...)
	for _, key := range constraint.MatchLabelKeys {
		r.Words = append(r.Words, pod.Labels[key])
	}
	for _, figure := range []int{counts[domain], fewest, skew, int(constraint.MaxSkew)} {
		r.Figures = append(r.Figures, count(figure))
	}
}

// counts are how many pods each domain holds, over the nodes that count.
func (s *State) counts(pod *corev1.Pod, constraint corev1.TopologySpreadConstraint, selector labels.Selector) map[string]int {
	counts := map[string]int{}
	for i := range s.Nodes {
		node := &s.Nodes[i]
		if !s.included(pod, node, constraint) {
			continue
		}
		domain := node.Labels[constraint.TopologyKey]
		counts[domain] += 0 // a domain without pods counts too
		for _, other := range s.byNode[node.Name] {
			if other.Namespace == pod.Namespace && other.DeletionTimestamp == nil && selector.Matches(labels.Set(other.Labels)) {
				counts[domain]++
			}
		}
	}
	return counts
}

// included tells whether a node's pods and domain count for a constraint.
func (s *State) included(pod *corev1.Pod, node *corev1.Node, constraint corev1.TopologySpreadConstraint) bool {
	for _, each := range pod.Spec.TopologySpreadConstraints {
		if _, ok := node.Labels[each.TopologyKey]; !ok && each.WhenUnsatisfiable == corev1.DoNotSchedule {
			return false
		}
	}
	ignoresAffinity := constraint.NodeAffinityPolicy != nil && *constraint.NodeAffinityPolicy == corev1.NodeInclusionPolicyIgnore
	honorsTaints := constraint.NodeTaintsPolicy != nil && *constraint.NodeTaintsPolicy == corev1.NodeInclusionPolicyHonor
	return (ignoresAffinity || s.nodeAffinity(pod, node) == nil) && (!honorsTaints || s.taints(pod, node) == nil)
}

// spreadSelector is whom a constraint counts, its matchLabelKeys included.
func spreadSelector(pod *corev1.Pod, constraint corev1.TopologySpreadConstraint) labels.Selector {
	selector := constraint.LabelSelector.DeepCopy()
	for _, key := range constraint.MatchLabelKeys {
		value, ok := pod.Labels[key]
		if ok && selector != nil {
			selector.MatchExpressions = append(selector.MatchExpressions, metav1.LabelSelectorRequirement{
				Key: key, Operator: metav1.LabelSelectorOpIn, Values: []string{value},
			})
		}
	}
	return selectorOf(selector)
}

// selectorOf reads a label selector that the API server has accepted.
func selectorOf(selector *metav1.LabelSelector) labels.Selector {
	read, err := metav1.LabelSelectorAsSelector(selector)
	if err != nil {
		panic(err) // the API server accepts none of those
	}
	return read
}
