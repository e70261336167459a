package modeltest

import (
	"fmt"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"pgregory.net/rapid"
)

// Epoch is when the random clusters of these tests begin.
var Epoch = time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC)

// Draw draws one of the values.
func Draw[T any](t *rapid.T, label string, from ...T) T {
	return rapid.SampledFrom(from).Draw(t, label)
}

// Chance draws yes or no.
func Chance(t *rapid.T, label string) bool { return rapid.Bool().Draw(t, label) }

// AnyPod draws a pod in any state that a kubelet, a controller or a user may
// bring about, and some that none should.
func AnyPod(t *rapid.T) *corev1.Pod {
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Namespace:         Draw(t, "namespace", "shop", "batch", "ml"),
			Name:              Draw(t, "pod", "a", "b", "c", "d", "e", "f"),
			CreationTimestamp: metav1.NewTime(Epoch.Add(-time.Duration(rapid.IntRange(0, 5).Draw(t, "age")) * time.Minute)),
		},
		Spec: corev1.PodSpec{
			NodeName: Draw(t, "bound", "", "", "n1", "n2", "n3"),
			Priority: Draw(t, "priority", nil, new(int32(0)), new(int32(1000)), new(int32(-10))),
		},
		Status: corev1.PodStatus{
			Phase:             Draw(t, "phase", "", corev1.PodPending, corev1.PodRunning, corev1.PodSucceeded, corev1.PodFailed, corev1.PodUnknown),
			Reason:            Draw(t, "reason", "", "", "", "Evicted", "OutOfcpu", "NodeLost"),
			NominatedNodeName: Draw(t, "nominated", "", "", "n1"),
			Conditions:        anyConditions(t),
		},
	}
	pod.UID = types.UID(fmt.Sprintf("%s/%s/%d", pod.Namespace, pod.Name, rapid.IntRange(0, 1).Draw(t, "life")))
	if Chance(t, "deleted") && Chance(t, "really") {
		pod.DeletionTimestamp = new(metav1.NewTime(Epoch))
	}
	for i := range rapid.IntRange(0, 3).Draw(t, "inits") {
		container := anyContainer(t, fmt.Sprintf("init-%d", i))
		container.RestartPolicy = Draw(t, "restart", nil, new(corev1.ContainerRestartPolicyAlways), new(corev1.ContainerRestartPolicyNever))
		pod.Spec.InitContainers = append(pod.Spec.InitContainers, container)
		if Chance(t, "init has status") {
			pod.Status.InitContainerStatuses = append(pod.Status.InitContainerStatuses, anyStatus(t, container.Name))
		}
	}
	for i := range rapid.IntRange(1, 3).Draw(t, "containers") {
		container := anyContainer(t, fmt.Sprintf("app-%d", i))
		pod.Spec.Containers = append(pod.Spec.Containers, container)
		if Chance(t, "has status") {
			pod.Status.ContainerStatuses = append(pod.Status.ContainerStatuses, anyStatus(t, container.Name))
		}
	}
	anyPodResources(t, pod)
	anyOwner(t, pod)
	return pod
}

func anyPodResources(t *rapid.T, pod *corev1.Pod) {
	if Chance(t, "overhead") {
		pod.Spec.Overhead = anyQuantities(t)
	}
	if Chance(t, "pod-level") {
		pod.Spec.Resources = &corev1.ResourceRequirements{Requests: anyQuantities(t), Limits: anyQuantities(t)}
	}
	if Chance(t, "pod-level status") && Chance(t, "really") {
		pod.Status.AllocatedResources = anyQuantities(t)
		pod.Status.Resources = &corev1.ResourceRequirements{Requests: anyQuantities(t), Limits: anyQuantities(t)}
	}
	pod.Status.QOSClass = Draw(t, "qos", "", corev1.PodQOSGuaranteed, corev1.PodQOSBurstable, corev1.PodQOSBestEffort)
}

