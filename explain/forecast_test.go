package explain

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/kubectl-fathom/kubectl-fathom/explain/admission"
	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/explain/scheduler"
	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/plan"
)

// draining supposes that the node is cordoned and that all pods on it that are
// among the objects are gone, in their order.
func draining(node string, objects []runtime.Object) plan.Hypothesis {
	var supposed plan.Hypothesis
	for _, object := range objects {
		switch object := object.(type) {
		case *corev1.Node:
			if object.Name == node {
				supposed.Nodes = append(supposed.Nodes, asCordoned(object))
			}
		case *corev1.Pod:
			if object.Spec.NodeName == node {
				supposed.Gone = append(supposed.Gone, object.UID)
			}
		}
	}
	return supposed
}

func mustForecast(t *testing.T, e *Engine, supposed plan.Hypothesis) *plan.Forecast {
	t.Helper()
	told, err := e.Forecast(t.Context(), supposed)
	if err != nil {
		t.Fatal(err)
	}
	return told
}

// outcomeOnly leaves the budget out.
func outcomeOnly(fate plan.Fate) plan.Fate {
	fate.Budget = plan.Budget{}
	return fate
}

// set is an ordered StatefulSet of that name.
func set(name string) *appsv1.StatefulSet {
	return &appsv1.StatefulSet{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: name, UID: types.UID(name)}}
}

// revisedSet is one whose pods are made of that revision.
func revisedSet(name, revision string) *appsv1.StatefulSet {
	set := set(name)
	set.Status.UpdateRevision = revision
	return set
}

