package explain

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/kubectl-fathom/kubectl-fathom/explain/forecast"
	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
)

// sketch is a plan in lines: the answer, the nodes with their victims, the rest.
func sketch(p *report.PreemptionPlan) string {
	var b strings.Builder
	fmt.Fprintln(&b, p.Answer)
	for i := range p.Nodes {
		n := &p.Nodes[i]
		fmt.Fprintf(&b, "%s: %d victims, highest %d, %d broken; %s\n", n.Name, len(n.Victims), n.Highest(), n.Broken, n.Why)
		if n.Room != "" {
			fmt.Fprintf(&b, "  %s\n", n.Room)
		}
		for _, v := range n.Victims {
			budgets := strings.Join(v.Budgets, ", ")
			if budgets == "" {
				budgets = "none"
			}
			fmt.Fprintf(&b, "  %s/%s %d %s %s %s; %s\n", v.Namespace, v.Name, v.Priority, n.Resource, v.Amount, budgets, v.Afterwards)
		}
		for _, other := range n.Alike {
			fmt.Fprintf(&b, "  or %s/%s\n", other.Namespace, other.Name)
		}
	}
	if line := p.OthersLine(); line != "" {
		fmt.Fprintln(&b, line)
	}
	return b.String()
}

func mustPreempt(t testing.TB, e *Engine, pod *corev1.Pod) *report.PreemptionPlan {
	t.Helper()
	return must(planOf(t.Context(), e, report.PodFrom(pod), ""))
}

// startedAgo makes pods of one priority differ.
func startedAgo(d time.Duration) func(*corev1.Pod) {
	return func(p *corev1.Pod) { p.Status.StartTime = &metav1.Time{Time: testNow.Add(-d)} }
}

// budgetOf is budget for the namespace of aPod.
func budgetOf(name, app string, allowed int32) *policyv1.PodDisruptionBudget {
	own := budget(name, app, allowed)
	own.Namespace = "default"
	return own
}

// fleet is much of the drawn cluster: three nodes that can be helped, six that
// cannot.
func fleet() []runtime.Object {
	onePerNode := func(p *corev1.Pod) {
		p.Spec.Affinity = shunning(corev1.LabelHostname, "front")
	}
	front := func(name, node string, edits ...func(*corev1.Pod)) *corev1.Pod {
		return aPod(name, "1", append([]func(*corev1.Pod){on(node), podLabel("app", "front"), ownedBy("ReplicaSet", "front"), onePerNode}, edits...)...)
	}
	small := func(n *corev1.Node) {
		n.Status.Allocatable[corev1.ResourceMemory] = resource.MustParse("64Gi")
	}
	objects := []runtime.Object{
		aNode("std-a-01", "15900m"), aNode("std-b-02", "15900m"), aNode("std-c-01", "15900m"),
		aNode("spot-c-01", "7900m"), aNode("spot-a-01", "7900m", func(n *corev1.Node) {
			n.Spec.Unschedulable = true
			nodeTaint(corev1.TaintNodeUnschedulable, "", corev1.TaintEffectNoSchedule)(n)
		}),
		aNode("spot-b-01", "7900m", nodeTaint(corev1.TaintNodeNotReady, "", corev1.TaintEffectNoSchedule), small),
		budgetOf("front", "front", 1), budgetOf("cart", "cart", 0),
		front("front-e", "spot-c-01"), aPod("filler", "6", on("spot-c-01"), priority(200000)),
		front("front-a", "std-a-01", priority(200000)), aPod("held-a", "6", on("std-a-01"), priority(200000)), aPod("index", "4", on("std-a-01"), priority(1000), ownedBy("StatefulSet", "index")),
		aPod("held-b", "6", on("std-b-02"), priority(200000)), front("front-b", "std-b-02"),
		aPod("cart-b", "5", on("std-b-02"), podLabel("app", "cart"), ownedBy("ReplicaSet", "cart"), startedAgo(time.Hour)),
		aPod("held-c", "7600m", on("std-c-01"), priority(200000)),
		aPod("report-3", "1", on("std-c-01"), ownedBy("Job", "report"), startedAgo(time.Hour)), front("front-c", "std-c-01", startedAgo(time.Minute)),
	}
	for _, name := range []string{"gpu-a-01", "gpu-b-01", "gpu-c-01"} {
		objects = append(objects, aNode(name, "31800m", nodeTaint("dedicated", "gpu", corev1.TaintEffectNoSchedule)))
	}
	return objects
}