func anyOwner(t *rapid.T, pod *corev1.Pod) {
	kind, name, owned := strings.Cut(Draw(t, "owner", "", "ReplicaSet/web-5d8f9c6b4", "Job/report", "StatefulSet/index"), "/")
	if !owned {
		return
	}
	pod.OwnerReferences = []metav1.OwnerReference{{Kind: kind, Name: name, UID: types.UID(name), Controller: new(true)}}
	pod.Labels = map[string]string{"app": name, "pod-template-hash": "5d8f9c6b4", "statefulset.kubernetes.io/pod-name": pod.Name}
}

func anyContainer(t *rapid.T, name string) corev1.Container {
	return corev1.Container{Name: name, Resources: corev1.ResourceRequirements{Requests: anyQuantities(t), Limits: anyQuantities(t)}}
}

func anyQuantities(t *rapid.T) corev1.ResourceList {
	list := corev1.ResourceList{}
	for _, name := range []corev1.ResourceName{
		"cpu", "memory", "ephemeral-storage", "nvidia.com/gpu", "hugepages-2Mi",
		"attachable-volumes-csi-x", "kubernetes.io/odd", "unqualified", "requests.nvidia.com/gpu", "bad name/x",
	} {
		if text := Draw(t, string(name), "", "", "0", "1", "250m", "3", "1500m", "100Mi", "2Gi"); text != "" {
			list[name] = resource.MustParse(text)
		}
	}
	if len(list) == 0 && Chance(t, "nil list") {
		return nil
	}
	return list
}

func anyConditions(t *rapid.T) []corev1.PodCondition {
	var conditions []corev1.PodCondition
	for _, kind := range []corev1.PodConditionType{corev1.PodScheduled, corev1.PodInitialized, corev1.PodReady, corev1.PodResizePending} {
		if status := Draw(t, string(kind), "", corev1.ConditionTrue, corev1.ConditionFalse); status != "" {
			reason := Draw(t, "condition reason", "", corev1.PodReasonSchedulingGated, corev1.PodReasonInfeasible, corev1.PodReasonDeferred)
			conditions = append(conditions, corev1.PodCondition{Type: kind, Status: status, Reason: reason})
		}
	}
	return conditions
}

func anyStatus(t *rapid.T, name string) corev1.ContainerStatus {
	status := corev1.ContainerStatus{
		Name:         name,
		Ready:        Chance(t, "ready"),
		Started:      Draw(t, "started", nil, new(true), new(false)),
		RestartCount: int32(rapid.IntRange(0, 3).Draw(t, "restarts")),
	}
	switch Draw(t, "state", "none", "waiting", "running", "terminated") {
	case "waiting":
		status.State.Waiting = &corev1.ContainerStateWaiting{Reason: Draw(t, "waiting", "", "PodInitializing", "CrashLoopBackOff", "ErrImagePull", "ContainerCreating")}
	case "running":
		status.State.Running = &corev1.ContainerStateRunning{}
	case "terminated":
		status.State.Terminated = &corev1.ContainerStateTerminated{
			Reason:   Draw(t, "terminated", "", "Completed", "Error", "OOMKilled"),
			ExitCode: int32(Draw(t, "exit", 0, 0, 1, 137)),
			Signal:   int32(Draw(t, "signal", 0, 9)),
		}
	}
	if Chance(t, "ended before") {
		status.LastTerminationState.Terminated = &corev1.ContainerStateTerminated{ExitCode: 1}
	}
	if Chance(t, "resized") && Chance(t, "really") {
		status.AllocatedResources = anyQuantities(t)
		status.Resources = &corev1.ResourceRequirements{Requests: anyQuantities(t), Limits: anyQuantities(t)}
	}
	return status
}

// AnyNode draws a node in any state.
func AnyNode(t *rapid.T) *corev1.Node {
	node := &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: Draw(t, "node", "n1", "n2", "n3"), Labels: map[string]string{
			corev1.LabelTopologyZone: Draw(t, "zone", "eu-1a", "eu-1b"),
		}},
		Spec:   corev1.NodeSpec{Unschedulable: Chance(t, "cordoned")},
		Status: corev1.NodeStatus{Allocatable: anyQuantities(t)},
	}
	if status := Draw(t, "node ready", "", corev1.ConditionTrue, corev1.ConditionFalse, corev1.ConditionUnknown); status != "" {
		node.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: status}}
	}
	return node
}
