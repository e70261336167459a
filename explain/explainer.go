package explain

import (
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	corelisters "k8s.io/client-go/listers/core/v1"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
)

// explainer finds the words and the figures for the refusals of one plugin. The
// plugin has refused already: an explainer decides nothing, and it never parses
// a reason. Every field may be nil, and an explainer of no fields leaves the
// plugin's own reason standing.
//
// All of it runs under the engine's lock on one goroutine; nothing may be kept
// beyond the explanation except objects of the API, which never change.
type explainer struct {
	// shape tells apart refusals that one line cannot tell together: equal
	// refusing plugins and equal shapes make one group. It is asked for every
	// refused node (thousands), so it must be cheap and should return strings
	// that exist already or are remembered. The untolerated taints are a shape;
	// a node's label values are not ("wants disktype=ssd: 3 have hdd" is one
	// group). Nil: the status's reasons are the shape.
	shape func(q *question, r refused) string

	// shortage says how far the node is from passing, as a share of what is
	// wanted (0.1: a tenth is missing), for the order of nodes and groups. Nil,
	// or 0: not a matter of degree, which counts as 1.
	shortage func(q *question, r refused) float64

	// figures are the numbers behind the refusal of one node, only those that
	// stand in the way. The engine writes them as Refusal.Numbers and merges
	// those of a group's nodes into ranges. Nil: there are none.
	figures func(q *question, r refused) []figure

	// words are what one refusal, or the refusals of a group's nodes for the
	// same plugin and shape, come to. rs is never empty and is ordered nearest
	// first. Nil: the plugin's own reason is both clause and sentence.
	words func(q *question, rs []refused) words
}

// words is a refusal told.
type words struct {
	// What is a sentence with the objects' names (a taint as key=value:effect)
	// and each figure: Refusal.What.
	What string
	// Short is a clause for tables, the point first: "cpu 350m short",
	// "dedicated=gpu:NoSchedule". Refusal.Short. The words of several nodes
	// name the nearest where they differ; those of one node leave it to the group.
	Short string
	// Bar is what alone would have to go, without what nodes have instead:
	// "disktype=ssd". "": Short says it. Refusal.Bar.
	Bar string
	// Wider is Short with more of the names, each longer than the one before,
	// for wide screens. Refusal.Wider.
	Wider []string
}

// refused is one node that a plugin has refused, with what the plugin saw.
type refused struct {
	// plugin is its name, as in the profile.
	plugin string
	// node as the plugin saw it. Where it was refused only because of pods that
	// are nominated to it, those are on this copy. Nil for a PreFilter refusal,
	// which holds for all nodes at once.
	node fwk.NodeInfo
	// state is the plugin's own CycleState after PreFilter (and after AddPod of
	// the nominated pods, where they matter).
	state fwk.CycleState
	// status is what the plugin answered: its reasons, and its code, which says
	// whether preemption could help.
	status *fwk.Status
	// nominated are the pods that node holds only by nomination.
	nominated []fwk.PodInfo
	// at is where the node is among those that were asked about.
	at int
}

// figure is one number that stands in the way. Quantities are in the unit that
// the scheduler counts the resource in: cpu in thousandths, everything else in
// whole units or bytes.
type figure struct {
	Resource    corev1.ResourceName // or any other name of what is counted
	Wanted      int64
	Requested   int64
	Allocatable int64
	Short       int64 // 0 where nothing is counted
}

// question is one pod that is asked about, and everything that an explainer may
// look at.
type question struct {
	pod     *corev1.Pod
	podInfo fwk.PodInfo // its requests and affinity terms, parsed as the scheduler does

	// nodes is the state that the plugins saw (the overlay), all nodes in it.
	nodes      fwk.SharedLister
	dra        fwk.SharedDRAManager
	namespaces corelisters.NamespaceLister
	listers    listers
	groups     fwk.PodGroupManager
	logger     klog.Logger
	now        time.Time
	args       map[string]runtime.Object // the profile's, by plugin
	backoff    time.Duration             // the longest that a pod rests between two tries

	// column is what a plugin answered for each of the nodes, in their order, where
	// all were asked: nil where one let the pod on. Nil: not known.
	column func(plugin string) []*fwk.Status

	memo map[any]any
}

// remember computes a value once per explanation. Keys are compared with ==;
// use an unexported type of your own for them.
func remember[T any](q *question, key any, compute func() T) T {
	if v, ok := q.memo[key]; ok {
		return v.(T)
	}
	v := compute()
	if q.memo == nil {
		q.memo = map[any]any{}
	}
	q.memo[key] = v
	return v
}
