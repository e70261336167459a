package scheduler

import (
	"math/rand/v2"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/resource"
	resourcehelper "k8s.io/component-helpers/resource"
)

// Whether a pod takes other room is told without summing up its requests where nothing that they are made of
// has changed, and is told as the sums say: for random changes of everything that upstream's function reads.
func TestRequestsDifferAsTheirSumsSay(t *testing.T) {
	r := rand.New(rand.NewPCG(14, 37))
	list := func() corev1.ResourceList {
		if r.IntN(4) == 0 {
			return nil
		}
		all := corev1.ResourceList{corev1.ResourceCPU: *resource.NewQuantity(int64(r.IntN(3)), resource.DecimalSI)}
		if r.IntN(2) == 0 {
			all["example.com/gpu"] = *resource.NewQuantity(int64(r.IntN(2)), resource.DecimalSI)
		}
		return all
	}
	requirements := func() *corev1.ResourceRequirements {
		if r.IntN(3) == 0 {
			return nil
		}
		return &corev1.ResourceRequirements{Requests: list()}
	}
	containers := func(prefix string) (all []corev1.Container) {
		for _, name := range []string{prefix + "-a", prefix + "-b"}[:r.IntN(3)] {
			container := corev1.Container{Name: name, Resources: corev1.ResourceRequirements{Requests: list()}}
			if r.IntN(2) == 0 {
				container.RestartPolicy = new(corev1.ContainerRestartPolicyAlways)
			}
			all = append(all, container)
		}
		return all
	}
	statuses := func(prefix string) (all []corev1.ContainerStatus) {
		for _, name := range []string{prefix + "-a", prefix + "-b"}[:r.IntN(3)] {
			all = append(all, corev1.ContainerStatus{Name: name, AllocatedResources: list(), Resources: requirements()})
		}
		return all
	}
	changes := []func(*corev1.Pod){
		func(*corev1.Pod) {},
		func(p *corev1.Pod) { p.Status.Phase = corev1.PodRunning },
		func(p *corev1.Pod) { p.Spec.Containers = containers("main") },
		func(p *corev1.Pod) { p.Spec.InitContainers = containers("init") },
		func(p *corev1.Pod) { p.Spec.Overhead = list() },
		func(p *corev1.Pod) { p.Spec.Resources = requirements() },
		func(p *corev1.Pod) { p.Status.ContainerStatuses = statuses("main") },
		func(p *corev1.Pod) { p.Status.InitContainerStatuses = statuses("init") },
		func(p *corev1.Pod) { p.Status.Resources = requirements() },
		func(p *corev1.Pod) { p.Status.AllocatedResources = list() },
		func(p *corev1.Pod) {
			p.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodResizePending, Reason: []string{corev1.PodReasonInfeasible, corev1.PodReasonDeferred}[r.IntN(2)]}}
		},
	}
	counted := resourcehelper.PodResourcesOptions{UseStatusResources: true}
	differ, equal := 0, 0
	for range 20000 {
		was := &corev1.Pod{}
		for _, change := range changes {
			change(was)
		}
		is := was.DeepCopy()
		changes[r.IntN(len(changes))](is)
		want := !apiequality.Semantic.DeepEqual(resourcehelper.PodRequests(was, counted), resourcehelper.PodRequests(is, counted))
		if got := requestsDiffer(was, is); got != want {
			t.Fatalf("requests differ: %v, want %v\nfrom %+v\nto %+v", got, want, was, is)
		}
		if want {
			differ++
		} else {
			equal++
		}
	}
	if differ < 1000 || equal < 1000 {
		t.Errorf("too little was tried: %d that differ, %d that do not", differ, equal)
	}
}

// A status that tells of no other room is compared without garbage.
func TestNoGarbageIsMadeOfAStatusThatTellsNoOtherRoom(t *testing.T) {
	one := corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("1"), corev1.ResourceMemory: resource.MustParse("1Gi")}
	was := &corev1.Pod{
		Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "main", Resources: corev1.ResourceRequirements{Requests: one}}}},
		Status: corev1.PodStatus{
			Conditions:        []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue}},
			ContainerStatuses: []corev1.ContainerStatus{{Name: "main", AllocatedResources: one, Resources: &corev1.ResourceRequirements{Requests: one}}},
		},
	}
	is := was.DeepCopy()
	is.Status.Conditions[0].Status = corev1.ConditionFalse
	if made := testing.AllocsPerRun(100, func() { requestsDiffer(was, is) }); made > 0 {
		t.Errorf("%v allocations, want none", made)
	}
}
