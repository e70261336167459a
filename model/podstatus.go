package model

import (
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	resourcehelper "k8s.io/component-helpers/resource"
)

// unreachable is the status.reason of a pod whose node the node controller lost.
const unreachable = "NodeLost"

// wording is what kubectl get pods says of a pod, with the rules of printPod in
// k8s.io/kubernetes/pkg/printers/internalversion.
type wording struct {
	reason                 string
	ready, total, restarts int32
}

// podWords says what kubectl get pods shows as STATUS, READY and RESTARTS.
func podWords(pod *corev1.Pod) wording {
	w := wording{reason: podReason(pod), total: int32(len(pod.Spec.Containers))}
	for i := range pod.Spec.InitContainers {
		if isSidecar(&pod.Spec.InitContainers[i]) {
			w.total++
		}
	}
	sidecarRestarts, initializing := w.initContainers(pod)
	if !initializing || holds(pod, corev1.PodInitialized) {
		w.restarts = sidecarRestarts
		w.containers(pod)
	}
	switch {
	case pod.DeletionTimestamp == nil:
	case pod.Status.Reason == unreachable:
		w.reason = "Unknown"
	case !Finished(pod):
		w.reason = "Terminating"
	}
	return w
}

// podReason is the word for the pod as a whole, before its containers are asked.
func podReason(pod *corev1.Pod) string {
	for i := range pod.Status.Conditions {
		condition := &pod.Status.Conditions[i]
		if condition.Type == corev1.PodScheduled && condition.Reason == corev1.PodReasonSchedulingGated {
			return corev1.PodReasonSchedulingGated
		}
	}
	if pod.Status.Reason != "" {
		return pod.Status.Reason
	}
	return string(pod.Status.Phase)
}

// initContainers words the first init container that is not through, if any, and
// counts the restarts of the sidecars before it.
func (w *wording) initContainers(pod *corev1.Pod) (sidecarRestarts int32, initializing bool) {
	for i := range pod.Status.InitContainerStatuses {
		status := &pod.Status.InitContainerStatuses[i]
		sidecar := isSidecar(initContainer(pod, status.Name))
		w.restarts += status.RestartCount
		if sidecar {
			sidecarRestarts += status.RestartCount
		}
		terminated, waiting := status.State.Terminated, status.State.Waiting
		switch {
		case terminated != nil && terminated.ExitCode == 0:
			continue
		case sidecar && status.Started != nil && *status.Started:
			if status.Ready {
				w.ready++
			}
			continue
		case terminated != nil:
			w.reason = "Init:" + endWord(terminated)
		case waiting != nil && waiting.Reason != "" && waiting.Reason != "PodInitializing":
			w.reason = "Init:" + waiting.Reason
		default:
			w.reason = fmt.Sprintf("Init:%d/%d", i, len(pod.Spec.InitContainers))
		}
		return sidecarRestarts, true
	}
	return sidecarRestarts, false
}

// containers words the first container that has something to say.
func (w *wording) containers(pod *corev1.Pod) {
	running, failure := false, ""
	for i := len(pod.Status.ContainerStatuses) - 1; i >= 0; i-- {
		status := &pod.Status.ContainerStatuses[i]
		w.restarts += status.RestartCount
		terminated, waiting := status.State.Terminated, status.State.Waiting
		switch {
		case waiting != nil && waiting.Reason != "":
			w.reason = waiting.Reason
		case terminated != nil:
			w.reason = endWord(terminated)
			if terminated.ExitCode != 0 {
				failure = w.reason
			}
		case status.Ready && status.State.Running != nil:
			running = true
			w.ready++
		}
	}
	if w.reason != "Completed" {
		return
	}
	switch { // one container is through, which need not hold for the pod
	case running && holds(pod, corev1.PodReady):
		w.reason = "Running"
	case failure != "":
		w.reason = failure
	case running:
		w.reason = "NotReady"
	}
}

// endWord says how a container ended.
func endWord(end *corev1.ContainerStateTerminated) string {
	switch {
	case end.Reason != "":
		return end.Reason
	case end.Signal != 0:
		return fmt.Sprintf("Signal:%d", end.Signal)
	default:
		return fmt.Sprintf("ExitCode:%d", end.ExitCode)
	}
}

