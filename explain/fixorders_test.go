package explain

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-fathom/kubectl-fathom/explain/fixes/command"
	"github.com/kubectl-fathom/kubectl-fathom/explain/forecast"
	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/explain/scheduler"
	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// onlyOn selects the nodes with a label of that value.
func onlyOn(value string) func(*corev1.Pod) {
	return func(p *corev1.Pod) { p.Spec.NodeSelector = map[string]string{"is": value} }
}

// firstFix is the first fix of a kind.
func firstFix(t *testing.T, e *Engine, pod *corev1.Pod, kind report.FixKind) (report.Fix, string) {
	t.Helper()
	found, err := fixesOf(t.Context(), e, report.PodOf(pod.UID))
	if err != nil {
		t.Fatal(err)
	}
	at := slices.IndexFunc(found.Tried, func(f report.Fix) bool { return f.Kind == kind })
	if at < 0 {
		t.Fatalf("no fix of kind %s:\n%s", kind, toldFixes(found))
	}
	return found.Tried[at], toldFixes(found)
}

// equalVictims are a pod for which dev/moves may be evicted, which preempts one of two equal
// pods then. swapped says in which order the engine comes to know of these.
func equalVictims(t *testing.T, swapped bool) (*Engine, *corev1.Pod) {
	t.Helper()
	started := func(p *corev1.Pod) { p.Status.StartTime = new(metav1.NewTime(testNow.Add(-time.Hour))) }
	pod := testPod("shop/web", "", "2", priority(10), onlyOn("a"), func(p *corev1.Pod) { p.Spec.PreemptionPolicy = new(corev1.PreemptNever) })
	equal := []*corev1.Pod{
		testPod("dev/low-1", "b", "2", onlyOn("b"), started, ownedBy("ReplicaSet", "low")), testPod("dev/low-2", "b", "2", onlyOn("b"), started, ownedBy("ReplicaSet", "low")),
	}
	e := startEngine(t, Options{},
		testNode("a", "2", nodeLabel("is", "a")), testNode("b", "4", nodeLabel("is", "b")),
		testPod("dev/moves", "a", "2", priority(5), onlyOn("b"), ownedBy("ReplicaSet", "moves")), pod, equal[0], equal[1])
	if swapped { // an update has the first one come last
		updated := equal[0].DeepCopy()
		updated.Annotations = map[string]string{"example.com/seen": "again"}
		if err := e.Apply(e.scheduler.State.Revision, []scheduler.Change{{Old: equal[0], New: updated}}); err != nil {
			t.Fatal(err)
		}
	}
	return e, pod
}

// Which of two equal pods is preempted depends on which the scheduler saw last: neither is
// certain.
func TestWhichOfEqualPodsIsPreemptedIsNotCertain(t *testing.T) {
	e, pod := equalVictims(t, false)
	fix, said := firstFix(t, e, pod, report.FixEvict)
	if fix.Verified || len(fix.Unless) != 2 || !strings.Contains(said, "may be preempted") {
		t.Errorf("an eviction that has one of two equal pods preempted:\n%s", said)
	}
}

// Which of equal pods is preempted in which order does not depend on what the engine has asked about
// others before: what changes in the cluster meanwhile has it ask again.
func TestTheOrdersOfEqualPodsDoNotDependOnWhatElseIsAsked(t *testing.T) {
	started := func(p *corev1.Pod) { p.Status.StartTime = new(metav1.NewTime(testNow.Add(-time.Hour))) }
	var told []string
	for _, nodes := range [][]string{{"b", "c"}, {"c", "b"}} {
		pod := testPod("shop/web", "", "2", priority(10), onlyOn("a"), func(p *corev1.Pod) { p.Spec.PreemptionPolicy = new(corev1.PreemptNever) })
		objects := []runtime.Object{testNode("a", "2", nodeLabel("is", "a")), pod, testPod("dev/moves", "a", "2", priority(5), onlyOn("b"), ownedBy("ReplicaSet", "moves"))}
		for _, node := range nodes {
			objects = append(objects, testNode(node, "8", nodeLabel("is", "b")))
		}
		for i := range 8 {
			objects = append(objects, testPod(fmt.Sprintf("dev/low-%d", i), "bc"[i%2:i%2+1], "2", onlyOn("b"), started))
		}
		_, said := firstFix(t, startEngine(t, Options{}, objects...), pod, report.FixEvict)
		told = append(told, said)
	}
	if diff := cmp.Diff(told[0], told[1]); diff != "" || !strings.Contains(told[0], "may be preempted") {
		t.Errorf("fixes of one cluster whose nodes were read in another order:\n%s\n%s", told[0], diff)
	}
}

