package explain

import (
	"context"
	"maps"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-fathom/kubectl-fathom/explain/message"
	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/explain/scheduler"
)

// One that kube-scheduler has not looked at since the cluster changed does not
// contradict anybody.
func TestADisagreementIsToldOnlyWhereItIsProved(t *testing.T) {
	const ours = "0/2 nodes are available: 2 Insufficient cpu. preemption: 0/2 nodes are available: 2 Preemption is not helpful for scheduling."
	said := func(message string, ago time.Duration) func(*corev1.Pod) {
		return func(p *corev1.Pod) {
			p.Status.Conditions = []corev1.PodCondition{{
				Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Reason: corev1.PodReasonUnschedulable, Message: message,
				LastTransitionTime: metav1.NewTime(testNow.Add(-ago)),
			}}
		}
	}
	a, b := aNode("a", "4"), aNode("b", "4")
	cordoned := func(n *corev1.Node) *corev1.Node {
		n = n.DeepCopy()
		n.Spec.Unschedulable = true
		return n
	}
	beaten := func(n *corev1.Node) *corev1.Node {
		n = n.DeepCopy()
		n.Status.Conditions = append(n.Status.Conditions, corev1.NodeCondition{Type: corev1.NodeReady, LastHeartbeatTime: metav1.NewTime(testNow)})
		return n
	}
	newNode := aNode("c", "4")
	newNode.CreationTimestamp = metav1.NewTime(testNow.Add(time.Minute))
	bound := aPod("late", "1", on("a"), func(p *corev1.Pod) {
		p.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodScheduled, Status: corev1.ConditionTrue, LastTransitionTime: metav1.NewTime(testNow.Add(-time.Minute))}}
	})
	other := aPod("waits", "9")
	for _, test := range []struct {
		says    string
		said    func(*corev1.Pod)
		changes []scheduler.Change // a minute after the engine has read the cluster
		later   time.Duration
		seen    time.Duration // an attempt that long after the engine has read the cluster; 0: none
		want    string
	}{
		{"nothing changed and it tried since", said("0/3 nodes", time.Hour), nil, 2 * time.Minute, time.Minute, ""},
		{"nothing changed and it said so when that was read", said("0/3 nodes", 0), nil, time.Minute, 0, ""},
		{"nothing changed that was seen, and it has not tried since", said("0/3 nodes", time.Hour), nil, 2 * time.Minute, 0, message.NotTriedSince},
		{"nothing is known of an attempt", func(p *corev1.Pod) {
			said("0/3 nodes", 0)(p)
			p.Status.Conditions[0].LastTransitionTime = metav1.Time{}
		}, nil, 2 * time.Minute, 0, message.NotTriedSince},
		{"a pod got its node after it tried, before that was read", said("0/3 nodes", time.Hour), []scheduler.Change{{New: bound}}, 2 * time.Minute, 0, message.ClusterChanged},
		{"a node was cordoned after it tried", said("0/3 nodes", time.Hour), []scheduler.Change{{Old: a, New: cordoned(a)}}, 2 * time.Minute, 0, message.ClusterChanged},
		{"a node was cordoned, and it tried right then", said("0/3 nodes", time.Hour), []scheduler.Change{{Old: a, New: cordoned(a)}}, 2 * time.Minute, time.Minute + time.Second, message.ClusterChanged},
		{"a node was cordoned, and it tried well after that", said("0/3 nodes", time.Hour), []scheduler.Change{{Old: a, New: cordoned(a)}}, 3 * time.Minute, 2 * time.Minute, ""},
		{"a node was cordoned, and it must have tried since", said("0/3 nodes", time.Hour), []scheduler.Change{{Old: a, New: cordoned(a)}}, 8 * time.Minute, 0, ""},
		{"a node came", said("0/3 nodes", time.Hour), []scheduler.Change{{New: newNode}}, 2 * time.Minute, 0, message.ClusterChanged},
		{"a node went", said("0/3 nodes", time.Hour), []scheduler.Change{{Old: b}}, 2 * time.Minute, 0, message.ClusterChanged},
		{"a heartbeat is no change", said("0/3 nodes", 0), []scheduler.Change{{Old: a, New: beaten(a)}}, 2 * time.Minute, 0, ""},
		{"a pod without a node is no change", said("0/3 nodes", 0), []scheduler.Change{{New: other}}, 2 * time.Minute, 0, ""},
		{"the spec changed", func(p *corev1.Pod) {
			said("0/3 nodes", 0)(p)
			p.Generation, p.Status.Conditions[0].ObservedGeneration = 2, 1
		}, nil, time.Minute, 0, message.SpecChanged},
		{"a profile that is not known", func(p *corev1.Pod) {
			said("0/3 nodes", 0)(p)
			p.Spec.SchedulerName = "batch"
		}, nil, time.Second, 0, message.ProfileUnknown},
	} {
		t.Run(test.says, func(t *testing.T) {
			now := testNow
			pod := aPod("web", "9", test.said)
			options := Options{
				Now:     func() time.Time { return now },
				Lookups: Lookups{AttemptSeen: func(context.Context, *corev1.Pod) *metav1.Time { return nil }},
			}
			if test.seen > 0 {
				options.AttemptSeen = func(context.Context, *corev1.Pod) *metav1.Time { return new(metav1.NewTime(testNow.Add(test.seen))) }
			}
			e := startEngine(t, options, a, b, pod)
			now = testNow.Add(time.Minute)
			if err := e.Apply(2, test.changes); err != nil {
				t.Fatal(err)
			}
			now = testNow.Add(test.later)
			r := mustExplain(t, e, pod)
			if r.Observed.Agrees == nil || *r.Observed.Agrees || r.Observed.Outdated != test.want {
				t.Fatalf("agrees %v, outdated %q, want %q", r.Observed.Agrees, r.Observed.Outdated, test.want)
			}
			otherwise := strings.Contains(report.Text(r, 80, report.TextOptions{Now: now}), "Disagrees with kube-scheduler")
			if otherwise != (test.want == "") {
				t.Error(report.Text(r, 80, report.TextOptions{Now: now}))
			}
		})
	}
	same := mustExplain(t, startEngine(t, Options{}, a, b), aPod("web", "9", said(ours, time.Hour)))
	if same.Observed.Agrees == nil || !*same.Observed.Agrees || same.Observed.Outdated != "" {
		t.Errorf("got %+v", same.Observed)
	}
}

