package inventory

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"

	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// Pool is the nodes of a pool in a zone, or those with one value of a label. What depends
// on the pods of nodes is nil where not all pods could be read.
type Pool struct {
	// Pool and Zone are "" for nodes without. With a label Pool is its value, and Zone "".
	Pool string `json:"pool"`
	Zone string `json:"zone"`
	// Schedulable nodes are Ready, and neither cordoned, nor new, nor about to be removed, nor
	// tainted for their state.
	Nodes       int `json:"nodes"`
	Ready       int `json:"ready"`
	Schedulable int `json:"schedulable"`

	Allocatable Amounts  `json:"allocatable"`
	Requested   *Amounts `json:"requested"`
	// Used is measured; nil where it is not for each of the nodes.
	Used *Amounts `json:"used"`
	// LargestFree is the most that is free of each resource on one schedulable node that
	// takes more pods, and has no taint that only some nodes of its pool have. Where all of them
	// have such a taint, all count. The amounts of two resources may be of different nodes.
	LargestFree *Amounts `json:"largestFree"`
	// Stranded is what cannot be used on schedulable nodes: cpu that is free where memory
	// is full, and memory that is free where cpu is.
	Stranded *Amounts `json:"stranded"`
	// Pending counts the pending pods that target it: see targets.
	Pending *int `json:"pending"`
	// Balance is of all nodes of the pool, in all zones.
	Balance *Balance `json:"balance"`

	Members []*model.Node `json:"-"`
	// StrandedCPU and StrandedMemory are the nodes that Stranded is on.
	StrandedCPU, StrandedMemory int `json:"-"`
	// LargestCPU and LargestMemory are the nodes of LargestFree; nil without.
	LargestCPU, LargestMemory *model.Node `json:"-"`
	// ExtraTainted counts the schedulable nodes that have a taint which only some nodes of the pool have, in
	// all its zones; PodLimited the others that take no more pods. LargestFree is of none of them.
	ExtraTainted int `json:"-"`
	PodLimited   int `json:"-"`
	// free is LargestFree with the nodes that ExtraTainted counts.
	free Amounts
	// Lacks is the resource of which no schedulable node has as much free as Lacking
	// pending pods need that are allowed here: see lack. "" is none.
	Lacks   corev1.ResourceName `json:"-"`
	Lacking int                 `json:"-"`
	// Allowed counts the pending pods that Lacking is part of: those that target it, and
	// those that may run anywhere if some of them are part too.
	Allowed int `json:"-"`
	// Waiting are the pending pods that target it, those that allow the fewest pools first.
	Waiting []*model.EquivalenceClass `json:"-"`
}

// Pools groups the nodes by pool and zone, or by one label, sorted by both; nodes without
// are last. full is the percentage from which a resource of a node counts as full.
func Pools(s *model.Snapshot, by string, full int) []Pool {
	type key struct{ pool, zone string }
	members, ofPool := map[key][]*model.Node{}, map[string][]*model.Node{}
	for _, n := range s.Nodes {
		k := key{n.Pool, n.Zone}
		if by != "" {
			k = key{n.Object.Labels[by], ""}
		}
		members[k] = append(members[k], n)
		ofPool[k.pool] = append(ofPool[k.pool], n)
	}
	pools := make([]Pool, 0, len(members))
	for k, nodes := range members {
		pools = append(pools, Pool{Pool: k.pool, Zone: k.zone, Members: nodes})
	}
	slices.SortFunc(pools, func(a, b Pool) int {
		return cmp.Or(model.CompareSet(a.Pool, b.Pool), model.CompareSet(a.Zone, b.Zone))
	})
	counted, apart := podsKnown(s, ""), map[string]map[*model.Node]bool{}
	for name, nodes := range ofPool {
		apart[name] = setApart(nodes)
	}
	for i := range pools {
		pools[i].sum(s.Usage)
		if counted {
			pools[i].count(full, apart[pools[i].Pool])
		}
	}
	if counted {
		target(s, pools)
		balances := map[string]*Balance{}
		for name, nodes := range ofPool {
			balances[name] = balanceOf(nodes)
		}
		for i := range pools {
			pools[i].Balance = balances[pools[i].Pool]
		}
	}
	return pools
}

