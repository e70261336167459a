package model

import (
	"testing"

	policyv1 "k8s.io/api/policy/v1"
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
			if got := AllowsNone(budget); got != test.want {
				t.Errorf("%q, want %q", got, test.want)
			}
		})
	}
}
