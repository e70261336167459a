package explain

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	fwk "k8s.io/kube-scheduler/framework"
	kubescheduler "k8s.io/kubernetes/pkg/scheduler"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/explain/scheduler"
	"github.com/kubectl-fathom/kubectl-fathom/model/plan"
)

func TestNodeThatRefusesForThreeReasonsShowsThree(t *testing.T) {
	pod := aPod("web", "4", func(p *corev1.Pod) { p.Spec.NodeSelector = map[string]string{"disktype": "ssd"} })
	e := startEngine(t, Options{}, aNode("a", "2", nodeTaint("dedicated", "gpu", corev1.TaintEffectNoSchedule)), pod)
	r := mustExplain(t, e, pod)
	if r.Verdict != report.Unschedulable || len(r.Nodes) != 1 || len(r.Nodes[0].Rejections) != 3 {
		t.Fatalf("got %s with %+v", r.Verdict, r.Nodes)
	}
	want := "0/1 nodes are available: 1 node(s) had untolerated taint(s). preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling."
	if r.SchedulerMessage != want {
		t.Errorf("message %q, want %q", r.SchedulerMessage, want)
	}
}

func TestWithoutAnyNodeTheMessageIsTheSchedulers(t *testing.T) {
	r := mustExplain(t, startEngine(t, Options{}), aPod("web", "1"))
	if r.Verdict != report.Unschedulable || r.SchedulerMessage != kubescheduler.ErrNoNodesAvailable.Error() {
		t.Errorf("got %s, %q", r.Verdict, r.SchedulerMessage)
	}
}

func TestAnUnknownPodIsAnError(t *testing.T) {
	if _, err := startEngine(t, Options{}).Ask(t.Context(), report.Query{Target: report.PodOf("nobody")}); !errors.Is(err, ErrNoPod) {
		t.Errorf("got %v", err)
	}
}

func TestAGatedPodNamesItsGates(t *testing.T) {
	pod := aPod("web", "1", func(p *corev1.Pod) { p.Spec.SchedulingGates = []corev1.PodSchedulingGate{{Name: "example.com/budget"}} })
	r := mustExplain(t, startEngine(t, Options{}, aNode("a", "4")), pod)
	if r.Verdict != report.Gated || r.SchedulerMessage != "" || !strings.Contains(r.Summary, "example.com/budget") {
		t.Errorf("got %s: %s", r.Verdict, r.Summary)
	}
}

func TestAPodOfAnotherSchedulerIsConsideredWhileThatLives(t *testing.T) {
	pod := aPod("web", "1", func(p *corev1.Pod) { p.Spec.SchedulerName = "ml-scheduler" })
	for _, test := range []struct {
		name         string
		alive, known bool
		want         report.Verdict
		caveats      int // beside the ones that every report has
	}{
		{"it lives", true, true, report.Schedulable, 2},
		{"it does not", false, true, report.NotConsidered, 0},
		{"nobody knows", false, false, report.Unknown, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			options := Options{Lookups: Lookups{SchedulerAlive: func(_ context.Context, name string) (bool, bool, string) {
				return test.alive, test.known && name == "ml-scheduler", "it holds no Lease"
			}}}
			e := startEngine(t, options, aNode("a", "4"))
			r := mustExplain(t, e, pod)
			if caveats := len(r.Scheduler.Caveats) - len(e.caveats(e.scheduler.Profile(&corev1.Pod{}))); r.Verdict != test.want || caveats != test.caveats {
				t.Errorf("got %s, caveats %q", r.Verdict, r.Scheduler.Caveats)
			}
		})
	}
}

