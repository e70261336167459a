package explain

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"
)

// option is a way round one plugin's refusal: all of its steps together.
type option []remedy

// remediesOf has, by plugin, what could make it take the pod on some of the
// nodes that it refuses for one reason, nearest first. What it returns are
// guesses: only what the plugins accept on a copy is told. Plugins without an
// entry refuse for things that neither the pod nor a node can be changed about.
var remediesOf = map[string]func(q *question, rs []refused) []option{
	names.NodeUnschedulable: uncordons,
	names.TaintToleration:   taintRemedies,
	names.NodeAffinity:      affinityRemedies,
	names.NodePorts:         portRemedies,
	names.NodeResourcesFit:  fitRemedies,
	names.PodTopologySpread: spreadRemedies,
	names.InterPodAffinity:  neighbourRemedies,
	names.VolumeBinding:     claimRemedies,
	names.VolumeZone:        zoneRemedies,
}

// beforeNodes are the plugins whose refusal before any node is looked at can be
// helped: it is about claims.
var beforeNodes = sets.New(names.VolumeBinding, names.VolumeZone)

const (
	nearNodes  = 3 // of a group are tried one by one
	groupNodes = 8 // that lose a taint together; of larger groups the nearest alone
)

func uncordons(_ *question, rs []refused) []option {
	var options []option
	for _, r := range rs[:min(len(rs), nearNodes)] {
		options = append(options, option{uncordon{r.name()}})
	}
	return options
}

// taintRemedies tolerate or remove up to two taints. Taints that repeat what is
// wrong with a node are left alone: tolerating them would not make it right.
func taintRemedies(q *question, rs []refused) []option {
	var tolerates, untaints option
	for _, taint := range untolerated(q, rs[0]) {
		switch _, state := conditionTaints[taint.Key]; {
		case taint.Key == corev1.TaintNodeUnschedulable && rs[0].node.Node().Spec.Unschedulable:
			continue // an uncordon takes it away
		case state && taint.Key != corev1.TaintNodeUnschedulable:
			return nil
		}
		tolerates = append(tolerates, tolerate{taint})
		untaints = append(untaints, untaint{taint, taintedNodes(rs)})
	}
	if len(tolerates) == 0 {
		return []option{nil} // nothing to do but what the cordon asks for
	}
	return []option{tolerates, untaints}
}

// taintedNodes are the nodes of a group that would lose a taint.
func taintedNodes(rs []refused) []string {
	if len(rs) > groupNodes {
		rs = rs[:1]
	}
	var nodes []string
	for _, r := range rs {
		nodes = append(nodes, r.name())
	}
	slices.Sort(nodes)
	return nodes
}

// affinityRemedies drop what the nodes do not have, or label the nearest node
// that has no such label.
func affinityRemedies(q *question, rs []refused) []option {
	if rs[0].node == nil {
		return nil
	}
	u := unmetOf(q, rs[0])
	if u.added { // nobody can drop it from the pod
		if one, ok := u.single(); ok {
			return labelled(one, q.pod, rs)
		}
		return nil
	}
	var drops option
	for _, pair := range u.pairs {
		drops = append(drops, dropSelector{pair.key, pair.value})
	}
	var options []option
	if len(u.terms) == 0 {
		options = append(options, drops)
	}
	for i, missing := range u.terms {
		if dropped := dropTerm(q.pod, i, missing); len(dropped) > 0 {
			options = append(options, slices.Concat(drops, dropped))
		}
	}
	if one, ok := u.single(); ok {
		options = append(options, labelled(one, q.pod, rs)...)
	}
	return options
}

// dropTerm drops what a node misses of one term, if that is one requirement.
func dropTerm(pod *corev1.Pod, term int, missing []want) option {
	terms := pod.Spec.Affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution.NodeSelectorTerms
	if len(missing) != 1 || missing[0].field { // a node's name is asked for by who pins the pod to it
		return nil
	}
	drop := dropExpression{term: term, words: missing[0].text}
	drop.expression = slices.IndexFunc(terms[term].MatchExpressions, func(r corev1.NodeSelectorRequirement) bool { return requirementText(r) == drop.words })
	if drop.expression < 0 {
		return nil
	}
	drop.lastOfTerm = len(terms[term].MatchExpressions)+len(terms[term].MatchFields) == 1
	drop.last = drop.lastOfTerm && len(terms) == 1
	if drop.lastOfTerm && !drop.last {
		return nil // without this term the others still stand, which no node satisfies
	}
	return option{drop}
}

// labelled gives the nearest node without the label what the pod wants there.
// Labels of Kubernetes' own say what is so, and are not for anybody to set.
func labelled(one want, pod *corev1.Pod, rs []refused) []option {
	domain, _, _ := strings.Cut(one.key, "/")
	if one.field || domain == "kubernetes.io" || domain == "k8s.io" || strings.HasSuffix(domain, ".kubernetes.io") || strings.HasSuffix(domain, ".k8s.io") {
		return nil
	}
	value, ok := one.wanted(pod)
	if !ok {
		return nil
	}
	for _, r := range rs {
		if _, has := r.node.Node().Labels[one.key]; !has {
			return []option{{labelNode{r.name(), one.key, value}}}
		}
	}
	return nil
}

