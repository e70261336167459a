package plan

import (
	"testing"
	"time"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	v1helper "k8s.io/kubernetes/pkg/apis/core/v1/helper"
	"pgregory.net/rapid"

	"github.com/kubectl-fathom/kubectl-fathom/model/modeltest"
)

// TestPodsAreThrownOutAsTheControllerDoes compares with what the taint eviction
// controller asks, k8s.io/kubernetes/pkg/controller/tainteviction: whether all
// taints are tolerated, and for how long.
func TestPodsAreThrownOutAsTheControllerDoes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		taints := anyTaints(t)
		for i := range taints {
			taints[i].Effect = corev1.TaintEffectNoExecute
		}
		var tolerations []corev1.Toleration
		for range rapid.IntRange(0, 4).Draw(t, "tolerations") {
			tolerations = append(tolerations, corev1.Toleration{
				Key:               modeltest.Draw(t, "key", "a", "b", ""),
				Operator:          modeltest.Draw(t, "operator", "", corev1.TolerationOpEqual, corev1.TolerationOpExists, corev1.TolerationOpGt),
				Value:             modeltest.Draw(t, "value", "", "x", "y"),
				Effect:            modeltest.Draw(t, "effect", "", corev1.TaintEffectNoExecute, corev1.TaintEffectNoSchedule),
				TolerationSeconds: modeltest.Draw(t, "seconds", nil, nil, new(int64(-1)), new(int64(0)), new(int64(30)), new(int64(300))),
			})
		}
		after, goes := evictedAfter(taints, tolerations)
		wantAfter, want := controllerThrows(taints, tolerations)
		if goes != want || goes && after != wantAfter {
			t.Fatalf("%v with %+v: goes %v after %s, by the controller %v after %s", taints, tolerations, goes, after, want, wantAfter)
		}
	})
}

// controllerThrows is processPodOnNode and getMinTolerationTime of the controller,
// which are not exported.
func controllerThrows(taints []corev1.Taint, tolerations []corev1.Toleration) (time.Duration, bool) {
	if len(taints) == 0 {
		return 0, false
	}
	all, used := v1helper.GetMatchingTolerations(logr.Discard(), taints, tolerations)
	if !all {
		return 0, true
	}
	least := int64(-1)
	for i := range used {
		switch seconds := used[i].TolerationSeconds; {
		case seconds == nil:
		case *seconds <= 0:
			return 0, true
		case least < 0 || *seconds < least:
			least = *seconds
		}
	}
	return time.Duration(least) * time.Second, least >= 0
}