// A name that looks like a misspelling of the default scheduler's is corrected as a fix, even where nobody knows
// whether a scheduler of that name runs; of others nothing is said to need no fix.
func TestAnUnknownSchedulerIsNoReasonForNothingToFix(t *testing.T) {
	tainted := testNode("a", "4", nodeTaint("a", "b", corev1.TaintEffectNoSchedule))
	for _, want := range []struct {
		name        string
		node        *corev1.Node
		gated       bool
		none, first string
	}{
		{name: "ml-scheduler", node: aNode("a", "4"), none: "It fits 1 node now; whether anything has to change is unknown."},
		{name: "default-schedular", node: aNode("a", "4"), first: "set schedulerName default-scheduler"},
		{name: "default-schedular", node: tainted, first: "set schedulerName default-scheduler and tolerate a=b:NoSchedule"},
		{name: "ml-scheduler", node: aNode("a", "4"), gated: true},
		{name: "default-schedular", node: aNode("a", "4"), gated: true, first: "remove gate example.com/budget and set schedulerName default-scheduler"},
		{name: corev1.DefaultSchedulerName, node: aNode("a", "4"), gated: true, first: "remove gate example.com/budget"},
	} {
		t.Run(want.name, func(t *testing.T) {
			pod := aPod("web", "1", func(p *corev1.Pod) { p.Spec.SchedulerName = want.name })
			verdict := report.Unknown
			if want.gated {
				verdict, pod.Spec.SchedulingGates = report.Gated, []corev1.PodSchedulingGate{{Name: "example.com/budget"}}
			}
			nobody := Options{Lookups: Lookups{SchedulerAlive: func(context.Context, string) (bool, bool, string) { return false, false, "it holds no Lease" }}}
			r, err := startEngine(t, nobody, want.node, pod).Ask(t.Context(), report.Query{Target: report.PodOf(pod.UID), Parts: report.FixesPart})
			if err != nil {
				t.Fatal(err)
			}
			first := ""
			if len(r.Fixes) > 0 && r.Fixes[0].Verified {
				first = r.Fixes[0].Title
			}
			if r.Verdict != verdict || r.Tried.None != want.none || first != want.first {
				t.Errorf("got %s, none %q, first fix %q", r.Verdict, r.Tried.None, first)
			}
		})
	}
}

// What a scheduler did to the pod itself says more than what was found out about
// the scheduler some seconds ago, or than nothing.
func TestAPodThatItsSchedulerTriedIsConsidered(t *testing.T) {
	const name = "gke.io/optimize-utilization-scheduler"
	said := func(reason string, ago time.Duration) func(*corev1.Pod) {
		return func(p *corev1.Pod) {
			p.Spec.SchedulerName = name
			p.Status.Conditions = []corev1.PodCondition{{
				Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Reason: reason, Message: "0/1 nodes",
				LastTransitionTime: metav1.NewTime(testNow.Add(-ago)),
			}}
		}
	}
	silent := func(p *corev1.Pod) { p.Spec.SchedulerName = name }
	seen := func(ago time.Duration) func(context.Context, *corev1.Pod) *metav1.Time {
		return func(context.Context, *corev1.Pod) *metav1.Time { return new(metav1.NewTime(testNow.Add(-ago))) }
	}
	for _, test := range []struct {
		says  string
		pod   func(*corev1.Pod)
		event func(context.Context, *corev1.Pod) *metav1.Time
		known bool // that no sign of the scheduler was found
		want  report.Verdict
	}{
		{"an event of a second ago", silent, seen(time.Second), true, report.Unschedulable},
		{"a condition of a second ago", said(corev1.PodReasonUnschedulable, time.Second), nil, true, report.Unschedulable},
		{"an error of a second ago", said(corev1.PodReasonSchedulerError, time.Second), nil, true, report.Unschedulable},
		{"an event of an hour ago", silent, seen(time.Hour), true, report.NotConsidered},
		{"the API server's note of its gates, gone since", said(corev1.PodReasonSchedulingGated, time.Second), nil, true, report.NotConsidered},
		{"nothing", silent, nil, true, report.NotConsidered},
		{"an event of half an hour ago, and nothing could be read", silent, seen(30 * time.Minute), false, report.Unschedulable},
		{"a condition of ten minutes ago, and nothing could be read", said(corev1.PodReasonUnschedulable, 10*time.Minute), nil, false, report.Unschedulable},
		{"a condition of two hours ago, and nothing could be read", said(corev1.PodReasonUnschedulable, 2*time.Hour), nil, false, report.Unknown},
		{"nothing could be read", silent, nil, false, report.Unknown},
	} {
		t.Run(test.says, func(t *testing.T) {
			e := startEngine(t, Options{
				Lookups: Lookups{
					SchedulerAlive: func(context.Context, string) (bool, bool, string) { return false, test.known, "it holds no Lease" },
					AttemptSeen:    test.event,
				},
			}, aNode("a", "4"))
			r := mustExplain(t, e, aPod("web", "9", test.pod))
			if r.Verdict != test.want {
				t.Fatalf("got %s (%s), want %s", r.Verdict, r.Summary, test.want)
			}
			assumed := "scheduler " + name + " is GKE's: it filters nodes as the default profile does, and may score them differently"
			if got := slices.Contains(r.Scheduler.Caveats, assumed); got != (test.want != report.NotConsidered) {
				t.Errorf("caveats %q", r.Scheduler.Caveats)
			}
		})
	}
}