func TestWhatScoresRestOnIsNoChange(t *testing.T) {
	e := startEngine(t, Options{}, aNode("a", "4"))
	e.Touch(&appsv1.ReplicaSet{})
	if !e.scheduler.State.LastChange().IsZero() {
		t.Error("a ReplicaSet changes which nodes fit")
	}
	e.Touch(&corev1.PersistentVolumeClaim{})
	if !e.scheduler.State.LastChange().Equal(testNow) {
		t.Error("a claim changes nothing")
	}
}

// apart keeps a pod away from others of a label.
func apart(label string) func(*corev1.Pod) {
	return func(p *corev1.Pod) {
		p.Spec.Affinity = &corev1.Affinity{PodAntiAffinity: &corev1.PodAntiAffinity{
			RequiredDuringSchedulingIgnoredDuringExecution: []corev1.PodAffinityTerm{{
				TopologyKey: corev1.LabelHostname, LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{label: "x"}},
			}},
		}}
	}
}

func TestOnlyALabelThatIsSelectedByBearsOnWhichNodesFit(t *testing.T) {
	a := aNode("a", "4")
	runs := aPod("idle", "1", on("a"))
	runs.Labels = map[string]string{"team": "blue"}
	of := func(key, value string) *corev1.Pod {
		p := runs.DeepCopy()
		p.Labels = maps.Clone(p.Labels)
		p.Labels[key] = value
		return p
	}
	spread := func(when corev1.UnsatisfiableConstraintAction) *corev1.Pod {
		return aPod("waits", "1", func(p *corev1.Pod) {
			p.Spec.TopologySpreadConstraints = []corev1.TopologySpreadConstraint{{
				MaxSkew: 1, TopologyKey: "zone", WhenUnsatisfiable: when, MatchLabelKeys: []string{"hash"},
				LabelSelector: &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{{Key: "app", Operator: metav1.LabelSelectorOpExists}}},
			}}
		})
	}
	for _, test := range []struct {
		says  string
		waits *corev1.Pod
		now   *corev1.Pod
		want  bool
	}{
		{"no pod selects", aPod("waits", "1"), of("app", "x"), false},
		{"a pod selects by another label", aPod("waits", "1", apart("app")), of("churn", "x"), false},
		{"a pod stays away from it", aPod("waits", "1", apart("app")), of("app", "x"), true},
		{"a pod that spreads selects by it", spread(corev1.DoNotSchedule), of("app", "x"), true},
		{"a pod that spreads matches by its key", spread(corev1.DoNotSchedule), of("hash", "x"), true},
		{"a pod only prefers to spread", spread(corev1.ScheduleAnyway), of("app", "x"), false},
	} {
		e := startEngine(t, Options{}, a, runs, test.waits)
		rev := e.scheduler.State.Revision + 1
		if err := e.Apply(rev, []scheduler.Change{{Old: runs, New: test.now}}); err != nil {
			t.Fatal(err)
		}
		if got := e.Moved() == rev; got != test.want {
			t.Errorf("%s: a change %v, want %v", test.says, got, test.want)
		}
		gone := rev + 1 // with the pod goes what it selects by
		if err := e.Apply(gone, []scheduler.Change{{Old: test.waits}, {Old: test.now, New: runs}}); err != nil {
			t.Fatal(err)
		}
		if e.Moved() == gone {
			t.Errorf("%s: a label counts although no pod selects by it any more", test.says)
		}
	}
}

