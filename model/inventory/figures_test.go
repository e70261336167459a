package inventory

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-fathom/kubectl-fathom/model/modeltest"
)

func TestTheFiguresOfANode(t *testing.T) {
	node := modeltest.NewNode("gpu-1", "eu-1a", "15900m", "60Gi")
	node.Status.Capacity = modeltest.Quantities("cpu", "16", "memory", "64Gi", "pods", "110", "nvidia.com/gpu", "8", "example.com/fpga", "2", "hugepages-2Mi", "1Gi", "hugepages-1Gi", "0")
	node.Status.Allocatable["nvidia.com/gpu"] = node.Status.Capacity["nvidia.com/gpu"]
	node.Status.Allocatable["example.com/fpga"] = node.Status.Capacity["example.com/fpga"]
	node.Status.Allocatable["hugepages-2Mi"] = node.Status.Capacity["hugepages-2Mi"]
	pod := func(name string) *corev1.Pod {
		return modeltest.NewPod("dev/"+name, "gpu-1", "8", "1Gi", 0, func(p *corev1.Pod) {
			p.Spec.Containers[0].Resources.Limits = modeltest.Quantities("cpu", "10", "nvidia.com/gpu", "1")
			p.Spec.Containers[0].Resources.Requests["nvidia.com/gpu"] = node.Status.Capacity["pods"]
		})
	}
	s := grouped([]*corev1.Node{node}, pod("a"), pod("b"))
	gib := int64(1 << 30)
	want := []Figure{
		{"cpu", 16000, 15900, 16000, 20000},
		{"memory", 64 * gib, 60 * gib, 2 * gib, 0},
		{"pods", 110, 110, 2, 0},
		{"hugepages-2Mi", gib, gib, 0, 0},
		{"nvidia.com/gpu", 8, 8, 220, 2},
		{"example.com/fpga", 2, 2, 0, 0},
	}
	got := Figures(s.Nodes[0])
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatal(diff)
	}
	if reserved, known := got[0].Reserved(); reserved != 100 || !known || got[0].Free() != 0 || got[1].Free() != 58*gib {
		t.Errorf("reserved %d, free %d and %d", reserved, got[0].Free(), got[1].Free())
	}
	if _, known := (&Figure{Allocatable: 4}).Reserved(); known {
		t.Error("what is reserved of an unknown capacity is known")
	}
}