func TestPreemptionTellsEachNodeItsVictimsAndWhereTheyLand(t *testing.T) {
	ledger := aPod("ledger", "8", priority(100000))
	e := startEngine(t, Options{}, append(fleet(), ledger)...)
	want := `Can help: it fits std-c-01 after the eviction of 2 pods.
std-c-01: 2 victims, highest 0, 0 broken; chosen: least disruptive
  free cpu 6.3 + 2 from its victims = 8.3; the pod requests 8
  default/report-3 0 cpu 1 none; rescheduled on std-a-01
  default/front-c 0 cpu 1 front: allows 1; Pending: std-c-01 needs cpu 700m more
std-a-01: 1 victims, highest 1000, 0 broken; a victim has priority 1000
  free cpu 4.9 + 4 from its victims = 8.9; the pod requests 8
  default/index 1000 cpu 4 none; rescheduled on std-c-01
std-b-02: 1 victims, highest 0, 1 broken; violates PDB cart
  free cpu 3.9 + 5 from its victims = 8.9; the pod requests 8
  default/cart-b 0 cpu 5 cart: allows 0; rescheduled on std-c-01
won't help on 6: gpu taint (3), NotReady, allocatable cpu only 7.9, cordoned
`
	plan := must(planOf(t.Context(), e, report.PodOf(ledger.UID), ""))
	if diff := cmp.Diff(want, sketch(plan)); diff != "" {
		t.Error(diff)
	}
	brief := &report.Preemption{Possible: true, Node: "std-c-01", Why: "It would fit std-c-01 after the eviction of 2 pods of lower priority.", Victims: []report.Victim{
		{Namespace: "default", Name: "report-3", RescheduledOn: "std-a-01", Afterwards: "rescheduled on std-a-01"},
		{Namespace: "default", Name: "front-c", Afterwards: "Pending: std-c-01 needs cpu 700m more"},
	}}
	if diff := cmp.Diff(brief, plan.Brief(&report.Preemption{})); diff != "" {
		t.Error(diff)
	}
}

func TestAPodThatPreemptsAlreadyWaitsForItsVictims(t *testing.T) {
	ends := func(p *corev1.Pod) {
		p.DeletionTimestamp = &metav1.Time{Time: testNow.Add(18 * time.Second)}
		p.Status.Conditions = []corev1.PodCondition{{Type: corev1.DisruptionTarget, Status: corev1.ConditionTrue, Reason: corev1.PodReasonPreemptionByScheduler}}
	}
	pod := aPod("urgent", "3", priority(100), nominatedTo("b"))
	e := startEngine(t, Options{}, aNode("a", "4"), aNode("b", "4"), pod,
		aPod("low-a", "2", on("a"), ownedBy("Job", "low")), aPod("low-b", "3", on("b"), priority(7), ends, ownedBy("Job", "low")))
	want := `Preempting: nominated to b; 1 pod terminating, 18s of grace left.
b: 1 victims, highest 7, 0 broken; chosen already: its victims are terminating
  free cpu 1 + 3 from its victims = 4; the pod requests 3
  default/low-b 7 cpu 3 none; Pending: a needs cpu 1 more
a: 1 victims, highest 0, 0 broken; chosen: least disruptive
  free cpu 2 + 2 from its victims = 4; the pod requests 3
  default/low-a 0 cpu 2 none; Pending: a needs cpu 1 more
`
	plan := must(planOf(t.Context(), e, report.PodOf(pod.UID), ""))
	if diff := cmp.Diff(want, sketch(plan)); diff != "" {
		t.Error(diff)
	}
	if brief := plan.Brief(&report.Preemption{}); brief.Node != "b" || len(brief.Victims) != 1 || !brief.Possible || brief.Tie != nil {
		t.Errorf("brief %+v", brief)
	}
	if r := must(e.Ask(t.Context(), report.Query{Target: report.PodOf(pod.UID), Parts: report.Nodes})); r.Verdict != report.Preempting {
		t.Errorf("the nomination is lost: %s", r.Verdict)
	}
}

