package model

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
)

const (
	roleLabelPrefix = "node-role.kubernetes.io/"
	roleLabel       = "kubernetes.io/role"
	// TaintDomain begins the keys of the taints that Kubernetes itself sets.
	TaintDomain = "node.kubernetes.io/"
)

// newNode derives what is shown of a node that no pod is bound to; poolLabel is as
// for PoolOf. The object is kept and must not change.
func newNode(object *corev1.Node, poolLabel string) *Node {
	n := &Node{
		Object:       object,
		Name:         object.Name,
		Ready:        corev1.ConditionUnknown,
		Cordoned:     object.Spec.Unschedulable,
		Pressure:     pressureOf(object),
		Roles:        rolesOf(object),
		Zone:         cmp.Or(object.Labels[corev1.LabelTopologyZone], object.Labels[corev1.LabelFailureDomainBetaZone]),
		Pool:         PoolOf(object, poolLabel),
		Instance:     cmp.Or(object.Labels[corev1.LabelInstanceTypeStable], object.Labels[corev1.LabelInstanceType]),
		Version:      object.Status.NodeInfo.KubeletVersion,
		Lifecycle:    lifecycleOf(object),
		CapacityType: capacityTypeOf(object),
		Allocatable:  NewResources(object.Status.Allocatable),
	}
	told := false
	for i := range object.Status.Conditions {
		if condition := &object.Status.Conditions[i]; condition.Type == corev1.NodeReady {
			n.Ready, n.ReadySince, told = condition.Status, condition.LastTransitionTime.Time, true
		}
	}
	n.Status, n.Taints = n.statusWords(told), n.taintWords()
	return n
}

// with gives a copy of the node with these pods bound to it.
func (n *Node) with(pods []*Pod) *Node {
	next := *n
	next.Pods, next.Requested, next.Limits = pods, Resources{}, Resources{}
	for _, pod := range pods {
		next.Requested.add(*pod.Requests)
		next.Limits.add(*pod.Limits)
	}
	next.Requested.Pods = int64(len(pods))
	return &next
}

// pressureOf names the conditions besides Ready that hold and are no good sign.
func pressureOf(node *corev1.Node) []string {
	var found []string
	for i := range node.Status.Conditions {
		condition := &node.Status.Conditions[i]
		if condition.Status != corev1.ConditionTrue {
			continue
		}
		switch condition.Type {
		case corev1.NodeMemoryPressure, corev1.NodeDiskPressure, corev1.NodePIDPressure, corev1.NodeNetworkUnavailable:
			found = append(found, string(condition.Type))
		}
	}
	slices.Sort(found)
	return found
}

func rolesOf(node *corev1.Node) []string {
	found := map[string]bool{}
	for label, value := range node.Labels {
		if role, ok := strings.CutPrefix(label, roleLabelPrefix); ok && role != "" {
			found[role] = true
		}
		if label == roleLabel && value != "" {
			found[value] = true
		}
	}
	return slices.Sorted(maps.Keys(found))
}

// statusWords tells Ready, cordoned and pressure apart: "Ready,cordoned". told is whether
// the node has the condition Ready.
func (n *Node) statusWords(told bool) string {
	words := []string{n.readyWord(told)}
	if n.Cordoned {
		words = append(words, "cordoned")
	}
	return strings.Join(append(words, n.Pressure...), ",")
}

// readyWord is the condition in kubectl's word: a node whose kubelet is silent is NotReady
// too, one without the condition Unknown.
func (n *Node) readyWord(told bool) string {
	switch {
	case n.Ready == corev1.ConditionTrue:
		return "Ready"
	case !told:
		return "Unknown"
	}
	return "NotReady"
}

// taintWords is the TAINTS cell: key=value:effect, the effects of one key
// together, without the domain that Kubernetes' own taints share and without the
// taint that a cordon sets.
func (n *Node) taintWords() string {
	var words []string
	for _, taint := range n.SortedTaints() {
		if n.isCordon(taint) {
			continue
		}
		word := taintKey(taint) + ":"
		if last := len(words) - 1; last >= 0 && strings.HasPrefix(words[last], word) {
			words[last] += "," + string(taint.Effect)
			continue
		}
		words = append(words, word+string(taint.Effect))
	}
	return strings.Join(words, ",")
}

// SortedTaints are the node's taints, those that evict pods first, by key, value and effect.
func (n *Node) SortedTaints() []corev1.Taint {
	evicts := map[string]int{}
	for _, taint := range n.Object.Spec.Taints {
		if taint.Effect == corev1.TaintEffectNoExecute {
			evicts[taintKey(taint)] = 1
		}
	}
	return slices.SortedFunc(slices.Values(n.Object.Spec.Taints), func(a, b corev1.Taint) int {
		return cmp.Or(
			evicts[taintKey(b)]-evicts[taintKey(a)],
			strings.Compare(taintKey(a), taintKey(b)),
			strings.Compare(string(a.Effect), string(b.Effect)),
		)
	})
}

func (n *Node) isCordon(taint corev1.Taint) bool {
	return n.Cordoned && taint.Key == corev1.TaintNodeUnschedulable
}

// taintKey is key or key=value, without the domain of Kubernetes' own taints.
func taintKey(taint corev1.Taint) string {
	key := strings.TrimPrefix(taint.Key, TaintDomain)
	if taint.Value != "" {
		key += "=" + taint.Value
	}
	return key
}
