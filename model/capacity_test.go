package model

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// capacityNode is a node with so much of each resource.
func capacityNode(name string, ready bool, cordoned bool, resources map[corev1.ResourceName]string) *corev1.Node {
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: corev1.NodeSpec{Unschedulable: cordoned}}
	node.Status.Allocatable = corev1.ResourceList{}
	for resourceName, amount := range resources {
		node.Status.Allocatable[resourceName] = resource.MustParse(amount)
	}
	if ready {
		node.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}}
	}
	return node
}

func TestCapacityIsTheSumOfAllNodes(t *testing.T) {
	b := NewBuilder()
	b.Node(nil, capacityNode("a", true, false, map[corev1.ResourceName]string{"cpu": "4", "memory": "8Gi", "pods": "110", "nvidia.com/gpu": "8", "hugepages-2Mi": "4Mi"}))
	b.Node(nil, capacityNode("b", true, true, map[corev1.ResourceName]string{"cpu": "1500m", "memory": "1Gi", "pods": "10", "example.com/fpga": "2"}))
	b.Node(nil, capacityNode("c", false, false, map[corev1.ResourceName]string{"cpu": "8E", "example.com/none": "0"}))
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "s", Name: "p", UID: "p"}}
	pod.Spec = corev1.PodSpec{NodeName: "a", Containers: []corev1.Container{{Resources: corev1.ResourceRequirements{
		Requests: corev1.ResourceList{"cpu": resource.MustParse("350m"), "nvidia.com/gpu": resource.MustParse("3")},
	}}}}
	b.Pod(nil, pod)
	got := CapacityOf(b.Build(1, Status{}, nil).Nodes)
	if got.Nodes != 3 || got.Ready != 2 || got.Cordoned != 1 {
		t.Errorf("%d nodes, %d Ready, %d cordoned", got.Nodes, got.Ready, got.Cordoned)
	}
	if exact := got.Allocatable.Exact("cpu"); exact.Cmp(resource.MustParse("8000000000000000005500m")) != 0 {
		t.Errorf("cpu is %v", &exact) // more than 64 bits hold in thousandths
	}
	if got.Allocatable.Pods != 120 || got.Requested.Pods != 1 || got.Requested.MilliCPU != 350 || got.Requested.Of("nvidia.com/gpu") != 3 {
		t.Errorf("allocatable %v, requested %v", got.Allocatable, got.Requested)
	}
	if diff := cmp.Diff([]corev1.ResourceName{"nvidia.com/gpu", "example.com/fpga"}, got.Extended()); diff != "" {
		t.Error(diff)
	}
}

func TestResourcesInAWord(t *testing.T) {
	for name, want := range map[corev1.ResourceName]string{
		"cpu": "cpu", "memory": "memory", "pods": "pods", "ephemeral-storage": "storage", "hugepages-1Gi": "hugepages",
		"nvidia.com/gpu": "gpu", "gpu.intel.com/i915": "i915", "nvidia.com/mig-1g.5gb": "mig-1g.5gb",
	} {
		if got := ResourceWord(name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
}
