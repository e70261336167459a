package summary

import (
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-fathom/kubectl-fathom/explain/scheduler"
	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// imageReasons are the kubelet's for images that it cannot get
// (pkg/kubelet/images/types.go).
var imageReasons = []string{
	"ErrImagePull", "ImagePullBackOff", "ErrImageNeverPull", "InvalidImageName", "ImageInspectError",
	"RegistryUnavailable", "SignatureValidationFailed",
}

// stage is how far a bound pod got.
type stage string

// The stages of a bound pod, in their order.
const (
	stageRunning   stage = ""          // every container was started
	stageKubelet   stage = "kubelet"   // the kubelet has not acknowledged it
	stageVolume    stage = "volume"    // volumes are not mounted
	stageSandbox   stage = "sandbox"   // the pod has no network or sandbox yet
	stageInit      stage = "init"      // an init container runs, waits or fails
	stageImage     stage = "image"     // an image cannot be pulled
	stageContainer stage = "container" // a container does not start for another reason
	stageCreating  stage = "creating"  // nothing is wrong that could be seen: it is being created
	stageEnding    stage = "ending"    // deletion was asked for
	stageFinished  stage = "finished"  // Succeeded or Failed
)

// Start says why a bound pod has not started.
type Start struct {
	stage     stage
	container string // the container in question, if one is
	image     string
	reason    string // as the kubelet words it: "ErrImagePull"
	message   string // whole, as the kubelet words it
	speaker   string // whose words these are; "": the kubelet's
	exitCode  int32  // of the last try, where it ended
	restarts  int32
	since     time.Time // when it was bound
}

// StartOf says how far a bound pod got, and what keeps it there.
func StartOf(pod *corev1.Pod) Start {
	s := Start{since: scheduler.BoundAt(pod)}
	switch {
	case scheduler.Terminal(pod):
		s.stage = stageFinished
	case pod.DeletionTimestamp != nil:
		s.stage = stageEnding
	case model.Started(pod):
		s.stage = stageRunning
	default:
		s.notStarted(pod)
	}
	if s.reason == "" && s.stage != stageRunning {
		s.reason, s.message = pod.Status.Reason, pod.Status.Message
	}
	return s
}

// Started says whether every container was started, or the pod has ended.
func (s Start) Started() bool { return s.stage == stageRunning || s.stage == stageFinished }

// Silent says whether the pod itself does not tell what keeps it: volumes and
// sandboxes are told of in events alone.
func (s Start) Silent() bool {
	switch s.stage {
	case stageKubelet, stageVolume, stageSandbox, stageCreating:
		return true
	}
	return false
}

// troubles are the reasons of the kubelet's and the attach/detach controller's
// events about what comes before a pod's containers (pkg/kubelet/events), and
// the stage that they are about.
var troubles = map[string]stage{
	"FailedMount": stageVolume, "FailedAttachVolume": stageVolume, "FailedMapVolume": stageVolume,
	"FailedCreatePodSandBox": stageSandbox, "NetworkNotReady": stageSandbox,
}

// Heard is s with what the newest event of a trouble says, where the pod says
// nothing.
func (s Start) Heard(events []model.Event) Start {
	var newest time.Time
	for _, event := range events {
		about, ok := troubles[event.Reason]
		if !ok || !s.Silent() || !event.Last.After(newest) {
			continue
		}
		newest = event.Last
		s.stage, s.reason, s.message, s.speaker = about, event.Reason, event.Message, event.Source
	}
	return s
}

// notStarted finds the first thing in the kubelet's order that has not happened.
func (s *Start) notStarted(pod *corev1.Pod) {
	switch {
	case s.broken(pod.Status.InitContainerStatuses, true), s.broken(pod.Status.ContainerStatuses, false):
	case pod.Status.StartTime == nil && len(pod.Status.ContainerStatuses) == 0:
		s.stage = stageKubelet
	case conditionFalse(pod, corev1.PodReadyToStartContainers):
		s.sandbox(pod)
	case s.initRunning(pod):
	default:
		s.stage = stageCreating
	}
}

// broken looks for a container that waits for a reason of its own.
func (s *Start) broken(statuses []corev1.ContainerStatus, init bool) bool {
	for _, c := range statuses {
		waiting := c.State.Waiting
		if waiting == nil || waiting.Reason == "" || waiting.Reason == "ContainerCreating" || waiting.Reason == "PodInitializing" {
			continue
		}
		s.container, s.image, s.restarts = c.Name, c.Image, c.RestartCount
		s.reason, s.message = waiting.Reason, waiting.Message
		if last := c.LastTerminationState.Terminated; last != nil {
			s.exitCode = last.ExitCode
			if s.message == "" {
				s.message = last.Message
			}
		}
		switch {
		case slices.Contains(imageReasons, waiting.Reason):
			s.stage = stageImage
		case init:
			s.stage = stageInit
		default:
			s.stage = stageContainer
		}
		return true
	}
	return false
}

// sandbox tells volumes from the sandbox where the pod has neither yet: the
// kubelet mounts volumes first, and only its events name which is missing.
func (s *Start) sandbox(pod *corev1.Pod) {
	s.stage = stageSandbox
	if slices.ContainsFunc(pod.Spec.Volumes, mounted) {
		s.stage = stageVolume
	}
	for _, condition := range pod.Status.Conditions {
		if condition.Type == corev1.PodReadyToStartContainers {
			s.reason, s.message = condition.Reason, condition.Message
		}
	}
}

// mounted says whether a volume is of a kind that has to be attached or fetched
// before the pod's sandbox is made.
func mounted(v corev1.Volume) bool {
	return v.EmptyDir == nil && v.HostPath == nil && v.Projected == nil && v.DownwardAPI == nil
}

// initRunning looks for the init container that has not ended yet.
func (s *Start) initRunning(pod *corev1.Pod) bool {
	for i, c := range pod.Status.InitContainerStatuses {
		sidecar := i < len(pod.Spec.InitContainers) && pod.Spec.InitContainers[i].RestartPolicy != nil &&
			*pod.Spec.InitContainers[i].RestartPolicy == corev1.ContainerRestartPolicyAlways
		done := c.State.Terminated != nil && c.State.Terminated.ExitCode == 0
		if done || (sidecar && c.Started != nil && *c.Started) || (c.State.Running == nil && c.State.Terminated == nil) {
			continue
		}
		s.stage, s.container, s.image, s.restarts = stageInit, c.Name, c.Image, c.RestartCount
		if ended := c.State.Terminated; ended != nil {
			s.reason, s.message, s.exitCode = ended.Reason, ended.Message, ended.ExitCode
		}
		return true
	}
	return false
}

func conditionFalse(pod *corev1.Pod, kind corev1.PodConditionType) bool {
	return slices.ContainsFunc(pod.Status.Conditions, func(c corev1.PodCondition) bool {
		return c.Type == kind && c.Status == corev1.ConditionFalse
	})
}
