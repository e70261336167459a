package ui

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page/pods"
)

func TestPhasesOfTheNextSnapshotAreThoseOfACountFromNothing(t *testing.T) {
	c := newProdEU()
	var p pods.Phases
	for step, change := range []func(){
		func() {},
		func() { c.keep(func(p *corev1.Pod) bool { return p.Name != "report-0" }) },
		func() { c.pods = append(c.pods, pod("aa", "first", "1", "1Gi", 0), pod("zz", "last", "1", "1Gi", 0)) },
		func() { c.keep(func(p *corev1.Pod) bool { return p.Namespace != "team-a" }) },
		func() {
			changed := c.pods[0].DeepCopy()
			changed.Status.Phase = corev1.PodSucceeded
			c.pods[0] = changed
		},
		func() {
			failing := c.pods[1].DeepCopy()
			failing.Status.Phase = corev1.PodRunning
			failing.Status.ContainerStatuses = []corev1.ContainerStatus{{State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "CrashLoopBackOff"}}}}
			c.pods[1] = failing
		},
		func() { c.pods = nil },
		func() { c.pods = newProdEU().pods },
	} {
		change()
		all := c.snapshot().Pods
		p.Count(all)
		var anew pods.Phases
		anew.Count(all)
		if p.Words() != anew.Words() {
			t.Errorf("step %d: %s, want %s", step, p.Words(), anew.Words())
		}
	}
	if p.Words() != "412 pods: 398 Running, 13 Pending, 1 Failed." {
		t.Errorf("at last %s", p.Words())
	}
}

func TestPodsThatRunAndFailAreCountedByTheirStatus(t *testing.T) {
	failing := func(name, reason string) *corev1.Pod {
		p := ran(pod("shop", name, "1", "1Gi", time.Hour), "std-a-01")
		p.Status.ContainerStatuses = []corev1.ContainerStatus{{State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: reason}}}}
		return p
	}
	b := model.NewBuilder()
	for _, p := range []*corev1.Pod{
		ran(pod("shop", "sound", "1", "1Gi", time.Hour), "std-a-01"), failing("a", "CrashLoopBackOff"), failing("b", "CrashLoopBackOff"),
		failing("c", "CreateContainerError"), failing("d", "ErrImagePull"), failing("e", "ImagePullBackOff"),
	} {
		b.Pod(nil, p)
	}
	var p pods.Phases
	p.Count(b.Build(1, liveStatus(), nil).Pods)
	want := "6 pods: 1 Running, 2 CrashLoopBackOff, 1 CreateContainerError, 1 ErrImagePull, 1 otherwise failing."
	if got := p.Words(); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestTerminatingPodsAreCountedApart(t *testing.T) {
	deleted := func(p *corev1.Pod) *corev1.Pod {
		p.DeletionTimestamp = &metav1.Time{Time: now}
		return p
	}
	lost, ended := deleted(ran(pod("shop", "lost", "1", "1Gi", time.Hour), "std-a-01")), deleted(ran(pod("shop", "ended", "1", "1Gi", time.Hour), "std-a-01"))
	lost.Status.Reason, ended.Status.Phase = "NodeLost", corev1.PodSucceeded
	b := model.NewBuilder()
	for _, p := range []*corev1.Pod{
		ran(pod("shop", "a", "1", "1Gi", time.Hour), "std-a-01"), deleted(ran(pod("shop", "b", "1", "1Gi", time.Hour), "std-a-01")),
		deleted(pod("shop", "c", "1", "1Gi", time.Hour)), lost, ended,
	} {
		b.Pod(nil, p)
	}
	var p pods.Phases
	p.Count(b.Build(1, liveStatus(), nil).Pods)
	if got, want := p.Words(), "5 pods: 1 Running, 2 Terminating, 1 Succeeded, 1 Unknown."; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
