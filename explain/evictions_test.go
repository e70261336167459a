package explain

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
)

// ownedBy makes a pod a controller's, and one that runs.
func ownedBy(kind, name string) func(*corev1.Pod) {
	return func(p *corev1.Pod) {
		p.OwnerReferences = []metav1.OwnerReference{{Kind: kind, Name: name, UID: types.UID(name), Controller: new(true)}}
		readyPod(p)
	}
}

func readyPod(p *corev1.Pod) {
	p.Status.Phase = corev1.PodRunning
	p.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue}}
}

// budget allows so many disruptions of the pods with that label.
func budget(name, app string, allowed int32) *policyv1.PodDisruptionBudget {
	return &policyv1.PodDisruptionBudget{
		ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: name, Generation: 1},
		Spec:       policyv1.PodDisruptionBudgetSpec{Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": app}}},
		Status:     policyv1.PodDisruptionBudgetStatus{DisruptionsAllowed: allowed, ObservedGeneration: 1, CurrentHealthy: 1, DesiredHealthy: 2},
	}
}

// uncalculated is the budget after the disruption controller failed to calculate its status.
func uncalculated(budget *policyv1.PodDisruptionBudget) *policyv1.PodDisruptionBudget {
	budget.Status = policyv1.PodDisruptionBudgetStatus{Conditions: []metav1.Condition{{
		Type: policyv1.DisruptionAllowedCondition, Status: metav1.ConditionFalse, Reason: policyv1.SyncFailedReason, Message: "no scale",
	}}}
	return budget
}

// evicting is the node b, full of the pods that are asked about, and a beside it
// with two cpu free, for a pod that wants two.
func evicting(held ...*corev1.Pod) []runtime.Object {
	objects := []runtime.Object{
		testNode("a", "5"), testNode("b", "4", nodeLabel("zone", "z")),
		testPod("shop/full", "a", "2", readyPod), testPod("shop/waits", "", "2", nodeSelectorTerms(corev1.NodeSelectorTerm{
			MatchFields: []corev1.NodeSelectorRequirement{{Key: "metadata.name", Operator: corev1.NodeSelectorOpIn, Values: []string{"b"}}},
		})),
	}
	for _, pod := range held {
		objects = append(objects, pod)
	}
	return objects
}

