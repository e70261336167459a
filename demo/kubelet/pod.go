package kubelet

import (
	"context"
	"hash/fnv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/cache"
	podutil "k8s.io/kubernetes/pkg/api/v1/pod"
	"k8s.io/utils/ptr"
)

// RunsFor is an annotation of a pod: how long its containers run, a duration. Without
// it the pods of a Job run for half a minute, and all others without limit.
const RunsFor = "demo.fathom/runs-for"

// Missing is the tag of an image that no registry has.
const Missing = ":missing"

// Durations: long enough to be seen, short enough to wait for.
const (
	startsIn  = 700 * time.Millisecond
	startsVar = 1500 * time.Millisecond // more, by the pod
	endsIn    = 2 * time.Second         // at most; the grace period if that is shorter
	jobRuns   = 30 * time.Second
)

// sync does what is due for a pod and returns when to sync it again; 0 is when it
// changes.
func (k *Kubelets) sync(ctx context.Context, name cache.ObjectName) time.Duration {
	object, ok, err := k.pods.GetStore().GetByKey(name.String())
	if err != nil || !ok {
		return 0
	}
	pod, ok := object.(*corev1.Pod)
	if !ok || k.Silence.Of(pod.Spec.NodeName) || k.failed.Of(pod.Spec.NodeName) {
		return 0
	}
	switch {
	case pod.DeletionTimestamp != nil:
		return k.terminate(ctx, pod)
	case pod.Status.Phase == corev1.PodPending && Unpullable(pod) != "":
		return k.reportUnpullable(ctx, pod)
	case pod.Status.Phase == corev1.PodPending:
		return k.start(ctx, pod)
	case pod.Status.Phase == corev1.PodRunning:
		return k.complete(ctx, pod)
	}
	return 0
}

// remaining is the rest of d, counted from at.
func (k *Kubelets) remaining(at time.Time, d time.Duration) time.Duration {
	return d - k.Clock.Now().Sub(at)
}

// spread is a fraction of d that depends on the pod.
func spread(pod *corev1.Pod, d time.Duration) time.Duration {
	hash := fnv.New32a()
	_, _ = hash.Write([]byte(pod.UID))
	return d * time.Duration(hash.Sum32()%1000) / 1000
}

// start reports the pod as Running after the time that it takes to start.
func (k *Kubelets) start(ctx context.Context, pod *corev1.Pod) time.Duration {
	if left := k.remaining(boundAt(pod), startsIn+spread(pod, startsVar)); left > 0 {
		return left
	}
	running := pod.DeepCopy()
	Started(running, metav1.NewTime(k.Clock.Now()).Rfc3339Copy(), k.Address(pod))
	return k.report(ctx, running)
}

// Started sets the status of a pod whose containers started at that time.
func Started(pod *corev1.Pod, at metav1.Time, address string) {
	status := &pod.Status
	status.Phase, status.StartTime, status.PodIP = corev1.PodRunning, &at, address
	status.PodIPs = []corev1.PodIP{{IP: address}}
	status.InitContainerStatuses = containers(pod.Spec.InitContainers, func(c *corev1.Container) corev1.ContainerState {
		if c.RestartPolicy != nil && *c.RestartPolicy == corev1.ContainerRestartPolicyAlways {
			return corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: at}}
		}
		return corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{Reason: "Completed", StartedAt: at, FinishedAt: at}}
	})
	status.ContainerStatuses = containers(pod.Spec.Containers, func(*corev1.Container) corev1.ContainerState {
		return corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: at}}
	})
	for _, condition := range []corev1.PodConditionType{corev1.PodInitialized, corev1.ContainersReady, corev1.PodReady} {
		podutil.UpdatePodCondition(status, &corev1.PodCondition{Type: condition, Status: corev1.ConditionTrue})
		_, set := podutil.GetPodCondition(status, condition)
		set.LastTransitionTime = at // UpdatePodCondition sets the current time
	}
}

// containers are the statuses of containers.
func containers(all []corev1.Container, state func(*corev1.Container) corev1.ContainerState) []corev1.ContainerStatus {
	var statuses []corev1.ContainerStatus
	for i := range all {
		s := state(&all[i])
		up := s.Running != nil
		statuses = append(statuses, corev1.ContainerStatus{
			Name: all[i].Name, Image: all[i].Image, ImageID: all[i].Image, State: s, Started: &up, Ready: up || s.Terminated != nil,
		})
	}
	return statuses
}

