package get

import (
	"maps"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// nodeOf is a node with a pod that requests so much cpu.
func nodeOf(requested string, allocatable corev1.ResourceList) *model.Node {
	pod := &corev1.Pod{Spec: corev1.PodSpec{Containers: []corev1.Container{{Resources: corev1.ResourceRequirements{
		Requests: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse(requested)},
	}}}}}
	n := &model.Node{Object: &corev1.Node{Status: corev1.NodeStatus{Allocatable: allocatable}}, Pods: []*model.Pod{model.NewPod(pod)}}
	n.Allocatable, n.Requested = model.NewResources(allocatable), *n.Pods[0].Requests
	return n
}

func TestWhatIsFreeIsUnknownWhereAllocatableIsNotSet(t *testing.T) {
	n := nodeOf("2", corev1.ResourceList{})
	for _, counted := range []bool{true, false} {
		if got := freeOf(n, counted); got.cpu != "?" || got.memory != "?" {
			t.Errorf("counted %t: %+v", counted, got)
		}
	}
	if got := freeOf(n, true); got.pods != "1/?" {
		t.Errorf("pods %s", got.pods)
	}
	if got := newNodeItem(n, true); len(got.Free) > 0 {
		t.Errorf("free %v", got.Free)
	}
}

func TestMoreRequestedThanAllocatableIsLessThanNothingFree(t *testing.T) {
	n := nodeOf("96", corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("4"), corev1.ResourceMemory: resource.MustParse("8Gi"), corev1.ResourcePods: resource.MustParse("110")})
	if got := freeOf(n, true); got.cpu != "-92/4" || got.memory != "8/8Gi" || got.pods != "1/110" {
		t.Errorf("%+v", got)
	}
	want := map[string]string{"cpu": "-92", "memory": "8Gi", "pods": "110"}
	if got := newNodeItem(n, true); !maps.Equal(got.Free, want) {
		t.Errorf("free %v, want %v", got.Free, want)
	}
}