func TestWhatBecomesOfAnEvictedPodAndOfTheOneThatWaits(t *testing.T) {
	replica := ownedBy("ReplicaSet", "cart")
	label := podLabel("app", "cart")
	for name, c := range map[string]struct {
		held      []*corev1.Pod // the first is evicted
		others    []runtime.Object
		forbidden []string
		short     string
		fits      *bool
		sentence  string
	}{
		"its like lands elsewhere": {
			[]*corev1.Pod{testPod("shop/x", "b", "2", replica), testPod("shop/y", "b", "2", replica)},
			nil, nil,
			"to a; this pod fits", new(true), "If evicted, shop/x is rescheduled on a; then this pod fits b.",
		},
		"while another pod waits": {
			[]*corev1.Pod{testPod("shop/x", "b", "2", replica), testPod("shop/y", "b", "2", replica)},
			[]runtime.Object{testPod("shop/also", "", "1")},
			nil,
			"to a; this pod fits", new(true), "If evicted, shop/x is rescheduled on a; then this pod fits b, unless another pending pod takes the capacity.",
		},
		"and leaves too little": {
			[]*corev1.Pod{testPod("shop/x", "b", "1", replica), testPod("shop/y", "b", "3", replica)},
			nil, nil,
			"to a; not enough", new(false), "If evicted, shop/x is rescheduled on a; this pod does not fit b even then.",
		},
		"it waits itself": {
			[]*corev1.Pod{testPod("shop/x", "b", "2", replica, selecting("zone", "y")), testPod("shop/y", "b", "2", replica)},
			nil, nil,
			"Pending: node selector zone=y: 1 has z, 1 has no label", new(true), "If evicted, shop/x becomes Pending (node selector zone=y: 1 has z, 1 has no label); then this pod fits b.",
		},
		"it waits itself, and for nothing": {
			[]*corev1.Pod{testPod("shop/x", "b", "1", replica, selecting("zone", "y")), testPod("shop/y", "b", "3", replica)},
			nil, nil,
			"not enough; Pending: node selector zone=y: 1 has z, 1 has no label", new(false), "",
		},
		"it may come back": {
			[]*corev1.Pod{testPod("shop/x", "b", "2", replica), testPod("shop/y", "b", "2", replica)},
			[]runtime.Object{testNode("a", "4")},
			nil,
			"to a or back; not enough", new(false), "If evicted, shop/x is rescheduled on one of a, b; this pod does not fit b even then.",
		},
		"it comes back before the other": {
			[]*corev1.Pod{testPod("shop/x", "b", "2", replica, selecting("zone", "z")), testPod("shop/y", "b", "2", replica)},
			nil, nil,
			"back to b; not enough", new(false), "If evicted, shop/x is rescheduled on b again; this pod does not fit b even then.",
		},
		"it would, but the other has priority": {
			[]*corev1.Pod{testPod("shop/x", "b", "2", replica, selecting("zone", "z"), priority(-1)), testPod("shop/y", "b", "2", replica)},
			nil, nil,
			"Pending: b needs cpu 2 more", new(true), "",
		},
		"nobody makes it anew": {
			[]*corev1.Pod{testPod("shop/x", "b", "2", readyPod), testPod("shop/y", "b", "2", replica)},
			nil, nil,
			"not recreated: no controller", new(true), "If evicted, shop/x is not recreated, because no controller owns it; then this pod fits b.",
		},
		"nobody knows whether its controller makes it anew": {
			[]*corev1.Pod{testPod("shop/x", "b", "2", ownedBy("Workflow", "etl")), testPod("shop/y", "b", "2", replica)},
			nil, nil,
			"may not be recreated; this pod fits", new(true), "It is unknown whether shop/x is recreated: its controller is Workflow etl; this pod fits b once it is evicted.",
		},
		"and it might take the room again": {
			[]*corev1.Pod{testPod("shop/x", "b", "2", ownedBy("Workflow", "etl"), selecting("zone", "z")), testPod("shop/y", "b", "2", replica)},
			nil, nil,
			"may not be recreated", nil, "It is unknown whether shop/x is recreated: its controller is Workflow etl; whether this pod then fits b depends on it.",
		},
		"a daemon stays": {
			[]*corev1.Pod{testPod("shop/x", "b", "2", ownedBy("DaemonSet", "proxy")), testPod("shop/y", "b", "2", replica)},
			nil, nil,
			"stays: DaemonSet pod", new(false), "shop/x belongs to DaemonSet proxy, which recreates it on the same node.",
		},
		"a static pod stays": {
			[]*corev1.Pod{testPod("shop/x", "b", "2", func(p *corev1.Pod) { p.Annotations = map[string]string{corev1.MirrorPodAnnotationKey: "x"} })},
			nil, nil,
			"stays: static pod", new(false), "shop/x is a static pod: its kubelet runs it, and an eviction has no effect.",
		},
		"a budget refuses": {
			[]*corev1.Pod{testPod("shop/x", "b", "2", replica, label), testPod("shop/y", "b", "2", replica)},
			[]runtime.Object{budget("cart", "cart", 0)},
			nil,
			"PDB cart allows none", new(false), "PodDisruptionBudget shop/cart allows 0 disruptions now: the eviction of shop/x would be rejected.",
		},
		"a budget cannot be calculated": {
			[]*corev1.Pod{testPod("shop/x", "b", "2", replica, label), testPod("shop/y", "b", "2", replica)},
			[]runtime.Object{uncalculated(budget("cart", "cart", 0))},
			nil,
			"PDB cart allows none", new(false), "PodDisruptionBudget shop/cart allows 0 disruptions now: the eviction of shop/x would be rejected. " +
				"Its status could not be calculated (SyncFailed: no scale): it allows no eviction until the budget is changed, or the error is resolved.",
		},
		"a budget permits": {
			[]*corev1.Pod{testPod("shop/x", "b", "2", replica, label), testPod("shop/y", "b", "2", replica)},
			[]runtime.Object{budget("cart", "cart", 1), budget("other", "other", 0)},
			nil,
			"to a; this pod fits", new(true), "",
		},
		"two budgets refuse": {
			[]*corev1.Pod{testPod("shop/x", "b", "2", replica, label), testPod("shop/y", "b", "2", replica)},
			[]runtime.Object{budget("cart", "cart", 1), budget("too", "cart", 1)},
			nil,
			"blocked: 2 PDBs select it", new(false), "",
		},
		"a pod that does not run needs no budget": {
			[]*corev1.Pod{testPod("shop/x", "b", "2", replica, label, func(p *corev1.Pod) { p.Status.Phase = corev1.PodPending }), testPod("shop/y", "b", "2", replica)},
			[]runtime.Object{budget("cart", "cart", 0)},
			nil,
			"to a; this pod fits", new(true), "",
		},
		"it is terminating already, and that is enough": {
			[]*corev1.Pod{testPod("shop/x", "b", "2", replica, label, terminating), testPod("shop/y", "b", "2", replica)},
			[]runtime.Object{budget("cart", "cart", 0)},
			nil,
			"terminating; this pod fits", new(true), "shop/x is terminating already; this pod fits b once it is deleted.",
		},
		"it is terminating already, and that is not enough": {
			[]*corev1.Pod{testPod("shop/x", "b", "500m", replica, terminating), testPod("shop/y", "b", "3500m", replica)},
			nil,
			nil,
			"terminating; not enough", new(false), "shop/x is terminating already; this pod does not fit b even then.",
		},
		"budgets may not be read": {
			[]*corev1.Pod{testPod("shop/x", "b", "2", replica)},
			nil,
			[]string{"poddisruptionbudgets"},
			"not evaluated: PDBs unread", nil, "Whether shop/x may be evicted is unknown: not allowed to list poddisruptionbudgets.",
		},
		"namespaces may not be read, and decide": {
			[]*corev1.Pod{testPod("shop/x", "b", "2", replica, awayFrom(corev1.PodAffinityTerm{
				TopologyKey: corev1.LabelHostname, LabelSelector: &metav1.LabelSelector{},
				NamespaceSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"team": "a"}},
			}))},
			nil,
			[]string{"namespaces"},
			"not evaluated", nil, "The effect of evicting shop/x is unknown: required objects could not be read.",
		},
	} {
		e := startEngineForbidding(t, Options{}, c.forbidden, append(evicting(c.held...), c.others...)...)
		told, err := e.Evictions(t.Context(), "shop/waits", "b", []types.UID{c.held[0].UID, "shop/full", "shop/gone"})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if len(told) != 1 { // the others are not on the node
			t.Errorf("%s: %d evictions are told: %+v", name, len(told), told)
			continue
		}
		same := (told[0].Fits == nil) == (c.fits == nil) && (c.fits == nil || *told[0].Fits == *c.fits)
		if told[0].Short != c.short || !same || c.sentence != "" && told[0].Sentence != c.sentence {
			t.Errorf("%s: got %q, %q, fits %v", name, told[0].Short, told[0].Sentence, told[0].Fits)
		}
	}
}