func TestPreemptionNamesWhatIsLeftToChance(t *testing.T) {
	low := func(name, node string, edits ...func(*corev1.Pod)) *corev1.Pod {
		return aPod(name, "2", append([]func(*corev1.Pod){on(node), startedAgo(time.Hour)}, edits...)...)
	}
	pod := aPod("urgent", "2", priority(100))
	e := startEngine(t, Options{}, aNode("a", "4"), aNode("b", "4"), aNode("c", "4"), aNode("d", "4"),
		low("a-1", "a"), low("a-2", "a"),
		low("b-1", "b", startedAgo(2*time.Hour)), low("b-2", "b"),
		low("c-1", "c", priority(7)), low("c-2", "c", priority(8)),
		low("d-1", "d", startedAgo(2*time.Hour)), low("d-2", "d", startedAgo(3*time.Hour)))
	plan := mustPreempt(t, e, pod)
	if plan.Answer != "Can help: 2 nodes tie, kube-scheduler takes one of them: a, b." {
		t.Error(plan.Answer)
	}
	var told []string
	for i := range plan.Nodes {
		told = append(told, plan.Nodes[i].Name+": "+plan.Nodes[i].Why)
	}
	want := []string{"a: may be chosen: 2 nodes tie", "b: may be chosen: 2 nodes tie", "d: a victim has been running longer", "c: a victim has priority 7"}
	if diff := cmp.Diff(want, told); diff != "" {
		t.Error(diff)
	}
	ties := []report.Tied{
		{Node: "a", Victims: []report.PodName{plan.Brief(&report.Preemption{}).Tie[0].Victims[0]}, Alike: plan.Nodes[0].Alike},
		{Node: "b", Victims: []report.PodName{{Namespace: "default", Name: "b-2"}}},
	}
	if diff := cmp.Diff(ties, plan.Brief(&report.Preemption{}).Tie); diff != "" {
		t.Error(diff)
	}
	both := []string{ties[0].Victims[0].Name, ties[0].Alike[0].Name}
	if slices.Sort(both); len(ties[0].Alike) != 1 || both[0] != "a-1" || both[1] != "a-2" {
		t.Errorf("on a goes %v or %v", ties[0].Victims, ties[0].Alike)
	}
}

func TestPreemptionIsUnknownWithoutBudgets(t *testing.T) {
	e := startEngineForbidding(t, Options{}, []string{"poddisruptionbudgets"}, aNode("a", "4"), aPod("full", "4", on("a")))
	want := `The victims are unknown: not allowed to list poddisruptionbudgets.
a: 0 victims, highest 0, -1 broken; the victims are unknown
`
	if got := sketch(mustPreempt(t, e, aPod("p", "1", priority(100)))); got != want {
		t.Error(got)
	}
}

func TestVictimsThatNothingMovesStayOut(t *testing.T) {
	pinned := func(p *corev1.Pod) {
		p.Spec.Affinity = &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{RequiredDuringSchedulingIgnoredDuringExecution: &corev1.NodeSelector{
			NodeSelectorTerms: []corev1.NodeSelectorTerm{{MatchFields: []corev1.NodeSelectorRequirement{
				{Key: metav1.ObjectNameField, Operator: corev1.NodeSelectorOpIn, Values: []string{"a"}},
			}}},
		}}}
	}
	e := startEngine(t, Options{}, aNode("a", "4"), aNode("b", "3"), aPod("bare", "1", on("a"), startedAgo(time.Hour)),
		aPod("agent", "1", on("a"), pinned, ownedBy("DaemonSet", "agent"), startedAgo(time.Minute)),
		aPod("mirror", "1", on("a"), ownedBy("Node", "a"), startedAgo(time.Second)),
		aPod("free", "1", on("a"), ownedBy("ReplicaSet", "free")))
	var told []string
	for _, v := range mustPreempt(t, e, aPod("p", "4", priority(100))).Nodes[0].Victims {
		told = append(told, v.Name+" "+v.Afterwards)
	}
	want := []string{
		"bare not recreated: no controller owns it", "agent Pending: its DaemonSet pins it to a",
		"mirror a static pod: the kubelet of a keeps it running", "free rescheduled on b",
	}
	if diff := cmp.Diff(want, told); diff != "" {
		t.Error(diff)
	}
}

