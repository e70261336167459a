package random

import (
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// GPU is the extended resource that some nodes have.
const GPU = "example.com/gpu"

// hugePages is the other resource that some nodes have.
const hugePages = "hugepages-2Mi"

// restartAll is a feature that pods may need.
const restartAll = "RestartAllContainersOnContainerExits"

// node makes node i: Ready, with labels, amounts, taints and cordons as they fall.
func (c *Cluster) node(i int) *corev1.Node {
	name := fmt.Sprintf("ip-10-1-%d-%d.internal", i%3, 11+7*i)
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{
		corev1.LabelHostname: name,
		"generation":         fmt.Sprint(1 + c.rand.IntN(5)),
	}}}
	if !c.one(10) {
		node.Labels[corev1.LabelTopologyZone] = pick(c, "a", "b", "c")
	}
	if c.one(3) {
		node.Labels["disktype"] = pick(c, "ssd", "ssd", "hdd")
	}
	if c.one(4) {
		node.Labels["rack"] = pick(c, "r1", "r2")
	}
	if c.one(2) {
		node.Status.DeclaredFeatures = []string{restartAll}
	}
	c.amounts(node)
	c.taint(node)
	now := metav1.NewTime(time.Now())
	node.Status.Conditions = []corev1.NodeCondition{{
		Type: corev1.NodeReady, Status: corev1.ConditionTrue, Reason: "KubeletReady", LastHeartbeatTime: now, LastTransitionTime: now,
	}}
	return node
}

// amounts sets what node can give away.
func (c *Cluster) amounts(node *corev1.Node) {
	list := amounts(
		"cpu", pick(c, "1930m", "3920m", "4", "7910m"),
		"memory", pick(c, "3Gi", "7000Mi", "15632364Ki"),
		"pods", pick(c, "4", "8", "12", "110"),
		"ephemeral-storage", pick(c, "5Gi", "50Gi"),
	)
	if c.one(4) {
		list[GPU] = amounts(GPU, pick(c, "1", "2", "4"))[GPU]
	}
	if c.one(6) {
		list[hugePages] = amounts(hugePages, "64Mi")[hugePages]
	}
	node.Status.Allocatable, node.Status.Capacity = list, list
}

// taint taints and cordons node, or not.
func (c *Cluster) taint(node *corev1.Node) {
	if c.one(4) {
		node.Spec.Taints = append(node.Spec.Taints, corev1.Taint{
			Key: "dedicated", Value: pick(c, "gpu", "batch", ""), Effect: corev1.TaintEffectNoSchedule,
		})
	}
	if c.one(8) {
		node.Spec.Taints = append(node.Spec.Taints, corev1.Taint{
			Key: "example.com/broken", Effect: pick(c, corev1.TaintEffectNoExecute, corev1.TaintEffectPreferNoSchedule),
		})
	}
	if !c.one(8) {
		return
	}
	node.Spec.Unschedulable = true
	if !c.one(3) { // kube-controller-manager sets it a little later
		node.Spec.Taints = append(node.Spec.Taints, corev1.Taint{
			Key: corev1.TaintNodeUnschedulable, Effect: corev1.TaintEffectNoSchedule,
		})
	}
}