// FailedByKubelet reports whether a pod failed because its kubelet evicted, preempted or rejected it, or shut its node
// down: Evicted, Preempting, OutOfcpu, NodeAffinity, UnexpectedAdmissionError, Terminated. Its status.reason says so, which
// is not set where its containers failed. A pod that outlived spec.activeDeadlineSeconds (DeadlineExceeded) is not among them.
func FailedByKubelet(pod *corev1.Pod) bool {
	switch pod.Status.Reason {
	case "", unreachable, "DeadlineExceeded":
		return false
	}
	return pod.Status.Phase == corev1.PodFailed && pod.Spec.NodeName != ""
}

// FailedAt is when a pod failed: when it was said to be disrupted, or when the last of its containers ended. A kubelet that
// rejects a pod sets status.startTime to when it did. Zero is unknown.
func FailedAt(pod *corev1.Pod) (at time.Time) {
	if pod.Status.Phase != corev1.PodFailed {
		return at
	}
	for i := range pod.Status.Conditions {
		if c := &pod.Status.Conditions[i]; c.Type == corev1.DisruptionTarget && c.Status == corev1.ConditionTrue && !c.LastTransitionTime.IsZero() {
			return c.LastTransitionTime.Time
		}
	}
	for _, statuses := range [][]corev1.ContainerStatus{pod.Status.InitContainerStatuses, pod.Status.ContainerStatuses} {
		for i := range statuses {
			if end := statuses[i].State.Terminated; end != nil && end.FinishedAt.After(at) {
				at = end.FinishedAt.Time
			}
		}
	}
	if at.IsZero() && len(pod.Status.ContainerStatuses) == 0 && pod.Status.StartTime != nil && pod.Status.Reason != "Evicted" {
		at = pod.Status.StartTime.Time
	}
	return at
}

// isSidecar reports whether an init container keeps running beside the others.
func isSidecar(container *corev1.Container) bool {
	return container != nil && container.RestartPolicy != nil &&
		*container.RestartPolicy == corev1.ContainerRestartPolicyAlways
}

func initContainer(pod *corev1.Pod, name string) *corev1.Container {
	for i := range pod.Spec.InitContainers {
		if pod.Spec.InitContainers[i].Name == name {
			return &pod.Spec.InitContainers[i]
		}
	}
	return nil
}

// holds reports whether the pod has a condition that is True.
func holds(pod *corev1.Pod, condition corev1.PodConditionType) bool {
	for i := range pod.Status.Conditions {
		if pod.Status.Conditions[i].Type == condition {
			return pod.Status.Conditions[i].Status == corev1.ConditionTrue
		}
	}
	return false
}

// The states of a resize in place, by the pod's conditions PodResizePending and
// PodResizeInProgress, or by status.resize of older versions.
const (
	ResizeDeferred   = corev1.PodReasonDeferred   // the node has not enough free; the kubelet tries again
	ResizeInfeasible = corev1.PodReasonInfeasible // the node cannot grant it
	ResizeInProgress = "InProgress"               // it was granted, and is being carried out
	ResizeError      = corev1.PodReasonError      // carrying it out failed; the kubelet tries again
)

// Resize is how far the kubelet is with a resize in place.
type Resize struct {
	State   string    // one of the states; "" where no resize is under way
	Message string    // what the kubelet said
	Since   time.Time // zero is unknown, as in older versions
}

// ResizableResources are the resources that can be resized in place.
var ResizableResources = []corev1.ResourceName{corev1.ResourceCPU, corev1.ResourceMemory}

// IsWaiting reports whether the kubelet has not granted the resize.
func (r Resize) IsWaiting() bool { return r.State == ResizeDeferred || r.State == ResizeInfeasible }

// ResizeOf is the resize of a pod.
func ResizeOf(pod *corev1.Pod) Resize {
	r := Resize{State: string(pod.Status.Resize)}
	for i := range pod.Status.Conditions {
		c := &pod.Status.Conditions[i]
		if c.Status != corev1.ConditionTrue || c.Type != corev1.PodResizePending && c.Type != corev1.PodResizeInProgress {
			continue
		}
		if c.Type == corev1.PodResizeInProgress && (r.State == ResizeDeferred || r.State == ResizeInfeasible) {
			continue // a new one was asked for meanwhile
		}
		r = Resize{State: c.Reason, Message: c.Message, Since: c.LastTransitionTime.Time}
		if c.Type == corev1.PodResizeInProgress && c.Reason != ResizeError {
			r.State = ResizeInProgress
		}
	}
	return r
}