// sum counts the nodes, and adds up what they have and use.
func (p *Pool) sum(usage *model.Usage) {
	whole := model.CapacityOf(p.Members)
	p.Nodes, p.Ready, p.Allocatable = whole.Nodes, whole.Ready, Amounts{whole.Allocatable}
	measured, used := usage != nil, Amounts{}
	for _, n := range p.Members {
		if n.Schedulable() {
			p.Schedulable++
		}
		if !measured {
			continue
		}
		var amount model.Amount
		amount, measured = usage.Nodes[n.Name]
		used.MilliCPU, used.Memory = model.Sum(used.MilliCPU, amount.MilliCPU), model.Sum(used.Memory, amount.Memory)
	}
	if measured {
		p.Used = &used
	}
}

// setApart are the nodes of a pool that pods which most of its nodes allow may not tolerate: beside the taints that more
// than half of the nodes have, they have one that no more than half have. Where every node is so, several tenants share
// the pool and no pod is allowed without a toleration: none is set apart.
func setApart(nodes []*model.Node) map[*model.Node]bool {
	count := map[corev1.Taint]int{}
	for _, n := range nodes {
		for taint := range reserving(n) {
			count[taint]++
		}
	}
	maps.DeleteFunc(count, func(_ corev1.Taint, n int) bool { return 2*n <= len(nodes) })
	apart := map[*model.Node]bool{}
	for _, n := range nodes {
		taints, own := reserving(n), 0
		for taint := range taints {
			if _, ok := count[taint]; ok {
				own++
			}
		}
		if own == len(count) && len(taints) > own {
			apart[n] = true
		}
	}
	if len(apart) == len(nodes) {
		return nil
	}
	return apart
}

// reserving are the taints that keep pods off a node, without when they were added; not those for its state.
func reserving(n *model.Node) map[corev1.Taint]bool {
	found := map[corev1.Taint]bool{}
	for _, t := range n.Object.Spec.Taints {
		if t.Effect != corev1.TaintEffectPreferNoSchedule && !model.IsStateTaint(t.Key) {
			found[corev1.Taint{Key: t.Key, Value: t.Value, Effect: t.Effect}] = true
		}
	}
	return found
}

// count adds up what depends on the pods of the nodes.
func (p *Pool) count(full int, apart map[*model.Node]bool) {
	p.Requested, p.LargestFree, p.Stranded, p.Pending = &Amounts{model.CapacityOf(p.Members).Requested}, &Amounts{}, &Amounts{}, new(0)
	for _, n := range p.Members {
		if !n.Schedulable() {
			continue
		}
		free := n.Allocatable.Minus(&n.Requested)
		if apart[n] {
			p.ExtraTainted++
		}
		if free.Pods > 0 {
			p.free.raise(&free)
			if !apart[n] {
				p.raise(n, &free)
			}
		} else if !apart[n] {
			p.PodLimited++
		}
		cpu, knowsCPU := n.Percent(corev1.ResourceCPU)
		memory, knowsMemory := n.Percent(corev1.ResourceMemory)
		if !knowsCPU || !knowsMemory {
			continue
		}
		if cpu >= full && memory < full {
			p.Stranded.Memory = model.Sum(p.Stranded.Memory, free.Memory)
			p.StrandedMemory++
		}
		if memory >= full && cpu < full {
			p.Stranded.MilliCPU = model.Sum(p.Stranded.MilliCPU, free.MilliCPU)
			p.StrandedCPU++
		}
	}
}

// raise makes what is free on a node the largest free slot where it is.
func (p *Pool) raise(n *model.Node, free *model.Resources) {
	if free.MilliCPU > p.LargestFree.MilliCPU {
		p.LargestCPU = n
	}
	if free.Memory > p.LargestFree.Memory {
		p.LargestMemory = n
	}
	p.LargestFree.raise(free)
}

