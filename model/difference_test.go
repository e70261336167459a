package model

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// differing builds the state of some objects, taken at a minute.
func differing(minute int, objects ...any) *Snapshot {
	b := NewBuilder()
	for _, object := range objects {
		switch o := object.(type) {
		case *corev1.Node:
			b.Node(nil, o)
		case *corev1.Pod:
			b.Pod(nil, o)
		case *NotCreated:
			b.NotCreated([]*NotCreated{o})
		}
	}
	return b.Build(1, Status{Taken: time.Unix(int64(minute*60), 0)}, nil)
}

// nodeWith is a ready node of 4 cpu, changed.
func nodeWith(change func(*corev1.Node)) *corev1.Node {
	n := &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: "std-1", UID: "n1", Labels: map[string]string{"zone": "a"}},
		Status: corev1.NodeStatus{
			Allocatable: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("4"), corev1.ResourcePods: resource.MustParse("110")},
			Conditions:  []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}},
		},
	}
	change(n)
	return n
}

// podWith is a pod that runs on std-1 and holds 2 cpu, changed.
func podWith(change func(*corev1.Pod)) *corev1.Pod {
	p := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "web", UID: "p1"},
		Spec: corev1.PodSpec{NodeName: "std-1", Containers: []corev1.Container{{Name: "app", Resources: corev1.ResourceRequirements{
			Requests: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("2")},
		}}}},
		Status: corev1.PodStatus{Phase: corev1.PodRunning, ContainerStatuses: []corev1.ContainerStatus{{
			Name: "app", Ready: true, Started: new(true), State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{}},
		}}},
	}
	change(p)
	return p
}

