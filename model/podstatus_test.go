package model

import (
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/kubernetes/pkg/apis/core"
	corev1conversion "k8s.io/kubernetes/pkg/apis/core/v1"
	"k8s.io/kubernetes/pkg/printers"
	printersinternal "k8s.io/kubernetes/pkg/printers/internalversion"

	"github.com/kubectl-fathom/kubectl-fathom/model/modeltest"
)

// podOf is a pod in a phase with containers app and log, and init containers first, proxy (a sidecar) and last.
func podOf(phase corev1.PodPhase, edits ...func(*corev1.Pod)) *corev1.Pod {
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "web"},
		Spec: corev1.PodSpec{
			NodeName:   "n1",
			Containers: []corev1.Container{{Name: "app"}, {Name: "log"}},
			InitContainers: []corev1.Container{
				{Name: "first"}, {Name: "proxy", RestartPolicy: new(corev1.ContainerRestartPolicyAlways)}, {Name: "last"},
			},
		},
		Status: corev1.PodStatus{Phase: phase},
	}
	for _, edit := range edits {
		edit(pod)
	}
	return pod
}

// The states of a container.
func inWaiting(reason string) corev1.ContainerStatus {
	return corev1.ContainerStatus{State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: reason}}}
}

func inEnd(reason string, exit, signal int32) corev1.ContainerStatus {
	return corev1.ContainerStatus{State: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{Reason: reason, ExitCode: exit, Signal: signal}}}
}

func inRun(ready bool) corev1.ContainerStatus {
	return corev1.ContainerStatus{Ready: ready, Started: new(ready), State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{}}}
}

// containers sets the states of app and log, inits those of first, proxy and last.
func containers(states ...corev1.ContainerStatus) func(*corev1.Pod) {
	return func(p *corev1.Pod) {
		for i, name := range []string{"app", "log"}[:len(states)] {
			states[i].Name = name
		}
		p.Status.ContainerStatuses = states
	}
}

func inits(states ...corev1.ContainerStatus) func(*corev1.Pod) {
	return func(p *corev1.Pod) {
		for i, name := range []string{"first", "proxy", "last"}[:len(states)] {
			states[i].Name = name
		}
		p.Status.InitContainerStatuses = states
	}
}

func because(reason string) func(*corev1.Pod) {
	return func(p *corev1.Pod) { p.Status.Reason = reason }
}

func condition(kind corev1.PodConditionType, status corev1.ConditionStatus, reason string) func(*corev1.Pod) {
	return func(p *corev1.Pod) {
		p.Status.Conditions = append(p.Status.Conditions, corev1.PodCondition{Type: kind, Status: status, Reason: reason})
	}
}

func deleted(p *corev1.Pod) { p.DeletionTimestamp = new(metav1.NewTime(modeltest.Epoch)) }

