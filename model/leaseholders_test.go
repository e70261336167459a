package model

import (
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestWhyThePodThatHoldsALeaseIsGone(t *testing.T) {
	set := func(namespace, name, kind, owner string, replicas int32) *appsv1.ReplicaSet {
		s := &appsv1.ReplicaSet{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}, Spec: appsv1.ReplicaSetSpec{Replicas: &replicas}}
		if owner != "" {
			s.OwnerReferences = []metav1.OwnerReference{{Kind: kind, Name: owner, Controller: new(true)}}
		}
		return s
	}
	stateful := func(name string, replicas int32) *appsv1.StatefulSet {
		return &appsv1.StatefulSet{ObjectMeta: metav1.ObjectMeta{Namespace: "ml", Name: name}, Spec: appsv1.StatefulSetSpec{Replicas: &replicas}}
	}
	holders := LeaseHolders{
		HasPod: func(namespace, name string) bool { return namespace == "ml" && name == "bare-x7k2p" },
		ReplicaSets: []*appsv1.ReplicaSet{
			set("ml", "pack-rg5", "Deployment", "pack", 0), set("ml", "pack-w2j", "Deployment", "pack", 0),
			set("ml", "rolled-1", "Deployment", "rolled", 0), set("ml", "rolled-2", "Deployment", "rolled", 1),
			set("ml", "bare", "", "", 0), set("ml", "canary-1", "Rollout", "canary", 0), set("other", "far", "", "", 0),
		},
		StatefulSets: []*appsv1.StatefulSet{stateful("queue", 0), stateful("crashed", 2)},
	}
	for _, test := range []struct{ name, holder, want string }{
		{"its Deployment is scaled to 0", "pack-rg5-5dfmq_62e81a35", "deployment/pack is scaled to 0; to start it: kubectl -n ml scale deployment/pack --replicas=1"},
		{"another ReplicaSet of it has pods", "rolled-1-5dfmq_62e81a35", "its holder, pod rolled-1-5dfmq, does not exist"},
		{"a ReplicaSet without an owner", "bare-5dfmq_62e81a35", "replicaset/bare is scaled to 0; to start it: kubectl -n ml scale replicaset/bare --replicas=1"},
		{"an owner of another kind", "canary-1-5dfmq_62e81a35", "rollout/canary is scaled to 0"},
		{"a StatefulSet", "queue-0_62e81a35", "statefulset/queue is scaled to 0; to start it: kubectl -n ml scale statefulset/queue --replicas=1"},
		{"a StatefulSet with replicas", "crashed-1_62e81a35", "its holder, pod crashed-1, does not exist"},
		{"the pod exists", "bare-x7k2p_62e81a35", ""},
		{"a node, of a pod with its network", "cp-1_62e81a35", ""},
		{"a ReplicaSet of another namespace", "far-5dfmq_62e81a35", ""},
		{"not named by leader election", "pack-rg5-5dfmq", ""},
		{"a name that may have been cut", "pack-rg5-5dfmq-5dfmq-5dfmq-5dfmq-5dfmq-5dfmq-5dfmq-5dfmq-5dfmq_62e81a35", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			lease := &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Namespace: "ml"}, Spec: coordinationv1.LeaseSpec{HolderIdentity: &test.holder}}
			if got := holders.Gone(lease); got != test.want {
				t.Errorf("%q, want %q", got, test.want)
			}
			if got := (LeaseHolders{ReplicaSets: holders.ReplicaSets}).Gone(lease); got != "" {
				t.Errorf("pods are not known, and it says %q", got)
			}
		})
	}
}