// What is said does not depend on the order in which pods came to be known, only on the objects.
func TestFixesDoNotDependOnTheOrderInWhichPodsWereSeen(t *testing.T) {
	var told []*report.Report
	for _, swapped := range []bool{false, true} {
		e, pod := equalVictims(t, swapped)
		r, err := e.Ask(t.Context(), report.Query{Target: report.PodOf(pod.UID), Parts: report.FixesPart | report.PreemptionPart})
		if err != nil {
			t.Fatal(err)
		}
		told = append(told, r)
	}
	if diff := cmp.Diff(told[0].Tried, told[1].Tried); diff != "" {
		t.Errorf("after an update of a pod:\n%s", diff)
	}
}

// A pending pod that could preempt already, and was only not tried again, may do so when the fix
// is made: whom it preempts is named, and a replacement may take the place.
func TestAPendingPodThatCouldPreemptAlreadyIsForeseen(t *testing.T) {
	for _, test := range []struct {
		name     string
		anywhere bool // the replacement of the victim fits the node of the fix
		verified bool
	}{
		{"its victim cannot come to the node", false, true},
		{"the replacement of its victim may take the node", true, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			pod := testPod("shop/web", "", "4", onlyOn("b"))
			low := testPod("dev/low", "a", "4", onlyOn("a"), ownedBy("ReplicaSet", "low"))
			if test.anywhere {
				low.Spec.NodeSelector = nil
			}
			e := startEngine(t, Options{},
				testNode("a", "4", nodeLabel("is", "a")), testNode("b", "4", nodeLabel("is", "b"), cordoned), low, pod,
				testPod("other/first", "", "4", priority(100), onlyOn("a"), ownedBy("ReplicaSet", "first")))
			fix, said := firstFix(t, e, pod, report.FixUncordon)
			named := report.Affected{Kind: "Pod", Namespace: "dev", Name: "low", How: "may be preempted without this fix too"}
			if fix.Verified != test.verified || !slices.Contains(fix.Affects, named) {
				t.Errorf("want verified %t, and dev/low named, got %+v:\n%s", test.verified, fix.Affects, said)
			}
		})
	}
}

// The scheduler takes pods between two commands of a fix: one may preempt that would have fitted
// another node a moment later.
func TestPodsComeBetweenTheCommandsOfAFix(t *testing.T) {
	for atFirst, preempts := range map[int]bool{1: true, 2: false} {
		t.Run(fmt.Sprintf("%d changes at first", atFirst), func(t *testing.T) {
			e := startEngine(t, Options{}, []runtime.Object{
				testNode("b", "2", cordoned), testNode("c", "2", cordoned), testPod("dev/low", "b", "2", ownedBy("ReplicaSet", "low")),
				testPod("other/first", "", "2", priority(100), ownedBy("ReplicaSet", "first")),
			}...)
			uncordon := func(name string) func(*scheduler.Fork) error {
				return func(s *scheduler.Fork) error {
					return s.ChangeNode(name, func(n *corev1.Node) { n.Spec.Unschedulable, n.Spec.Taints = false, nil })
				}
			}
			simulator := forecast.Simulator{Scheduler: e.scheduler, Budgets: e.budgets, Now: func() time.Time { return testNow }}
			tried, err := simulator.SimulateFix(t.Context(), &forecast.FixSimulation{
				Changes: []func(*scheduler.Fork) error{uncordon("b"), uncordon("c")}, AtFirst: atFirst, Nodes: []string{"b", "c"}, Time: time.Minute,
			})
			if err != nil {
				t.Fatal(err)
			}
			at := slices.IndexFunc(tried.Unless, func(h forecast.AffectedPod) bool { return h.How == forecast.Preempted && h.Pod.Name == "low" })
			if (at >= 0) != preempts {
				t.Errorf("want preempted %t, got %+v", preempts, tried.Unless)
			}
		})
	}
}