func TestWhatBecomesOfThePodsOfADrainedNode(t *testing.T) {
	replica := ownedBy("ReplicaSet", "cart")
	ordered := ownedBy("StatefulSet", "db")
	here := func(fullName, cpu string, edits ...func(*corev1.Pod)) *corev1.Pod {
		return testPod(fullName, "x", cpu, append([]func(*corev1.Pod){readyPod}, edits...)...)
	}
	a4, b4 := testNode("a", "4"), testNode("b", "4")
	for name, c := range map[string]struct {
		objects   []runtime.Object
		forbidden []string
		want      map[types.UID]plan.Fate
	}{
		"its like lands elsewhere": {
			[]runtime.Object{a4, here("shop/1", "2", replica)},
			nil,
			map[types.UID]plan.Fate{"shop/1": {Outcome: plan.Lands, Node: "a"}},
		},
		"on any of two alike": {
			[]runtime.Object{a4, b4, here("shop/1", "2", replica)},
			nil,
			map[types.UID]plan.Fate{"shop/1": {Outcome: plan.Lands, Node: "a", Tie: []string{"a", "b"}}},
		},
		"on the node that the pods scheduled before it leave": { // the scores differ in each order
			[]runtime.Object{a4, testNode("b", "5"), here("shop/1", "2", replica), here("shop/2", "5", ownedBy("ReplicaSet", "web"))},
			nil,
			map[types.UID]plan.Fate{
				"shop/1": {Outcome: plan.Lands, Node: "b", Varies: []string{"a", "b"}},
				"shop/2": {Outcome: plan.Depends, Why: "shop/1 may take the capacity first"},
			},
		},
		"it fits nowhere else": {
			[]runtime.Object{a4, testPod("shop/full", "a", "3"), here("shop/1", "2", replica)},
			nil,
			map[types.UID]plan.Fate{"shop/1": {Outcome: plan.Waits, Why: "a needs cpu 1 more"}},
		},
		"the closest node is that of all plugins": { // a lacks less cpu, and has one more reason
			[]runtime.Object{
				a4, b4, testPod("shop/some", "a", "2500m", podLabel("app", "cart")), testPod("shop/more", "b", "3"),
				here("shop/1", "2", replica, func(p *corev1.Pod) {
					p.Spec.Affinity = &corev1.Affinity{PodAntiAffinity: &corev1.PodAntiAffinity{RequiredDuringSchedulingIgnoredDuringExecution: []corev1.PodAffinityTerm{{
						LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "cart"}}, TopologyKey: corev1.LabelHostname,
					}}}}
				}),
			},
			nil,
			map[types.UID]plan.Fate{"shop/1": {Outcome: plan.Waits, Why: "b needs cpu 1 more"}},
		},
		"not the nodes that are cordoned and no good": {
			[]runtime.Object{a4, testNode("b", "4", cordoned), here("shop/1", "2", replica, func(p *corev1.Pod) { p.Spec.NodeSelector = map[string]string{"disk": "ssd"} })},
			nil,
			map[types.UID]plan.Fate{"shop/1": {Outcome: plan.Waits, Why: "a: node selector disk=ssd, has no label"}},
		},
		"two want the room of one": {
			[]runtime.Object{a4, here("shop/1", "3", replica), here("shop/2", "3", ownedBy("ReplicaSet", "web"))},
			nil,
			map[types.UID]plan.Fate{
				"shop/1": {Outcome: plan.Depends, Why: "shop/2 may take the capacity first"},
				"shop/2": {Outcome: plan.Depends, Why: "shop/1 may take the capacity first"},
			},
		},
		"nobody makes it anew, nobody needs to, its kubelet does": {
			[]runtime.Object{
				a4, here("shop/bare", "1"), here("shop/done", "1", replica, func(p *corev1.Pod) { p.Status.Phase = corev1.PodSucceeded }),
				here("shop/static", "1", ownedBy("Node", "x")),
			},
			nil,
			map[types.UID]plan.Fate{
				"shop/bare": {Outcome: plan.Lost}, "shop/done": {Outcome: plan.Finished},
				"shop/static": {Outcome: plan.NotKnown, Why: "a static pod: its kubelet decides"},
			},
		},
		"nobody knows whether its controller makes it anew": {
			[]runtime.Object{a4, here("shop/1", "1", ownedBy("Workflow", "etl"))},
			nil,
			map[types.UID]plan.Fate{"shop/1": {Outcome: plan.NotKnown, Why: "not known whether its controller (Workflow etl) recreates it"}},
		},
		"a pod that waits ranks higher": {
			[]runtime.Object{
				a4, testPod("shop/held", "a", "1"), here("shop/1", "3", replica),
				testPod("shop/waits", "", "3", priority(100), selecting("kubernetes.io/hostname", "a"), ownedBy("Job", "train")),
			},
			nil,
			map[types.UID]plan.Fate{"shop/1": {Outcome: plan.Waits, Why: "a pending train pod takes the capacity"}},
		},
		"it preempts": {
			[]runtime.Object{a4, testPod("shop/low", "a", "3", replica), here("shop/1", "2", ownedBy("ReplicaSet", "web"), priority(10))},
			nil,
			map[types.UID]plan.Fate{"shop/1": {Outcome: plan.Preempts, Node: "a", Why: "evicts shop/low"}},
		},
		"an ordered set makes none after one that waits": {
			[]runtime.Object{set("db"), a4, here("shop/db-0", "8", ordered), here("shop/db-1", "1", ordered)},
			nil,
			map[types.UID]plan.Fate{
				"shop/db-0": {Outcome: plan.Waits, Why: "a needs cpu 4 more"},
				"shop/db-1": {Outcome: plan.Waits, Why: "its StatefulSet creates it only once db-0 is Ready"},
			},
		},
		"but one that a budget may keep is still there when the next is made": {
			[]runtime.Object{
				set("db"), a4, here("shop/db-0", "8", ordered, podLabel("app", "db-0")), here("shop/db-1", "1", ordered),
				budget("db-0", "db-0", 0),
			},
			nil,
			map[types.UID]plan.Fate{
				"shop/db-0": {Outcome: plan.Waits, Why: "a needs cpu 4 more"},
				"shop/db-1": {Outcome: plan.Depends, Why: "its StatefulSet creates it only once db-0 is Ready, if that is evicted first"},
			},
		},
		"as is one that goes after it": {
			[]runtime.Object{set("db"), a4, here("shop/db-2", "1", ordered), here("shop/db-1", "8", ordered)},
			nil,
			map[types.UID]plan.Fate{
				"shop/db-1": {Outcome: plan.Waits, Why: "a needs cpu 4 more"},
				"shop/db-2": {Outcome: plan.Depends, Why: "its StatefulSet creates it only once db-1 is Ready, if that is evicted first"},
			},
		},
		"which changes nothing for a pod that fits nowhere": {
			[]runtime.Object{set("db"), a4, here("shop/db-2", "9", ordered), here("shop/db-1", "8", ordered)},
			nil,
			map[types.UID]plan.Fate{
				"shop/db-1": {Outcome: plan.Waits, Why: "a needs cpu 4 more"},
				"shop/db-2": {Outcome: plan.Waits, Why: "its StatefulSet creates it only once db-1 is Ready"},
			},
		},
		"nor after one that is not ready": {
			[]runtime.Object{
				set("db"), a4, here("shop/db-1", "1", ordered),
				testPod("shop/db-0", "a", "1", ordered, func(p *corev1.Pod) { p.Status.Conditions = nil }),
			},
			nil,
			map[types.UID]plan.Fate{"shop/db-1": {Outcome: plan.Depends, Why: "its StatefulSet creates it only once db-0 is Ready"}},
		},
		"its set has another template by now": {
			[]runtime.Object{
				revisedSet("db", "db-2"), a4, here("shop/db-0", "1", ordered, podLabel(appsv1.ControllerRevisionHashLabelKey, "db-1")),
				here("shop/db-1", "1", ordered, podLabel(appsv1.ControllerRevisionHashLabelKey, "db-2")),
			},
			nil,
			map[types.UID]plan.Fate{
				"shop/db-0": {Outcome: plan.NotKnown, Why: "its StatefulSet recreates it from a newer template"},
				"shop/db-1": {Outcome: plan.Lands, Node: "a"},
			},
		},
		"something may not be read": {
			[]runtime.Object{a4, here("shop/1", "1", replica, awayFrom(corev1.PodAffinityTerm{
				TopologyKey: corev1.LabelHostname, LabelSelector: &metav1.LabelSelector{},
				NamespaceSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"team": "a"}},
			}))},
			[]string{"namespaces"},
			map[types.UID]plan.Fate{"shop/1": {Outcome: plan.NotKnown, Why: "not allowed to list namespaces"}},
		},
		"it is apart from its like only while that ends": {
			[]runtime.Object{
				testNode("a", "4", nodeLabel("zone", "z")), here("shop/1", "1", replica, podLabel("app", "cart"), awayFrom(podTerm("zone", "cart"))),
			},
			nil,
			map[types.UID]plan.Fate{"shop/1": {Outcome: plan.Lands, Node: "a"}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			objects := append([]runtime.Object{testNode("x", "8", nodeLabel("zone", "z"))}, c.objects...)
			e := startEngineForbidding(t, Options{}, c.forbidden, objects...)
			told := mustForecast(t, e, draining("x", objects))
			got := map[types.UID]plan.Fate{}
			for uid, fate := range told.Fates {
				got[uid] = outcomeOnly(fate)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("(-want +got, %d orders, %q):\n%s", told.Orders, told.Unknown, diff)
			}
		})
	}
}