func TestTryingEvictionsLeavesTheStateAsItWas(t *testing.T) {
	replica := ownedBy("ReplicaSet", "cart")
	e := startEngine(t, Options{}, evicting(testPod("shop/x", "b", "2", replica), testPod("shop/y", "b", "2", replica))...)
	before := mustExplain(t, e, testPod("shop/other", "", "3"))
	for range 2 {
		told, err := e.Evictions(t.Context(), "shop/waits", "b", []types.UID{"shop/x", "shop/y"})
		if err != nil || len(told) != 2 || told[0].Short != "to a; this pod fits" || told[1].Short != told[0].Short {
			t.Fatalf("%+v, %v", told, err)
		}
	}
	after := mustExplain(t, e, testPod("shop/other", "", "3"))
	if before.Summary != after.Summary || !slices.EqualFunc(before.Groups, after.Groups, func(a, b report.Group) bool { return a.Words == b.Words }) {
		t.Errorf("%s\n%s", before.Summary, after.Summary)
	}
	if _, err := e.Evictions(t.Context(), "shop/nobody", "b", []types.UID{"shop/x"}); err == nil || !strings.Contains(err.Error(), "no such pod") {
		t.Error(err)
	}
}

// packed is a cluster of small nodes that are nearly full, and pods that wait.
func packed(d dice) *randomCluster {
	c := &randomCluster{}
	for i := range 5 {
		node := testNode(fmt.Sprintf("n%d", i), "4", nodeLabel("zone", one(d, "a", "b")))
		c.Nodes = append(c.Nodes, node)
		for free := 4000; free >= 1000; {
			wants := 500 * (1 + d(4))
			if free -= wants; free < 0 {
				break
			}
			held := testPod(fmt.Sprintf("shop/on-%d-%d", i, free), node.Name, fmt.Sprintf("%dm", wants), ownedBy("ReplicaSet", "r"), podLabel("app", one(d, "a", "b", "c")))
			if d.Chance(15) {
				selecting("zone", node.Labels["zone"])(held)
			}
			if d.Chance(15) {
				awayFrom(podTerm(corev1.LabelHostname, one(d, "a", "b")))(held)
			}
			c.Bound = append(c.Bound, held)
		}
	}
	for i := range 4 {
		waits := testPod(fmt.Sprintf("shop/waits-%d", i), "", fmt.Sprintf("%dm", 500*(2+d(4))), podLabel("app", one(d, "a", "b", "c")), priority(int32(d(2))))
		if d.Chance(30) {
			awayFrom(podTerm(corev1.LabelHostname, one(d, "a", "b")))(waits)
		}
		c.Pending = append(c.Pending, waits)
	}
	return c
}