// A DaemonSet creates its pod for a node once the taint that kept it off is gone, or the label that
// it selects is there: it may take the capacity first.
func TestAFixForesaysPodsOfDaemonSets(t *testing.T) {
	tainted, labelled := nodeTaint("dedicated", "gpu", corev1.TaintEffectNoSchedule), nodeLabel("disk", "fast")
	for _, test := range []struct {
		name, cpu, fix string
		change         func(*corev1.Node)
		selector       map[string]string // of the DaemonSet
		verified       bool
	}{
		{"it takes what the pod needs", "1", "remove taint dedicated=gpu from a", tainted, nil, false},
		{"there is room for both", "0", "remove taint dedicated=gpu from a", tainted, nil, true},
		{"it is for other nodes", "1", "remove taint dedicated=gpu from a", tainted, map[string]string{"disk": "fast"}, true},
		{"it selects the label", "1", "label a disk=fast", func(*corev1.Node) {}, map[string]string{"disk": "fast"}, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			pod := testPod("shop/web", "", "2", onlyOn("a"))
			if test.selector != nil && !test.verified {
				pod.Spec.NodeSelector["disk"] = "fast"
			}
			e := startEngine(t, Options{},
				testNode("a", "2", nodeLabel("is", "a"), test.change), testNode("b", "2", nodeLabel("is", "b"), labelled), pod,
				testPod("sys/agent-b", "b", test.cpu, ownedBy("DaemonSet", "agent"), func(p *corev1.Pod) { p.Spec.NodeSelector = test.selector }))
			found, err := fixesOf(t.Context(), e, report.PodOf(pod.UID))
			if err != nil {
				t.Fatal(err)
			}
			at := slices.IndexFunc(found.Tried, func(f report.Fix) bool { return f.Title == test.fix })
			if at < 0 || found.Tried[at].Verified != test.verified {
				t.Fatalf("want verified %t:\n%s", test.verified, toldFixes(found))
			}
			created := report.Affected{Kind: "DaemonSet", Namespace: "sys", Name: "agent", How: "may create a pod on a"}
			if want := test.name != "it is for other nodes"; slices.Contains(found.Tried[at].Affects, created) != want {
				t.Errorf("want a pod of the DaemonSet %t:\n%s", want, toldFixes(found))
			}
			if want := "new DaemonSet pod"; test.name == "there is room for both" && !strings.Contains(found.Tried[at].Outcome(), want) {
				t.Errorf("the row says %q, want %q in it", found.Tried[at].Outcome(), want)
			}
		})
	}
}

// Pods that a fix lets in may come first and be preempted then by the pod, or by another one: all
// of these are named, not only those of the orders that were simulated.
func TestAFixNamesWhomItMayDisplace(t *testing.T) {
	pod := testPod("shop/web", "", "2", priority(10))
	objects := []runtime.Object{
		testNode("b", "2"), testPod("dev/low", "b", "2", ownedBy("ReplicaSet", "low")), pod,
		testNode("full", "1"), testPod("sys/full", "full", "1", priority(100)),
	}
	for i := range 6 {
		name := fmt.Sprintf("rival-%d", i)
		objects = append(objects, testPod("other/"+name, "", "2", ownedBy("ReplicaSet", name)))
	}
	e := startEngine(t, Options{}, objects...)
	for _, last := range []bool{true, false} {
		simulator := forecast.Simulator{Scheduler: e.scheduler, Budgets: e.budgets, Now: func() time.Time { return testNow }}
		tried, err := simulator.SimulateFix(t.Context(), &forecast.FixSimulation{Pod: pod, Last: last, Any: true, Gone: []types.UID{"dev/low"}, Time: time.Minute})
		if err != nil {
			t.Fatal(err)
		}
		if got := len(tried.Displaced); got != 6 || tried.Placed != tried.Orders {
			t.Errorf("last %t: %d of 6 rivals named, placed in %d of %d", last, got, tried.Placed, tried.Orders)
		}
	}
}