func TestWhatChangedIsTold(t *testing.T) {
	asItIs, podAsItIs := func(*corev1.Node) {}, func(*corev1.Pod) {}
	waits := func(p *corev1.Pod) { p.Spec.NodeName, p.Status = "", corev1.PodStatus{Phase: corev1.PodPending} }
	starts := func(p *corev1.Pod) { p.Status = corev1.PodStatus{Phase: corev1.PodPending} }
	ends := func(p *corev1.Pod) { p.Status.Phase = corev1.PodSucceeded }
	refused := func(missing int) *NotCreated {
		pod := podWith(waits)
		pod.Name, pod.UID = "", "not-created-set"
		pod.OwnerReferences = []metav1.OwnerReference{{APIVersion: "batch/v1", Kind: "Job", Name: "etl", UID: "set", Controller: new(true)}}
		return &NotCreated{Pod: pod, Wanted: 3, Missing: missing}
	}
	for name, test := range map[string]struct {
		was, is []any
		want    []string
	}{
		"nothing": {[]any{nodeWith(asItIs), podWith(podAsItIs)}, []any{nodeWith(asItIs), podWith(podAsItIs)}, nil},
		"a heartbeat and a restart": {
			[]any{nodeWith(asItIs), podWith(podAsItIs)},
			[]any{
				nodeWith(func(n *corev1.Node) { n.Status.Conditions[0].LastHeartbeatTime = metav1.Now() }),
				podWith(func(p *corev1.Pod) { p.Status.ContainerStatuses[0].RestartCount = 3 }),
			},
			nil,
		},
		"a node came":  {nil, []any{nodeWith(asItIs)}, []string{"node std-1: new, Ready; allocatable cpu 4"}},
		"a node went":  {[]any{nodeWith(asItIs)}, nil, []string{"node std-1: deleted; had cpu 4"}},
		"another node": {[]any{nodeWith(asItIs)}, []any{nodeWith(func(n *corev1.Node) { n.UID = "n2" })}, []string{"node std-1: deleted and created again, Ready; allocatable cpu 4"}},
		"a cordon": {
			[]any{nodeWith(asItIs)},
			[]any{nodeWith(func(n *corev1.Node) {
				n.Spec.Unschedulable = true
				n.Spec.Taints = []corev1.Taint{{Key: corev1.TaintNodeUnschedulable, Effect: corev1.TaintEffectNoSchedule}}
			})},
			[]string{"node std-1: cordoned"},
		},
		"an uncordon": {
			[]any{nodeWith(func(n *corev1.Node) { n.Spec.Unschedulable = true })}, []any{nodeWith(asItIs)}, []string{"node std-1: uncordoned"},
		},
		"a kubelet that is silent": {
			[]any{nodeWith(asItIs)},
			[]any{nodeWith(func(n *corev1.Node) {
				n.Status.Conditions[0].Status = corev1.ConditionUnknown
				n.Spec.Taints = []corev1.Taint{{Key: corev1.TaintNodeUnreachable, Effect: corev1.TaintEffectNoExecute}}
			})},
			[]string{"node std-1: Ready → NotReady; taint unreachable:NoExecute added"},
		},
		"a kubelet that is silent after it was not ready": {
			[]any{nodeWith(func(n *corev1.Node) { n.Status.Conditions[0].Status = corev1.ConditionFalse })},
			[]any{nodeWith(func(n *corev1.Node) {
				n.Status.Conditions[0].Status = corev1.ConditionUnknown
				n.Spec.Taints = []corev1.Taint{{Key: corev1.TaintNodeUnreachable, Effect: corev1.TaintEffectNoExecute}}
			})},
			[]string{"node std-1: taint unreachable:NoExecute added"},
		},
		"a taint, a label, room and pressure": {
			[]any{nodeWith(func(n *corev1.Node) {
				n.Spec.Taints = []corev1.Taint{{Key: "a", Value: "b", Effect: corev1.TaintEffectNoSchedule}}
			})},
			[]any{nodeWith(func(n *corev1.Node) {
				n.Labels = map[string]string{"zone": "b", "new": "1"}
				n.Status.Allocatable = corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("3"), corev1.ResourcePods: resource.MustParse("58")}
				n.Status.Conditions = append(n.Status.Conditions, corev1.NodeCondition{Type: corev1.NodeDiskPressure, Status: corev1.ConditionTrue})
			})},
			[]string{"node std-1: taint a=b:NoSchedule removed; DiskPressure started; allocatable cpu 3, was cpu 4; allows 58 pods, was 110; label new=1 added; label zone=b, was a"},
		},
		"a pod came and waits":    {nil, []any{podWith(waits)}, []string{"1 shop/web: requests cpu 2"}},
		"a pod came and runs":     {nil, []any{podWith(podAsItIs)}, []string{"0 shop/web: std-1, requests cpu 2; new"}},
		"a pod got its node":      {[]any{podWith(waits)}, []any{podWith(starts)}, []string{"0 shop/web: std-1, requests cpu 2; was pending"}},
		"a pod started":           {[]any{podWith(starts)}, []any{podWith(podAsItIs)}, []string{"5 shop/web: started on std-1"}},
		"a pod ended":             {[]any{podWith(podAsItIs)}, []any{podWith(ends)}, []string{"3 shop/web: Succeeded on std-1, frees cpu 2"}},
		"a pod came and ended":    {nil, []any{podWith(ends)}, []string{"3 shop/web: new, Succeeded"}},
		"a pod went":              {[]any{podWith(podAsItIs)}, nil, []string{"4 shop/web: was on std-1, frees cpu 2"}},
		"a pod that waited went":  {[]any{podWith(waits)}, nil, []string{"4 shop/web: was pending, requested cpu 2"}},
		"a pod that ended went":   {[]any{podWith(ends)}, nil, []string{"4 shop/web: was finished on std-1"}},
		"a pod ends":              {[]any{podWith(podAsItIs)}, []any{podWith(func(p *corev1.Pod) { p.DeletionTimestamp = &metav1.Time{} })}, []string{"5 shop/web: is being deleted on std-1"}},
		"a pod of the same name":  {[]any{podWith(podAsItIs)}, []any{podWith(func(p *corev1.Pod) { p.UID = "p2" })}, []string{"0 shop/web: std-1, requests cpu 2; new", "4 shop/web: was on std-1, frees cpu 2"}},
		"a nomination":            {[]any{podWith(waits)}, []any{podWith(func(p *corev1.Pod) { waits(p); p.Status.NominatedNodeName = "std-1" })}, []string{"5 shop/web: nominated to std-1"}},
		"a nomination taken back": {[]any{podWith(func(p *corev1.Pod) { waits(p); p.Status.NominatedNodeName = "std-1" })}, []any{podWith(waits)}, []string{"5 shop/web: is no longer nominated to std-1"}},
		"a gate": {
			[]any{podWith(func(p *corev1.Pod) {
				waits(p)
				p.Spec.SchedulingGates = []corev1.PodSchedulingGate{{Name: "budget"}}
			})},
			[]any{podWith(waits)},
			[]string{"5 shop/web: a gate was removed"},
		},
		"a resize": {
			[]any{podWith(podAsItIs)},
			[]any{podWith(func(p *corev1.Pod) {
				p.Spec.Containers[0].Resources.Requests[corev1.ResourceCPU] = resource.MustParse("1")
			})},
			[]string{"5 shop/web: requests cpu 1, was cpu 2"},
		},
		"pods refused":      {nil, []any{refused(2)}, []string{"2 shop/etl: 2 of 3 not created"}},
		"more pods refused": {[]any{refused(1)}, []any{refused(2)}, []string{"2 shop/etl: 2 of 3 not created, were 1"}},
		"no pods refused":   {[]any{refused(1)}, nil, []string{"2 shop/etl: none is missing now"}},
	} {
		d := Differ(differing(1, test.was...), differing(3, test.is...))
		var got []string
		for _, n := range d.Nodes {
			got = append(got, "node "+n.Name+": "+strings.Join(n.Words, "; "))
		}
		for _, c := range d.Pods {
			got = append(got, fmt.Sprintf("%d %s: %s", c.Fate, c.Pod.FullName(), c.Words))
		}
		if !slices.Equal(got, test.want) || d.Apart != 2*time.Minute {
			t.Errorf("%s: %q after %s, want %q", name, got, d.Apart, test.want)
		}
	}
}

func TestPodsThatGotANodeAreToldByNode(t *testing.T) {
	named := func(name, node string) *corev1.Pod {
		return podWith(func(p *corev1.Pod) { p.Name, p.UID, p.Spec.NodeName = name, types.UID(name), node })
	}
	d := Differ(differing(1), differing(2, named("a", "std-2"), named("c", "std-1"), named("b", "std-1")))
	var names []string
	for _, c := range d.Pods {
		names = append(names, c.Pod.Name())
	}
	if want := []string{"b", "c", "a"}; !slices.Equal(names, want) || d.Count(PodPlaced) != 3 || d.Count(PodCame) != 0 {
		t.Errorf("%v, want %v", names, want)
	}
}