// A quota that has become smaller since a pod was created rejects its replacement.
func TestAQuotaRejectsTheReplacementOfAPod(t *testing.T) {
	replica := ownedBy("ReplicaSet", "cart")
	objects := []runtime.Object{
		testNode("a", "8"), testNode("b", "8"), testPod("shop/1", "a", "1", replica), testPod("shop/2", "a", "1", replica), testPod("shop/bare", "a", "1"),
	}
	gone := plan.Hypothesis{Gone: []types.UID{"shop/1", "shop/2", "shop/bare"}}
	for _, c := range []struct {
		hard, used string
		want       plan.Fate // of both
	}{
		{"3", "3", plan.Fate{Outcome: plan.Lands}},
		{"2", "3", plan.Fate{Outcome: plan.Lands}}, // nobody takes the place of the bare one
		{"1", "3", plan.Fate{Outcome: plan.Depends, Why: "quota compute: requests.cpu is enough for some of the replacements only"}},
		{"500m", "3", plan.Fate{Outcome: plan.Lost, Why: "quota compute: requests.cpu"}},
		{"3", "6", plan.Fate{Outcome: plan.Lost, Why: "quota compute: requests.cpu"}}, // others use it all
	} {
		told := mustForecast(t, startEngine(t, Options{Lookups: Lookups{Quotas: cpuQuota(c.hard, c.used)}}, objects...), gone)
		for _, uid := range []types.UID{"shop/1", "shop/2"} {
			if got := told.Fates[uid]; got.Outcome != c.want.Outcome || got.Why != c.want.Why {
				t.Errorf("%s of %s used, %s: %+v", c.used, c.hard, uid, got)
			}
		}
		if bare := told.Fates["shop/bare"]; bare.Outcome != plan.Lost || bare.Why != "" {
			t.Errorf("a pod without a controller: %+v", bare)
		}
	}
}

