package fixes

import (
	"cmp"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	resourcehelper "k8s.io/component-helpers/resource"
	corev1helpers "k8s.io/component-helpers/scheduling/corev1"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/apis/core/v1/helper"
	"k8s.io/kubernetes/pkg/apis/scheduling"

	"github.com/kubectl-fathom/kubectl-fathom/explain/fixes/remedy"
	"github.com/kubectl-fathom/kubectl-fathom/explain/pdb"
	"github.com/kubectl-fathom/kubectl-fathom/explain/placement"
	"github.com/kubectl-fathom/kubectl-fathom/explain/plugins"
	"github.com/kubectl-fathom/kubectl-fathom/explain/quantity"
	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// fitRemedies ask for less, or evict what holds enough on one of the nearest nodes.
func fitRemedies(q *plugins.Question, rs []plugins.NodeRejection, f *Search) []option {
	var options []option
	if lowered := lowerRequests(q, plugins.Shortages(q, rs[0])); lowered != nil {
		options = append(options, lowered)
	}
	if stated := stateRequests(f.Commands, q.Pod, plugins.Shortages(q, rs[0])); stated != nil {
		options = append(options, stated)
	}
	options = append(options, takeBacks(q, rs)...)
	for _, r := range rs[:min(len(rs), nearNodes)] {
		options = append(options, evictionsFor(q, r, f.Budgets)...)
	}
	return options
}

// lowerRequests asks for what the node has left of each resource that it is
// short of; nil if that cannot be had by asking for less.
func lowerRequests(q *plugins.Question, short []plugins.Figure) option {
	var steps option
	for _, f := range short {
		step, ok := lowerOne(q.Pod, f)
		if !ok {
			return nil
		}
		steps = append(steps, step)
	}
	return steps
}

// least is the share of a request that is left to a container at least: with
// less it would be another program.
const least = 10

// lowerOne takes from the container that asks for most what the node is short of.
func lowerOne(pod *corev1.Pod, short plugins.Figure) (remedy.LowerRequest, bool) {
	name := short.Resource
	if name == corev1.ResourcePods {
		return remedy.LowerRequest{}, false
	}
	if of := pod.Spec.Resources; of != nil {
		if own, set := of.Requests[name]; set {
			return lowerPod(pod, short, amount(name, own))
		}
	}
	step := remedy.LowerRequest{Resource: name, Total: [2]int64{short.Wanted, 0}}
	var most *corev1.Container
	look := func(containers []corev1.Container, init bool) {
		for i := range containers {
			if held := requested(&containers[i], name); held > step.From {
				most, step.Init, step.From = &containers[i], init, held
			}
		}
	}
	look(pod.Spec.Containers, false)
	look(pod.Spec.InitContainers, true)
	if most == nil {
		return remedy.LowerRequest{}, false
	}
	room := roundTo(name, short.Wanted-short.Short)
	step.Container, step.To = most.Name, step.From-(short.Wanted-room)
	step.Total[1] = room
	if step.To <= step.From/least {
		meant, _ := quantity.Misread(name, step.From, short.Allocatable)
		if meant == 0 || meant > step.To {
			return remedy.LowerRequest{}, false
		}
		step.To, step.Total[1] = meant, short.Wanted-(step.From-meant)
	}
	step.Limit = limitFollows(pod, most, name)
	return step, true
}

// lowerPod lowers what the pod itself requests, which counts instead of its containers' requests. It may
// not be less than these together, nor its limit less than one of theirs.
func lowerPod(pod *corev1.Pod, short plugins.Figure, own int64) (remedy.LowerRequest, bool) {
	name, room := short.Resource, roundTo(short.Resource, short.Wanted-short.Short)
	step := remedy.LowerRequest{Pod: true, Resource: name, From: own, To: own - (short.Wanted - room), Total: [2]int64{short.Wanted, room}}
	of := resourcehelper.AggregateContainerRequests(pod, resourcehelper.PodResourcesOptions{})
	if step.To <= step.From/least || step.To < amount(name, of[name]) {
		return remedy.LowerRequest{}, false
	}
	if _, limited := pod.Spec.Resources.Limits[name]; limited {
		step.Limit = !helper.IsOvercommitAllowed(name) || model.NewPod(pod).QOS == corev1.PodQOSGuaranteed
	}
	if !step.Limit {
		return step, true
	}
	for _, c := range containersOf(pod) {
		if limit, has := c.Resources.Limits[name]; has && amount(name, limit) > step.To {
			return remedy.LowerRequest{}, false
		}
	}
	return step, true
}

// limitFollows says whether the container's limit has to go down with its
// request: for a resource of which no more may be used than is requested, and
// where the pod would leave the class Guaranteed.
func limitFollows(pod *corev1.Pod, container *corev1.Container, name corev1.ResourceName) bool {
	if _, limited := container.Resources.Limits[name]; !limited {
		return false
	}
	if !helper.IsOvercommitAllowed(name) {
		return true
	}
	counts := name == corev1.ResourceCPU || name == corev1.ResourceMemory
	return counts && model.NewPod(pod).QOS == corev1.PodQOSGuaranteed
}

// amount is a quantity in the unit that the scheduler counts the resource in.
func amount(name corev1.ResourceName, quantity resource.Quantity) int64 {
	counted, _ := model.Count(name, quantity)
	return counted
}

// roundTo is an amount that people would write, no more than room.
func roundTo(name corev1.ResourceName, room int64) int64 {
	step := int64(1)
	switch {
	case name == corev1.ResourceCPU && room >= 100:
		step = 10
	case quantity.CountsBytes(name) && room >= 1<<20:
		step = 1 << 20
	}
	return room - room%step
}

// requested is what one container asks for, in the scheduler's unit.
func requested(container *corev1.Container, name corev1.ResourceName) int64 {
	quantity, ok := container.Resources.Requests[name]
	if !ok {
		return 0
	}
	return amount(name, quantity)
}

// evictionsFor are the evictions on one node that free enough. Pods whose eviction would be
// rejected are among them only where no others free enough.
func evictionsFor(q *plugins.Question, r plugins.NodeRejection, budgets *pdb.Budgets) []option {
	short := plugins.Shortages(q, r)
	var movable, all []fwk.PodInfo
	for _, info := range r.Node.GetPods() {
		if !evictable(info.GetPod()) || plugins.Held(info, short[0].Resource) == 0 {
			continue
		}
		all = append(all, info)
		if !blocked(budgets, info.GetPod()) {
			movable = append(movable, info)
		}
	}
	if options := evictEnough(short, movable); len(options) > 0 {
		return options
	}
	return evictEnough(short, all)
}

const (
	// mostEvictions is how many evictions of one pod are tried on a node.
	mostEvictions = 3
	// mostMovable is of how many pods no two are tried together.
	mostMovable = 200
)

// evictEnough are the evictions of some of the pods that free what is short: those of the lowest
// priority that hold no more than has to go. Where one pod is enough, the two that hold most are
// tried as well: they leave capacity for other pods that come.
func evictEnough(short []plugins.Figure, movable []fwk.PodInfo) []option {
	held := func(info fwk.PodInfo) int64 { return plugins.Held(info, short[0].Resource) }
	slices.SortFunc(movable, func(a, b fwk.PodInfo) int {
		return cmp.Or(
			cmp.Compare(corev1helpers.PodPriority(a.GetPod()), corev1helpers.PodPriority(b.GetPod())),
			cmp.Compare(held(a), held(b)),
			cmp.Compare(plugins.FullName(a.GetPod()), plugins.FullName(b.GetPod())),
		)
	})
	enough := func(pods ...fwk.PodInfo) bool {
		return !slices.ContainsFunc(short, func(f plugins.Figure) bool {
			var freed int64
			for _, pod := range pods {
				freed += plugins.Held(pod, f.Resource)
			}
			return freed < f.Short
		})
	}
	var options []option
	for _, one := range movable {
		if enough(one) && len(options) < mostEvictions {
			options = append(options, evictions([]*corev1.Pod{one.GetPod()})...)
		}
	}
	if len(movable) > mostMovable {
		return options
	}
	if len(options) > 0 && len(movable) > 1 {
		most := slices.SortedStableFunc(slices.Values(movable), func(a, b fwk.PodInfo) int { return cmp.Compare(held(b), held(a)) })
		return append(options, evictions([]*corev1.Pod{most[0].GetPod(), most[1].GetPod()})...)
	}
	for i, one := range movable {
		for _, other := range movable[i+1:] {
			if enough(one, other) {
				return evictions([]*corev1.Pod{one.GetPod(), other.GetPod()})
			}
		}
	}
	return options
}

// evictable says whether evicting the pod frees its room: it is not ending, its
// kubelet does not run it from a file, and no DaemonSet puts it straight back.
func evictable(pod *corev1.Pod) bool {
	return pod.DeletionTimestamp == nil && !model.IsMirror(pod) && placement.ControllerKind(pod) != "DaemonSet" &&
		corev1helpers.PodPriority(pod) < scheduling.SystemCriticalPriority
}