// Which of many pending pods comes first to what a fix frees decides whom the pod preempts: one that
// ranks higher than a pod elsewhere keeps its place, and that pod is preempted.
func TestAFixForeseesEachPodThatMayComeFirst(t *testing.T) {
	pod := testPod("shop/web", "", "2", priority(1000))
	objects := []runtime.Object{
		testNode("a", "2"), testPod("dev/moves", "a", "2", priority(1000), onlyOn("elsewhere"), ownedBy("ReplicaSet", "moves")), pod,
		testNode("b", "2"), testPod("dev/low", "b", "2", priority(200), ownedBy("ReplicaSet", "low")),
	}
	never := func(p *corev1.Pod) { p.Spec.PreemptionPolicy = new(corev1.PreemptNever) }
	for i := range 30 {
		name := fmt.Sprintf("rival-%d", i)
		objects = append(objects, testPod("other/"+name, "", "2", never, ownedBy("ReplicaSet", name)))
	}
	high := testPod("other/high", "", "2", priority(500), never, ownedBy("ReplicaSet", "high"))
	for name, c := range map[string]struct {
		more     []runtime.Object
		preempts bool
	}{"none outranks the pod elsewhere": {nil, false}, "one outranks it": {[]runtime.Object{high}, true}} {
		e := startEngine(t, Options{}, append(slices.Clone(objects), c.more...)...)
		simulator := forecast.Simulator{Scheduler: e.scheduler, Budgets: e.budgets, Now: func() time.Time { return testNow }}
		tried, err := simulator.SimulateFix(t.Context(), &forecast.FixSimulation{Pod: pod, Last: true, Gone: []types.UID{"dev/moves"}, Time: time.Minute})
		if err != nil {
			t.Fatal(err)
		}
		preempted := slices.ContainsFunc(tried.Unless, func(u forecast.AffectedPod) bool { return u.Pod.Name == "low" && u.How == forecast.Preempted })
		if preempted != c.preempts {
			t.Errorf("%s: dev/low may be preempted: %t in %d orders, want %t: %+v", name, preempted, tried.Orders, c.preempts, tried.Unless)
		}
	}
}

// Where other pending pods may take what a fix frees, one that frees enough for them too is tried.
func TestAFixThatLeavesCapacityForOtherPodsIsVerified(t *testing.T) {
	moves := ownedBy("ReplicaSet", "moves")
	for _, test := range []struct {
		name    string
		objects []runtime.Object
		less    string // not verified
		more    string // verified
	}{
		{
			"two pods are evicted",
			[]runtime.Object{
				testNode("a", "4", nodeLabel("is", "a")), testNode("b", "8", nodeLabel("is", "b")),
				testPod("dev/moves-1", "a", "2", moves), testPod("dev/moves-2", "a", "2", moves),
			},
			"evict dev/moves-1 from a", "evict dev/moves-1, dev/moves-2 from a",
		},
		{
			"two nodes are uncordoned",
			[]runtime.Object{testNode("a", "2", nodeLabel("is", "a"), cordoned), testNode("c", "2", nodeLabel("is", "a"), cordoned)},
			"uncordon a", "uncordon a and c",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			pod := testPod("shop/web", "", "2", onlyOn("a"))
			e := startEngine(t, Options{}, append(test.objects, pod, testPod("other/first", "", "2", onlyOn("a"), ownedBy("ReplicaSet", "first")))...)
			found, err := fixesOf(t.Context(), e, report.PodOf(pod.UID))
			if err != nil {
				t.Fatal(err)
			}
			for title, verified := range map[string]bool{test.less: false, test.more: true} {
				at := slices.IndexFunc(found.Tried, func(f report.Fix) bool { return f.Title == title })
				if at < 0 || found.Tried[at].Verified != verified {
					t.Errorf("want %q with verified %t:\n%s", title, verified, toldFixes(found))
				}
			}
		})
	}
}

// A pod that no controller owns is resized by one command and gets its toleration by the next: in
// between kube-scheduler may preempt for it.
func TestAPodMayPreemptBetweenTheCommandsThatChangeIt(t *testing.T) {
	const fix = "tolerate dedicated=gpu:NoSchedule and request cpu 3 instead of 6"
	for name, c := range map[string]struct {
		victim   int32 // the priority of the pod that stands on the node without the taint
		verified bool
	}{
		"the smaller pod preempts": {0, false},
		"it outranks nobody":       {200, true},
	} {
		pod := testPod("shop/bare", "", "6", priority(100))
		e := startEngine(t, Options{},
			testNode("a", "4"), testPod("dev/low", "a", "3900m", priority(c.victim), ownedBy("ReplicaSet", "low")),
			testNode("b", "3", nodeTaint("dedicated", "gpu", corev1.TaintEffectNoSchedule)),
			testNode("c", "8"), testPod("dev/large", "c", "8", priority(200), ownedBy("ReplicaSet", "large")), pod)
		found, err := fixesOf(t.Context(), e, report.PodOf(pod.UID))
		if err != nil {
			t.Fatal(err)
		}
		at := slices.IndexFunc(found.Tried, func(f report.Fix) bool { return f.Title == fix })
		if at < 0 || found.Tried[at].Verified != c.verified {
			t.Fatalf("%s: want %q with verified %t:\n%s", name, fix, c.verified, toldFixes(found))
		}
		if said := strings.Join(found.Tried[at].Remaining, "; "); !c.verified && !strings.Contains(said, "may preempt other pods after its first command") {
			t.Errorf("%s: it remains %q", name, said)
		}
	}
}