// What takes room, or keeps it for a pod, bears on which nodes fit: a resize that the kubelet carries out, and a
// nominated pod that goes.
func TestRoomThatIsTakenOtherwiseBearsOnWhichNodesFit(t *testing.T) {
	changed := func(p *corev1.Pod, how ...func(*corev1.Pod)) *corev1.Pod {
		p = p.DeepCopy()
		p.ResourceVersion += "1"
		for _, do := range how {
			do(p)
		}
		return p
	}
	has := func(cpu string) func(*corev1.Pod) {
		return func(p *corev1.Pod) {
			is := corev1.ResourceList{corev1.ResourceCPU: resource.MustParse(cpu)}
			p.Status.ContainerStatuses = []corev1.ContainerStatus{{Name: p.Spec.Containers[0].Name, AllocatedResources: is, Resources: &corev1.ResourceRequirements{Requests: is}}}
		}
	}
	ends := func(p *corev1.Pod) { p.DeletionTimestamp = new(metav1.NewTime(testNow)) }
	fails := func(p *corev1.Pod) { p.Status.Phase = corev1.PodFailed }
	ready := func(p *corev1.Pod) {
		p.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue}}
	}
	nominated := aPod("waits", "1", func(p *corev1.Pod) { p.Status.NominatedNodeName = "a" })
	runs := changed(aPod("runs", "1", on("a")), has("2"))
	for _, test := range []struct {
		says    string
		was, is *corev1.Pod
		want    bool
	}{
		{"the kubelet has freed what a resize gave up", runs, changed(runs, has("1")), true},
		{"a pod is Ready", runs, changed(runs, ready), false},
		{"the status tells what the pod requests", aPod("runs", "1", on("a")), changed(aPod("runs", "1", on("a")), has("1")), false},
		{"a nominated pod is deleted", nominated, nil, true},
		{"a nominated pod begins to end", nominated, changed(nominated, ends), true},
		{"a nominated pod has failed", nominated, changed(nominated, fails), true},
		{"a nominated pod is tried again", nominated, changed(nominated, ready), false},
		{"a pod without a nomination is deleted", aPod("waits", "1"), nil, false},
	} {
		e := startEngine(t, Options{}, aNode("a", "4"), test.was)
		rev := e.scheduler.State.Revision + 1
		change := scheduler.Change{Old: test.was}
		if test.is != nil {
			change.New = test.is
		}
		if err := e.Apply(rev, []scheduler.Change{change}); err != nil {
			t.Fatal(err)
		}
		if got := e.Moved() == rev; got != test.want {
			t.Errorf("%s: a change %v, want %v", test.says, got, test.want)
		}
	}
}

func TestTheRevisionOfTheLastChangeIsKnown(t *testing.T) {
	a := aNode("a", "4")
	e := startEngine(t, Options{}, a, aPod("idle", "1", on("a")))
	cordoned := a.DeepCopy()
	cordoned.Spec.Unschedulable = true
	for _, step := range []struct {
		says    string
		changes []scheduler.Change
		touched bool
		want    int64 // 0: as before
	}{
		{"nothing but what was read", nil, false, 0},
		{"a pod without a node", []scheduler.Change{{New: aPod("waits", "1")}}, false, 0},
		{"a cordon", []scheduler.Change{{Old: a, New: cordoned}}, false, 4},
		{"nothing since", nil, false, 4},
		{"a claim", nil, true, 6},
		{"a pod that went", []scheduler.Change{{Old: aPod("idle", "1", on("a"))}}, false, 7},
	} {
		if step.touched {
			e.Touch(&corev1.PersistentVolumeClaim{})
		}
		if err := e.Apply(e.scheduler.State.Revision+1, step.changes); err != nil {
			t.Fatal(err)
		}
		if got := e.Moved(); got != step.want {
			t.Errorf("%s at %d: the last change was at %d, want %d", step.says, e.scheduler.State.Revision, got, step.want)
		}
	}
}
