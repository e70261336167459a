package summary

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func waiting(name, reason, message string) corev1.ContainerStatus {
	return corev1.ContainerStatus{Name: name, Image: "registry.example/" + name, State: corev1.ContainerState{
		Waiting: &corev1.ContainerStateWaiting{Reason: reason, Message: message},
	}}
}

func running(name string) corev1.ContainerStatus {
	return corev1.ContainerStatus{Name: name, Started: new(true), State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{}}}
}

func TestABoundPodThatHasNotStartedSaysWhere(t *testing.T) {
	now := metav1.NewTime(time.Date(2026, 11, 19, 14, 0, 0, 0, time.UTC))
	acknowledged := func(p *corev1.Pod) { p.Status.StartTime = &now }
	noSandbox := func(p *corev1.Pod) {
		acknowledged(p)
		p.Status.Conditions = append(p.Status.Conditions, corev1.PodCondition{Type: corev1.PodReadyToStartContainers, Status: corev1.ConditionFalse})
		p.Status.ContainerStatuses = []corev1.ContainerStatus{waiting("main", "ContainerCreating", "")}
	}
	for _, test := range []struct {
		name string
		pod  func(*corev1.Pod)
		want Start
	}{
		{"the kubelet has not seen it", func(*corev1.Pod) {}, Start{stage: stageKubelet}},
		{"an image cannot be pulled", func(p *corev1.Pod) {
			p.Status.ContainerStatuses = []corev1.ContainerStatus{running("side"), waiting("main", "ImagePullBackOff", "403 Forbidden")}
		}, Start{stage: stageImage, container: "main", reason: "ImagePullBackOff", message: "403 Forbidden"}},
		{"a volume is missing", func(p *corev1.Pod) {
			noSandbox(p)
			p.Spec.Volumes = []corev1.Volume{{Name: "keys", VolumeSource: corev1.VolumeSource{Secret: &corev1.SecretVolumeSource{SecretName: "keys"}}}}
		}, Start{stage: stageVolume}},
		{"the sandbox is not there", noSandbox, Start{stage: stageSandbox}},
		{"an init container runs", func(p *corev1.Pod) {
			acknowledged(p)
			p.Status.InitContainerStatuses = []corev1.ContainerStatus{running("migrate")}
			p.Status.ContainerStatuses = []corev1.ContainerStatus{waiting("main", "PodInitializing", "")}
		}, Start{stage: stageInit, container: "migrate"}},
		{"an init container fails", func(p *corev1.Pod) {
			failing := waiting("migrate", "CrashLoopBackOff", "back-off 40s")
			failing.LastTerminationState.Terminated = &corev1.ContainerStateTerminated{ExitCode: 3}
			p.Status.InitContainerStatuses = []corev1.ContainerStatus{failing}
		}, Start{stage: stageInit, container: "migrate", reason: "CrashLoopBackOff", message: "back-off 40s", exitCode: 3}},
		{"a container has a wrong config", func(p *corev1.Pod) {
			p.Status.ContainerStatuses = []corev1.ContainerStatus{waiting("main", "CreateContainerConfigError", `configmap "c" not found`)}
		}, Start{stage: stageContainer, container: "main", reason: "CreateContainerConfigError", message: `configmap "c" not found`}},
		{"it is being created", func(p *corev1.Pod) {
			acknowledged(p)
			p.Status.ContainerStatuses = []corev1.ContainerStatus{waiting("main", "ContainerCreating", "")}
		}, Start{stage: stageCreating}},
		{"it is being deleted", func(p *corev1.Pod) { p.DeletionTimestamp = &now }, Start{stage: stageEnding}},
		{"it runs", func(p *corev1.Pod) {
			p.Status.Phase, p.Status.ContainerStatuses = corev1.PodRunning, []corev1.ContainerStatus{running("main")}
		}, Start{stage: stageRunning}},
		{"it was evicted", func(p *corev1.Pod) {
			p.Status.Phase, p.Status.Reason, p.Status.Message = corev1.PodFailed, "Evicted", "low on memory"
		}, Start{stage: stageFinished, reason: "Evicted", message: "low on memory"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			pod := &corev1.Pod{Spec: corev1.PodSpec{NodeName: "a"}}
			test.pod(pod)
			got := StartOf(pod)
			if got.stage != test.want.stage || got.container != test.want.container || got.reason != test.want.reason ||
				got.message != test.want.message || got.exitCode != test.want.exitCode {
				t.Errorf("got %+v, want %+v", got, test.want)
			}
			if over := test.want.stage == stageRunning || test.want.stage == stageFinished; got.Started() != over {
				t.Errorf("started: %t, want %t", got.Started(), over)
			}
		})
	}
}

func TestTheCauseIsTheLastErrorThatSaysWhatIsWrong(t *testing.T) {
	for message, want := range map[string]string{
		`rpc error: code = NotFound desc = failed to pull and unpack image "r/a:1": no match for platform in manifest: not found`: "no match for platform in manifest",
		`failed to pull and unpack image "r/a:1": failed to resolve reference "r/a:1": r/a:1: not found`:                          "not found",
		`failed to resolve reference "r/a:1": unexpected status from HEAD request to https://r/v2: 403 Forbidden`:                 "403 Forbidden",
		`secret "db" not found`: `secret "db" not found`,
		`not found`:             "not found",
		`rpc error: code = Unknown desc = context deadline exceeded: unknown`: "context deadline exceeded",
	} {
		if got := (Start{message: message}).cause(); got != want {
			t.Errorf("%s: cause %q, want %q", message, got, want)
		}
	}
}
