package ui

import (
	"fmt"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// withPriorities is prod-eu with PriorityClasses: the pods of search have one that never
// preempts, one of batch has one that was deleted, and one of shop is nominated.
func withPriorities(s *model.Snapshot) *fakeCluster {
	class := func(name string, value int32, policy corev1.PreemptionPolicy, words string) *schedulingv1.PriorityClass {
		return &schedulingv1.PriorityClass{ObjectMeta: metav1.ObjectMeta{Name: name}, Value: value, PreemptionPolicy: &policy, Description: words}
	}
	nominated := false
	for _, pod := range s.Pods {
		spec := &pod.Object.Spec
		switch pod.Object.Namespace {
		case "search":
			spec.PriorityClassName = "search"
		case "shop":
			spec.PriorityClassName, spec.Priority = "default", new(int32(100))
			if spec.NodeName == "" && !nominated {
				pod.Object.Status.NominatedNodeName, nominated = "std-b-02", true
			}
		case "batch":
			spec.PriorityClassName, spec.Priority = "low", new(int32(-10))
		}
		if spec.NodeName == "" && len(spec.SchedulingGates) == 0 {
			pod.Object.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Reason: corev1.PodReasonUnschedulable}}
		}
	}
	usual := class("default", 100, corev1.PreemptLowerPriority, "Services.")
	usual.GlobalDefault, usual.CreationTimestamp = true, metav1.NewTime(now.Add(-89*time.Minute))
	return &fakeCluster{reports: verdictsOf(s), objects: map[string][]runtime.Object{"priorityclasses": {
		class("system-node-critical", 2000001000, corev1.PreemptLowerPriority, "Used for system critical pods that must not be moved from their current node."),
		class("search", 1000, corev1.PreemptNever, "Ahead of others in the queue, but does not preempt."), usual,
	}}}
}

func TestPrioritiesScreen(t *testing.T) {
	for _, size := range []struct{ width, height int }{{80, 24}, {120, 40}} {
		t.Run(fmt.Sprintf("%dx%d", size.width, size.height), func(t *testing.T) {
			s := newProdEU().snapshot()
			app := newTestAppWith(t, size.width, size.height, s, withPriorities(s), nil)
			press(t, app, "6", "j", "j")
			requireScreen(t, app)
		})
	}
}

func TestTheAgeOfTheGlobalDefaultIsAsOfTheSnapshot(t *testing.T) {
	s := newProdEU().snapshot()
	s.Status.Taken = now.Add(-70 * time.Minute)
	app := newTestAppWith(t, 80, 24, s, withPriorities(s), nil)
	press(t, app, "6")
	requireContains(t, app, "default (19m)")
}

// TestPlacesInTheQueueNameTheirSchedulerWhereThereAreSeveral, as each has a place 1.
func TestPlacesInTheQueueNameTheirSchedulerWhereThereAreSeveral(t *testing.T) {
	s := newProdEU().snapshot()
	c := withPriorities(s)
	for _, pod := range s.Pods {
		if pod.Object.Namespace == "search" && pod.Object.Spec.NodeName == "" {
			pod.Object.Spec.SchedulerName = "packer"
		}
	}
	app := newTestAppWith(t, 80, 24, s, c, nil)
	press(t, app, "6", "j")
	requireContains(t, app, "without a node, by place in the queue of their scheduler: 1 unschedulable")
	requireContains(t, app, "1. search/index-2  unschedulable (packer)")
	press(t, app, "j")
	requireContains(t, app, "(default-scheduler)")
	press(t, app, "enter")
	requireRow(t, app, 2, "per scheduler: ")
}

func TestPrioritiesThatMayNotBeListedAreUnknown(t *testing.T) {
	s := newProdEU().snapshot()
	c := withPriorities(s)
	c.unread = map[string]string{"priorityclasses": "not allowed to list priorityclasses"}
	app := newTestAppWith(t, 80, 24, s, c, nil)
	press(t, app, "6")
	requireScreen(t, app)
}

func TestAPodThatIsBeingBoundIsNominatedInTheQueue(t *testing.T) {
	s := newProdEU().snapshot()
	c := withPriorities(s)
	for _, pod := range s.Pods {
		if pod.Object.Namespace == "search" && pod.Object.Spec.NodeName == "" {
			pod.Object.Status.Conditions, pod.Object.Status.NominatedNodeName = nil, "std-b-01"
		}
	}
	app := newTestAppWith(t, 80, 24, s, c, nil)
	press(t, app, "6", "j")
	requireRow(t, app, 21, "1. search/index-2  nominated to std-b-01")
	press(t, app, "enter")
	requireRow(t, app, 4, "1  search/index-2         1000  41m nominated     std-b-01   default-sc…")
}

func TestEnterOpensTheQueueAtAPodOfTheClass(t *testing.T) {
	for _, size := range []struct{ width, height int }{{80, 24}, {120, 40}} {
		t.Run(fmt.Sprintf("%dx%d", size.width, size.height), func(t *testing.T) {
			s := newProdEU().snapshot()
			app := newTestAppWith(t, size.width, size.height, s, withPriorities(s), nil)
			press(t, app, "6", "j", "j", "enter")
			requireScreen(t, app)
		})
	}
}
