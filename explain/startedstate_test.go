package explain

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"pgregory.net/rapid"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// drawnContainer is a container in any state that a kubelet writes.
func drawnContainer(t *rapid.T, name string) corev1.ContainerStatus {
	status := corev1.ContainerStatus{Name: name, Image: "app:v1", RestartCount: rapid.Int32Range(0, 2).Draw(t, name+" restarts")}
	switch rapid.SampledFrom([]string{"none", "waits", "runs", "ended"}).Draw(t, name) {
	case "waits":
		reason := rapid.SampledFrom([]string{"", "ContainerCreating", "PodInitializing", "ErrImagePull", "CrashLoopBackOff", "CreateContainerConfigError"}).Draw(t, name+" reason")
		status.State.Waiting = &corev1.ContainerStateWaiting{Reason: reason}
	case "runs":
		status.State.Running, status.Ready = &corev1.ContainerStateRunning{}, true
	case "ended":
		status.State.Terminated = &corev1.ContainerStateTerminated{ExitCode: rapid.Int32Range(0, 1).Draw(t, name+" exit"), Reason: "Completed"}
	}
	return status
}

func TestAStateAndItsWordsAreOfOneReadingOfThePod(t *testing.T) {
	e := startEngine(t, Options{}, testNode("std-a-01", "4"))
	rapid.Check(t, func(rt *rapid.T) {
		pod := testPod("shop/x", "std-a-01", "1", func(p *corev1.Pod) {
			p.Spec.InitContainers = []corev1.Container{{Name: "init"}}
			p.Status.Phase = corev1.PodPhase(rapid.SampledFrom([]string{"", "Pending", "Running", "Succeeded", "Failed"}).Draw(rt, "phase"))
			if rapid.Bool().Draw(rt, "acknowledged") {
				p.Status.StartTime = new(metav1.NewTime(testNow))
				p.Status.InitContainerStatuses = []corev1.ContainerStatus{drawnContainer(rt, "init")}
				p.Status.ContainerStatuses = []corev1.ContainerStatus{drawnContainer(rt, "app"), drawnContainer(rt, "side")}
			}
			if rapid.Bool().Draw(rt, "deleted") {
				p.DeletionTimestamp = new(metav1.NewTime(testNow))
			}
		})
		r, err := e.Ask(t.Context(), report.Query{Target: report.PodFrom(pod), Parts: report.Nodes})
		if err != nil {
			rt.Fatal(err)
		}
		started := model.Started(pod)
		ended := pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed
		why, detailed := strings.CutPrefix(r.Why, "std-a-01")
		var ok bool
		switch r.State {
		case "running":
			ok = started && why == "" && pod.DeletionTimestamp == nil && strings.Contains(r.Summary, "all containers started") && r.Started
		case "finished":
			ok = ended && strings.Contains(r.Summary, "finished") && r.Started
		case "being deleted":
			ok = pod.DeletionTimestamp != nil && !ended && why == "" && strings.Contains(r.Summary, "being deleted") && !r.Started
		case "not started", "image":
			ok = !started && !ended && strings.HasPrefix(why, ": ") && why != ": " && strings.Contains(r.Summary, "not started") && !r.Started
		}
		if !ok || !detailed {
			rt.Errorf("%q, %q, %q", r.State, r.Why, r.Summary)
		}
		if r.Verdict != report.Scheduled || r.SchedulerMessage != "" || len(r.Groups) != 0 {
			rt.Errorf("verdict %s, message %q, %d groups", r.Verdict, r.SchedulerMessage, len(r.Groups))
		}
	})
}
