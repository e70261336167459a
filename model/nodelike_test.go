package model

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestANodeLikeAnotherIsNewAndReady(t *testing.T) {
	taint := func(key string) corev1.Taint {
		return corev1.Taint{Key: key, Effect: corev1.TaintEffectNoSchedule}
	}
	old := &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{
			Name: "ip-1.internal", UID: "old", DeletionTimestamp: new(metav1.Now()), Annotations: map[string]string{"a": "b"},
			Labels: map[string]string{corev1.LabelHostname: "ip-1", "topology.example.com/node": "ip-1.internal", corev1.LabelTopologyZone: "a", "pool": "std"},
		},
		Spec: corev1.NodeSpec{
			ProviderID: "aws:///i-1", Unschedulable: true,
			Taints: []corev1.Taint{
				taint("node.kubernetes.io/unreachable"), taint("dedicated"), taint(corev1.TaintNodeUnschedulable),
				taint("ToBeDeletedByClusterAutoscaler"), taint("DeletionCandidateOfClusterAutoscaler"), taint("karpenter.sh/disrupted"),
				taint("node.cloudprovider.kubernetes.io/uninitialized"), taint("node.cloudprovider.kubernetes.io/shutdown"), taint("karpenter.sh/unregistered"),
			},
		},
		Status: corev1.NodeStatus{
			Conditions:   []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionUnknown}, {Type: corev1.NodeDiskPressure, Status: corev1.ConditionTrue}},
			VolumesInUse: []corev1.UniqueVolumeName{"v"}, Images: []corev1.ContainerImage{{}},
		},
	}
	before := old.DeepCopy()
	got := NodeLike(old, "new-node-1")
	if !cmp.Equal(old, before) {
		t.Error("the old node is changed")
	}
	want := &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{
			Name: "new-node-1", UID: "new node new-node-1",
			Labels: map[string]string{corev1.LabelHostname: "new-node-1", "topology.example.com/node": "new-node-1", corev1.LabelTopologyZone: "a", "pool": "std"},
		},
		Spec: corev1.NodeSpec{Taints: []corev1.Taint{taint("dedicated")}},
		Status: corev1.NodeStatus{
			Conditions: []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}, {Type: corev1.NodeDiskPressure, Status: corev1.ConditionFalse}},
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