// TestTheStatusIsThatOfKubectlGetPods: the words are written down by the rules of printPod in
// k8s.io/kubernetes/pkg/printers/internalversion, which is asked as well. status.reason is the word of a pod whose
// containers have no state of their own to tell; a container that waits or has ended comes before it.
func TestTheStatusIsThatOfKubectlGetPods(t *testing.T) {
	done, failed := inEnd("Completed", 0, 0), inEnd("Error", 1, 0)
	notReady := condition(corev1.PodReady, corev1.ConditionFalse, "")
	for _, c := range []struct {
		name string
		pod  *corev1.Pod
		want string // READY STATUS
	}{
		{"evicted before its containers told anything", podOf(corev1.PodFailed, because("Evicted")), "0/3 Evicted"},
		{"evicted, and its containers were killed", podOf(corev1.PodFailed, because("Evicted"), containers(inEnd("Error", 137, 0), failed)), "0/3 Error"},
		{"evicted, and what became of its containers is not known", podOf(corev1.PodFailed, because("Evicted"), containers(inEnd("ContainerStatusUnknown", 137, 0))), "0/3 ContainerStatusUnknown"},
		{"evicted, and its containers had ended well", podOf(corev1.PodFailed, because("Evicted"), containers(done, done)), "0/3 Completed"},
		{"evicted and being deleted", podOf(corev1.PodFailed, because("Evicted"), deleted), "0/3 Evicted"},
		{"rejected by its kubelet for labels", podOf(corev1.PodFailed, because("NodeAffinity")), "0/3 NodeAffinity"},
		{"rejected for cpu", podOf(corev1.PodFailed, because("OutOfcpu")), "0/3 OutOfcpu"},
		{"rejected for memory", podOf(corev1.PodFailed, because("OutOfmemory")), "0/3 OutOfmemory"},
		{"rejected for devices", podOf(corev1.PodFailed, because("UnexpectedAdmissionError")), "0/3 UnexpectedAdmissionError"},
		{"preempted by its kubelet", podOf(corev1.PodFailed, because("Preempting")), "0/3 Preempting"},
		{"its node shut down", podOf(corev1.PodFailed, because("Terminated")), "0/3 Terminated"},
		{"its node shut down, older kubelets", podOf(corev1.PodFailed, because("Shutdown")), "0/3 Shutdown"},
		{"it ran for too long", podOf(corev1.PodFailed, because("DeadlineExceeded")), "0/3 DeadlineExceeded"},
		{"its node is lost", podOf(corev1.PodRunning, because("NodeLost")), "0/3 NodeLost"},
		{"its node is lost, and it is being deleted", podOf(corev1.PodRunning, because("NodeLost"), deleted), "0/3 Unknown"},
		{"failed, and nothing says why", podOf(corev1.PodFailed), "0/3 Failed"},
		{"unknown", podOf(corev1.PodUnknown), "0/3 Unknown"},
		{"gated", podOf(corev1.PodPending, condition(corev1.PodScheduled, corev1.ConditionFalse, corev1.PodReasonSchedulingGated)), "0/3 SchedulingGated"},
		{"pending", podOf(corev1.PodPending, condition(corev1.PodScheduled, corev1.ConditionFalse, corev1.PodReasonUnschedulable)), "0/3 Pending"},
		{"being deleted while it is pending", podOf(corev1.PodPending, deleted), "0/3 Terminating"},
		{"being deleted while a container crashes", podOf(corev1.PodRunning, containers(inWaiting("CrashLoopBackOff")), deleted), "0/3 Terminating"},
		{"being deleted after it has succeeded", podOf(corev1.PodSucceeded, containers(done, done), deleted), "0/3 Completed"},

		{"its first init container runs", podOf(corev1.PodPending, inits(inRun(false))), "0/3 Init:0/3"},
		{"its first init container waits for its turn", podOf(corev1.PodPending, inits(inWaiting("PodInitializing"))), "0/3 Init:0/3"},
		{"an init container failed", podOf(corev1.PodPending, inits(failed)), "0/3 Init:Error"},
		{"an init container crashes", podOf(corev1.PodPending, inits(inWaiting("CrashLoopBackOff"))), "0/3 Init:CrashLoopBackOff"},
		{"an init container has no image", podOf(corev1.PodPending, inits(inWaiting("ImagePullBackOff"))), "0/3 Init:ImagePullBackOff"},
		{"an init container ended with a code", podOf(corev1.PodPending, inits(inEnd("", 3, 0))), "0/3 Init:ExitCode:3"},
		{"an init container ended by a signal", podOf(corev1.PodPending, inits(inEnd("", 137, 9))), "0/3 Init:Signal:9"},
		{"a sidecar starts", podOf(corev1.PodPending, inits(done, inRun(false))), "0/3 Init:1/3"},
		{"a sidecar runs, the init container after it too", podOf(corev1.PodPending, inits(done, inRun(true), inRun(false))), "1/3 Init:2/3"},
		{"a sidecar crashes before it has started", podOf(corev1.PodPending, inits(done, inWaiting("CrashLoopBackOff"))), "0/3 Init:CrashLoopBackOff"},
		{"all init containers are through", podOf(corev1.PodPending, inits(done, inRun(true), done), containers(inWaiting("PodInitializing"), inWaiting("PodInitializing"))), "1/3 PodInitializing"},
		{"a sidecar restarts while the pod runs", podOf(corev1.PodRunning, inits(done, inWaiting("CrashLoopBackOff"), done), containers(inRun(true), inRun(true)), condition(corev1.PodInitialized, corev1.ConditionTrue, "")), "2/3 Init:CrashLoopBackOff"},

		{"containers are created", podOf(corev1.PodPending, containers(inWaiting("ContainerCreating"), inWaiting("ContainerCreating"))), "0/3 ContainerCreating"},
		{"it runs", podOf(corev1.PodRunning, containers(inRun(true), inRun(true))), "2/3 Running"},
		{"it runs, but is not ready", podOf(corev1.PodRunning, containers(inRun(false), inRun(false))), "0/3 Running"},
		{"a container crashes", podOf(corev1.PodRunning, containers(inRun(true), inWaiting("CrashLoopBackOff"))), "1/3 CrashLoopBackOff"},
		{"the first of two that have something to say", podOf(corev1.PodRunning, containers(inWaiting("ErrImagePull"), inWaiting("CrashLoopBackOff"))), "0/3 ErrImagePull"},
		{"a container ran out of memory", podOf(corev1.PodRunning, containers(inEnd("OOMKilled", 137, 0), inRun(true))), "1/3 OOMKilled"},
		{"a container ended with a code", podOf(corev1.PodFailed, containers(inEnd("", 3, 0))), "0/3 ExitCode:3"},
		{"a container ended by a signal", podOf(corev1.PodFailed, containers(inEnd("", 137, 9))), "0/3 Signal:9"},
		{"all have ended well", podOf(corev1.PodSucceeded, containers(done, done)), "0/3 Completed"},
		{"one has ended well, the other failed", podOf(corev1.PodFailed, containers(done, failed)), "0/3 Error"},
		{"one has ended well, the other runs, and the pod is not ready", podOf(corev1.PodRunning, containers(done, inRun(true)), notReady), "1/3 NotReady"},
		{"one has ended well, the other runs, and the pod is ready", podOf(corev1.PodRunning, containers(done, inRun(true)), condition(corev1.PodReady, corev1.ConditionTrue, "")), "1/3 Running"},
	} {
		t.Run(c.name, func(t *testing.T) {
			pod := NewPod(c.pod)
			if got := fmt.Sprintf("%d/%d %s", pod.Ready, pod.Total, pod.Status); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
			if got := strings.Join(kubectlCells(t, c.pod)[:2], " "); got != c.want {
				t.Errorf("kubectl prints %q, which is not %q", got, c.want)
			}
		})
	}
}

// kubectlCells are READY, STATUS and RESTARTS as the API server prints them for kubectl get pods.
func kubectlCells(t interface{ Fatal(...any) }, pod *corev1.Pod) []string {
	var internal core.Pod
	if err := corev1conversion.Convert_v1_Pod_To_core_Pod(pod.DeepCopy(), &internal, nil); err != nil {
		t.Fatal(err)
	}
	table, err := printers.NewTableGenerator().With(printersinternal.AddHandlers).GenerateTable(&internal, printers.GenerateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	cells := table.Rows[0].Cells // NAME READY STATUS RESTARTS AGE
	restarts, _, _ := strings.Cut(cells[3].(string), " ")
	return []string{cells[1].(string), cells[2].(string), restarts}
}