// complete reports the pod as Succeeded after the time that its containers run.
func (k *Kubelets) complete(ctx context.Context, pod *corev1.Pod) time.Duration {
	lasts, err := time.ParseDuration(pod.Annotations[RunsFor])
	if pod.Annotations[RunsFor] == "" || err != nil {
		if pod.Spec.RestartPolicy == corev1.RestartPolicyAlways || pod.Spec.RestartPolicy == "" {
			return 0
		}
		lasts = jobRuns
	}
	if left := k.remaining(pod.Status.StartTime.Time, lasts); left > 0 {
		return left
	}
	now := metav1.NewTime(k.Clock.Now()).Rfc3339Copy()
	done := pod.DeepCopy()
	done.Status.Phase = corev1.PodSucceeded
	for i := range done.Status.ContainerStatuses {
		c := &done.Status.ContainerStatuses[i]
		c.State = corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{
			Reason: "Completed", StartedAt: *pod.Status.StartTime, FinishedAt: now,
		}}
		c.Ready, c.Started = false, new(false)
	}
	for _, condition := range []corev1.PodConditionType{corev1.ContainersReady, corev1.PodReady} {
		podutil.UpdatePodCondition(&done.Status, &corev1.PodCondition{Type: condition, Status: corev1.ConditionFalse, Reason: "PodCompleted"})
	}
	return k.report(ctx, done)
}

// terminate deletes a pod after the time that its containers take to stop.
func (k *Kubelets) terminate(ctx context.Context, pod *corev1.Pod) time.Duration {
	takes := endsIn
	if grace := pod.DeletionGracePeriodSeconds; grace != nil {
		takes = min(takes, time.Duration(*grace)*time.Second)
	}
	asked := pod.DeletionTimestamp.Add(-time.Duration(ptr.Deref(pod.DeletionGracePeriodSeconds, 0)) * time.Second)
	if left := k.remaining(asked, takes); left > 0 {
		return left
	}
	err := k.Client.CoreV1().Pods(pod.Namespace).Delete(ctx, pod.Name, metav1.DeleteOptions{
		GracePeriodSeconds: new(int64), Preconditions: metav1.NewUIDPreconditions(string(pod.UID)),
	})
	if err != nil && !apierrors.IsNotFound(err) {
		return retry // the pod changed meanwhile
	}
	return 0
}

// Unpullable is an image of the pod that no registry has; "" if there is none.
func Unpullable(pod *corev1.Pod) string {
	for i := range pod.Spec.Containers {
		if strings.HasSuffix(pod.Spec.Containers[i].Image, Missing) {
			return pod.Spec.Containers[i].Image
		}
	}
	return ""
}

// reportUnpullable reports that an image cannot be pulled.
func (k *Kubelets) reportUnpullable(ctx context.Context, pod *corev1.Pod) time.Duration {
	if len(pod.Status.ContainerStatuses) > 0 {
		return 0 // it is reported
	}
	if left := k.remaining(boundAt(pod), startsIn); left > 0 {
		return left
	}
	waiting := pod.DeepCopy()
	image := Unpullable(pod)
	waiting.Status.ContainerStatuses = containers(pod.Spec.Containers, func(*corev1.Container) corev1.ContainerState {
		return corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{
			Reason:  "ErrImagePull",
			Message: "failed to pull and unpack image \"" + image + "\": failed to resolve reference \"" + image + "\": " + image + ": not found",
		}}
	})
	for _, condition := range []corev1.PodConditionType{corev1.ContainersReady, corev1.PodReady} {
		podutil.UpdatePodCondition(&waiting.Status, &corev1.PodCondition{Type: condition, Status: corev1.ConditionFalse, Reason: "ContainersNotReady"})
	}
	return k.report(ctx, waiting)
}

// retry is the delay after a failed report.
const retry = 200 * time.Millisecond

// report writes a pod's status.
func (k *Kubelets) report(ctx context.Context, pod *corev1.Pod) time.Duration {
	if _, err := k.Client.CoreV1().Pods(pod.Namespace).UpdateStatus(ctx, pod, metav1.UpdateOptions{}); err != nil {
		return retry // the pod changed meanwhile, or is deleted
	}
	return 0
}

// boundAt is when the pod was bound to its node.
func boundAt(pod *corev1.Pod) time.Time {
	if _, condition := podutil.GetPodCondition(&pod.Status, corev1.PodScheduled); condition != nil {
		return condition.LastTransitionTime.Time
	}
	return pod.CreationTimestamp.Time
}