// What has changed since a pod was created may reject its replacement, which its controller makes
// from its template: LimitRanges, Pod Security, and classes that were deleted.
func TestAdmissionRejectsTheReplacementOfAPod(t *testing.T) {
	namespace := testNamespace("shop")
	namespace.Labels = map[string]string{"pod-security.kubernetes.io/enforce": "baseline"}
	priority := func(p *corev1.Pod) { p.Spec.PriorityClassName = "gone" }
	objects := []runtime.Object{
		namespace, testNamespace("other"), testNode("a", "8"), testNode("b", "8"),
		testPod("shop/small", "a", "1", ownedBy("ReplicaSet", "small")), testPod("shop/fine", "a", "2", ownedBy("ReplicaSet", "fine")),
		testPod("shop/host", "a", "2", ownedBy("ReplicaSet", "host")), testPod("shop/unread", "a", "2", ownedBy("ReplicaSet", "unread")),
		testPod("shop/bare", "a", "1"), testPod("other/class", "a", "1", ownedBy("ReplicaSet", "class"), priority),
		testPod("other/free", "a", "1", ownedBy("ReplicaSet", "free")),
	}
	least := corev1.LimitRange{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "least"}, Spec: corev1.LimitRangeSpec{
		Limits: []corev1.LimitRangeItem{{Type: corev1.LimitTypeContainer, Min: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("2")}}},
	}}
	options := Options{
		Lookups: Lookups{
			LimitRanges: func(_ context.Context, namespace string) ([]corev1.LimitRange, error) {
				if namespace != "shop" {
					return nil, nil
				}
				return []corev1.LimitRange{least}, nil
			},
			Created: func(_ context.Context, namespace string, by *metav1.OwnerReference) (*corev1.Pod, []report.Rejection, error) {
				switch by.Name {
				case "small":
					return testPod(namespace+"/", "", "1"), nil, nil
				case "host":
					return testPod(namespace+"/", "", "2", func(p *corev1.Pod) { p.Spec.HostNetwork = true }), nil, nil
				case "class":
					return testPod(namespace+"/", "", "1"), []report.Rejection{admission.NotThere("Priority", "PriorityClass gone")}, nil
				case "free":
					t.Error("nothing could reject it, and its controller is asked for")
				case "unread":
					return nil, nil, errors.New("not allowed to list replicasets")
				}
				return testPod(namespace+"/", "", "2"), nil, nil
			},
		},
	}
	gone := []types.UID{"shop/small", "shop/fine", "shop/host", "shop/unread", "shop/bare", "other/class", "other/free"}
	told := mustForecast(t, startEngine(t, options, objects...), plan.Hypothesis{Gone: gone})
	for uid, want := range map[types.UID]plan.Fate{
		"shop/small": {Outcome: plan.Lost, Why: "LimitRange least: min cpu 2"}, "shop/fine": {Outcome: plan.Lands},
		"shop/host":   {Outcome: plan.Lost, Why: "Pod Security baseline forbids host namespaces"},
		"shop/unread": {Outcome: plan.Lands}, "shop/bare": {Outcome: plan.Lost},
		"other/class": {Outcome: plan.Lost, Why: "PriorityClass gone does not exist"}, "other/free": {Outcome: plan.Lands},
	} {
		if got := told.Fates[uid]; got.Outcome != want.Outcome || got.Why != want.Why {
			t.Errorf("%s: %+v, want %+v", uid, got, want)
		}
	}
	if want := "unknown whether kube-apiserver lets the replacements of 1 pod be created: not allowed to list replicasets"; told.Unknown != want {
		t.Errorf("unknown: %q", told.Unknown)
	}
}