// GKE's schedulers filter as the default profile does; how they rank is not known.
func TestSchedulersOfGKEAreExplainedByTheDefaultFilters(t *testing.T) {
	const name = "gke.io/optimize-utilization-scheduler"
	alive := func(context.Context, string) (bool, bool, string) {
		return true, true, "last seen 3m ago: FailedScheduling of pod shop/web"
	}
	of := func(p *corev1.Pod) { p.Spec.SchedulerName = name }
	e := startEngine(t, Options{Lookups: Lookups{SchedulerAlive: alive}}, aNode("a", "4"))
	r := mustExplain(t, e, aPod("web", "9", of))
	for _, want := range []string{
		"scheduler " + name + " is GKE's: it filters nodes as the default profile does, and may score them differently",
		"scheduler " + name + " counts as running: last seen 3m ago: FailedScheduling of pod shop/web",
	} {
		if r.Verdict != report.Unschedulable || !slices.Contains(r.Scheduler.Caveats, want) {
			t.Errorf("%s, %q, want %q", r.Verdict, r.Scheduler.Caveats, want)
		}
	}
	for by, want := range map[string]plan.Outcome{name: plan.Lands, "nobody": plan.NotKnown} {
		pod := aPod("moved", "1", on("a"), func(p *corev1.Pod) {
			p.Spec.SchedulerName = by
			p.OwnerReferences = []metav1.OwnerReference{{APIVersion: "apps/v1", Kind: "ReplicaSet", Name: "moved", UID: "rs", Controller: new(true)}}
		})
		e := startEngine(t, Options{Lookups: Lookups{SchedulerAlive: alive}}, aNode("a", "4"), aNode("b", "4"), aNode("c", "4"), pod)
		f, err := e.Forecast(t.Context(), plan.Hypothesis{Gone: []types.UID{pod.UID}})
		if err != nil {
			t.Fatal(err)
		}
		if fate := f.Fates[pod.UID]; fate.Outcome != want || fate.Outcome == plan.Lands && !fate.Likely {
			t.Errorf("a pod of %s: %+v", by, fate)
		}
	}
}

