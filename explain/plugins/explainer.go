// Package plugins tells the rejections of kube-scheduler's plugins, a file a plugin: the names
// and figures that a reason leaves out. A plugin has refused already; nothing is decided here.
package plugins

import (
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	corelisters "k8s.io/client-go/listers/core/v1"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"
)

// explainer finds the words and the figures for the rejections of one plugin. The
// plugin has refused already: an explainer decides nothing, and it never parses
// a reason. Every field may be nil, and an explainer of no fields leaves the
// plugin's own reason standing.
//
// All of it runs under the engine's lock on one goroutine; nothing may be kept
// beyond the explanation except objects of the API, which never change.
type explainer struct {
	// shape tells apart rejections that one line cannot tell together: equal
	// refusing plugins and equal shapes make one group. It is asked for every
	// refused node (thousands), so it must be cheap and should return strings
	// that exist already or are remembered. The untolerated taints are a shape;
	// a node's label values are not ("wants disktype=ssd: 3 have hdd" is one
	// group). Nil: the status's reasons are the shape.
	Shape func(q *Question, r NodeRejection) string

	// shortage says how far the node is from passing, as a share of what is
	// wanted (0.1: a tenth is missing), for the order of nodes and groups. Nil,
	// or 0: not a matter of degree, which counts as 1.
	Shortage func(q *Question, r NodeRejection) float64

	// figures are the numbers behind the rejection of one node, only those that
	// stand in the way. The engine writes them as Rejection.Numbers and merges
	// those of a group's nodes into ranges. Nil: there are none.
	Figures func(q *Question, r NodeRejection) []Figure

	// Cause is what a rejection is about, in a word or two of at most 14 cells. Nil: it
	// is the same for all rejections of the plugin, see causes.
	Cause func(q *Question, r NodeRejection) string

	// words are what one rejection, or the rejections of a group's nodes for the
	// same plugin and shape, come to. rs is never empty and is ordered nearest
	// first. Nil: the plugin's own reason is both clause and sentence.
	Words func(q *Question, rs []NodeRejection) Words
}

// Words is a rejection told.
type Words struct {
	// What is a sentence with the objects' names (a taint as key=value:effect)
	// and each figure: Rejection.What.
	What string
	// Short is a clause for tables, the point first: "cpu 350m short",
	// "dedicated=gpu:NoSchedule". Rejection.Short. The words of several nodes
	// name the nearest where they differ; those of one node leave it to the group.
	Short string
	// Bar is what alone would have to go, without what nodes have instead:
	// "disktype=ssd". "": Short says it. Rejection.Bar.
	Bar string
	// Wider is Short with more of the names, each longer than the one before,
	// for wide screens. Rejection.Wider.
	Wider []string
	// Nearest is Short of the nearest node alone, where it differs by how near nodes are.
	// Rejection.Nearest.
	Nearest string
}

// NodeRejection is one node that a plugin has refused, with what the plugin saw.
type NodeRejection struct {
	// plugin is its name, as in the profile.
	Plugin string
	// node as the plugin saw it. Where it was refused only because of pods that
	// are nominated to it, those are on this copy. Nil for a PreFilter rejection,
	// which holds for all nodes at once.
	Node fwk.NodeInfo
	// state is the plugin's own CycleState after PreFilter (and after AddPod of
	// the nominated pods, where they matter).
	State fwk.CycleState
	// status is what the plugin answered: its reasons, and its code, which says
	// whether preemption could help.
	Status *fwk.Status
	// nominated are the pods that node holds only by nomination.
	Nominated []fwk.PodInfo
	// at is where the node is among those that were asked about.
	At int
}

// Figure is one number that stands in the way. Quantities are in the unit that
// the scheduler counts the resource in: cpu in thousandths, everything else in
// whole units or bytes.
type Figure struct {
	Resource    corev1.ResourceName // or any other name of what is counted
	Wanted      int64
	Requested   int64
	Allocatable int64
	Short       int64 // 0 where nothing is counted
}

