package explain

import (
	"context"
	"slices"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
)

// preempted is an event of a preemption as kube-scheduler writes it.
func preempted(victim string, ago time.Duration, edits ...func(*corev1.Event)) *corev1.Event {
	e := &corev1.Event{
		InvolvedObject: corev1.ObjectReference{Kind: "Pod", Namespace: "shop", Name: victim, UID: types.UID("gone-" + victim)},
		Related:        &corev1.ObjectReference{Kind: "Pod", Namespace: "obs", Name: "agent-x", UID: "obs/agent-x"},
		Reason:         "Preempted", Action: "Preempting", ReportingController: corev1.DefaultSchedulerName,
		EventTime: metav1.NewMicroTime(testNow.Add(-ago)),
	}
	for _, edit := range edits {
		edit(e)
	}
	return e
}

func TestPreemptedPodsNamedAsThePendingOneAreToldWithThePreemptor(t *testing.T) {
	gone := func(e *corev1.Event) { e.Related.Name, e.Related.UID = "agent-gone", "gone" }
	for name, c := range map[string]struct {
		events []*corev1.Event
		want   string
	}{
		"none": {nil, ""},
		"two": {
			[]*corev1.Event{preempted("api-6c9-aaaaa", 50*time.Minute), preempted("api-6c9-bbbbb", 20*time.Minute), preempted("api-6c9-bbbbb", 20*time.Minute)},
			"2 pods named api-6c9-… were preempted, the last 20m ago, by daemonset/agent in obs (priority 900).",
		},
		"the preemptor is gone": {
			[]*corev1.Event{preempted("api-6c9-aaaaa", 50*time.Minute, gone)},
			"1 pod named api-6c9-… was preempted 50m ago, by pod/agent-gone in obs.",
		},
		"no preemptor is named": {
			[]*corev1.Event{preempted("api-6c9-aaaaa", time.Minute, func(e *corev1.Event) { e.Related = nil })},
			"1 pod named api-6c9-… was preempted 1m ago.",
		},
		"others": {
			[]*corev1.Event{
				preempted("api-6c9-canary-aaaaa", time.Minute), preempted("api-aaaaa", time.Minute), preempted("api-6c9-xxxxx", time.Minute, func(e *corev1.Event) { e.InvolvedObject.UID = "shop/api-6c9-xxxxx" }),
				preempted("api-6c9-aaaaa", time.Minute, func(e *corev1.Event) { e.InvolvedObject.Namespace = "other" }),
				preempted("api-6c9-aaaaa", time.Minute, func(e *corev1.Event) { e.InvolvedObject.Kind = "Workload" }),
				preempted("api-6c9-aaaaa", time.Minute, func(e *corev1.Event) { e.ReportingController = "volcano" }),
			}, "",
		},
	} {
		t.Run(name, func(t *testing.T) {
			pod := testPod("shop/api-6c9-xxxxx", "", "8", podControlledBy("apps/v1", "ReplicaSet", "api-6c9"), func(p *corev1.Pod) { p.GenerateName, p.UID = "api-6c9-", "shop/api-6c9-xxxxx" })
			agent := testPod("obs/agent-x", "n", "1", priority(900), func(p *corev1.Pod) {
				p.UID = "obs/agent-x"
				p.OwnerReferences = []metav1.OwnerReference{{APIVersion: "apps/v1", Kind: "DaemonSet", Name: "agent", UID: "agent", Controller: new(true)}}
			})
			options := Options{Lookups: Lookups{Preempted: func(context.Context, string) []*corev1.Event { return c.events }}}
			r := mustExplain(t, startEngine(t, options, testNode("n", "4"), agent, pod), pod)
			same(t, report.PreemptedSentence(r, testNow), c.want)
		})
	}
}

// TestAPodWithoutAControllerIsNotAskedAbout, for it replaces none that was preempted.
func TestAPodWithoutAControllerIsNotAskedAbout(t *testing.T) {
	asked := 0
	options := Options{Lookups: Lookups{Preempted: func(context.Context, string) []*corev1.Event { asked++; return nil }}}
	for want, pod := range []*corev1.Pod{testPod("shop/bare", "", "8"), testPod("shop/api", "", "8", podControlledBy("apps/v1", "ReplicaSet", "api"))} {
		mustExplain(t, startEngine(t, options, testNode("n", "4"), pod), pod)
		if asked != want {
			t.Errorf("%s: asked %d times, want %d", pod.Name, asked, want)
		}
	}
}

// TestTheRolloutOfAPreemptorCanBeUndone where its template was changed, and no other.
func TestTheRolloutOfAPreemptorCanBeUndone(t *testing.T) {
	agent := func(name, node, cpu, revision string) *corev1.Pod {
		return testPod("obs/"+name, node, cpu, priority(900), podControlledBy("apps/v1", "DaemonSet", "agent"), podLabel(appsv1.ControllerRevisionHashLabelKey, revision),
			func(p *corev1.Pod) { p.UID = types.UID("obs/" + name) })
	}
	pending := testPod("shop/api-6c9-xxxxx", "", "4", podControlledBy("apps/v1", "ReplicaSet", "api-6c9"), func(p *corev1.Pod) { p.GenerateName, p.UID = "api-6c9-", "shop/api-6c9-xxxxx" })
	events := []*corev1.Event{preempted("api-6c9-aaaaa", 5*time.Minute), preempted("api-6c9-bbbbb", 4*time.Minute)}
	for name, c := range map[string]struct {
		before string // cpu of the pods of the revision before
		events []*corev1.Event
		want   string
	}{
		"its request grew":     {"100m", events, "kubectl -n obs rollout undo daemonset/agent"},
		"nothing changed":      {"3", events, ""},
		"it preempted nothing": {"100m", nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			options := Options{Lookups: Lookups{Preempted: func(context.Context, string) []*corev1.Event { return c.events }}}
			e := startEngine(t, options, testNode("n", "4"), testNode("m", "4"), agent("agent-x", "n", "3", "two"), agent("agent-y", "m", c.before, "one"),
				testPod("other/full", "m", "3"), pending)
			r, err := e.Ask(t.Context(), report.Query{Target: report.PodOf(pending.UID), Parts: report.FixesPart})
			if err != nil {
				t.Fatal(err)
			}
			at := slices.IndexFunc(r.Tried.Tried, func(f report.Fix) bool { return f.Kind == report.FixUndo })
			if at < 0 {
				same(t, "", c.want)
				return
			}
			fix := r.Tried.Tried[at]
			same(t, fix.Command, c.want)
			same(t, fix.Title, "undo the rollout of daemonset/agent in obs")
			same(t, fix.Remaining[0], "its pods preempted 2 pods named api-6c9-…")
			if fix.Works() || fix.PodsPlaced > 0 {
				t.Errorf("told to give the pod a node, which nobody simulated: %+v", fix)
			}
		})
	}
}
