package inventory

import (
	"cmp"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"

	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// Reserved is what a taint reserves nodes for, and the pods that are in the wrong place.
// Pods of DaemonSets and mirror pods run on all nodes and are in no wrong place.
type Reserved struct {
	Pools      []string `json:"pools"`      // those whose nodes all have the taint, by name
	Namespaces []string `json:"namespaces"` // of the tenant's pods
	Pods       int      `json:"pods"`       // the tenant's on the nodes
	// Inside are pods of others on the nodes, Outside the tenant's on other nodes.
	Inside  []TaintPod `json:"inside"`
	Outside []TaintPod `json:"outside"`
}

// leaks counts the pods in the wrong place.
func (r *Reserved) leaks() int {
	if r == nil {
		return 0
	}
	return len(r.Inside) + len(r.Outside)
}

// reserve finds out whether the taint reserves its nodes. The tenant's pods are those that
// tolerate it by its key and select, by their node selector or required affinity, only
// nodes that have it; then those too that tolerate exactly its value. One that tolerates
// every value of the key, or every taint, is another's.
func (t *taintOf) reserve(selecting *selecting) {
	if t.BySystem() || t.Effect == corev1.TaintEffectPreferNoSchedule {
		return
	}
	tenants, selects := t.tenants(selecting)
	if !slices.Contains(slices.Collect(maps.Values(selects)), true) {
		return
	}
	r := &Reserved{Pools: t.pools(selecting.nodes), Inside: []TaintPod{}, Outside: []TaintPod{}}
	namespaces := map[string]bool{}
	for pod := range tenants {
		namespaces[pod.Object.Namespace] = true
		if node := selecting.byName[pod.Object.Spec.NodeName]; node != nil && !t.on[node] {
			why := "is not limited to these nodes"
			if selects[pod] {
				why = "its node no longer matches its node selector"
			}
			r.Outside = append(r.Outside, newTaintPod(pod, why))
		}
	}
	r.Namespaces = slices.Sorted(maps.Keys(namespaces))
	for node := range t.on {
		for _, pod := range node.Pods {
			switch {
			case tenants[pod]:
				r.Pods++
			case !runsEverywhere(pod) && pod.Object.DeletionTimestamp == nil:
				r.Inside = append(r.Inside, newTaintPod(pod, t.admits(pod)))
			}
		}
	}
	for _, pods := range [][]TaintPod{r.Inside, r.Outside} {
		slices.SortFunc(pods, func(a, b TaintPod) int {
			return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name))
		})
	}
	t.Reserved = r
}

// tenants are the tenant's pods, and whether each pod that names the taint selects only its
// nodes.
func (t *taintOf) tenants(selecting *selecting) (tenants, selects map[*model.Pod]bool) {
	tenants, selects = map[*model.Pod]bool{}, map[*model.Pod]bool{}
	for _, pod := range t.named {
		if runsEverywhere(pod) {
			continue
		}
		selects[pod] = selecting.only(pod.Object, t)
		if selects[pod] || toleratesValue(pod.Object.Spec.Tolerations, &t.taint) {
			tenants[pod] = true
		}
	}
	return tenants, selects
}

// admits says why a pod that is not the tenant's runs on the nodes.
func (t *taintOf) admits(pod *model.Pod) string {
	tolerations := pod.Object.Spec.Tolerations
	switch {
	case !model.Tolerates(tolerations, &t.taint):
		return doesNotTolerate
	case namesKey(tolerations, &t.taint):
		return "tolerates every value of the key"
	}
	return "tolerates every taint"
}

// pools are those whose nodes all have the taint.
func (t *taintOf) pools(nodes []*model.Node) []string {
	whole := map[string]bool{}
	for _, node := range nodes {
		if node.Pool == "" {
			continue
		}
		before, seen := whole[node.Pool]
		whole[node.Pool] = t.on[node] && (before || !seen)
	}
	maps.DeleteFunc(whole, func(_ string, all bool) bool { return !all })
	return append([]string{}, slices.Sorted(maps.Keys(whole))...)
}

// runsEverywhere reports whether a pod is of a DaemonSet, or a mirror pod.
func runsEverywhere(pod *model.Pod) bool {
	return pod.Owner.Kind == "DaemonSet" || model.IsMirror(pod.Object)
}

// toleratesValue reports whether a toleration is for this taint: it has its key and its
// value, or its key where the taint has no value.
func toleratesValue(tolerations []corev1.Toleration, taint *corev1.Taint) bool {
	return slices.ContainsFunc(tolerations, func(t corev1.Toleration) bool {
		exact := t.Operator == corev1.TolerationOpEqual || t.Operator == "" || taint.Value == ""
		return t.Key == taint.Key && exact && model.Tolerates([]corev1.Toleration{t}, taint)
	})
}

// selecting finds the nodes that pods select; those of equal pods once.
type selecting struct {
	nodes  []*model.Node
	byName map[string]*model.Node
	known  map[string][]*model.Node // by node selector and required affinity
	within map[selected]bool
}

// selected is a taint and what pods select.
type selected struct {
	taint *taintOf
	by    string
}

func newSelecting(nodes []*model.Node) *selecting {
	s := &selecting{
		nodes: nodes, byName: make(map[string]*model.Node, len(nodes)), known: map[string][]*model.Node{}, within: map[selected]bool{},
	}
	for _, node := range nodes {
		s.byName[node.Name] = node
	}
	return s
}

// only reports whether a pod selects nodes, and only some that have the taint.
func (s *selecting) only(pod *corev1.Pod, t *taintOf) bool {
	by := selectionOf(pod)
	if by == "" {
		return false
	}
	of := selected{t, by}
	within, known := s.within[of]
	if !known {
		nodes := s.of(pod, by)
		within = len(nodes) > 0 && !slices.ContainsFunc(nodes, func(node *model.Node) bool { return !t.on[node] })
		s.within[of] = within
	}
	return within
}

// selectionOf is the node selector and the required affinity of a pod; "" where it has
// neither.
func selectionOf(pod *corev1.Pod) string {
	var required *corev1.NodeSelector
	if a := pod.Spec.Affinity; a != nil && a.NodeAffinity != nil {
		required = a.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution
	}
	switch {
	case required != nil:
		return labels.Set(pod.Spec.NodeSelector).String() + "\n" + required.String()
	case len(pod.Spec.NodeSelector) > 0:
		return labels.Set(pod.Spec.NodeSelector).String() + "\n"
	}
	return ""
}

// of are the nodes that a pod's node selector and required affinity match, by the function
// of the scheduler's plugin NodeAffinity.
func (s *selecting) of(pod *corev1.Pod, by string) []*model.Node {
	if found, ok := s.known[by]; ok {
		return found
	}
	var found []*model.Node
	terms := nodeaffinity.GetRequiredNodeAffinity(pod)
	for _, node := range s.nodes {
		if match, err := terms.Match(node.Object); err == nil && match {
			found = append(found, node)
		}
	}
	s.known[by] = found
	return found
}
