package scheduler

import (
	"iter"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	corev1helpers "k8s.io/component-helpers/scheduling/corev1"
	fwk "k8s.io/kube-scheduler/framework"

	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// PodIndex finds pods without going over all of them.
type PodIndex struct {
	pods       map[types.UID]*corev1.Pod // all, those of the State
	unassigned map[types.UID]*corev1.Pod
	daemons    map[types.UID]*corev1.Pod // those that DaemonSets control
	ending     map[types.UID]*corev1.Pod // those that are being deleted and still count on their node
	// controlled are the pods by the UID of their controller; nil until somebody asks, and kept from
	// then on: who explains pods asks after each change.
	controlled map[types.UID][]*corev1.Pod
}

// set takes a pod in the place of what it was before, nil for a new one.
func (p *PodIndex) set(old, pod *corev1.Pod) {
	if p.controlled != nil {
		p.control(old, pod)
	}
	if pod.Spec.NodeName == "" {
		p.unassigned[pod.UID] = pod
	} else {
		delete(p.unassigned, pod.UID)
	}
	if model.OfDaemonSet(pod) {
		p.daemons[pod.UID] = pod
	} else {
		delete(p.daemons, pod.UID)
	}
	if pod.DeletionTimestamp != nil && Assigned(pod) {
		p.ending[pod.UID] = pod
	} else {
		delete(p.ending, pod.UID)
	}
}

func (p *PodIndex) drop(pod *corev1.Pod) {
	if p.controlled != nil {
		p.control(pod, nil)
	}
	delete(p.unassigned, pod.UID)
	delete(p.daemons, pod.UID)
	delete(p.ending, pod.UID)
}

// control puts a pod in the place of what it was before among those of their controllers; either may be nil.
func (p *PodIndex) control(old, pod *corev1.Pod) {
	was, is := controllerOf(old), controllerOf(pod)
	at := slices.Index(p.controlled[was], old)
	switch {
	case was == is && was != "" && at >= 0:
		p.controlled[was][at] = pod
		return
	case was != "" && at >= 0:
		p.controlled[was] = slices.Delete(p.controlled[was], at, at+1)
		if len(p.controlled[was]) == 0 {
			delete(p.controlled, was)
		}
	}
	if is != "" {
		p.controlled[is] = append(p.controlled[is], pod)
	}
}

// controllerOf is the UID of a pod's controller; "" without.
func controllerOf(pod *corev1.Pod) types.UID {
	if pod == nil {
		return ""
	}
	if by := metav1.GetControllerOfNoCopy(pod); by != nil {
		return by.UID
	}
	return ""
}

// Unassigned are the real pods without a node, those that have ended too, in no order.
func (p *PodIndex) Unassigned() iter.Seq[*corev1.Pod] { return maps.Values(p.unassigned) }

// OfDaemonSets are the real pods that DaemonSets control, in no order.
func (p *PodIndex) OfDaemonSets() iter.Seq[*corev1.Pod] { return maps.Values(p.daemons) }

// Terminating are the real pods that are being deleted and still count on their node, in no order.
func (p *PodIndex) Terminating() iter.Seq[*corev1.Pod] { return maps.Values(p.ending) }

// ControlledBy are the real pods whose controller has that UID, in no order. Read only, and only as long as the
// scheduler is held.
func (p *PodIndex) ControlledBy(controller types.UID) []*corev1.Pod {
	if p.controlled == nil {
		p.controlled = map[types.UID][]*corev1.Pod{}
		for _, pod := range p.pods {
			if by := controllerOf(pod); by != "" {
				p.controlled[by] = append(p.controlled[by], pod)
			}
		}
	}
	return p.controlled[controller]
}

// Priorities are those of the pods on nodes, counted.
type Priorities struct {
	nodes  *nodeInfos
	all    map[int32]int             // how many pods have each
	onNode map[string]nodePriorities // by the name of the node, as they were asked for
}

// nodePriorities hold for a generation of a NodeInfo.
type nodePriorities struct {
	generation int64
	counts     []PriorityCount
}

// PriorityCount is how many pods of a node have a priority.
type PriorityCount struct {
	Priority    int32
	Class       string // that it comes from; "" is none
	OfDaemonSet bool   // DaemonSets control them
	Pods        int
}

func newPriorities(nodes *nodeInfos) *Priorities {
	return &Priorities{nodes: nodes, all: map[int32]int{}, onNode: map[string]nodePriorities{}}
}

// add counts a pod that came to a node, or with -1 one that left it.
func (p *Priorities) add(pod *corev1.Pod, change int) {
	priority := corev1helpers.PodPriority(pod)
	p.all[priority] += change
	if p.all[priority] == 0 {
		delete(p.all, priority)
	}
}

// Held says whether any node at all holds a pod of a priority between two: from one, and below
// the other.
func (p *Priorities) Held(from, below int32) bool {
	for held := range p.all {
		if held >= from && held < below {
			return true
		}
	}
	return false
}

// On counts the pods of a node, which may be simulated, by their priorities. It goes over those of a real node again
// only once it has changed, or pods have come or gone.
func (p *Priorities) On(node fwk.NodeInfo) []PriorityCount {
	name := node.Node().Name
	known, ok := p.onNode[name]
	if ok && known.generation == node.GetGeneration() {
		return known.counts
	}
	var counts []PriorityCount
	for _, info := range node.GetPods() {
		pod := info.GetPod()
		of := PriorityCount{corev1helpers.PodPriority(pod), pod.Spec.PriorityClassName, model.OfDaemonSet(pod), 1}
		at := slices.IndexFunc(counts, func(c PriorityCount) bool {
			return c.Priority == of.Priority && c.Class == of.Class && c.OfDaemonSet == of.OfDaemonSet
		})
		if at < 0 {
			counts = append(counts, of)
		} else {
			counts[at].Pods++
		}
	}
	if real := p.nodes.byName[name]; fwk.NodeInfo(real) == node {
		p.onNode[name] = nodePriorities{node.GetGeneration(), slices.Clip(counts)}
	}
	return counts
}
