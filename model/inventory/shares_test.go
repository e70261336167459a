package inventory

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-fathom/kubectl-fathom/model/modeltest"
)

// TestStaticPodsAreNoWorkloadNamedLikeTheirNode, which owns their mirror pods.
func TestStaticPodsAreNoWorkloadNamedLikeTheirNode(t *testing.T) {
	mirror := func(p *corev1.Pod) {
		p.Annotations = map[string]string{corev1.MirrorPodAnnotationKey: "hash"}
		p.OwnerReferences = []metav1.OwnerReference{{APIVersion: "v1", Kind: "Node", Name: p.Spec.NodeName, Controller: new(true)}}
	}
	nodes := []*corev1.Node{modeltest.NewNode("cp-1", "a", "8", "32Gi"), modeltest.NewNode("cp-2", "b", "8", "32Gi")}
	s := grouped(nodes, modeltest.NewPod("kube-system/etcd-cp-1", "cp-1", "1", "1Gi", 0, mirror), modeltest.NewPod("kube-system/etcd-cp-2", "cp-2", "2", "1Gi", 0, mirror),
		modeltest.NewPod("shop/web", "cp-1", "1", "1Gi", 0, nil))
	workloads, _ := SharesOf(s.Nodes, corev1.ResourceCPU)
	want := []Share{{"static pods of kube-system", 3000, 75}, {"shop/web", 1000, 25}}
	if diff := cmp.Diff(want, workloads); diff != "" {
		t.Error(diff)
	}
}
