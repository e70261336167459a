package model

import (
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// aPod makes a pod of the fleet below.
func aPod(name, node, cpu, memory string, age time.Duration, change func(*corev1.Pod)) *corev1.Pod {
	namespace, name, _ := strings.Cut(name, "/")
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: namespace, Name: name, UID: types.UID(name),
			CreationTimestamp: metav1.NewTime(epoch.Add(-age)), Labels: map[string]string{"app": strings.Split(name, "-")[0]},
		},
		Spec: corev1.PodSpec{
			NodeName: node, SchedulerName: "default-scheduler",
			Containers: []corev1.Container{{Name: "app", Resources: corev1.ResourceRequirements{Requests: quantities("cpu", cpu, "memory", memory)}}},
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

func aNode(name, zone, cpu, memory string, taints ...corev1.Taint) *corev1.Node {
	return &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: name, CreationTimestamp: metav1.NewTime(epoch.Add(-41 * 24 * time.Hour)), Labels: map[string]string{
			corev1.LabelTopologyZone: zone, "karpenter.sh/nodepool": strings.Split(name, "-")[0], "disk": "ssd",
		}},
		Spec: corev1.NodeSpec{Taints: taints},
		Status: corev1.NodeStatus{
			Allocatable: quantities("cpu", cpu, "memory", memory, "pods", "110"),
			Conditions:  []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}},
		},
	}
}

// fleet is a small cluster that the filters below are tried on.
func fleet() *Snapshot {
	b := NewBuilder()
	gpu := aNode("gpu-a-01", "eu-1a", "31800m", "120Gi", corev1.Taint{Key: "dedicated", Value: "gpu", Effect: corev1.TaintEffectNoSchedule})
	gpu.Status.Allocatable["nvidia.com/gpu"] = quantities("g", "8")["g"]
	lost := aNode("spot-b-01", "eu-1b", "7900m", "29Gi",
		corev1.Taint{Key: corev1.TaintNodeNotReady, Effect: corev1.TaintEffectNoSchedule},
		corev1.Taint{Key: corev1.TaintNodeNotReady, Effect: corev1.TaintEffectNoExecute})
	lost.Status.Conditions[0].Status = corev1.ConditionFalse
	cordoned := aNode("spot-a-01", "eu-1a", "7900m", "29Gi", corev1.Taint{Key: corev1.TaintNodeUnschedulable, Effect: corev1.TaintEffectNoSchedule})
	cordoned.Spec.Unschedulable = true
	for _, node := range []*corev1.Node{gpu, lost, cordoned, aNode("std-b-02", "eu-1b", "15900m", "60Gi")} {
		b.Node(nil, node)
	}
	for _, pod := range []*corev1.Pod{
		aPod("batch/report-1", "std-b-02", "4", "8Gi", 3*time.Hour, func(p *corev1.Pod) {
			p.Spec.Containers[0].Resources.Limits = quantities("cpu", "4", "memory", "8Gi")
			p.Status.ContainerStatuses[0].RestartCount = 3
		}),
		aPod("batch/report-2", "std-b-02", "500m", "1Gi", 30*time.Hour, nil),
		aPod("ml/train-7xk2p", "", "32", "64Gi", 2*time.Hour, func(p *corev1.Pod) {
			p.Spec.Containers[0].Resources.Requests["nvidia.com/gpu"] = quantities("g", "1")["g"]
			p.Spec.Priority = new(int32(1000))
		}),
		aPod("search/index-0", "gpu-a-01", "3", "4Gi", 14*time.Minute, nil),
		aPod("shop/checkout-6c9d8b7f4-x2x1p", "", "4", "8Gi", 14*time.Minute, nil),
		aPod("web/chat-rack-unit", "spot-b-01", "250m", "64Mi", 90*time.Second, func(p *corev1.Pod) {
			p.Status.ContainerStatuses[0] = corev1.ContainerStatus{Name: "app", State: corev1.ContainerState{
				Waiting: &corev1.ContainerStateWaiting{Reason: "CrashLoopBackOff"},
			}}
		}),
	} {
		b.Pod(nil, pod)
	}
	return b.Build(1, Status{}, &Usage{
		Nodes: map[string]Amount{"std-b-02": {MilliCPU: 6100, Memory: 20 << 30}, "gpu-a-01": {MilliCPU: 31000, Memory: 1 << 30}},
		Pods: map[types.NamespacedName]Amount{
			{Namespace: "batch", Name: "report-1"}: {MilliCPU: 3900, Memory: 1 << 30},
			{Namespace: "batch", Name: "report-2"}: {MilliCPU: 10, Memory: 1 << 30},
		},
	})
}