// A rolling update keeps the pending pod until a new one is Ready. Where that one goes, the topology
// spread constraint of the old one may allow other nodes than before, and it may preempt there.
func TestAFixForeseesTheOldPodOfARollingUpdate(t *testing.T) {
	zone := func(name string) func(*corev1.Node) { return nodeLabel(corev1.LabelTopologyZone, name) }
	web := func(name, node string) *corev1.Pod {
		return testPod("shop/"+name, node, "2", priority(100), ownedBy("ReplicaSet", "web"), spreadOver(corev1.LabelTopologyZone, 1, nil, "web"), podLabel("app", "web"))
	}
	const fix = "request cpu 1 instead of 2"
	for name, c := range map[string]struct {
		low      int32 // the priority of the pod where the old one may go next
		missing  int   // how many pods may be missing: as many go before a new one is Ready
		verified bool
	}{
		"it preempts":                  {0, 0, false},
		"it outranks nobody":           {200, 0, true},
		"it goes before the first one": {0, 1, true},
	} {
		pod, running := web("web-2", ""), web("web-1", "a")
		set := testOwner(pod)
		running.OwnerReferences = pod.OwnerReferences
		facts := func(context.Context, model.Ref) command.Facts {
			return command.Facts{Replicas: 2, MaxSurge: 1, MaxUnavailable: c.missing}
		}
		e := startEngine(t, Options{Lookups: Lookups{Facts: facts}},
			testNode("a", "5", zone("a")), running, set, testPod("dev/low", "a", "2", priority(c.low), ownedBy("ReplicaSet", "low")),
			testNode("b", "4", zone("b")), testPod("dev/high", "b", "3", priority(1000), ownedBy("ReplicaSet", "high")), pod)
		found, err := fixesOf(t.Context(), e, report.PodOf(pod.UID))
		if err != nil {
			t.Fatal(err)
		}
		at := slices.IndexFunc(found.Tried, func(f report.Fix) bool { return strings.HasPrefix(f.Title, fix) })
		if at < 0 || found.Tried[at].Verified != c.verified {
			t.Fatalf("%s: want %q with verified %t:\n%s", name, fix, c.verified, toldFixes(found))
		}
		if said := strings.Join(found.Tried[at].Remaining, "; "); !c.verified && !strings.Contains(said, "dev/low may be preempted") {
			t.Errorf("%s: it remains %q", name, said)
		}
	}
}