func TestPreemptionSaysWhyItCannotHelp(t *testing.T) {
	full := aPod("full", "4", on("a"), priority(7))
	never := func(p *corev1.Pod) { p.Spec.PreemptionPolicy = new(corev1.PreemptNever) }
	gate := func(p *corev1.Pod) { p.Spec.SchedulingGates = []corev1.PodSchedulingGate{{Name: "example.com/budget"}} }
	for _, c := range []struct {
		name    string
		objects []runtime.Object
		pod     *corev1.Pod
		want    string
	}{
		{"its policy", []runtime.Object{aNode("a", "4"), full}, aPod("p", "1", priority(100), never), "Won't help: its preemptionPolicy is Never.\n"},
		{
			"no pod is lower",
			[]runtime.Object{aNode("a", "4"), full},
			aPod("p", "1", priority(7)),
			"Won't help: the only node that lacks only free capacity runs no pod of lower priority.\nwon't help on 1: no pod of lower priority\n",
		},
		{
			"ending all is not enough",
			[]runtime.Object{aNode("a", "4"), full, aPod("more", "1", on("a"), priority(100))},
			aPod("p", "4", priority(100)),
			"Won't help: it does not fit even without all pods of lower priority.\nwon't help on 1: no fit even without lower-priority pods\n",
		},
		{
			"nothing to end",
			[]runtime.Object{aNode("a", "4"), full},
			aPod("p", "5", priority(100)),
			"Won't help: evicting pods leaves a reason on every node.\nwon't help on 1: allocatable cpu only 4\n",
		},
		{
			"two nodes too small",
			[]runtime.Object{aNode("a", "4"), aNode("b", "3")},
			aPod("p", "5", priority(100)),
			"Won't help: evicting pods leaves a reason on every node.\nwon't help on 2: allocatable cpu at most 4 (2)\n",
		},
		{"it fits", []runtime.Object{aNode("a", "4"), aNode("b", "4"), full}, aPod("p", "1", priority(100)), "Not needed: it fits 1 node now.\n"},
		{"it runs", []runtime.Object{aNode("a", "4")}, full, "Not needed. Scheduled to a 1m ago, all containers started.\n"},
		{
			"it is gated",
			[]runtime.Object{aNode("a", "4"), full},
			aPod("p", "1", priority(100), gate),
			"Won't help. Gated by example.com/budget until the gate is removed.\n",
		},
		{"no nodes", nil, aPod("p", "1", priority(100)), "Won't help: there are no nodes.\n"},
		{
			"its victims are gone and it fits",
			[]runtime.Object{aNode("a", "4")},
			aPod("p", "1", priority(100), nominatedTo("a")),
			"Not needed: no pod is terminating on a any more, and it fits 1 node now.\n",
		},
		{"its victims are gone and others came", []runtime.Object{aNode("a", "4"), full}, aPod("p", "1", priority(100), nominatedTo("a")), `Can help: it fits a after the eviction of 1 pod.
a: 1 victims, highest 7, 0 broken; chosen: no other node would fit
  free cpu 0 + 4 from its victims = 4; the pod requests 1
  default/full 7 cpu 4 none; not recreated: no controller owns it
`},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := sketch(mustPreempt(t, startEngine(t, Options{}, c.objects...), c.pod)); got != c.want {
				t.Errorf("got\n%swant\n%s", got, c.want)
			}
		})
	}
}

func TestTheNodesThatEvictionsCannotHelpAreCountedInWords(t *testing.T) {
	full := aPod("full", "4", on("a"), priority(7))
	other := func(name string) *corev1.Node {
		return aNode(name, "4", nodeTaint("dedicated", "gpu", corev1.TaintEffectNoSchedule))
	}
	const lack = "The only node that lacks only free capacity runs no lower-priority pod"
	for _, c := range []struct {
		name    string
		objects []runtime.Object
		want    string
	}{
		{"none", []runtime.Object{aNode("a", "4"), full}, lack + "."},
		{"one", []runtime.Object{aNode("a", "4"), full, other("b")}, lack + "; the other node rejects it for another reason."},
		{"two", []runtime.Object{aNode("a", "4"), full, other("b"), other("c")}, lack + "; the other 2 reject it for other reasons."},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := mustExplain(t, startEngine(t, Options{}, c.objects...), aPod("p", "1", priority(7)))
			if r.Preemption == nil || r.Preemption.Why != c.want {
				t.Errorf("got %+v, want %q", r.Preemption, c.want)
			}
		})
	}
}

