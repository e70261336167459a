package explain

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
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
	acknowledged := func(p *corev1.Pod) { p.Status.StartTime = new(metav1.NewTime(testNow)) }
	noSandbox := func(p *corev1.Pod) {
		acknowledged(p)
		p.Status.Conditions = append(p.Status.Conditions, corev1.PodCondition{Type: corev1.PodReadyToStartContainers, Status: corev1.ConditionFalse})
		p.Status.ContainerStatuses = []corev1.ContainerStatus{waiting("main", "ContainerCreating", "")}
	}
	for _, test := range []struct {
		name string
		pod  func(*corev1.Pod)
		want start
	}{
		{"the kubelet has not seen it", func(*corev1.Pod) {}, start{stage: stageKubelet}},
		{"an image cannot be pulled", func(p *corev1.Pod) {
			p.Status.ContainerStatuses = []corev1.ContainerStatus{running("side"), waiting("main", "ImagePullBackOff", "403 Forbidden")}
		}, start{stage: stageImage, container: "main", reason: "ImagePullBackOff", message: "403 Forbidden"}},
		{"a volume is missing", func(p *corev1.Pod) {
			noSandbox(p)
			p.Spec.Volumes = []corev1.Volume{{Name: "keys", VolumeSource: corev1.VolumeSource{Secret: &corev1.SecretVolumeSource{SecretName: "keys"}}}}
		}, start{stage: stageVolume}},
		{"the sandbox is not there", noSandbox, start{stage: stageSandbox}},
		{"an init container runs", func(p *corev1.Pod) {
			acknowledged(p)
			p.Status.InitContainerStatuses = []corev1.ContainerStatus{running("migrate")}
			p.Status.ContainerStatuses = []corev1.ContainerStatus{waiting("main", "PodInitializing", "")}
		}, start{stage: stageInit, container: "migrate"}},
		{"an init container fails", func(p *corev1.Pod) {
			failing := waiting("migrate", "CrashLoopBackOff", "back-off 40s")
			failing.LastTerminationState.Terminated = &corev1.ContainerStateTerminated{ExitCode: 3}
			p.Status.InitContainerStatuses = []corev1.ContainerStatus{failing}
		}, start{stage: stageInit, container: "migrate", reason: "CrashLoopBackOff", message: "back-off 40s", exitCode: 3}},
		{"a container has a wrong config", func(p *corev1.Pod) {
			p.Status.ContainerStatuses = []corev1.ContainerStatus{waiting("main", "CreateContainerConfigError", `configmap "c" not found`)}
		}, start{stage: stageContainer, container: "main", reason: "CreateContainerConfigError", message: `configmap "c" not found`}},
		{"it is being created", func(p *corev1.Pod) {
			acknowledged(p)
			p.Status.ContainerStatuses = []corev1.ContainerStatus{waiting("main", "ContainerCreating", "")}
		}, start{stage: stageCreating}},
		{"it is being deleted", func(p *corev1.Pod) { p.DeletionTimestamp = new(metav1.NewTime(testNow)) }, start{stage: stageEnding}},
		{"it runs", func(p *corev1.Pod) {
			p.Status.Phase, p.Status.ContainerStatuses = corev1.PodRunning, []corev1.ContainerStatus{running("main")}
		}, start{stage: stageRunning}},
		{"it was evicted", func(p *corev1.Pod) {
			p.Status.Phase, p.Status.Reason, p.Status.Message = corev1.PodFailed, "Evicted", "low on memory"
		}, start{stage: stageFinished, reason: "Evicted", message: "low on memory"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			pod := aPod("web", "1", func(p *corev1.Pod) { p.Spec.NodeName = "a" }, test.pod)
			got := started(pod)
			if got.stage != test.want.stage || got.container != test.want.container || got.reason != test.want.reason ||
				got.message != test.want.message || got.exitCode != test.want.exitCode {
				t.Errorf("got %+v, want %+v", got, test.want)
			}
			e := startEngine(t, Options{}, aNode("a", "4"), pod)
			r, err := e.Ask(t.Context(), report.Query{Target: report.PodOf(pod.UID), Parts: report.Nodes})
			if err != nil {
				t.Fatal(err)
			}
			over := test.want.stage == stageRunning || test.want.stage == stageFinished
			if r.Verdict != report.Scheduled || r.Started != over || r.SchedulerMessage != "" || len(r.Groups) != 0 {
				t.Errorf("verdict %s, started %t, message %q", r.Verdict, r.Started, r.SchedulerMessage)
			}
		})
	}
}