// What keeps a pod off one node of a pool often does so on all of them: they are changed together
// where one is not enough for all equal pods, and only then.
func TestAllNodesOfAPoolAreChangedTogether(t *testing.T) {
	of := func(pool, zone string, more ...func(*corev1.Node)) func(name string) *corev1.Node {
		return func(name string) *corev1.Node {
			return testNode(name, "4", append(more, nodeLabel("pool", pool), nodeLabel(corev1.LabelTopologyZone, zone))...)
		}
	}
	cordonedIn, here := of("std", "a", nodeLabel("is", "a"), cordoned), nodeLabel("is", "a")
	plain := of("std", "a")
	for name, c := range map[string]struct {
		nodes    []*corev1.Node
		pods     int
		verified string
		none     string // a part of a title that no fix has
	}{
		"all cordoned nodes of the pool":       {[]*corev1.Node{cordonedIn("n1"), cordonedIn("n2"), cordonedIn("n3"), of("std", "b", here, cordoned)("other")}, 3, "uncordon 3 nodes of pool std", "uncordon 4"},
		"one is enough":                        {[]*corev1.Node{cordonedIn("n1"), cordonedIn("n2"), cordonedIn("n3")}, 1, "uncordon n1", "nodes"},
		"all nodes of the pool lack the label": {[]*corev1.Node{plain("n1"), plain("n2"), plain("n3"), of("web", "a")("web")}, 3, "label 3 nodes of pool std is=a", "label 4"},
		"two nodes lack it":                    {[]*corev1.Node{plain("n1"), plain("n2")}, 2, "label 2 nodes of pool std is=a", "label n1 and"},
		"nodes without a pool":                 {[]*corev1.Node{testNode("n1", "4"), testNode("n2", "4"), testNode("n3", "4")}, 3, "", "label 3"},
	} {
		t.Run(name, func(t *testing.T) {
			var objects []runtime.Object
			for _, node := range c.nodes {
				objects = append(objects, node)
			}
			first := testPod("shop/web-0", "", "3", onlyOn("a"), ownedBy("ReplicaSet", "web"))
			objects = append(objects, first)
			for i := 1; i < c.pods; i++ {
				objects = append(objects, testPod(fmt.Sprintf("shop/web-%d", i), "", "3", onlyOn("a"), ownedBy("ReplicaSet", "web")))
			}
			found, err := fixesOf(t.Context(), startEngine(t, Options{}, objects...), report.PodOf(first.UID))
			if err != nil {
				t.Fatal(err)
			}
			at := slices.IndexFunc(found.Tried, func(f report.Fix) bool { return f.Title == c.verified })
			if c.verified != "" && (at < 0 || !found.Tried[at].Verified || found.Tried[at].PodsPlaced != c.pods) {
				t.Errorf("want %q verified, with all %d pods placed:\n%s", c.verified, c.pods, toldFixes(found))
			}
			if slices.ContainsFunc(found.Tried, func(f report.Fix) bool { return strings.Contains(f.Title, c.none) }) {
				t.Errorf("want no fix with %q:\n%s", c.none, toldFixes(found))
			}
		})
	}
}

// TestPodsThatAFixPlacesOpenOtherNodes: once the zone without pods has some, the others may have more.
func TestPodsThatAFixPlacesOpenOtherNodes(t *testing.T) {
	zone := func(name string) func(*corev1.Node) { return nodeLabel(corev1.LabelTopologyZone, name) }
	spread := func(p *corev1.Pod) {
		p.Labels = map[string]string{"app": "web"}
		p.Spec.TopologySpreadConstraints = []corev1.TopologySpreadConstraint{{
			MaxSkew: 1, TopologyKey: corev1.LabelTopologyZone, WhenUnsatisfiable: corev1.DoNotSchedule,
			LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "web"}},
		}}
	}
	first := testPod("shop/web-0", "", "1", spread, ownedBy("ReplicaSet", "web"))
	objects := []runtime.Object{
		first, testNode("a", "8", zone("a")), testNode("b", "8", zone("b")), testNode("c", "8", zone("c"), cordoned),
		testPod("shop/in-a", "a", "1", spread, ownedBy("ReplicaSet", "web")), testPod("shop/in-b", "b", "1", spread, ownedBy("ReplicaSet", "web")),
	}
	for i := 1; i < 4; i++ {
		objects = append(objects, testPod(fmt.Sprintf("shop/web-%d", i), "", "1", spread, ownedBy("ReplicaSet", "web")))
	}
	found, err := fixesOf(t.Context(), startEngine(t, Options{}, objects...), report.PodOf(first.UID))
	if err != nil {
		t.Fatal(err)
	}
	at := slices.IndexFunc(found.Tried, func(f report.Fix) bool { return f.Title == "uncordon c" })
	if at < 0 || found.Tried[at].NodesGained != 1 || found.Tried[at].PodsPlaced != 4 {
		t.Errorf("want 1 node and all 4 pods:\n%s", toldFixes(found))
	}
}

// A pod that a PodDisruptionBudget protects is not evicted where another one will do.
func TestPodsThatMayBeEvictedAreChosen(t *testing.T) {
	moves := ownedBy("ReplicaSet", "moves")
	pod := testPod("shop/web", "", "2", onlyOn("a"))
	e := startEngine(t, Options{},
		testNode("a", "5", nodeLabel("is", "a")), testNode("b", "8", nodeLabel("is", "b")), pod,
		testPod("shop/blocked", "a", "2", podLabel("app", "blocked"), moves), testPod("shop/larger", "a", "3", podLabel("app", "larger"), moves),
		budget("blocked", "blocked", 0))
	fix, said := firstFix(t, e, pod, report.FixEvict)
	if !fix.Verified || fix.Title != "evict shop/larger from a" || strings.Contains(said, "evict shop/blocked") {
		t.Errorf("want the pod evicted that no budget protects:\n%s", said)
	}
}

