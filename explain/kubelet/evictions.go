package kubelet

import (
	"cmp"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// Eviction is a pod in the order in which the kubelet of its node would evict.
type Eviction struct {
	Namespace string             `json:"namespace"`
	Name      string             `json:"name"`
	Class     corev1.PodQOSClass `json:"qosClass"`
	WhyClass  string             `json:"qosReason"`
	Priority  int32              `json:"priority"`
	Never     string             `json:"neverEvicted"` // why it is never evicted; "" if it may be
	Ranks     Ranks              `json:"rank"`
	Usage     map[string]string  `json:"usage"` // cpu and memory by metrics.k8s.io; nil is not known
	Requests  map[string]string  `json:"requests"`
	Pinned    int64              `json:"exclusiveCPUs"` // that the CPU manager's policy static would pin
	// PinnedNow is how many CPUs are pinned by the policy in the kubelet's configuration. Absent: it cannot be read, and
	// the policy matters.
	PinnedNow *int64 `json:"pinnedCPUs,omitempty"`
	// Aligned is what the topology manager's policy aligns, by container: "app: 4 CPUs, example.com/gpu 1".
	// Absent: nothing, or the kubelet's configuration cannot be read.
	Aligned    []string         `json:"aligned,omitempty"`
	Containers []ContainerScore `json:"containers"`

	Pod  *model.Pod    `json:"-"`
	Used *model.Amount `json:"-"` // nil is not known

	granted *corev1.Pod // with the requests that count: a resize that was not granted does not
}

// Ranks are the places of a pod in the order of eviction under each kind of pressure; nil
// where it is never evicted.
type Ranks struct {
	Memory *Rank `json:"memory"`
	Disk   *Rank `json:"disk"`
	PIDs   *Rank `json:"pid"`
}

// ContainerScore is what the kubelet sets for a container, for the kernel to rank it by.
type ContainerScore struct {
	Name string `json:"name"`
	// OOMScoreAdj is from -1000 to 1000, the highest is killed first; nil where the
	// node's memory is not known.
	OOMScoreAdj *int `json:"oomScoreAdj"`
}

// Score is the highest oom_score_adj of the pod's containers; nil is not known.
func (e *Eviction) Score() *int {
	var highest *int
	for i := range e.Containers {
		score := e.Containers[i].OOMScoreAdj
		if score == nil {
			return nil
		}
		if highest == nil || *score > *highest {
			highest = score
		}
	}
	return highest
}

// Request is how many bytes of memory the pod requests.
func (e *Eviction) Request() int64 {
	request := request(e.granted, corev1.ResourceMemory)
	return request.Value()
}

// Excess is how many bytes of memory the pod uses over its request, below zero if it uses
// less; ok is false where it is not known.
func (e *Eviction) Excess() (bytes int64, ok bool) {
	if e.Used == nil {
		return 0, false
	}
	return e.Used.Memory - e.Request(), true
}

// Evictions are the pods of a node in the order in which its kubelet would evict them
// under memory pressure; those that it never evicts come last. What usage does not have is
// not known, disks and processes among it.
func Evictions(node *model.Node, usage *model.Usage) []Eviction {
	memory := node.Object.Status.Capacity.Memory().Value()
	var may, never []Eviction
	for _, pod := range node.Pods {
		e := newEviction(pod, usage, memory)
		if e.Never != "" {
			never = append(never, e)
			continue
		}
		may = append(may, e)
	}
	rank(may)
	all := slices.Concat(may, never)
	slices.SortFunc(all, func(a, b Eviction) int {
		return cmp.Or(compareRanks(a.Ranks.Memory, b.Ranks.Memory), cmp.Compare(a.Priority, b.Priority),
			cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name))
	})
	return all
}

// compareRanks orders by the first possible place, then by the last; no place comes last.
func compareRanks(a, b *Rank) int {
	switch {
	case a == nil && b == nil:
		return 0
	case a == nil:
		return 1
	case b == nil:
		return -1
	}
	return cmp.Or(cmp.Compare(a.First, b.First), cmp.Compare(a.Last, b.Last))
}

// rank sets the places of pods that may be evicted.
func rank(all []Eviction) {
	pods, used := make([]*corev1.Pod, len(all)), make([]Measured, len(all))
	for i := range all {
		pods[i] = all[i].granted
		if all[i].Used != nil {
			used[i].Memory = &all[i].Used.Memory
		}
	}
	for i, ranks := range Order(pods, used) {
		all[i].Ranks = ranks
	}
}

// newEviction is a pod without its places. memory is the node's capacity in bytes.
func newEviction(pod *model.Pod, usage *model.Usage, memory int64) Eviction {
	granted := model.Granted(pod.Object)
	e := Eviction{
		Namespace: pod.Object.Namespace, Name: pod.Object.Name, Pod: pod, granted: granted,
		Class: pod.QOS, WhyClass: WhyClass(granted), Priority: pod.Priority(), Never: NeverEvicted(pod.Object),
		Requests: map[string]string{}, Pinned: ExclusiveCPUs(granted), Containers: []ContainerScore{},
	}
	for _, name := range []corev1.ResourceName{corev1.ResourceCPU, corev1.ResourceMemory, corev1.ResourceEphemeralStorage} {
		if amount := request(granted, name); !amount.IsZero() {
			e.Requests[string(name)] = amount.String()
		}
	}
	if usage != nil {
		if used, ok := usage.Pods[types.NamespacedName{Namespace: e.Namespace, Name: e.Name}]; ok {
			e.Used = &used
			e.Usage = map[string]string{
				string(corev1.ResourceCPU):    resource.NewMilliQuantity(used.MilliCPU, resource.DecimalSI).String(),
				string(corev1.ResourceMemory): resource.NewQuantity(used.Memory, resource.BinarySI).String(),
			}
		}
	}
	for _, c := range lasting(granted) {
		e.Containers = append(e.Containers, ContainerScore{c.Name, OOMScoreAdj(granted, c, memory)})
	}
	return e
}
