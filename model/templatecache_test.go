package model

import (
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

func TestReplicasAreCountedOnce(t *testing.T) {
	amounts, held := corev1.ResourceList{"cpu": resource.MustParse("1")}, corev1.ResourceList{"cpu": resource.MustParse("1")}
	holding := func(lists ...corev1.ResourceList) (all []corev1.ContainerStatus) {
		for i, list := range lists {
			all = append(all, corev1.ContainerStatus{Name: fmt.Sprint(i), AllocatedResources: list})
		}
		return all
	}
	replica := func(change func(*corev1.Pod)) *corev1.Pod {
		pod := &corev1.Pod{}
		pod.Namespace = "dev"
		pod.Spec.Containers = shared
		pod.Status.ContainerStatuses = holding(held)
		change(pod)
		return pod
	}
	for name, test := range map[string]struct {
		change func(*corev1.Pod)
		times  int
	}{
		"only its name and node":     {func(p *corev1.Pod) { p.Name, p.UID, p.Spec.NodeName = "b", "b", "node-2" }, 1},
		"containers equal elsewhere": {func(p *corev1.Pod) { p.Spec.Containers = []corev1.Container{{Name: "main"}} }, 2},
		"fewer containers":           {func(p *corev1.Pod) { p.Spec.Containers = shared[:1] }, 2},
		"init containers":            {func(p *corev1.Pod) { p.Spec.InitContainers = shared }, 2},
		"overhead":                   {func(p *corev1.Pod) { p.Spec.Overhead = amounts }, 2},
		"amounts of the whole pod":   {func(p *corev1.Pod) { p.Spec.Resources = &corev1.ResourceRequirements{} }, 2},
		"affinity":                   {func(p *corev1.Pod) { p.Spec.Affinity = &corev1.Affinity{} }, 2},
		"its namespace":              {func(p *corev1.Pod) { p.Namespace = "prod" }, 2},
		"what its containers hold":   {func(p *corev1.Pod) { p.Status.ContainerStatuses = holding(amounts) }, 2},
		"what many of them hold":     {func(p *corev1.Pod) { p.Status.ContainerStatuses = holding(held, held, held, held, held) }, 2},
		"what init containers hold":  {func(p *corev1.Pod) { p.Status.InitContainerStatuses = holding(held) }, 2},
		"how they are": {func(p *corev1.Pod) {
			p.Status.ContainerStatuses = holding(held)
			p.Status.ContainerStatuses[0].RestartCount = 7
		}, 1},
		"a status that holds nothing": {func(p *corev1.Pod) {
			p.Status.ContainerStatuses = append([]corev1.ContainerStatus{{Name: "debug"}}, holding(held)...)
		}, 1},
		"what it holds":     {func(p *corev1.Pod) { p.Status.AllocatedResources = amounts }, 2},
		"what it was given": {func(p *corev1.Pod) { p.Status.Resources = &corev1.ResourceRequirements{} }, 2},
		"its claims": {func(p *corev1.Pod) {
			p.Status.NodeAllocatableResourceClaimStatuses = make([]corev1.NodeAllocatableResourceClaimStatus, 1)
		}, 2},
		"an infeasible resize": {func(p *corev1.Pod) {
			p.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodResizePending, Reason: corev1.PodReasonInfeasible}}
		}, 2},
	} {
		var templates Templates[int]
		times := 0
		for _, pod := range []*corev1.Pod{replica(func(*corev1.Pod) {}), replica(test.change)} {
			templates.Of(pod, func(*corev1.Pod) int { times++; return times })
		}
		if times != test.times {
			t.Errorf("a pod that differs in %s: %d computed, want %d", name, times, test.times)
		}
	}
}

var shared = []corev1.Container{{Name: "main"}, {Name: "proxy"}}

func TestTemplatesForgetWhatNobodyAsksFor(t *testing.T) {
	var templates Templates[int]
	often := &corev1.Pod{}
	for i := range 10 * remembered {
		pod := &corev1.Pod{}
		pod.Spec.Containers = []corev1.Container{{}}
		templates.Of(pod, func(*corev1.Pod) int { return i })
		if got := templates.Of(often, func(*corev1.Pod) int { return i }); got != 0 {
			t.Fatalf("what is asked for again and again was computed again after %d", i)
		}
	}
	if n := len(templates.young) + len(templates.old); n > 2*remembered {
		t.Errorf("%d are remembered, more than %d", n, 2*remembered)
	}
}