func TestAPromisedEvictionHoldsInAStateThatIsReallySo(t *testing.T) {
	promised, refused := 0, 0
	for seed := range uint64(20) {
		c := packed(dice(rand.New(rand.NewPCG(seed, 51)).IntN))
		e := startEngine(t, Options{}, c.Objects()...)
		for _, pod := range c.Pending {
			r := mustExplain(t, e, pod)
			for _, held := range c.Bound {
				if r.Verdict != report.Unschedulable {
					break
				}
				told, err := e.Evictions(t.Context(), pod.UID, held.Spec.NodeName, []types.UID{held.UID})
				if err != nil || told[0].Fits == nil {
					t.Fatalf("seed %d: %s: %+v, %v", seed, held.Name, told, err)
				}
				to, moves := strings.CutPrefix(strings.TrimSuffix(told[0].Short, "; this pod fits"), "to ")
				switch {
				case !*told[0].Fits:
					refused++
				case moves && !strings.Contains(to, " "):
					promised++
					if !fitsAfter(t, c, pod, held, to) {
						t.Errorf("seed %d: %s %q, and then %s does not fit %s", seed, held.Name, told[0].Short, pod.Name, held.Spec.NodeName)
					}
				}
			}
		}
	}
	t.Logf("%d evictions are promised to make room, %d are not", promised, refused)
	if promised < 10 || refused < 10 {
		t.Errorf("only %d promises and %d rejections", promised, refused)
	}
}

// fitsAfter says whether the pod fits held's node in a cluster where held runs on
// another one.
func fitsAfter(t *testing.T, c *randomCluster, pod, held *corev1.Pod, to string) bool {
	t.Helper()
	moved := held.DeepCopy()
	moved.Spec.NodeName = to
	objects := slices.DeleteFunc(c.Objects(), func(o runtime.Object) bool { return o == runtime.Object(held) })
	e := startEngine(t, Options{}, append(objects, moved)...)
	r, err := e.Ask(t.Context(), report.Query{Target: report.PodOf(pod.UID), Parts: report.Nodes})
	if err != nil {
		t.Fatal(err)
	}
	return slices.ContainsFunc(r.Nodes, func(n report.NodeResult) bool {
		return n.Name == held.Spec.NodeName && n.Fits != nil && *n.Fits
	})
}

// terminating makes a pod one that was deleted and has not ended.
func terminating(p *corev1.Pod) { p.DeletionTimestamp = new(metav1.Now()) }
