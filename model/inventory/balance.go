package inventory

import (
	"cmp"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// Balance is how evenly the nodes of a pool are requested, as the strategy
// LowNodeUtilization of the descheduler sees it:
// https://github.com/kubernetes-sigs/descheduler#lownodeutilization. The thresholds are
// fixed ones, those of its documentation, not deviations from the mean; cpu, memory and
// pods count by requests.
type Balance struct {
	// Under are nodes with at most UnderPercent of cpu, of memory and of pods, which are
	// not cordoned; Over those with more than OverPercent of one of them. NotReady nodes
	// are neither. Both are by name.
	Under []string `json:"under"`
	Over  []string `json:"over"`
	// Evicts is how many pods would be evicted from Over in one run; 0 where Under or
	// Over is empty, or all nodes are under. What PodDisruptionBudgets reject counts too.
	Evicts int `json:"evicts"`

	// Least and Most are the nodes with the least and the most cpu requested, in percent;
	// nil without nodes that are Ready. A cordoned one is not the least: pods cannot move
	// there.
	Least, Most *model.Node `json:"-"`
}

// The thresholds of the documentation of LowNodeUtilization, in percent: thresholds and
// targetThresholds.
const (
	UnderPercent = 20
	OverPercent  = 50

	percents = 100 // a whole
)

// balanced are the resources that thresholds are documented for.
var balanced = [...]corev1.ResourceName{corev1.ResourceCPU, corev1.ResourceMemory, corev1.ResourcePods}

// load is a node with what is requested of it, by resource as in balanced. Amounts are
// as float64, in which none overflows.
type load struct {
	node         *model.Node
	whole, taken [len(balanced)]float64
}

func newLoad(n *model.Node) *load {
	l := &load{node: n}
	for i, name := range balanced {
		l.whole[i], l.taken[i] = float64(n.Allocatable.Of(name)), float64(n.Requested.Of(name))
	}
	return l
}

// percent is how much of a resource is requested; nothing of nothing.
func (l *load) percent(i int) float64 {
	if l.whole[i] <= 0 {
		return 0
	}
	return l.taken[i] / l.whole[i] * percents
}

func (l *load) under() bool {
	for i := range balanced {
		if l.percent(i) > UnderPercent {
			return false
		}
	}
	return !l.node.Cordoned
}

func (l *load) over() bool {
	for i := range balanced {
		if l.percent(i) > OverPercent {
			return true
		}
	}
	return false
}

// balanceOf says how evenly nodes are requested.
func balanceOf(nodes []*model.Node) *Balance {
	b := &Balance{Under: []string{}, Over: []string{}}
	var under, over []*load
	var least, most *load
	ready := 0
	for _, n := range nodes {
		if n.Ready != corev1.ConditionTrue {
			continue
		}
		ready++
		l := newLoad(n)
		if !n.Cordoned && (least == nil || l.percent(0) < least.percent(0)) {
			least, b.Least = l, n
		}
		if most == nil || l.percent(0) > most.percent(0) {
			most, b.Most = l, n
		}
		switch {
		case l.under():
			under, b.Under = append(under, l), append(b.Under, n.Name)
		case l.over():
			over, b.Over = append(over, l), append(b.Over, n.Name)
		}
	}
	if len(under) > 0 && len(under) < ready {
		b.Evicts = evictions(under, over)
	}
	return b
}

// evictions counts the pods that one run evicts: node by node, those with most requested
// first, pods of the lowest priority first, while the node is still over and all nodes
// that are under together still have something of each resource up to the upper threshold.
func evictions(under, over []*load) int {
	var left [len(balanced)]float64
	for _, l := range under {
		for i := range balanced {
			left[i] += l.whole[i]*OverPercent/percents - l.taken[i]
		}
	}
	goesOn := func(l *load) bool {
		return l.over() && !slices.ContainsFunc(left[:], func(amount float64) bool { return amount <= 0 })
	}
	slices.SortStableFunc(over, func(a, b *load) int { // the descheduler sums up unlike units: memory decides
		return cmp.Compare(b.taken[0]+b.taken[1]+b.taken[2], a.taken[0]+a.taken[1]+a.taken[2])
	})
	count := 0
	for _, l := range over {
		for _, pod := range evictable(l.node.Pods, under) {
			if !goesOn(l) {
				break
			}
			count++
			for i, name := range balanced {
				amount := float64(pod.Requests.Of(name))
				if name == corev1.ResourcePods {
					amount = 1
				}
				l.taken[i] -= amount
				left[i] -= amount
			}
		}
	}
	return count
}

// qosOrder is in which order pods of one priority are evicted.
var qosOrder = []corev1.PodQOSClass{corev1.PodQOSBestEffort, corev1.PodQOSBurstable, corev1.PodQOSGuaranteed}

// evictable are the pods that the descheduler evicts by default, the first ones first: not
// those of DaemonSets, static ones, those without a controller, with local storage, of a
// critical priority, or that terminate, nor those that tolerate the taints of no node
// that is under.
func evictable(pods []*model.Pod, under []*load) []*model.Pod {
	var found []*model.Pod
	for _, pod := range pods {
		o := pod.Object
		switch {
		case pod.Owner.Name == "", pod.Owner.Kind == "DaemonSet", model.IsMirror(o), o.DeletionTimestamp != nil,
			pod.Priority() >= model.SystemCritical, slices.ContainsFunc(o.Spec.Volumes, isLocal):
			continue
		}
		if slices.ContainsFunc(under, func(l *load) bool { return tolerates(o, l.node.Object) }) {
			found = append(found, pod)
		}
	}
	slices.SortStableFunc(found, func(a, b *model.Pod) int {
		return cmp.Or(cmp.Compare(a.Priority(), b.Priority()), slices.Index(qosOrder, a.QOS)-slices.Index(qosOrder, b.QOS))
	})
	return found
}

func isLocal(v corev1.Volume) bool { return v.EmptyDir != nil || v.HostPath != nil }

func tolerates(pod *corev1.Pod, node *corev1.Node) bool {
	return model.ToleratesTaints(pod.Spec.Tolerations, node.Spec.Taints, func(t *corev1.Taint) bool {
		return t.Effect != corev1.TaintEffectPreferNoSchedule
	})
}