// Rules that could not be read reject nothing and allow nothing.
func TestAForecastSaysWhichRulesOfReplacementsItCouldNotRead(t *testing.T) {
	forbidden := func(what string) error { return errors.New("not allowed to list " + what) }
	options := func(ranges, quotas error) Options {
		return Options{
			Lookups: Lookups{
				LimitRanges: func(context.Context, string) ([]corev1.LimitRange, error) { return nil, ranges },
				Quotas:      func(context.Context, string) ([]corev1.ResourceQuota, error) { return nil, quotas },
				Created: func(context.Context, string, *metav1.OwnerReference) (*corev1.Pod, []report.Rejection, error) {
					t.Error("no rule is known, and a controller is asked for")
					return nil, nil, nil
				},
			},
		}
	}
	objects := []runtime.Object{
		testNamespace("shop"), testNode("a", "8"), testNode("b", "8"), testPod("shop/1", "a", "1", ownedBy("ReplicaSet", "web")),
		testPod("shop/2", "a", "1", ownedBy("ReplicaSet", "web")), testPod("shop/bare", "a", "1"),
	}
	const of = "unknown whether kube-apiserver lets the replacements of 2 pods be created: "
	for name, c := range map[string]struct {
		options   Options
		forbidden []string
		want      string
	}{
		"all read":    {options(nil, nil), nil, ""},
		"LimitRanges": {options(forbidden("limitranges"), nil), nil, of + "not allowed to list limitranges"},
		"quotas":      {options(nil, forbidden("resourcequotas")), nil, of + "not allowed to list resourcequotas"},
		"both":        {options(forbidden("limitranges"), forbidden("resourcequotas")), nil, of + "not allowed to list limitranges; not allowed to list resourcequotas"},
		"namespaces":  {options(nil, nil), []string{"namespaces"}, of + "not allowed to list namespaces"},
	} {
		e := startEngineForbidding(t, c.options, c.forbidden, objects...)
		told := mustForecast(t, e, plan.Hypothesis{Gone: []types.UID{"shop/1", "shop/2", "shop/bare"}})
		if told.Unknown != c.want {
			t.Errorf("%s: %q, want %q", name, told.Unknown, c.want)
		}
		if got := told.Fates["shop/1"].Outcome; got != plan.Lands {
			t.Errorf("%s: %s", name, got)
		}
	}
}