// During a rolling update a pending pod comes to the place of an old pod before the next new one is made.
func TestAPendingPodMayTakeThePlaceOfAnOldPod(t *testing.T) {
	for rivals, verified := range map[int]bool{0: true, 2: false} {
		deployment := []metav1.OwnerReference{{APIVersion: "apps/v1", Kind: "Deployment", Name: "db", UID: "deployment", Controller: new(true)}}
		set := &appsv1.ReplicaSet{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "db", UID: "db", OwnerReferences: deployment}, Spec: appsv1.ReplicaSetSpec{Replicas: new(int32(5))}}
		objects := []runtime.Object{set, testNode("free", "4", nodeTaint("dedicated", "gpu", corev1.TaintEffectNoSchedule))}
		for i := range 5 {
			node := fmt.Sprintf("node-%d", i)
			pod := testPod(fmt.Sprintf("shop/db-%d", i), node, "2")
			if i == 0 {
				pod.Spec.NodeName = ""
			} else {
				objects = append(objects, testNode(node, "2"))
			}
			pod.OwnerReferences = []metav1.OwnerReference{{APIVersion: "apps/v1", Kind: "ReplicaSet", Name: set.Name, UID: set.UID, Controller: new(true)}}
			set.Spec.Template.Spec = *pod.Spec.DeepCopy()
			set.Spec.Template.Spec.NodeName = ""
			objects = append(objects, pod)
		}
		for i := range rivals {
			objects = append(objects, testPod(fmt.Sprintf("other/first-%d", i), "", "2", ownedBy("ReplicaSet", "first")))
		}
		found, err := fixesOf(t.Context(), startEngine(t, Options{}, objects...), report.PodOf("shop/db-0"))
		if err != nil {
			t.Fatal(err)
		}
		at := slices.IndexFunc(found.Tried, func(f report.Fix) bool { return f.Kind == report.FixTolerate })
		if at < 0 || found.Tried[at].Verified != verified {
			t.Errorf("with %d other pending pods:\n%s", rivals, toldFixes(found))
		}
	}
}

// A new template recreates pods that request less, from before a LimitRange or of an older template, as
// the pending pod is: also the containers that the fix leaves as they are.
func TestAFixRecreatesRunningPodsWithTheRequestsOfNewOnes(t *testing.T) {
	with := func(side, log string) func(*corev1.Pod) {
		return func(p *corev1.Pod) {
			for name, cpu := range map[string]string{"side": side, "log": log} {
				p.Spec.Containers = append(p.Spec.Containers, corev1.Container{Name: name, Image: "x", Resources: corev1.ResourceRequirements{
					Requests: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse(cpu)},
				}})
			}
			slices.SortFunc(p.Spec.Containers, func(a, b corev1.Container) int { return strings.Compare(b.Name, a.Name) })
		}
	}
	for running, verified := range map[string]bool{"100m": false, "2": true} {
		pod := testPod("shop/web", "", "1", with("2", "2"))
		set := testOwner(pod)
		size := map[string]string{"100m": "12", "2": "16"}[running]
		objects := []runtime.Object{set, pod, testNode("a", size), testPod("sys/agent", "a", "2", ownedBy("DaemonSet", "agent"))}
		for i := range 2 {
			other := testPod(fmt.Sprintf("shop/web-%d", i), "a", "1", with("2", running))
			other.OwnerReferences = pod.OwnerReferences
			objects = append(objects, other)
		}
		e := startEngine(t, Options{Lookups: Lookups{Facts: func(context.Context, model.Ref) command.Facts { return command.Facts{Replicas: 3, Recreate: true} }}}, objects...)
		found, err := fixesOf(t.Context(), e, report.PodOf(pod.UID))
		if err != nil {
			t.Fatal(err)
		}
		at := slices.IndexFunc(found.Tried, func(f report.Fix) bool { return strings.HasPrefix(f.Title, "request cpu ") })
		if at < 0 || found.Tried[at].Verified != verified {
			t.Errorf("running pods request %s in a container:\n%s", running, toldFixes(found))
		}
	}
}