// Question is one pod that is asked about, and everything that an explainer may
// look at.
type Question struct {
	Pod     *corev1.Pod
	PodInfo fwk.PodInfo // its requests and affinity terms, parsed as the scheduler does

	// nodes is the state that the plugins saw (the overlay), all nodes in it.
	Nodes      fwk.SharedLister
	DRA        fwk.SharedDRAManager
	Namespaces corelisters.NamespaceLister
	Listers    Listers
	Groups     fwk.PodGroupManager
	Logger     klog.Logger
	Now        time.Time
	Args       map[string]runtime.Object // the profile's, by plugin
	Backoff    time.Duration             // the longest that a pod rests between two tries

	// column is what a plugin answered for each of the nodes, in their order, where
	// all were asked: nil where one let the pod on. Nil: not known.
	Column func(plugin string) []*fwk.Status

	memo map[any]any
}

// Remember computes a value once per explanation. Keys are compared with ==;
// use an unexported type of your own for them.
func Remember[T any](q *Question, key any, compute func() T) T {
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

func (e explainer) Distance(q *Question, r NodeRejection) float64 {
	if e.Shortage != nil {
		if share := e.Shortage(q, r); share > 0 {
			return share
		}
		return 1
	}
	return e.worstShare(q, r, func(f Figure) int64 { return f.Wanted })
}

// Missing is how much of a node's capacity is missing for the pod, by which several pods are
// compared on one node: 1 where nothing is counted.
func (e explainer) Missing(q *Question, r NodeRejection) float64 {
	if e.Figures == nil {
		return e.Distance(q, r)
	}
	return e.worstShare(q, r, func(f Figure) int64 { return f.Allocatable })
}

// another is what each resource adds that is short beside the worst: of two nodes that have nothing left of
// one, that is closer which has enough of the others.
const another = 1e-9

// worstShare is the largest part that is short of a whole; 1 where nothing is counted.
func (e explainer) worstShare(q *Question, r NodeRejection, whole func(Figure) int64) float64 {
	if e.Figures == nil || r.Node == nil {
		return 1
	}
	worst, short := 0.0, 0
	for _, f := range e.Figures(q, r) {
		if of := whole(f); of > 0 {
			worst, short = max(worst, float64(f.Short)/float64(of)), short+1
		}
	}
	if worst == 0 {
		return 1
	}
	return worst + another*float64(short-1)
}

// Explainers has one entry for each plugin whose reason leaves out names or
// numbers, by the plugin's name in the profile. For the others the plugin's own
// reason stands.
var Explainers = map[string]explainer{
	names.NodeResourcesFit:     NodeResourcesFit,
	names.TaintToleration:      TaintToleration,
	names.NodeUnschedulable:    nodeUnschedulable,
	names.NodeName:             nodeName,
	names.NodeAffinity:         nodeAffinity,
	names.NodePorts:            nodePorts,
	names.PodTopologySpread:    PodTopologySpread,
	names.InterPodAffinity:     InterPodAffinity,
	names.VolumeRestrictions:   volumeRestrictions,
	names.VolumeBinding:        volumeBinding,
	names.VolumeZone:           volumeZone,
	names.NodeVolumeLimits:     nodeVolumeLimits,
	names.DynamicResources:     dynamicResources,
	names.NodeDeclaredFeatures: nodeDeclaredFeatures,

	names.DeferredPodScheduling: deferredPodScheduling,
}

// GateRejection is one PreEnqueue plugin's no, told: what keeps a pod out of the
// scheduler's queue.
type GateRejection struct {
	Plugin string
	Reason string // its own words
	What   string // a clause that begins a sentence: "Gated by example.com/budget"
	Short  string // for tables: "example.com/budget"
	Until  string // what has to happen: "the gate is removed"
	Owner  string // who has to see to it; "": not known
}

// GateExplainers find the words for the rejections of PreEnqueue plugins, by the
// plugin's name. The plugin has refused already; false where nothing is found.
var GateExplainers = map[string]func(*Question) (GateRejection, bool){
	names.SchedulingGates:  schedulingGates,
	names.GangScheduling:   gangScheduling,
	names.DynamicResources: claimsToCome,
}

// TellGate finds the words for a rejection; the plugin's own reason stands where
// there are no better ones.
func TellGate(q *Question, plugin string, status *fwk.Status) GateRejection {
	if explain, ok := GateExplainers[plugin]; ok {
		if h, found := explain(q); found {
			h.Plugin, h.Reason = plugin, status.Message()
			return h
		}
	}
	said := plugin + ": " + status.Message()
	return GateRejection{Plugin: plugin, Reason: status.Message(), What: "Rejected by " + said, Short: said, Until: "that changes"}
}