func TestEventsThatCouldNotBeReadAreUnknown(t *testing.T) {
	unread := func(context.Context, string) string { return "not allowed to list events" }
	e := startEngine(t, Options{Lookups: Lookups{EventsUnread: unread}}, aNode("a", "4"))
	r := mustExplain(t, e, aPod("web", "9"))
	want := report.UnknownPart{Resource: "events", Why: "not allowed to list events", Plugins: []string{}}
	if r.Verdict != report.Unschedulable || len(r.Unknown) != 1 || !reflect.DeepEqual(r.Unknown[0], want) {
		t.Errorf("got %s, %+v", r.Verdict, r.Unknown)
	}
	const line = "Unknown: not allowed to list events. Not evaluated: the scheduler's last"
	if text := report.Text(r, 80, report.TextOptions{}); !strings.Contains(text, line) {
		t.Error(text)
	}
	if text := r.Markdown(); !strings.Contains(text, line) {
		t.Error(text)
	}
	if r := mustExplain(t, e, aPod("idle", "1", on("a"), func(p *corev1.Pod) { p.Status.Phase = corev1.PodRunning })); len(r.Unknown) != 0 {
		t.Errorf("of a pod that runs nothing is asked: %+v", r.Unknown)
	}
}

func TestTheDefaultSchedulerMayBeDownForAMoment(t *testing.T) {
	options := Options{Lookups: Lookups{SchedulerAlive: func(context.Context, string) (bool, bool, string) { return false, true, "its Lease expired" }}}
	r := mustExplain(t, startEngine(t, options, aNode("a", "4")), aPod("web", "9"))
	if r.Verdict != report.Unschedulable || r.SchedulerMessage == "" || r.Observed.Quiet != "kube-scheduler may be down: its Lease expired" {
		t.Errorf("got %s, %q, %q", r.Verdict, r.SchedulerMessage, r.Observed.Quiet)
	}
}

func TestAPodThatWaitsForItsVictimsIsPreempting(t *testing.T) {
	victim := aPod("idle", "3", on("a"), func(p *corev1.Pod) {
		p.DeletionTimestamp = new(metav1.NewTime(testNow))
		p.Status.Conditions = []corev1.PodCondition{{Type: corev1.DisruptionTarget, Status: corev1.ConditionTrue, Reason: corev1.PodReasonPreemptionByScheduler}}
	})
	pod := aPod("urgent", "3", priority(100), nominatedTo("a"))
	e := startEngine(t, Options{}, aNode("a", "4"), victim, pod)
	r := mustExplain(t, e, pod)
	if r.Verdict != report.Preempting || !strings.HasSuffix(r.SchedulerMessage, "preemption: not eligible due to a terminating pod on the nominated node.") {
		t.Errorf("got %s, %q", r.Verdict, r.SchedulerMessage)
	}
	if p := r.Preemption; !p.Possible || p.Node != "a" || len(p.Victims) != 1 || p.Victims[0].Name != "idle" || p.Why != r.Summary {
		t.Errorf("without the plan, the preemption that is under way is %+v", p)
	}
	if err := e.Apply(2, []scheduler.Change{{Old: victim}}); err != nil {
		t.Fatal(err)
	}
	if r := mustExplain(t, e, pod); r.Verdict != report.Schedulable {
		t.Errorf("with its victim gone it is %s", r.Verdict)
	}
}

func TestPreemptionNamesItsVictimsAndTheBudgetsTheyBreak(t *testing.T) {
	pod := aPod("urgent", "4", priority(100))
	e := startEngine(t, Options{}, aNode("a", "4"), aPod("idle", "3", on("a"), priority(7)), pod)
	r := mustExplain(t, e, pod)
	want := report.Victim{Namespace: "default", Name: "idle", Priority: 7}
	if r.Verdict != report.Unschedulable || !r.Preemption.Possible || r.Preemption.Node != "a" || len(r.Preemption.Victims) != 1 || r.Preemption.Victims[0] != want {
		t.Errorf("got %s, %+v", r.Verdict, r.Preemption)
	}
	if never := mustExplain(t, e, aPod("meek", "4", priority(100), func(p *corev1.Pod) { p.Spec.PreemptionPolicy = new(corev1.PreemptNever) })); never.Preemption.Possible {
		t.Errorf("a pod that never preempts would: %+v", never.Preemption)
	}
}