// target counts the pending pods that target each of some groups of nodes. A pod without
// a node targets a group if its node selector, its required node affinity and its
// tolerations allow a node of it that lists the extended resources which it requests, if any
// node does. A pod that selects nothing and may be scheduled in every group targets none,
// where there is more than one pool. Neither free capacity nor volumes are looked at, nor
// taints that say what state a node is in (model.IsStateTaint), so that pods for a pool that
// is NotReady or cordoned still count there.
func target(s *model.Snapshot, pools []Pool) {
	lacking, whole := make([]map[corev1.ResourceName]int, len(pools)), wholes(pools)
	onePool := !slices.ContainsFunc(pools, func(p Pool) bool { return p.Pool != pools[0].Pool })
	var anywhere []*model.EquivalenceClass // which target none
	lacksAnywhere := false
	for _, t := range targets(s, pools) {
		lacks := lack(t.kind, pools, whole, t.groups, lacking)
		if len(t.groups) == len(pools) && !onePool && !selectsNodes(t.kind.First().Object) {
			anywhere = append(anywhere, t.kind)
			lacksAnywhere = lacksAnywhere || lacks
			continue
		}
		for _, at := range t.groups {
			*pools[at].Pending += len(t.kind.Pods)
			pools[at].Waiting = append(pools[at].Waiting, t.kind)
		}
	}
	if !lacksAnywhere {
		anywhere = nil
	}
	for i, of := range lacking {
		if len(of) == 0 {
			continue
		}
		p := &pools[i]
		p.Lacks = slices.MinFunc(slices.Collect(maps.Keys(of)), func(a, b corev1.ResourceName) int {
			return cmp.Or(of[b]-of[a], rank(a)-rank(b), strings.Compare(string(a), string(b)))
		})
		p.Lacking, p.Allowed = of[p.Lacks], *p.Pending
		for _, kind := range anywhere {
			p.Allowed += len(kind.Pods)
		}
		p.addTooLarge(slices.Concat(p.Waiting, anywhere), &whole[i].Resources)
	}
}

// addTooLarge adds to the pods that lack a resource those that need more of it too, and are larger than any node of
// the pool. whole is the most that one of these has.
func (p *Pool) addTooLarge(waiting []*model.EquivalenceClass, whole *model.Resources) {
	for _, kind := range waiting {
		wanted := kind.First().Requests
		if lacked(wanted, whole) != "" && wanted.Of(p.Lacks) > max(p.free.Of(p.Lacks), 0) {
			p.Lacking += len(kind.Pods)
		}
	}
}

// selectsNodes reports whether a pod says on which nodes it may run.
func selectsNodes(pod *corev1.Pod) bool {
	affinity := pod.Spec.Affinity
	return len(pod.Spec.NodeSelector) > 0 ||
		affinity != nil && affinity.NodeAffinity != nil && affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution != nil
}

// targeting is pending pods, and the groups with a node that they allow.
type targeting struct {
	kind   *model.EquivalenceClass
	groups []int
}

// targets are the pending pods, those that allow the fewest groups first.
func targets(s *model.Snapshot, pools []Pool) []targeting {
	var all []targeting
	allowed := map[string][]int{} // by what decides it: the groups
	for _, kind := range s.Pending {
		pod := kind.First().Object
		if kind.NotCreated != nil || pod.Spec.NodeName != "" || pod.DeletionTimestamp != nil {
			continue
		}
		wanted := kind.First().Requests.Scalar
		key := placementKey(pod, wanted)
		groups, known := allowed[key]
		if !known {
			if !listed(s, wanted) {
				wanted = nil
			}
			groups = allowing(pod, pools, wanted)
			allowed[key] = groups
		}
		all = append(all, targeting{kind, groups})
	}
	slices.SortStableFunc(all, func(a, b targeting) int { return len(a.groups) - len(b.groups) })
	return all
}

// listed reports whether any node's kubelet lists every extended resource of some requests.
func listed(s *model.Snapshot, wanted map[corev1.ResourceName]int64) bool {
	return slices.ContainsFunc(s.Nodes, func(n *model.Node) bool { return lists(n, wanted) })
}