// DesiredRequests are the requests of a pod's spec, whatever its kubelet has granted of them.
func DesiredRequests(pod *corev1.Pod) corev1.ResourceList {
	return resourcehelper.PodRequests(pod, resourcehelper.PodResourcesOptions{})
}

// AllocatedRequests are the requests that the kubelet has granted a pod; the spec's where its
// status does not say.
func AllocatedRequests(pod *corev1.Pod) corev1.ResourceList {
	return DesiredRequests(Granted(pod))
}

// Granted is the pod as its kubelet works with it (getAllocatedPods in pkg/kubelet/allocation): with
// the requests that are granted, while a resize waits with the limits that it runs with, and
// without the resize.
func Granted(pod *corev1.Pod) *corev1.Pod {
	resize := ResizeOf(pod)
	if resize.State == "" {
		return pod
	}
	granted := pod.DeepCopy()
	status := &granted.Status
	status.QOSClass = NewPod(pod).QOS // which a resize does not change
	take := func(containers []corev1.Container, statuses []corev1.ContainerStatus) {
		for i := range containers {
			at := slices.IndexFunc(statuses, func(s corev1.ContainerStatus) bool { return s.Name == containers[i].Name })
			if at < 0 {
				continue
			}
			of := &statuses[at]
			if of.AllocatedResources != nil {
				containers[i].Resources.Requests = of.AllocatedResources
			}
			if of.Resources != nil && resize.IsWaiting() {
				containers[i].Resources.Limits = of.Resources.Limits
			}
			of.AllocatedResources, of.Resources = nil, nil
		}
	}
	take(granted.Spec.Containers, status.ContainerStatuses)
	take(granted.Spec.InitContainers, status.InitContainerStatuses)
	if own := granted.Spec.Resources; own != nil {
		if status.AllocatedResources != nil {
			own.Requests = withoutOverhead(status.AllocatedResources, pod.Spec.Overhead)
		}
		if status.Resources != nil && resize.IsWaiting() {
			own.Limits = status.Resources.Limits
		}
	}
	status.Resize, status.Resources, status.AllocatedResources = "", nil, nil
	status.Conditions = slices.DeleteFunc(status.Conditions, func(c corev1.PodCondition) bool {
		return c.Type == corev1.PodResizePending || c.Type == corev1.PodResizeInProgress
	})
	return granted
}

// withoutOverhead are the requests of a pod as a whole, whose status has the overhead in them.
func withoutOverhead(allocated, overhead corev1.ResourceList) corev1.ResourceList {
	own := allocated.DeepCopy()
	for name, amount := range overhead {
		if sum, ok := own[name]; ok {
			sum.Sub(amount)
			own[name] = sum
		}
	}
	return own
}

// ResizeLacks is what a node would need more to grant a pod its requests: what the kubelet has
// granted to the others on the node and what this one requests, less what is allocatable
// (canAdmitPod in pkg/kubelet/allocation). False: what the node has is not known.
func ResizeLacks(pod *corev1.Pod, others []*corev1.Pod, allocatable corev1.ResourceList) (lacks corev1.ResourceList, known bool) {
	sums := corev1.ResourceList{}
	add := func(requests corev1.ResourceList) {
		for _, name := range ResizableResources {
			sum := sums[name]
			sum.Add(requests[name])
			sums[name] = sum
		}
	}
	add(DesiredRequests(pod))
	for _, other := range others {
		if other.UID != pod.UID && !Finished(other) {
			add(AllocatedRequests(other))
		}
	}
	lacks = corev1.ResourceList{}
	for _, name := range ResizableResources {
		whole, sum := allocatable[name], sums[name]
		if whole.Sign() <= 0 {
			return nil, false
		}
		if sum.Sub(whole); sum.Sign() > 0 {
			lacks[name] = sum
		}
	}
	return lacks, true
}
