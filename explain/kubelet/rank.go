package kubelet

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	resourcehelper "k8s.io/component-helpers/resource"
)

// Rank is the place of a pod in the order of eviction, from 1. First and Last differ where
// what is known does not decide the order: it is between them.
type Rank struct {
	First int `json:"first"`
	Last  int `json:"last"`
}

// Exact reports whether the place is certain.
func (r Rank) Exact() bool { return r.First == r.Last }

// Measured is what a pod uses; nil is not known.
type Measured struct {
	Memory    *int64 // bytes of its working set
	Disk      *int64 // bytes of its containers' files and logs and its local volumes
	Processes *int64
}

// standing is what the kubelet first orders pods by under pressure, the first to be
// evicted first.
type standing int

const (
	unmeasured standing = iota // the kubelet has no figures: evicted before all others
	over                       // uses more than it requests
	within
)

// place is what decides the rank of a pod under one kind of pressure: by its standing,
// then by priority, the lowest first, then by its excess, the greatest first.
type place struct {
	may      []standing // each that is possible
	priority int32
	excess   *int64 // nil: not known
}

// before reports whether p is certainly evicted before q.
func (p place) before(q place) bool {
	for _, a := range p.may {
		for _, b := range q.may {
			if a > b || a == b && !p.beforeEqual(q) {
				return false
			}
		}
	}
	return true
}

// beforeEqual reports whether p is certainly evicted before a pod of the same standing.
func (p place) beforeEqual(q place) bool {
	if p.priority != q.priority {
		return p.priority < q.priority
	}
	return p.excess != nil && q.excess != nil && *p.excess > *q.excess
}

// Order ranks pods that may be evicted, by what each uses.
func Order(pods []*corev1.Pod, used []Measured) []Ranks {
	memory, disk, pids := make([]place, len(pods)), make([]place, len(pods)), make([]place, len(pods))
	for i, pod := range pods {
		memory[i], disk[i], pids[i] = underMemory(pod, used[i]), underDisk(pod, used[i]), underPIDs(pod, used[i])
	}
	byMemory, byDisk, byPIDs := ranks(memory), ranks(disk), ranks(pids)
	all := make([]Ranks, len(pods))
	for i := range all {
		all[i] = Ranks{Memory: &byMemory[i], Disk: &byDisk[i], PIDs: &byPIDs[i]}
	}
	return all
}

// ranks are the places in the order, of so many pods. Pods that the kubelet cannot tell
// apart are in any order: its sort is not stable.
func ranks(places []place) []Rank {
	all := make([]Rank, len(places))
	for i := range all {
		all[i] = Rank{First: 1, Last: len(places)}
	}
	for i := range places {
		for j := range places {
			if places[i].before(places[j]) {
				all[i].Last--
				all[j].First++
			}
		}
	}
	return all
}

// underMemory is the place of a pod under memory pressure: pods over their requests first
// (rankMemoryPressure in pkg/kubelet/eviction/helpers.go). Without figures it is known
// that a container which runs without a request is over it, and that limits equal to
// requests are never exceeded.
func underMemory(pod *corev1.Pod, used Measured) place {
	request := request(pod, corev1.ResourceMemory)
	p := place{priority: priority(pod)}
	switch {
	case used.Memory != nil:
		p.may, p.excess = exactly(*used.Memory, request)
	case pod.Status.Phase != corev1.PodRunning:
		p.may = []standing{unmeasured, over, within}
	case request.IsZero():
		p.may = []standing{over}
	case isBounded(pod, request):
		p.may = []standing{within}
	default:
		p.may = []standing{over, within}
	}
	return p
}

// underDisk is the place of a pod under disk pressure: pods over their requests of
// ephemeral storage first (rankDiskPressureFunc).
func underDisk(pod *corev1.Pod, used Measured) place {
	p := place{priority: priority(pod)}
	switch {
	case used.Disk != nil:
		p.may, p.excess = exactly(*used.Disk, request(pod, corev1.ResourceEphemeralStorage))
	case pod.Status.Phase != corev1.PodRunning:
		p.may = []standing{unmeasured, over, within}
	default:
		p.may = []standing{over, within}
	}
	return p
}

// underPIDs is the place of a pod under PID pressure: by priority, then by the number of
// processes (rankPIDPressure).
func underPIDs(pod *corev1.Pod, used Measured) place {
	return place{may: []standing{within}, priority: priority(pod), excess: used.Processes}
}

// exactly is the standing of a pod that is measured, and what it uses over its request.
func exactly(used int64, request resource.Quantity) (may []standing, excess *int64) {
	has := resource.NewQuantity(used, resource.BinarySI)
	stands := within
	if has.Cmp(request) > 0 {
		stands = over
	}
	return []standing{stands}, new(used - request.Value())
}

// isBounded reports whether the limit of the pod's cgroup keeps it from using more memory
// than it requests.
func isBounded(pod *corev1.Pod, request resource.Quantity) bool {
	limits := resourcehelper.PodLimits(pod, resourcehelper.PodResourcesOptions{})
	return isLimited(pod, corev1.ResourceMemory) && limits.Memory().Cmp(request) <= 0
}

// request is what eviction counts as requested: of the pod as a whole where it says so,
// otherwise of its containers, and its overhead (GetResourceRequestQuantity in
// pkg/api/v1/resource/helpers.go).
func request(pod *corev1.Pod, name corev1.ResourceName) resource.Quantity {
	total := resourcehelper.PodRequests(pod, resourcehelper.PodResourcesOptions{
		SkipContainerLevelResources: resourcehelper.IsPodLevelResourcesSet(pod), ExcludeOverhead: true,
	})[name]
	if overhead, ok := pod.Spec.Overhead[name]; ok && !total.IsZero() {
		total.Add(overhead)
	}
	return total
}

// priority is spec.priority; 0 where admission has set none.
func priority(pod *corev1.Pod) int32 {
	if pod.Spec.Priority == nil {
		return 0
	}
	return *pod.Spec.Priority
}

// isSidecar reports whether an init container runs beside the others.
func isSidecar(c *corev1.Container) bool {
	return c.RestartPolicy != nil && *c.RestartPolicy == corev1.ContainerRestartPolicyAlways
}
