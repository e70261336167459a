package inventory

import (
	"cmp"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// Resize is a pod that is resized in place, and has not got there.
type Resize struct {
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	Node      string `json:"nodeName"`
	Priority  int32  `json:"priority"`
	// State is ResizeDeferred, ResizeInfeasible, ResizeInProgress or ResizeError, and
	// Message what the kubelet said.
	State   string     `json:"state"`
	Message string     `json:"message"`
	Since   *time.Time `json:"since"` // nil is unknown, as in older versions
	// Desired are the pod's requests, Allocated those that the kubelet has granted.
	Desired   corev1.ResourceList `json:"desired"`
	Allocated corev1.ResourceList `json:"allocated"`
	// Lacks is what the node would need more to grant the requests; nil where the node or
	// its pods are not known.
	Lacks corev1.ResourceList `json:"lacks"`
	// Holders are the other pods on the node that hold most of what it lacks, the largest first,
	// whatever their priority: the kubelet evicts none for a resize.
	Holders []Holder `json:"holders"`

	Pod *model.Pod `json:"-"`
}

// Holder is a pod that holds what another one needs.
type Holder struct {
	Namespace string              `json:"namespace"`
	Name      string              `json:"name"`
	Priority  int32               `json:"priority"`
	Requests  corev1.ResourceList `json:"requests"`
}

// The states of a resize.
const (
	ResizeDeferred   = model.ResizeDeferred
	ResizeInfeasible = model.ResizeInfeasible
	ResizeInProgress = model.ResizeInProgress
	ResizeError      = model.ResizeError
)

// Resizes are the pods whose resize in place is not done: those that are not granted
// first, by namespace and name.
func Resizes(s *model.Snapshot) []Resize {
	all := []Resize{}
	for _, pod := range s.Pods {
		r, ok := resizeOf(pod)
		if !ok || pod.Finished() {
			continue
		}
		if node, found := s.Node(r.Node); found && podsKnown(s, "") {
			r.measure(node)
		}
		all = append(all, r)
	}
	rank := map[string]int{ResizeInfeasible: 0, ResizeDeferred: 1, ResizeError: 2}
	slices.SortStableFunc(all, func(a, b Resize) int {
		first, known := rank[a.State]
		if !known {
			first = len(rank)
		}
		second, known := rank[b.State]
		if !known {
			second = len(rank)
		}
		return cmp.Or(cmp.Compare(first, second), model.ComparePods(a.Pod, b.Pod))
	})
	return all
}

// resizeOf is the resize of a pod; false without one.
func resizeOf(pod *model.Pod) (r Resize, ok bool) {
	of := model.ResizeOf(pod.Object)
	r = Resize{
		Namespace: pod.Object.Namespace, Name: pod.Object.Name, Node: pod.Object.Spec.NodeName, Priority: pod.Priority(),
		State: of.State, Message: of.Message, Holders: []Holder{}, Pod: pod,
	}
	if !of.Since.IsZero() {
		r.Since = new(of.Since.UTC())
	}
	if r.State == "" {
		return r, false
	}
	r.Desired, r.Allocated = resizableOf(model.DesiredRequests(pod.Object)), resizableOf(model.AllocatedRequests(pod.Object))
	return r, true
}

// resizableOf are the requests that can be resized.
func resizableOf(requests corev1.ResourceList) corev1.ResourceList {
	amounts := corev1.ResourceList{}
	for _, name := range model.ResizableResources {
		if amount, ok := requests[name]; ok && !amount.IsZero() {
			amounts[name] = amount
		}
	}
	return amounts
}

// mostHolders is how many holders are named.
const mostHolders = 5

// measure says what a node lacks to grant the resize, and which pods hold it.
func (r *Resize) measure(node *model.Node) {
	r.Lacks = corev1.ResourceList{}
	if r.State != ResizeDeferred && r.State != ResizeInfeasible {
		return
	}
	others := make([]*corev1.Pod, len(node.Pods))
	for i, pod := range node.Pods {
		others[i] = pod.Object
	}
	var known bool
	if r.Lacks, known = model.ResizeLacks(r.Pod.Object, others, node.Object.Status.Allocatable); known && r.State == ResizeDeferred { // nothing that is freed makes an infeasible one feasible
		r.findHolders(node)
	}
}

// findHolders finds the largest other pods, by the first resource that the node lacks.
func (r *Resize) findHolders(node *model.Node) {
	at := slices.IndexFunc(model.ResizableResources, func(name corev1.ResourceName) bool { _, lacks := r.Lacks[name]; return lacks })
	if at < 0 {
		return
	}
	of := func(p *model.Pod) resource.Quantity { return p.Requests.Exact(model.ResizableResources[at]) }
	var pods []*model.Pod
	for _, pod := range node.Pods {
		if amount := of(pod); pod != r.Pod && !pod.Finished() && amount.Sign() > 0 {
			pods = append(pods, pod)
		}
	}
	slices.SortFunc(pods, func(a, b *model.Pod) int {
		first, second := of(a), of(b)
		return cmp.Or(second.Cmp(first), model.ComparePods(a, b))
	})
	for _, pod := range pods[:min(len(pods), mostHolders)] {
		r.Holders = append(r.Holders, Holder{pod.Object.Namespace, pod.Object.Name, pod.Priority(), resizableOf(model.AllocatedRequests(pod.Object))})
	}
}
