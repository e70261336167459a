package inventory

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/modeltest"
)

func class(name string, value int32, policy corev1.PreemptionPolicy) *schedulingv1.PriorityClass {
	return &schedulingv1.PriorityClass{ObjectMeta: metav1.ObjectMeta{Name: name}, Value: value, PreemptionPolicy: &policy}
}

// of is a pod of a PriorityClass; without a node it is pending.
func of(class string, priority int32, name, node string, age time.Duration, change func(*corev1.Pod)) *corev1.Pod {
	return modeltest.NewPod(name, node, "1", "1Gi", age, func(p *corev1.Pod) {
		p.Spec.PriorityClassName, p.Spec.Priority = class, &priority
		if change != nil {
			change(p)
		}
	})
}

func unscheduled(reason string) func(*corev1.Pod) {
	return func(p *corev1.Pod) {
		p.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Reason: reason}}
	}
}

// queueOf are pods of three classes and of none, with the states that the API shows.
func queueOf() []*corev1.Pod {
	return []*corev1.Pod{
		of("high", 1000, "dev/h-run", "n1", 0, nil),
		of("low", -10, "dev/l-run", "n1", 0, nil),
		of("low", -10, "dev/l-image", "n1", 0, func(p *corev1.Pod) { p.Status.Phase = corev1.PodPending }),
		of("", 0, "dev/none-run", "n1", 0, nil),
		of("", 0, "dev/ended", "n1", 0, func(p *corev1.Pod) { p.Status.Phase = corev1.PodFailed }),
		of("gone", 7, "dev/gone-run", "n1", 0, nil),
		of("low", -10, "dev/l-old", "", time.Hour, unscheduled(corev1.PodReasonUnschedulable)),
		of("high", 1000, "dev/h-young", "", time.Minute, nil),
		of("high", 1000, "dev/h-old", "", time.Hour, func(p *corev1.Pod) {
			unscheduled(corev1.PodReasonUnschedulable)(p)
			p.Status.NominatedNodeName = "n1"
		}),
		of("", 0, "dev/error", "", time.Minute, unscheduled(corev1.PodReasonSchedulerError)),
		of("", 0, "dev/gated", "", 2*time.Minute, func(p *corev1.Pod) {
			unscheduled(corev1.PodReasonSchedulingGated)(p)
			p.Spec.SchedulingGates = []corev1.PodSchedulingGate{{Name: "example.com/quota"}}
		}),
		of("", 0, "dev/other", "", 3*time.Minute, func(p *corev1.Pod) { p.Spec.SchedulerName = "batch-scheduler" }),
	}
}

var classes = []*schedulingv1.PriorityClass{
	class("low", -10, corev1.PreemptNever), class("high", 1000, corev1.PreemptLowerPriority), class("queue", 500, corev1.PreemptNever),
}

func TestWhoMayPreemptWhom(t *testing.T) {
	figure := func(n *int) string {
		if n == nil {
			return "?"
		}
		return fmt.Sprint(*n)
	}
	var got []string
	for _, p := range Priorities(snapshotOf(model.Status{}, nil, queueOf()...), classes, true) {
		got = append(got, fmt.Sprintf("%s %d exists=%t %s: %s running, %s pending, %s lower %v, preempted by %v",
			p.Name, p.Value, *p.Exists, p.PreemptionPolicy, figure(p.Running), figure(p.Pending), figure(p.Lower), p.LowerClasses, p.PreemptedBy))
	}
	want := []string{
		"high 1000 exists=true PreemptLowerPriority: 1 running, 2 pending, 4 lower [low  gone queue], preempted by []",
		"queue 500 exists=true Never: 0 running, 0 pending, 4 lower [low  gone], preempted by [high]",
		"gone 7 exists=false PreemptLowerPriority: 1 running, 0 pending, 3 lower [low ], preempted by [high]",
		" 0 exists=false PreemptLowerPriority: 1 running, 3 pending, 2 lower [low], preempted by [high gone]",
		"low -10 exists=true Never: 2 running, 1 pending, 0 lower [], preempted by [high gone ]",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestPendingPodsOfAllClassesAreTheQueue(t *testing.T) {
	s := snapshotOf(model.Status{}, nil, append(queueOf(), of("low", -10, "dev/leaving", "", 0, func(p *corev1.Pod) {
		p.DeletionTimestamp = &metav1.Time{}
	}))...)
	pending := 0
	for _, p := range Priorities(s, classes, true) {
		pending += *p.Pending
	}
	if queued := len(Queue(s)); pending != queued {
		t.Errorf("%d pending pods, %d queued", pending, queued)
	}
}

func TestTheQueueIsInTheSchedulersOrder(t *testing.T) {
	var got []string
	for _, q := range Queue(snapshotOf(model.Status{}, nil, queueOf()...)) {
		got = append(got, fmt.Sprintf("%d of %s: %s %s %s", q.Place, q.Scheduler, q.Name, q.State, q.Nominated))
	}
	want := []string{
		"1 of default-scheduler: h-young active ",
		"1 of batch-scheduler: other active ",
		"2 of default-scheduler: error back-off ",
		"3 of default-scheduler: h-old unschedulable n1",
		"4 of default-scheduler: l-old unschedulable ",
		"5 of default-scheduler: gated gated ",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestAPodThatIsNominatedIsNotUntried(t *testing.T) {
	nominated := func(change func(*corev1.Pod)) *corev1.Pod {
		return of("", 0, "dev/a", "", 0, func(p *corev1.Pod) {
			p.Status.NominatedNodeName = "n1"
			change(p)
		})
	}
	for want, pod := range map[string]*corev1.Pod{
		Nominated:     nominated(func(*corev1.Pod) {}),
		Unschedulable: nominated(unscheduled(corev1.PodReasonUnschedulable)),
		Gated:         nominated(func(p *corev1.Pod) { p.Spec.SchedulingGates = []corev1.PodSchedulingGate{{Name: "example.com/quota"}} }),
	} {
		if queue := Queue(snapshotOf(model.Status{}, nil, pod)); len(queue) != 1 || queue[0].State != want {
			t.Errorf("%+v, want %s", queue, want)
		}
	}
}

func TestPodsThatWereNotReadAreNotCounted(t *testing.T) {
	s := snapshotOf(model.Status{Namespace: "dev"}, nil, queueOf()...)
	for _, p := range Priorities(s, classes, true) {
		if p.Running != nil || p.Pending != nil || p.Lower != nil || p.Queue != nil {
			t.Errorf("%s counts pods of one namespace as all: %+v", p.Name, p)
		}
	}
}

func TestClassesThatWereNotReadAreThoseOfPods(t *testing.T) {
	var names []string
	for _, p := range Priorities(snapshotOf(model.Status{}, nil, queueOf()...), nil, false) {
		names = append(names, p.Name)
		if p.PreemptedBy != nil {
			t.Errorf("%s is preempted by %v, though classes were not read", p.Name, p.PreemptedBy)
		}
		if known := p.Exists != nil; known != (p.Name == "") {
			t.Errorf("whether %q exists is known: %t", p.Name, known)
		}
	}
	if diff := cmp.Diff([]string{"high", "gone", "", "low"}, names); diff != "" {
		t.Error(diff)
	}
}