// Critical pods and those of DaemonSets do not count: every node has some.
func TestPreemptionSaysWhichPriorityHoldsTheNodes(t *testing.T) {
	class := func(name string, value int32) func(*corev1.Pod) {
		return func(p *corev1.Pod) { p.Spec.PriorityClassName, p.Spec.Priority = name, &value }
	}
	held := func(n int, edits ...func(*corev1.Pod)) (all []runtime.Object) {
		for i := range n {
			all = append(all, aPod(fmt.Sprintf("held-%d-%d", n, i), "1", append(edits, on("a"))...))
		}
		return all
	}
	const nobody = "The only node that lacks only free capacity runs no lower-priority pod"
	for _, c := range []struct {
		name       string
		held       []runtime.Object
		why, short string
	}{
		{
			"a class above", slices.Concat(held(3, class("research", 500)), held(1, class("online", 7))),
			nobody + "; 3 of the 4 pods there have a higher priority, mostly research (500).", "3 of 4 pods outrank it (research, 500)",
		},
		{
			"no class above", held(4, priority(500)),
			nobody + "; 4 of the 4 pods there have a higher priority, mostly without a class (500).", "4 of 4 pods outrank it (without a class, 500)",
		},
		{
			"few above", slices.Concat(held(1, class("research", 500)), held(5, class("online", 7))),
			nobody + ".", "no lower-priority pod on otherwise suitable nodes",
		},
		{
			"DaemonSets", slices.Concat(held(3, class("agents", 500), ownedBy("DaemonSet", "agent")), held(1, class("online", 7))),
			nobody + ".", "no lower-priority pod on otherwise suitable nodes",
		},
		{
			"critical pods", slices.Concat(held(3, class("system-node-critical", 2_000_001_000)), held(1, class("online", 7))),
			nobody + ".", "no lower-priority pod on otherwise suitable nodes",
		},
		{
			"as high, and enough", held(3, class("online", 7), ownedBy("Job", "report")),
			nobody + "; 3 pods of job/report have the same priority and hold cpu 3 there: pods of equal priority are not preempted.",
			"3 pods of job/report have the same priority and hold cpu 3; pods of equal priority are not preempted",
		},
		{
			"as high and above", slices.Concat(held(2, class("online", 7), ownedBy("Job", "report")), held(1, class("research", 500))),
			nobody + "; 1 of the 3 pods there has a higher priority, mostly research (500); 2 pods of job/report have the same priority and hold cpu 2 there: pods of equal priority are not preempted.",
			"2 pods of job/report have the same priority and hold cpu 2; pods of equal priority are not preempted",
		},
		{
			"as high, but not enough", slices.Concat(held(1, class("online", 7), ownedBy("Job", "report")), held(3, class("research", 500))),
			nobody + "; 3 of the 4 pods there have a higher priority, mostly research (500).", "3 of 4 pods outrank it (research, 500)",
		},
		{
			"its own workload", held(3, class("online", 7), ownedBy("Job", "own")),
			nobody + ".", "no lower-priority pod on otherwise suitable nodes",
		},
		{
			"as high, of a DaemonSet", held(3, class("online", 7), ownedBy("DaemonSet", "agent")),
			nobody + ".", "no lower-priority pod on otherwise suitable nodes",
		},
		{
			"some below", slices.Concat(held(3, class("research", 500)), held(1, priority(1))),
			"Even without all lower-priority pods it does not fit the only node that lacks only free capacity; 3 of the 4 pods there have a higher priority, mostly research (500).",
			"3 of 4 pods outrank it (research, 500)",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			objects := append(c.held, aNode("a", "4"), aNode("b", "4", nodeTaint("dedicated", "gpu", corev1.TaintEffectNoSchedule)), aPod("elsewhere", "1", on("b"), priority(900)))
			r := mustExplain(t, startEngine(t, Options{}, objects...), aPod("p", "2", class("online", 7), ownedBy("Job", "own")))
			why := strings.TrimSuffix(c.why, ".") + "; the other node rejects it for another reason."
			if r.Preemption == nil || r.Preemption.Why != why || r.Preemption.Short != c.short {
				t.Errorf("got %+v, want %q and %q", r.Preemption, why, c.short)
			}
		})
	}
}