// A DaemonSet creates no pod again for a node whose taint came later.
func TestAPodOfADaemonSetIsNotMadeAgainOnATaintedNode(t *testing.T) {
	agent := podControlledBy("apps/v1", "DaemonSet", "agent")
	taint := func(n *corev1.Node) {
		n.Spec.Taints = []corev1.Taint{{Key: "spot", Value: "true", Effect: corev1.TaintEffectNoSchedule}}
	}
	tolerating := func(p *corev1.Pod) { p.Spec.Tolerations = []corev1.Toleration{{Operator: corev1.TolerationOpExists}} }
	objects := []runtime.Object{
		testNode("a", "8", taint), testNode("b", "8"), testNode("c", "8", cordoned),
		testPod("sys/on-a", "a", "1", agent), testPod("sys/everywhere-a", "a", "1", podControlledBy("apps/v1", "DaemonSet", "everywhere"), tolerating),
		testPod("sys/on-b", "b", "1", agent), testPod("sys/on-c", "c", "1", agent),
	}
	for uid, want := range map[types.UID]plan.Outcome{
		"sys/on-a": plan.NotMade, "sys/everywhere-a": plan.Lands, "sys/on-b": plan.Lands,
	} {
		told := mustForecast(t, startEngine(t, Options{}, objects...), plan.Hypothesis{Gone: []types.UID{uid}})
		if got := told.Fates[uid]; got.Outcome != want {
			t.Errorf("%s: got %+v, want %s", uid, got, want)
		}
	}
	told := mustForecast(t, startEngine(t, Options{}, objects...), plan.Hypothesis{Gone: []types.UID{"sys/on-c"}})
	if got := told.Fates["sys/on-c"].Outcome; got == plan.NotMade {
		t.Error("a cordon keeps pods of DaemonSets off")
	}
}