func TestARefusalForANominatedPodIsSeenOnItsNode(t *testing.T) {
	nominated := aPod("first", "3", priority(100), nominatedTo("a"))
	e := startEngine(t, Options{}, aNode("a", "4"), nominated)
	r := mustExplain(t, e, aPod("second", "3", priority(100)))
	if r.Verdict != report.Unschedulable || len(r.Nodes[0].Rejections) != 1 || r.Nodes[0].Rejections[0].Numbers[0].Requested != "3" {
		t.Errorf("got %s, %+v", r.Verdict, r.Nodes)
	}
	if r := mustExplain(t, e, aPod("above", "3", priority(200))); r.Verdict != report.Schedulable {
		t.Errorf("a pod of higher priority does not yield, but is %s", r.Verdict)
	}
}

func TestWhatTheSchedulerSaidIsCompared(t *testing.T) {
	said := func(message string) func(*corev1.Pod) {
		return func(p *corev1.Pod) {
			p.Generation = 2
			p.Status.Conditions = []corev1.PodCondition{{
				Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Reason: corev1.PodReasonUnschedulable, Message: message,
				ObservedGeneration: 1, LastTransitionTime: metav1.NewTime(testNow),
			}}
		}
	}
	preempting := "0/1 nodes are available: 1 Insufficient cpu. preemption: found a potential placement for pod on node other, preempting 9 victims"
	e := startEngine(t, Options{}, aNode("a", "4"), aPod("idle", "1", on("a")))
	for _, test := range []struct {
		name string
		pod  *corev1.Pod
		want *bool
	}{
		{"the same", aPod("web", "9", said("0/1 nodes are available: 1 Insufficient cpu. preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling.")), new(true)},
		{"another", aPod("web", "9", said("0/3 nodes are available")), new(false)},
		{"nothing", aPod("web", "9"), nil},
		{"a preemption elsewhere", aPod("web", "4", priority(9), said(preempting)), new(true)},
		{"of a pod that fits now", aPod("web", "1", said("0/3 nodes are available")), nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := mustExplain(t, e, test.pod)
			if got := r.Observed.Agrees; (got == nil) != (test.want == nil) || (got != nil && *got != *test.want) {
				t.Errorf("agrees %v with %q", got, r.SchedulerMessage)
			}
			if current := r.Observed.GenerationCurrent; r.Observed.Message != "" && (current == nil || *current) {
				t.Error("the spec is newer than the condition, and that is not told")
			}
		})
	}
}

// breaking is a plugin that panics.
type breaking struct{ fwk.FilterPlugin }

func (breaking) Name() string { return "Breaking" }

func (breaking) Filter(context.Context, fwk.CycleState, *corev1.Pod, fwk.NodeInfo) *fwk.Status {
	panic("index out of range")
}

func TestAPluginThatPanicsLeavesItsAnswerOpen(t *testing.T) {
	e := startEngine(t, Options{}, aNode("a", "4"))
	e.scheduler.Profile(&corev1.Pod{}).Plugins = append(e.scheduler.Profile(&corev1.Pod{}).Plugins, scheduler.Plugin{Name: "Breaking", Filter: breaking{}})
	r := mustExplain(t, e, aPod("web", "1"))
	if r.Verdict != report.Unknown || r.Nodes[0].Fits != nil || len(r.Unknown) != 1 || !strings.Contains(r.Unknown[0].Why, "index out of range") {
		t.Errorf("got %s, %+v", r.Verdict, r.Unknown)
	}
	if r := mustExplain(t, e, aPod("large", "9")); r.Verdict != report.Unschedulable || r.SchedulerMessage != "" {
		t.Errorf("a pod that another plugin refuses is %s, %q", r.Verdict, r.SchedulerMessage)
	}
}

func TestExplainEndsWithItsContext(t *testing.T) {
	e := startEngine(t, Options{}, aNode("a", "4"))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := e.Ask(ctx, report.Query{Target: report.PodFrom(aPod("web", "1")), Parts: report.Nodes}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}