// lists reports whether the node's kubelet lists every extended resource of some requests.
func lists(n *model.Node, wanted map[corev1.ResourceName]int64) bool {
	for name, amount := range wanted {
		if amount > 0 && !n.Lists(name) {
			return false
		}
	}
	return true
}

// wholes are the most that a node of each group has of each resource.
func wholes(pools []Pool) []Amounts {
	whole := make([]Amounts, len(pools))
	for i := range pools {
		for _, n := range pools[i].Members {
			whole[i].raise(&n.Allocatable)
		}
	}
	return whole
}

// lack counts the pods of a kind where they lack a resource, if none of the groups that
// they allow has a slot as large as they need. A group where they would not fit even if a
// node were empty is not full: they are too large for it. It reports whether it counted them.
func lack(kind *model.EquivalenceClass, pools []Pool, whole []Amounts, groups []int, lacking []map[corev1.ResourceName]int) bool {
	wanted := kind.First().Requests
	names := map[int]corev1.ResourceName{}
	for _, at := range groups {
		if lacked(wanted, &whole[at].Resources) != "" {
			continue
		}
		name := lacked(wanted, &pools[at].free.Resources)
		if name == "" {
			return false
		}
		names[at] = name
	}
	for at, name := range names {
		if lacking[at] == nil {
			lacking[at] = map[corev1.ResourceName]int{}
		}
		lacking[at][name] += len(kind.Pods)
	}
	return len(names) > 0
}

// allowing are the groups with a node that the pod allows and that lists what it wants.
func allowing(pod *corev1.Pod, pools []Pool, wanted map[corev1.ResourceName]int64) []int {
	affinity := nodeaffinity.GetRequiredNodeAffinity(pod)
	var groups []int
	for i := range pools {
		if slices.ContainsFunc(pools[i].Members, func(n *model.Node) bool { return lists(n, wanted) && allows(pod, affinity, n.Object) }) {
			groups = append(groups, i)
		}
	}
	return groups
}

// allows reports whether the node matches the pod's required affinity, and the pod
// tolerates the taints that say which pods the node is for.
func allows(pod *corev1.Pod, affinity nodeaffinity.RequiredNodeAffinity, node *corev1.Node) bool {
	if !model.ToleratesTaints(pod.Spec.Tolerations, node.Spec.Taints, func(t *corev1.Taint) bool {
		return t.Effect != corev1.TaintEffectPreferNoSchedule && !model.IsStateTaint(t.Key)
	}) {
		return false
	}
	match, err := affinity.Match(node) // last: it makes a set of fields for each node
	return err == nil && match
}

// placementKey is equal for pods that allow the same nodes, and want the same extended resources.
func placementKey(pod *corev1.Pod, wanted map[corev1.ResourceName]int64) string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(wanted)) {
		b.WriteString(string(name) + "\n")
	}
	for _, name := range slices.Sorted(maps.Keys(pod.Spec.NodeSelector)) {
		b.WriteString(name + "=" + pod.Spec.NodeSelector[name] + "\n")
	}
	if affinity := pod.Spec.Affinity; affinity != nil && affinity.NodeAffinity != nil {
		b.WriteString(affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution.String())
	}
	for i := range pod.Spec.Tolerations {
		b.WriteString(pod.Spec.Tolerations[i].String())
	}
	return b.String()
}

// lacked is the first resource of which more is wanted than there is; "" if there is none. Where no
// node takes one more pod, nothing else is said to be free.
func lacked(wanted, there *model.Resources) corev1.ResourceName {
	if there.Pods < 1 {
		return corev1.ResourcePods
	}
	for _, name := range slices.Concat(plain[:len(plain)-1], slices.Sorted(maps.Keys(wanted.Scalar))) {
		if wanted.Of(name) > max(there.Of(name), 0) {
			return name
		}
	}
	return ""
}

// rank puts the resources that every node has before others.
func rank(name corev1.ResourceName) int {
	if at := slices.Index(plain, name); at >= 0 {
		return at
	}
	return len(plain)
}
