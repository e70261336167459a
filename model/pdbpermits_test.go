package model

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

func TestWhichBudgetsAllowNoEvictionThoughAllPodsAreHealthy(t *testing.T) {
	percent := func(text string) *intstr.IntOrString { return new(intstr.FromString(text)) }
	number := func(n int) *intstr.IntOrString { return new(intstr.FromInt32(int32(n))) }
	for _, test := range []struct {
		name                       string
		least, most                *intstr.IntOrString
		allowed, healthy, required int32
		pods                       int32
		outdated                   bool
		want                       string
	}{
		{
			name: "a percentage is rounded up to all", least: percent("80%"), healthy: 4, required: 4, pods: 4,
			want: "minAvailable 80% of 4 pods is 4: it allows no eviction even though all are healthy; with 5 replicas it allows 1",
		},
		{
			name: "no number of replicas allows one", least: percent("100%"), healthy: 4, required: 4, pods: 4,
			want: "minAvailable 100% of 4 pods is 4: it allows no eviction even though all are healthy",
		},
		{
			name: "only many more replicas would", least: percent("99%"), healthy: 4, required: 4, pods: 4,
			want: "minAvailable 99% of 4 pods is 4: it allows no eviction even though all are healthy",
		},
		{
			name: "a number", least: number(2), healthy: 2, required: 2, pods: 2,
			want: "minAvailable 2 of 2 pods: it allows no eviction even though all are healthy; with 3 replicas it allows 1",
		},
		{
			name: "more than there are", least: number(3), healthy: 1, required: 3, pods: 1,
			want: "minAvailable 3 of 1 pod: it allows no eviction even though it is healthy; with 4 replicas it allows 1",
		},
		{name: "none may be unavailable", most: number(0), healthy: 1, required: 2, pods: 2, want: "maxUnavailable is 0: it never allows an eviction"},
		{name: "0 percent may be unavailable", most: percent("0%"), healthy: 2, required: 2, pods: 2, want: "maxUnavailable is 0%: it never allows an eviction"},
		{name: "a percentage that may be unavailable is rounded up", most: percent("10%"), healthy: 1, required: 1, pods: 2},
		{name: "allows one", least: percent("50%"), allowed: 2, healthy: 4, required: 2, pods: 4},
		{name: "lacks a healthy pod", least: percent("80%"), healthy: 3, required: 4, pods: 4},
		{name: "the status is of another spec", least: percent("80%"), healthy: 4, required: 4, pods: 4, outdated: true},
		{name: "the status has other figures", least: percent("80%"), healthy: 4, required: 3, pods: 4},
		{name: "no status yet", least: number(1)},
		{name: "neither is set", healthy: 2, required: 2, pods: 2},
		{name: "cannot be read", least: percent("eighty"), healthy: 2, required: 2, pods: 2},
	} {
		t.Run(test.name, func(t *testing.T) {
			budget := &policyv1.PodDisruptionBudget{
				Spec: policyv1.PodDisruptionBudgetSpec{MinAvailable: test.least, MaxUnavailable: test.most},
				Status: policyv1.PodDisruptionBudgetStatus{
					DisruptionsAllowed: test.allowed, CurrentHealthy: test.healthy, DesiredHealthy: test.required, ExpectedPods: test.pods,
				},
			}
			if test.outdated {
				budget.Generation = 1
			}
			if got := AllowsNone(budget, nil); got != test.want {
				t.Errorf("%q, want %q", got, test.want)
			}
		})
	}
}

func TestABudgetOfPodsWithoutAControllerAllowsNone(t *testing.T) {
	bare, managed := &corev1.Pod{}, &corev1.Pod{}
	managed.OwnerReferences = []metav1.OwnerReference{{Kind: "ReplicaSet", Name: "web", Controller: new(true)}}
	const until = " needs pods that have a controller: it allows no eviction until minAvailable is set to an integer"
	for _, test := range []struct {
		name     string
		spec     policyv1.PodDisruptionBudgetSpec
		pods     []*corev1.Pod
		expected int32
		want     string
	}{
		{"a number may be unavailable", policyv1.PodDisruptionBudgetSpec{MaxUnavailable: new(intstr.FromInt32(1))}, []*corev1.Pod{bare}, 0, "maxUnavailable 1" + until},
		{"a percentage has to be available", policyv1.PodDisruptionBudgetSpec{MinAvailable: new(intstr.FromString("50%"))}, []*corev1.Pod{bare, bare}, 0, "minAvailable 50%" + until},
		{"a number has to be available", policyv1.PodDisruptionBudgetSpec{MinAvailable: new(intstr.FromInt32(1))}, []*corev1.Pod{bare}, 0, ""},
		{"one has a controller", policyv1.PodDisruptionBudgetSpec{MaxUnavailable: new(intstr.FromInt32(1))}, []*corev1.Pod{bare, managed}, 0, ""},
		{"pods are not known", policyv1.PodDisruptionBudgetSpec{MaxUnavailable: new(intstr.FromInt32(1))}, nil, 0, ""},
		{"pods are expected", policyv1.PodDisruptionBudgetSpec{MaxUnavailable: new(intstr.FromInt32(1))}, []*corev1.Pod{bare}, 3, ""},
	} {
		budget := &policyv1.PodDisruptionBudget{Spec: test.spec, Status: policyv1.PodDisruptionBudgetStatus{CurrentHealthy: 1, ExpectedPods: test.expected}}
		if got := AllowsNone(budget, test.pods); got != test.want {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
		budget.Generation = 1
		if got := AllowsNone(budget, test.pods); got != "" {
			t.Errorf("%s, of another generation: %q", test.name, got)
		}
	}
}

func TestABudgetWhoseStatusCannotBeCalculatedAllowsNone(t *testing.T) {
	failed := metav1.Condition{Type: policyv1.DisruptionAllowedCondition, Status: metav1.ConditionFalse, Reason: policyv1.SyncFailedReason, Message: "no \x1b[31mscale"}
	budget := &policyv1.PodDisruptionBudget{Status: policyv1.PodDisruptionBudgetStatus{Conditions: []metav1.Condition{failed}}}
	budget.Generation = 1
	want := "status could not be calculated (SyncFailed: no scale): it allows no eviction until the budget is changed, or the error is resolved"
	if got := AllowsNone(budget, nil); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	budget.Status.Conditions[0].Message = strings.Repeat("x", 500)
	if got := AllowsNone(budget, nil); len(got) > 300 || !strings.Contains(got, "x…)") {
		t.Errorf("a long message is not cut: %q", got)
	}
	budget.Status.Conditions[0].Reason = policyv1.InsufficientPodsReason
	if got := AllowsNone(budget, nil); got != "" {
		t.Errorf("another reason: %q", got)
	}
}