// wanted is a value of the label that would satisfy w.
func (w want) wanted(pod *corev1.Pod) (string, bool) {
	if w.match == nil {
		return w.value, w.invalid == ""
	}
	for _, term := range pod.Spec.Affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution.NodeSelectorTerms {
		for _, r := range term.MatchExpressions {
			switch {
			case requirementText(r) != w.text:
			case r.Operator == corev1.NodeSelectorOpIn && len(r.Values) > 0:
				return r.Values[0], true
			case r.Operator == corev1.NodeSelectorOpExists:
				return "true", true
			}
		}
	}
	return "", false
}

// portRemedies evict who holds the ports, or do without them.
func portRemedies(q *question, rs []refused) []option {
	var options []option
	for _, r := range rs[:min(len(rs), nearNodes)] {
		var victims []*corev1.Pod
		for _, port := range takenPorts(q.pod, r.node) {
			for _, holder := range holders(r.node, port) {
				if !slices.Contains(victims, holder.pod) {
					victims = append(victims, holder.pod)
				}
			}
		}
		options = append(options, evictions(victims)...)
	}
	var drops option
	for _, port := range takenPorts(q.pod, rs[0].node) {
		drops = append(drops, hostPortOf(q.pod, port)...)
	}
	return append(options, drops)
}

// hostPortOf finds the container that asks for the port.
func hostPortOf(pod *corev1.Pod, port corev1.ContainerPort) (found option) {
	if pod.Spec.HostNetwork {
		return nil // a port of the host's network is a host port, or the manifest is not valid
	}
	for _, container := range pod.Spec.Containers {
		for i, own := range container.Ports {
			if portText(own) == portText(port) && own.HostPort > 0 {
				found = append(found, dropHostPort{container.Name, i, own.HostPort, own.Protocol})
			}
		}
	}
	return found
}

// evictions are the eviction of some pods, if each of them may be evicted.
func evictions(victims []*corev1.Pod) []option {
	if len(victims) == 0 || len(victims) > 2 || slices.ContainsFunc(victims, func(p *corev1.Pod) bool { return !evictable(p) }) {
		return nil
	}
	return []option{{evict{victims}}}
}

// spreadRemedies allow the skew that the nearest node has, or only prefer.
func spreadRemedies(q *question, rs []refused) []option {
	nearest := slices.MinFunc(rs, func(a, b refused) int { return worstSkew(q, a) - worstSkew(q, b) })
	var looser, preferred option
	for _, s := range skews(q, nearest) {
		index := slices.IndexFunc(q.pod.Spec.TopologySpreadConstraints, func(c corev1.TopologySpreadConstraint) bool {
			return c.WhenUnsatisfiable == corev1.DoNotSchedule && c.TopologyKey == s.key && int(c.MaxSkew) == s.maxSkew
		})
		if index < 0 {
			return nil // a constraint of the profile's, which the pod cannot change
		}
		looser = append(looser, loosenSpread{index, s.key, [2]int32{int32(s.maxSkew), int32(s.skew)}})
		preferred = append(preferred, loosenSpread{index, s.key, [2]int32{int32(s.maxSkew), 0}})
	}
	if worstSkew(q, nearest) == noDomain {
		return []option{preferred}
	}
	return []option{looser, preferred}
}

// noDomain stands for the skew of a node without the constraint's label.
const noDomain = 1 << 30

func worstSkew(q *question, r refused) int {
	worst := 0
	for _, s := range skews(q, r) {
		if s.missing {
			return noDomain
		}
		worst = max(worst, s.skew-s.maxSkew)
	}
	return worst
}

// neighbourRemedies drop the pod's rule, or evict the one pod that it is about.
func neighbourRemedies(q *question, rs []refused) []option {
	broken := clashes(q, rs[0])
	if len(broken) != 1 {
		return nil
	}
	var options []option
	switch c := broken[0]; c.rule {
	case together:
		options = append(options, podTerms(q, false, c)...)
	case apart:
		options = append(options, podTerms(q, true, c)...)
	}
	for _, r := range rs[:min(len(rs), nearNodes)] {
		if found := clashes(q, r); len(found) == 1 && found[0].rule != together && len(found[0].pods) == 1 {
			options = append(options, evictions(found[0].pods)...)
		}
	}
	return options
}

// podTerms finds the pod's own term that a clash is about.
func podTerms(q *question, anti bool, c clash) []option {
	var terms []corev1.PodAffinityTerm
	if anti {
		terms = q.pod.Spec.Affinity.PodAntiAffinity.RequiredDuringSchedulingIgnoredDuringExecution
	} else {
		terms = q.pod.Spec.Affinity.PodAffinity.RequiredDuringSchedulingIgnoredDuringExecution
	}
	for i, term := range ownTerms(q, terms) {
		if term.TopologyKey != c.key || (anti && termText(q.pod.Namespace, &term) != c.selector) {
			continue
		}
		words := metav1.FormatLabelSelector(terms[i].LabelSelector) + " by " + labelWord(c.key)
		return []option{{dropPodTerm{anti, i, words, len(terms) == 1}}}
	}
	return nil
}
