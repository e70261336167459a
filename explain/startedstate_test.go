package explain

import (
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
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
			again := strings.Contains(r.Summary, " is waiting: ") // to be restarted
			ok = started && pod.DeletionTimestamp == nil && strings.Contains(r.Summary, "all containers started") != again && r.Started &&
				(why == "") == strings.HasSuffix(r.Summary, "all containers started.")
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

func TestARunningPodMayNotBeReady(t *testing.T) {
	running := func(p *corev1.Pod) {
		p.Status.Phase, p.Status.StartTime = corev1.PodRunning, new(metav1.NewTime(testNow))
		p.Status.ContainerStatuses = []corev1.ContainerStatus{{Name: p.Spec.Containers[0].Name, Started: new(true), State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{}}}}
	}
	unready := func(p *corev1.Pod) {
		p.Status.Conditions = append(p.Status.Conditions, corev1.PodCondition{
			Type: corev1.PodReady, Status: corev1.ConditionFalse, LastTransitionTime: metav1.NewTime(testNow.Add(-5 * time.Minute)),
		})
	}
	down := func(node *corev1.Node) {
		node.Status.Conditions = []corev1.NodeCondition{{
			Type: corev1.NodeReady, Status: corev1.ConditionUnknown, LastTransitionTime: metav1.NewTime(testNow.Add(-2 * time.Hour)),
		}}
	}
	resized := func(kind corev1.PodConditionType, reason, message string) func(*corev1.Pod) {
		return func(p *corev1.Pod) {
			p.Status.ContainerStatuses[0].AllocatedResources = corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("1")}
			p.Status.Conditions = append(p.Status.Conditions, corev1.PodCondition{
				Type: kind, Status: corev1.ConditionTrue, Reason: reason, Message: message, LastTransitionTime: metav1.NewTime(testNow.Add(-3 * time.Minute)),
			})
		}
	}
	noNetwork := func(node *corev1.Node) {
		down(node)
		node.Status.Conditions[0].Status = corev1.ConditionFalse
	}
	crashing := func(p *corev1.Pod) {
		status := &p.Status.ContainerStatuses[0]
		status.RestartCount, status.State = 20, corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "CrashLoopBackOff"}}
		status.LastTerminationState.Terminated = &corev1.ContainerStateTerminated{ExitCode: 137, Reason: "OOMKilled", Message: "out of memory"}
	}
	e := startEngine(t, Options{}, testNode("a", "4"), testNode("b", "4", down), testNode("c", "4", noNetwork),
		testNode("d", "4"), testPod("shop/crashing", "d", "1", running, unready, crashing), testPod("shop/crashing-c", "c", "1", running, unready, crashing),
		testPod("shop/crashed-b", "b", "1", running, unready, crashing), testPod("shop/no-network", "c", "1", running, unready),
		testPod("shop/fine", "a", "1", running), testPod("shop/unready", "a", "1", running, unready), testPod("shop/silent", "b", "1", running, unready),
		testPod("shop/deferred", "a", "3", running, resized(corev1.PodResizePending, "Deferred", "Node didn't have enough resource: cpu")),
		testPod("shop/infeasible", "a", "9", running, resized(corev1.PodResizePending, "Infeasible", "")),
		testPod("shop/growing", "a", "3", running, resized(corev1.PodResizeInProgress, "", "")))
	for name, want := range map[string][2]string{
		"fine":    {", all containers started.", "a"},
		"unready": {", all containers started. It is not Ready for 5m.", "a: not Ready"},
		"deferred": {
			", all containers started. Its resize to cpu 3 is deferred for 3m: a needs cpu 3 more.", "deferred: needs cpu 3 more on a",
		},
		"infeasible": {", all containers started. Its resize to cpu 9 is infeasible for 3m: a has cpu 4 allocatable.", "infeasible: cpu 4 allocatable on a"},
		"growing":    {", all containers started. Its resize to cpu 3 has been in progress for 3m.", "in progress on a"},
		"crashing":   {" ago. Container app is waiting: CrashLoopBackOff, restarted 20 times, last ended with exit code 137 (OOMKilled).", "d: CrashLoopBackOff"},
		"crashing-c": {"last ended with exit code 137 (OOMKilled). c is NotReady for 2h.", "c: CrashLoopBackOff"},
		"crashed-b":  {", all containers started. b is NotReady for 2h: nothing reports the state of its containers.", "b: NotReady for 2h"},
		"no-network": {", all containers started. c is NotReady for 2h.", "c: NotReady for 2h"},
		"silent":     {", all containers started. b is NotReady for 2h: nothing reports the state of its containers.", "b: NotReady for 2h"},
	} {
		r, err := e.Ask(t.Context(), report.Query{Target: report.PodOf(types.UID("shop/" + name))})
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasSuffix(r.Summary, want[0]) || r.Why != want[1] {
			t.Errorf("%s: %q, %q", name, r.Summary, r.Why)
		}
	}
}

func TestRequestsSayWhatALimitRangeGave(t *testing.T) {
	given := func(p *corev1.Pod) {
		p.Annotations = map[string]string{"kubernetes.io/limit-ranger": "LimitRanger plugin set: cpu request for container " + p.Spec.Containers[0].Name}
	}
	e := startEngine(t, Options{}, testNode("a", "4"), testPod("shop/x", "", "5", given))
	r, err := e.Ask(t.Context(), report.Query{Target: report.PodOf("shop/x")})
	if err != nil {
		t.Fatal(err)
	}
	same(t, r.Pod.Requested(), "requests cpu 5 (5 by a LimitRange)")
}