// Pods of a higher priority are not why preemption does not help where the pod would not fit without them either.
func TestPreemptionDoesNotBlamePrioritiesForOtherReasons(t *testing.T) {
	app := func(p *corev1.Pod) { p.Labels = map[string]string{"app": "cart"} }
	apart := awayFrom(podTerm(corev1.LabelHostname, "cart"))
	objects := []runtime.Object{aNode("a", "4"), aNode("b", "4")}
	for _, node := range []string{"a", "b"} {
		objects = append(objects, aPod("cart-"+node, "1", on(node), priority(7), app), aPod("high-"+node, "1", on(node), priority(500)))
	}
	r := mustExplain(t, startEngine(t, Options{}, objects...), aPod("p", "1", priority(7), app, apart))
	if r.Preemption == nil || strings.Contains(r.Preemption.Why, "higher priority") || strings.Contains(r.Preemption.Short, "outrank") {
		t.Errorf("it says %+v", r.Preemption)
	}
}

// Where a large pod and two small ones rank the same, either the large one goes or
// both small ones: such a node ties with another only in one of the orders.
func TestPreemptionTriesPodsThatNothingRanksApartInOtherOrders(t *testing.T) {
	together := startedAgo(time.Hour)
	large, small, tiny := aPod("large", "2", on("a"), together), aPod("small", "1", on("a"), together), aPod("tiny", "1", on("a"), together)
	for _, met := range [][]runtime.Object{{large, small, tiny}, {small, tiny, large}} {
		objects := append(met, aNode("a", "4"), aNode("b", "4"), aPod("held", "2", on("b"), priority(200)), aPod("low", "2", on("b"), together))
		plan := mustPreempt(t, startEngine(t, Options{}, objects...), aPod("urgent", "2", priority(100)))
		may := map[string]string{}
		for _, tied := range plan.Brief(&report.Preemption{}).Tie {
			all := []string{}
			for _, one := range slices.Concat(tied.Victims, tied.Alike) {
				all = append(all, one.Name)
			}
			slices.Sort(all)
			may[tied.Node] = strings.Join(all, " ")
		}
		if diff := cmp.Diff(map[string]string{"a": "large small tiny", "b": "low"}, may); diff != "" {
			t.Errorf("%s\n%s", diff, sketch(plan))
		}
	}
}

// TestAStaticPodIsEvictedInVain: kube-scheduler may preempt the mirror pod, which the kubelet creates again.
func TestAStaticPodIsEvictedInVain(t *testing.T) {
	mirror := func(p *corev1.Pod) { p.Annotations = map[string]string{corev1.MirrorPodAnnotationKey: "x"} }
	for name, c := range map[string]struct {
		edit func(*corev1.Pod)
		want string
		fits bool
	}{
		"a static pod": {mirror, "Preemption won't help: it would evict static pod default/proxy from a, which the kubelet keeps running.", false},
		"another pod":  {func(*corev1.Pod) {}, "Preemption would evict default/proxy from a.", true},
	} {
		t.Run(name, func(t *testing.T) {
			pod := aPod("p", "3", priority(100))
			gated := aPod("gated", "3", priority(100), func(p *corev1.Pod) { p.Spec.SchedulingGates = []corev1.PodSchedulingGate{{Name: "example.com/budget"}} })
			e := startEngine(t, Options{}, aNode("a", "4"), aPod("proxy", "3", on("a"), ownedBy("Node", "a"), c.edit), pod, gated)
			r := mustExplain(t, e, pod)
			same(t, r.PreemptionSentence(true), c.want)
			if static := r.Preemption.Victims[0].Static; !r.Preemption.Possible || static == c.fits {
				t.Errorf("possible %t, static %t", r.Preemption.Possible, static)
			}
			simulator := forecast.Simulator{Scheduler: e.scheduler, Budgets: e.budgets, Now: func() time.Time { return testNow }}
			preempts, err := simulator.Preempts(t.Context(), pod, nil)
			if err != nil || preempts != c.fits {
				t.Errorf("gets a node by preemption: %t, %v", preempts, err)
			}
		})
	}
}