// Once the node has its label the pod preempts by itself, and the evictions that are still to come
// find no pods.
func TestAFixIsNoneIfThePodPreemptsWhomItEvicts(t *testing.T) {
	for priorityOf, verified := range map[int32]bool{100: false, 0: true} {
		moves := ownedBy("ReplicaSet", "moves")
		e := startEngine(t, Options{},
			testNode("a", "4"), testPod("dev/one", "a", "2", moves), testPod("dev/two", "a", "2", moves), testNode("b", "4", nodeTaint("dedicated", "gpu", corev1.TaintEffectNoSchedule)),
			testNode("c", "8"), testPod("shop/web", "", "4", priority(priorityOf), selecting("disk", "ssd"), func(p *corev1.Pod) { p.UID = "web" }))
		found, err := fixesOf(t.Context(), e, report.PodOf("web"))
		if err != nil {
			t.Fatal(err)
		}
		at := slices.IndexFunc(found.Tried, func(f report.Fix) bool {
			return strings.HasPrefix(f.Title, "label a disk=ssd and evict")
		})
		if at < 0 || found.Tried[at].Verified != verified {
			t.Errorf("of priority %d:\n%s", priorityOf, toldFixes(found))
		}
	}
}

// A pod whose gate is removed last is tried while the pod that was evicted before it is still
// terminating: whom it would preempt then, the fix does not name.
func TestAFixIsNoneIfThePodPreemptsOthersWhileTheEvictedPodTerminates(t *testing.T) {
	for _, c := range []struct {
		says     string
		others   int32 // priority of the pod on the other node
		evict    string
		verified bool
	}{
		{"the pod on the other node can be preempted", -5, "shop/high from a", false},
		{"it is the one that is evicted", -5, "shop/other from b", true},
		{"it cannot be preempted", 20, "shop/high from a", true},
	} {
		e := startEngine(t, Options{},
			testNode("a", "4"), testNode("b", "4"),
			testPod("shop/high", "a", "2", priority(100), selecting("kubernetes.io/hostname", "a")),
			testPod("shop/other", "b", "1500m", priority(c.others), selecting("kubernetes.io/hostname", "b")),
			testPod("shop/gated", "", "3", priority(10), func(p *corev1.Pod) {
				p.UID, p.Spec.SchedulingGates = "gated", []corev1.PodSchedulingGate{{Name: "example.com/g"}}
			}))
		found, err := fixesOf(t.Context(), e, report.PodOf("gated"))
		if err != nil {
			t.Fatal(err)
		}
		title := "remove gate example.com/g and evict " + c.evict
		at := slices.IndexFunc(found.Tried, func(f report.Fix) bool { return f.Title == title })
		if at < 0 || found.Tried[at].Verified != c.verified {
			t.Errorf("%s: want %q verified %v:\n%s", c.says, title, c.verified, toldFixes(found))
		}
	}
}

// What a fix evicts takes disruptions from budgets: whom the pod preempts then is not certain.
func TestAFixChangesWhichVictimsViolateABudget(t *testing.T) {
	guarded := podLabel("app", "guard")
	pod := testPod("shop/web", "", "2", priority(10))
	e := startEngine(t, Options{},
		testNode("x", "2"), testNode("b", "4"), testNode("c", "4"), budget("guard", "guard", 1), pod,
		testPod("sys/first", "", "2", priority(20), func(p *corev1.Pod) { p.Spec.PreemptionPolicy = new(corev1.PreemptNever) }),
		testPod("shop/guarded-x", "x", "2", guarded, readyPod, ownedBy("ReplicaSet", "guarded"), selecting("kubernetes.io/hostname", "x")),
		testPod("shop/guarded-b", "b", "3", guarded, readyPod, priority(1), ownedBy("ReplicaSet", "guarded")),
		testPod("shop/plain", "c", "3", readyPod, priority(2), ownedBy("ReplicaSet", "plain")))
	simulator := forecast.Simulator{Scheduler: e.scheduler, Budgets: e.budgets, Now: func() time.Time { return testNow }}
	tried, err := simulator.SimulateFix(t.Context(), &forecast.FixSimulation{Pod: pod, Any: true, Last: true, Gone: []types.UID{"shop/guarded-x"}, Time: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	victims := map[string]bool{}
	for _, other := range tried.Unless {
		if other.How == forecast.Preempted {
			victims[other.Pod.Name] = true
		}
	}
	if want := map[string]bool{"guarded-b": true, "plain": true}; !maps.Equal(victims, want) {
		t.Errorf("preempted in some of %d orders: %v, want %v", tried.Orders, victims, want)
	}
}