// The pods of a plan take the disruptions that a budget allows: the scheduler then preempts others,
// unless the replacement comes before them.
func TestAPlanChangesWhichVictimsViolateABudget(t *testing.T) {
	guarded := podLabel("app", "guard")
	objects := []runtime.Object{
		testNode("x", "8"), testNode("b", "4"), testNode("c", "4"), budget("guard", "guard", 1),
		testPod("shop/guarded-b", "b", "3", guarded, readyPod, priority(1), ownedBy("ReplicaSet", "guarded")),
		testPod("shop/plain", "c", "3", readyPod, priority(2), ownedBy("ReplicaSet", "plain")),
		testPod("shop/web", "x", "2", readyPod, priority(10), ownedBy("ReplicaSet", "web")),
	}
	drained := testPod("shop/guarded-x", "x", "1", guarded, readyPod, ownedBy("ReplicaSet", "guarded"), selecting("kubernetes.io/hostname", "x"))
	for name, c := range map[string]struct {
		objects []runtime.Object
		want    plan.Fate
	}{
		"the budget is left":    {objects, plan.Fate{Outcome: plan.Preempts, Node: "b", Why: "evicts shop/guarded-b"}},
		"the budget is used up": {append(slices.Clone(objects), drained), plan.Fate{Outcome: plan.Preempts, Node: "c", Likely: true, Why: "evicts shop/plain"}},
	} {
		told := mustForecast(t, startEngine(t, Options{}, c.objects...), draining("x", c.objects))
		if diff := cmp.Diff(c.want, outcomeOnly(told.Fates["shop/web"])); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func TestEvictionsOfAPlanUseBudgetsUp(t *testing.T) {
	label := podLabel("app", "cart")
	var objects []runtime.Object
	for _, name := range []string{"shop/1", "shop/2", "shop/3"} {
		objects = append(objects, testPod(name, "x", "1", label, readyPod))
	}
	unready := testPod("shop/unready", "x", "1", label, func(p *corev1.Pod) { p.Status.Phase = corev1.PodRunning })
	objects = append(objects, testNode("x", "8"), unready, testPod("shop/free", "x", "1", readyPod),
		testPod("shop/both", "x", "1", podLabel("app", "both"), readyPod), budget("one", "both", 1), budget("two", "both", 1))
	cart := budget("cart", "cart", 2)
	cart.Status.CurrentHealthy, cart.Status.DesiredHealthy, cart.Status.ExpectedPods = 3, 1, 4
	supposed := plan.Hypothesis{Gone: []types.UID{"shop/1", "shop/2", "shop/3", "shop/unready", "shop/free", "shop/both"}}
	told := mustForecast(t, startEngine(t, Options{}, append(slices.Clone(objects), cart)...), supposed)
	for uid, want := range map[types.UID]plan.Budget{
		"shop/1":       {Allows: plan.BudgetAllows, Name: "cart", Left: 2},
		"shop/2":       {Allows: plan.BudgetAllows, Name: "cart", Left: 2},
		"shop/3":       {Allows: plan.BudgetWaits, Name: "cart", Left: 2, Why: "1 healthy pod, 1 needed"},
		"shop/unready": {Allows: plan.BudgetAllows, Name: "cart", Left: 2},
		"shop/free":    {Allows: plan.BudgetAllows},
		"shop/both":    {Allows: plan.BudgetNever, Name: "one", Why: "2 PodDisruptionBudgets select it"},
	} {
		if got := told.Fates[uid].Budget; got != want {
			t.Errorf("%s: got %+v, want %+v", uid, got, want)
		}
	}
	cart = budget("cart", "cart", 0)
	cart.Status.CurrentHealthy, cart.Status.DesiredHealthy, cart.Status.ExpectedPods = 3, 4, 4
	told = mustForecast(t, startEngine(t, Options{}, append(slices.Clone(objects), cart)...), supposed)
	if got, want := told.Fates["shop/1"].Budget, (plan.Budget{Allows: plan.BudgetWaits, Name: "cart", Why: "3 healthy pods, 4 needed", UntilChanged: true}); got != want {
		t.Errorf("all pods are needed: got %+v, want %+v", got, want)
	}
	cart = budget("cart", "cart", 0)
	cart.Spec.MinAvailable = new(intstr.FromString("80%"))
	cart.Status.CurrentHealthy, cart.Status.DesiredHealthy, cart.Status.ExpectedPods = 4, 4, 4
	told = mustForecast(t, startEngine(t, Options{}, append(slices.Clone(objects), cart)...), supposed)
	never := "minAvailable 80% of 4 pods is 4: it allows no eviction even though all are healthy; with 5 replicas it allows 1"
	if got, want := told.Fates["shop/1"].Budget, (plan.Budget{Allows: plan.BudgetWaits, Name: "cart", Why: never, UntilChanged: true}); got != want {
		t.Errorf("all pods are healthy: got %+v, want %+v", got, want)
	}
	cart = budget("cart", "cart", 0)
	cart.Spec.MaxUnavailable = new(intstr.FromInt32(1))
	told = mustForecast(t, startEngine(t, Options{}, append(slices.Clone(objects), cart)...), supposed)
	never = "maxUnavailable 1 needs pods that have a controller: it allows no eviction until minAvailable is set to an integer"
	if got, want := told.Fates["shop/1"].Budget, (plan.Budget{Allows: plan.BudgetWaits, Name: "cart", Why: never, UntilChanged: true}); got != want {
		t.Errorf("no pod has a controller: got %+v, want %+v", got, want)
	}
	cart = budget("cart", "cart", 0)
	cart.Status.ObservedGeneration = 0
	cart.Status.Conditions = []metav1.Condition{{
		Type: policyv1.DisruptionAllowedCondition, Status: metav1.ConditionFalse, Reason: policyv1.SyncFailedReason, Message: "no scale subresource",
	}}
	told = mustForecast(t, startEngine(t, Options{}, append(slices.Clone(objects), cart)...), supposed)
	never = "status could not be calculated (SyncFailed: no scale subresource): it allows no eviction until the budget is changed, or the error is resolved"
	if got, want := told.Fates["shop/1"].Budget, (plan.Budget{Allows: plan.BudgetWaits, Name: "cart", Why: never, UntilChanged: true}); got != want {
		t.Errorf("its status cannot be calculated: got %+v, want %+v", got, want)
	}
	told = mustForecast(t, startEngineForbidding(t, Options{}, []string{"poddisruptionbudgets"}, objects...), supposed)
	if got := told.Fates["shop/1"].Budget; got.Allows != plan.BudgetUnread || got.Why == "" {
		t.Errorf("unread: %+v", got)
	}
}

func TestAChangeLetsPendingPodsInAndKeepsOthersOut(t *testing.T) {
	x, y := testNode("x", "4"), testNode("y", "8", nodeLabel("disk", "ssd"))
	objects := []runtime.Object{
		asCordoned(x), y, testPod("shop/big", "y", "7"),
		testPod("shop/in-1", "", "2", ownedBy("Job", "in")), testPod("shop/in-2", "", "2", ownedBy("Job", "in")), testPod("shop/in-3", "", "2", ownedBy("Job", "in")),
		testPod("shop/ssd", "", "1", selecting("disk", "ssd")), testPod("shop/large", "", "9"),
	}
	told := mustForecast(t, startEngine(t, Options{}, objects...), plan.Hypothesis{Nodes: []*corev1.Node{x}})
	if len(told.Admitted) != 1 || told.Admitted[0].Count != 2 || told.Admitted[0].Node != "x" || told.Admitted[0].Pod.Owner.Name != "in" || len(told.Barred) != 0 {
		t.Errorf("uncordoned: %+v", told)
	}
	told = mustForecast(t, startEngine(t, Options{}, objects...), plan.Hypothesis{Nodes: []*corev1.Node{asCordoned(y)}})
	how := map[string]string{}
	for _, b := range told.Barred {
		how[b.Pod.FullName()] = b.How
	}
	want := map[string]string{
		"shop/ssd": "no longer fits any node", "shop/in-1": "is still unschedulable and loses its closest node", "shop/large": "is still unschedulable and loses its closest node",
	}
	if diff := cmp.Diff(want, how); diff != "" || len(told.Admitted) != 0 {
		t.Errorf("cordoned (-want +got): %s%+v", diff, told.Admitted)
	}
}

func TestAForecastLeavesTheStateAsItWasAndEndsWithItsContext(t *testing.T) {
	c := drainable(func(n int) int { return n / 2 })
	e := startEngine(t, Options{}, c.Objects()...)
	supposed := draining(c.Nodes[0].Name, c.Objects())
	before := mustExplain(t, e, testPod("red/other", "", "3"))
	first := mustForecast(t, e, supposed)
	if diff := cmp.Diff(first, mustForecast(t, e, supposed), cmp.AllowUnexported(model.Pod{})); diff != "" {
		t.Errorf("asked again it tells (-before +after):\n%s", diff)
	}
	if diff := cmp.Diff(before, mustExplain(t, e, testPod("red/other", "", "3")), cmp.AllowUnexported()); diff != "" {
		t.Errorf("the state is another:\n%s", diff)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := e.Forecast(ctx, supposed); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled: %v", err)
	}
}

func TestAForecastHoldsWhileTheClusterChanges(t *testing.T) {
	c := drainable(func(n int) int { return n / 2 })
	e := startEngine(t, Options{}, c.Objects()...)
	supposed := draining(c.Nodes[0].Name, c.Objects())
	quiet := mustForecast(t, e, supposed)
	stop, done := make(chan struct{}), make(chan struct{})
	go func() { // pods that are elsewhere and decide nothing come and go
		rev, flip := int64(2), testPod("green/flip", c.Nodes[1].Name, "")
		for ; ; rev++ {
			select {
			case <-stop:
				close(done)
				return
			default:
			}
			change := scheduler.Change{New: flip}
			if rev%2 == 1 {
				change = scheduler.Change{Old: flip}
			}
			if err := e.Apply(rev, []scheduler.Change{change}); err != nil {
				t.Error(err)
			}
		}
	}()
	told := mustForecast(t, e, supposed)
	close(stop)
	<-done
	for uid, fate := range quiet.Fates {
		if got := told.Fates[uid]; got.Outcome != fate.Outcome {
			t.Errorf("%s: %s while the cluster changes, %s at rest", uid, got.Outcome, fate.Outcome)
		}
	}
	if e.scheduler.State.Forked() {
		t.Error("a supposed state is left behind")
	}
}
