package ui

import (
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// budget is a PodDisruptionBudget of the pods with a label app.
func budget(namespace, name, app string, allowed, healthy, desired int32) *policyv1.PodDisruptionBudget {
	return &policyv1.PodDisruptionBudget{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name},
		Spec:       policyv1.PodDisruptionBudgetSpec{Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": app}}},
		Status: policyv1.PodDisruptionBudgetStatus{
			DisruptionsAllowed: allowed, CurrentHealthy: healthy, DesiredHealthy: desired, ExpectedPods: healthy,
		},
	}
}

// withBudgets is prod-eu with PodDisruptionBudgets: search's blocks drains, shop's allows
// one eviction, and a pod of batch has two.
func withBudgets(s *model.Snapshot) *fakeCluster {
	for _, pod := range s.Pods {
		if pod.Object.Labels == nil {
			pod.Object.Labels = map[string]string{}
		}
		pod.Object.Labels["app"] = pod.Object.Namespace
		pod.Object.Status.Conditions = append(pod.Object.Status.Conditions, corev1.PodCondition{Type: corev1.PodReady, Status: corev1.ConditionTrue})
	}
	return &fakeCluster{reports: verdictsOf(s), objects: map[string][]runtime.Object{"poddisruptionbudgets": {
		budget("search", "index", "search", 0, 3, 3), budget("shop", "cart", "shop", 1, 4, 3),
		budget("batch", "report", "batch", 2, 4, 2), budget("batch", "all", "batch", 2, 4, 2),
	}}}
}

func TestBudgetsScreen(t *testing.T) {
	for _, size := range []struct{ width, height int }{{80, 24}, {120, 40}} {
		t.Run(fmt.Sprintf("%dx%d", size.width, size.height), func(t *testing.T) {
			s := newProdEU().snapshot()
			app := newTestAppWith(t, size.width, size.height, s, withBudgets(s), nil)
			press(t, app, "9")
			requireScreen(t, app)
		})
	}
}

// TestBudgetsCountWorkloadsWithoutOneAt80Columns has one budget, of search.
func TestBudgetsCountWorkloadsWithoutOneAt80Columns(t *testing.T) {
	s := newProdEU().snapshot()
	c := withBudgets(s)
	c.objects["poddisruptionbudgets"] = c.objects["poddisruptionbudgets"][:1]
	app := newTestAppWith(t, 80, 24, s, c, nil)
	press(t, app, "9")
	want := "1 PDB: 1 blocks drains now. 3 workloads with several pods have no PDB."
	if got := strings.TrimSpace(screenRow(app, answer)); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestABudgetThatSelectsNoPodsIsSaid, as one whose labels nobody has any longer.
func TestABudgetThatSelectsNoPodsIsSaid(t *testing.T) {
	s := newProdEU().snapshot()
	c := withBudgets(s)
	c.objects["poddisruptionbudgets"] = append(c.objects["poddisruptionbudgets"][:1], budget("shop", "old", "renamed", 0, 0, 0))
	app := newTestAppWith(t, 80, 24, s, c, nil)
	press(t, app, "9")
	text := screen(app)
	for _, want := range []string{"2 PDBs: 1 blocks drains now; 1 selects no pods.", "– (selects no pods)"} {
		if !strings.Contains(text, want) {
			t.Errorf("want %q in\n%s", want, text)
		}
	}
	s.Status.Namespace = "shop"
	app = newTestAppWith(t, 80, 24, s, c, nil)
	press(t, app, "9")
	if text := screen(app); strings.Contains(text, "selects no pods") {
		t.Errorf("not all pods are known:\n%s", text)
	}
}

// TestABudgetThatNeverAllowsAnEvictionSaysWhy in Budgets and in the warning on Nodes; beside pending pods it would be taken
// for their cause.
func TestABudgetThatNeverAllowsAnEvictionSaysWhy(t *testing.T) {
	s := newProdEU().snapshot()
	c := withBudgets(s)
	never := budget("search", "index", "search", 0, 3, 3)
	never.Spec.MinAvailable = new(intstr.FromString("80%"))
	c.objects["poddisruptionbudgets"] = []runtime.Object{never}
	app := newTestAppWith(t, 120, 40, s, c, nil)
	why := "minAvailable 80% of 3 pods is 3: it allows no eviction even though all are healthy; with 5 replicas it allows 1"
	text := func() string { return strings.Join(strings.Fields(screen(app)), " ") }
	if strings.Contains(text(), "minAvailable") {
		t.Errorf("Pending: a budget is beside pending pods in\n%s", screen(app))
	}
	press(t, app, "3")
	if !strings.Contains(text(), "search/index: "+why) {
		t.Errorf("Nodes: want %q in\n%s", why, screen(app))
	}
	press(t, app, "9")
	if !strings.Contains(text(), why+".") {
		t.Errorf("Budgets: want %q in\n%s", why, screen(app))
	}
}

// TestTheStatusOfABudgetIsShownForWhatItIs where the disruption controller could not count the pods, and where it may
// be that of an earlier time because another budget has the pods.
func TestTheStatusOfABudgetIsShownForWhatItIs(t *testing.T) {
	failed := budget("search", "index", "search", 0, 0, 0)
	failed.Generation = 1
	failed.Status.Conditions = []metav1.Condition{{
		Type: policyv1.DisruptionAllowedCondition, Status: metav1.ConditionFalse, Reason: policyv1.SyncFailedReason, Message: "no scale",
	}}
	early := budget("search", "index", "search", 0, 0, 1)
	early.Spec.MinAvailable = new(intstr.FromInt32(1))
	for _, test := range []struct {
		name    string
		budgets []runtime.Object
		want    string
		not     string
	}{
		{"failed", []runtime.Object{failed}, "It allows 0 evictions now. Its status could not be calculated (SyncFailed: no scale): it allows no eviction until the budget is changed, or the error is resolved.", "older than its spec"},
		{"not calculated yet", []runtime.Object{early}, "It allows 0 evictions now. Its status is not calculated yet.", "healthy"},
		{
			"shared",
			[]runtime.Object{budget("search", "a", "search", 0, 2, 3), budget("search", "b", "search", 0, 2, 3)},
			"Its status says that 2 of 2 pods are healthy, 3 have to be and it allows 0 evictions; it may be out of date: budget b selects the same pods.", "",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := newProdEU().snapshot()
			c := withBudgets(s)
			c.objects["poddisruptionbudgets"] = test.budgets
			app := newTestAppWith(t, 120, 40, s, c, nil)
			press(t, app, "9")
			text := strings.Join(strings.Fields(screen(app)), " ")
			if !strings.Contains(text, test.want) || test.not != "" && strings.Contains(text, test.not) {
				t.Errorf("want %q and not %q in\n%s", test.want, test.not, screen(app))
			}
		})
	}
}

// TestWorkloadsWithoutABudgetAreNamed also where there is no budget at all, those of most pods first.
func TestWorkloadsWithoutABudgetAreNamed(t *testing.T) {
	s := newProdEU().snapshot()
	c := withBudgets(s)
	c.objects["poddisruptionbudgets"] = nil
	app := newTestAppWith(t, 80, 24, s, c, nil)
	press(t, app, "9")
	text := screen(app)
	for _, want := range []string{"No PodDisruptionBudgets. 3 workloads with several pods have no PDB.", "No PDB: shop/checkout (3 pods), shop/cart (2 pods), web/front (2 pods)."} {
		if !strings.Contains(text, want) {
			t.Errorf("want %q in\n%s", want, text)
		}
	}
	c.unread = map[string]string{"poddisruptionbudgets": "forbidden"}
	app = newTestAppWith(t, 80, 24, s, c, nil)
	press(t, app, "9")
	if text := screen(app); strings.Contains(text, "No PDB") || strings.Contains(text, "no PDB") {
		t.Errorf("whether they have one is not known:\n%s", text)
	}
}

func TestBudgetsOfANamespace(t *testing.T) {
	s := newProdEU().snapshot()
	app := newTestAppWith(t, 80, 24, s, withBudgets(s), func(o *Options) { o.Namespace = "shop" })
	press(t, app, "9")
	requireScreen(t, app)
}

func TestBudgetsThatMayNotBeListedAreUnknown(t *testing.T) {
	s := newProdEU().snapshot()
	c := withBudgets(s)
	c.unread = map[string]string{"poddisruptionbudgets": "not allowed to list poddisruptionbudgets"}
	app := newTestAppWith(t, 80, 24, s, c, nil)
	press(t, app, "9")
	requireScreen(t, app)
}

func TestEnterOpensTheNodesThatABudgetBlocks(t *testing.T) {
	s := newProdEU().snapshot()
	app := newTestAppWith(t, 80, 24, s, withBudgets(s), nil)
	press(t, app, "9", "enter")
	requireScreen(t, app)
}
