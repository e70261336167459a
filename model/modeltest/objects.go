// Package modeltest makes nodes and pods for tests of the model and of what is
// built on it.
package modeltest

import (
	"fmt"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// NewPod makes a pod "namespace/name" that runs on a node, or waits for one.
func NewPod(name, node, cpu, memory string, age time.Duration, change func(*corev1.Pod)) *corev1.Pod {
	namespace, name, _ := strings.Cut(name, "/")
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: namespace, Name: name, UID: types.UID(name),
			CreationTimestamp: metav1.NewTime(Epoch.Add(-age)), Labels: map[string]string{"app": strings.Split(name, "-")[0]},
		},
		Spec: corev1.PodSpec{
			NodeName: node, SchedulerName: "default-scheduler",
			Containers: []corev1.Container{{Name: "app", Resources: corev1.ResourceRequirements{Requests: Quantities("cpu", cpu, "memory", memory)}}},
		},
		Status: corev1.PodStatus{Phase: corev1.PodRunning, ContainerStatuses: []corev1.ContainerStatus{{
			Name: "app", Ready: true, State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{}},
		}}},
	}
	if node == "" {
		pod.Status = corev1.PodStatus{Phase: corev1.PodPending}
	}
	if change != nil {
		change(pod)
	}
	return pod
}

// NewNode makes a ready node of a zone, and of the pool that its name begins with.
func NewNode(name, zone, cpu, memory string, taints ...corev1.Taint) *corev1.Node {
	return &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: name, CreationTimestamp: metav1.NewTime(Epoch.Add(-41 * 24 * time.Hour)), Labels: map[string]string{
			corev1.LabelTopologyZone: zone, "karpenter.sh/nodepool": strings.Split(name, "-")[0], "disk": "ssd",
		}},
		Spec: corev1.NodeSpec{Taints: taints},
		Status: corev1.NodeStatus{
			Allocatable: Quantities("cpu", cpu, "memory", memory, "pods", "110"),
			Conditions:  []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}},
		},
	}
}

// TypicalPod makes a pod as most workloads have them, the i-th of a cluster; one in a hundred waits.
func TypicalPod(i int, node string) *corev1.Pod {
	app := fmt.Sprintf("app-%d", i/10)
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: fmt.Sprintf("team-%02d", i%37), Name: fmt.Sprintf("%s-5d8f9c6b4-%05d", app, i),
			UID: types.UID(fmt.Sprintf("uid-%d", i)), CreationTimestamp: metav1.NewTime(Epoch),
			Labels:          map[string]string{"app": app, "pod-template-hash": "5d8f9c6b4"},
			OwnerReferences: []metav1.OwnerReference{{Kind: "ReplicaSet", Name: app + "-5d8f9c6b4", UID: types.UID(app), Controller: new(true)}},
		},
		Spec: corev1.PodSpec{NodeName: node, Priority: new(int32(0)), Containers: []corev1.Container{{
			Name:      "app",
			Resources: corev1.ResourceRequirements{Requests: Quantities("cpu", "250m", "memory", "512Mi"), Limits: Quantities("memory", "1Gi")},
		}}},
		Status: corev1.PodStatus{Phase: corev1.PodRunning, ContainerStatuses: []corev1.ContainerStatus{{
			Name: "app", Ready: true, State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{}},
		}}},
	}
	if i%100 == 99 {
		pod.Spec.NodeName, pod.Status = "", corev1.PodStatus{Phase: corev1.PodPending}
	}
	return pod
}

// Quantities makes a list of name, quantity, name, quantity …
func Quantities(pairs ...string) corev1.ResourceList {
	list := corev1.ResourceList{}
	for i := 0; i < len(pairs); i += 2 {
		list[corev1.ResourceName(pairs[i])] = resource.MustParse(pairs[i+1])
	}
	return list
}

// Cluster makes equal nodes with so many typical pods each.
func Cluster(nodes, podsEach int) (hosts []*corev1.Node, pods []*corev1.Pod) {
	for n := range nodes {
		node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("node-%05d", n)}}
		node.Status.Allocatable = Quantities("cpu", "16", "memory", "64Gi", "pods", "110")
		node.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}}
		hosts = append(hosts, node)
		for p := range podsEach {
			pods = append(pods, TypicalPod(n*podsEach+p, node.Name))
		}
	}
	return hosts, pods
}
