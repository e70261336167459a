package model

import (
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
)

// Node is what the dashboard shows of one node, derived once from the object.
type Node struct {
	Object       *corev1.Node
	Name         string
	Ready        corev1.ConditionStatus // Unknown when the kubelet is silent or said nothing yet
	ReadySince   time.Time              // when Ready last changed
	Cordoned     bool                   // spec.unschedulable
	Status       string                 // the STATUS cell: "Ready,cordoned", "NotReady", "Unknown,MemoryPressure"
	Taints       string                 // the TAINTS cell: "dedicated=gpu:NoSchedule,not-ready:NoExecute,NoSchedule"
	Lifecycle    string                 // "new: not initialized", "removing: scale-down"; "" in between
	Pressure     []string               // "MemoryPressure", "DiskPressure", "PIDPressure", "NetworkUnavailable", those that hold
	Roles        []string               // node-role.kubernetes.io/…, sorted
	Zone         string                 // topology.kubernetes.io/zone
	Pool         string                 // the name of the node pool: Builder.PoolLabel, else a label of the known providers
	Instance     string                 // node.kubernetes.io/instance-type
	CapacityType string                 // "spot", "on-demand", or another word of the provider; "" where no label says so
	Version      string                 // the kubelet's
	Allocatable  Resources
	Requested    Resources // sum over the pods bound here, as the scheduler counts
	Limits       Resources
	Pods         []*Pod // bound here and not finished, by namespace and name
}

// Schedulable reports whether the scheduler may place new pods on the node at all: it is
// Ready, not cordoned, not new and not about to be removed, and no taint of its state, such as
// that of MemoryPressure, keeps pods off.
func (n *Node) Schedulable() bool {
	return n.Ready == corev1.ConditionTrue && !n.Cordoned && n.Lifecycle == "" &&
		!slices.ContainsFunc(n.Object.Spec.Taints, func(t corev1.Taint) bool {
			return IsStateTaint(t.Key) && t.Effect != corev1.TaintEffectPreferNoSchedule
		})
}

// IsReady reports whether the condition Ready is True, for which kubectl get nodes prints Ready: of a node that is
// new, cordoned or being removed too. Whatever counts Ready nodes counts by it.
func (n *Node) IsReady() bool { return n.Ready == corev1.ConditionTrue }

// IsNew reports whether the node is not initialized yet.
func (n *Node) IsNew() bool { return n.Lifecycle == newLifecycle }

// IsFailed reports whether the node is not Ready although it has been initialized.
func (n *Node) IsFailed() bool { return !n.IsReady() && !n.IsNew() }

// States are the STATUS of the node, what matters most first: "new: not initialized", "NotReady,removing",
// "removing: scale-down", "Ready,cordoned,MemoryPressure".
func (n *Node) States() []string {
	word, _, _ := strings.Cut(n.Status, ",")
	var rest []string
	switch {
	case n.Lifecycle == "":
		if n.Cordoned { // a node that is new or being removed takes no pods anyway
			rest = append(rest, "cordoned")
		}
		rest = append(rest, n.Pressure...)
	case n.IsFailed():
		short, _, _ := strings.Cut(n.Lifecycle, ":")
		rest = append(slices.Clone(n.Pressure), short)
	default:
		word, rest = n.Lifecycle, n.Pressure
	}
	return append([]string{word}, rest...)
}

// Lists reports whether the node has an extended resource or had it: its kubelet still lists one of
// which nothing is left, as when a device plugin has ended, and pods may still request it there.
func (n *Node) Lists(name corev1.ResourceName) bool {
	_, listed := n.Object.Status.Allocatable[name]
	return listed || n.Requested.Of(name) > 0
}

// Uninitialized reports whether the node still has the taint with which the kubelet registers it
// where a cloud provider is external.
func (n *Node) Uninitialized() bool {
	return slices.ContainsFunc(n.Object.Spec.Taints, func(t corev1.Taint) bool { return t.Key == uninitialized })
}

// CordonedSince is when the cordon's taint was set; zero where it does not say.
func (n *Node) CordonedSince() time.Time {
	for _, t := range n.Object.Spec.Taints {
		if t.Key == corev1.TaintNodeUnschedulable && t.TimeAdded != nil {
			return t.TimeAdded.Time
		}
	}
	return time.Time{}
}

// TaintTexts is everything that a taint of the node may be called.
func (n *Node) TaintTexts() []string {
	var texts []string
	for _, taint := range n.SortedTaints() {
		if n.isCordon(taint) {
			continue
		}
		short := taintKey(taint)
		texts = append(texts, taint.ToString(), short+":"+string(taint.Effect), short, taint.Key)
	}
	return texts
}

// LabelTexts is everything that a label may be called: name=value, and its name.
func LabelTexts(labels map[string]string) []string {
	texts := make([]string, 0, 2*len(labels))
	for name, value := range labels {
		texts = append(texts, name+"="+value, name)
	}
	slices.Sort(texts)
	return texts
}
