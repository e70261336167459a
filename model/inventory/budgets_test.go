package inventory

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/modeltest"
)

// selects is a budget of pods labelled app=name.
func selects(name, app string, allowed int32, change func(*policyv1.PodDisruptionBudget)) *policyv1.PodDisruptionBudget {
	b := &policyv1.PodDisruptionBudget{
		ObjectMeta: metav1.ObjectMeta{Namespace: "dev", Name: name},
		Spec:       policyv1.PodDisruptionBudgetSpec{Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": app}}},
		Status:     policyv1.PodDisruptionBudgetStatus{DisruptionsAllowed: allowed, CurrentHealthy: 1, DesiredHealthy: 2, ExpectedPods: 2},
	}
	if change != nil {
		change(b)
	}
	return b
}

// labelled is a pod that is Ready, or not.
func labelled(name, node, app string, ready bool) *corev1.Pod {
	return modeltest.NewPod("dev/"+name, node, "1", "1Gi", 0, func(p *corev1.Pod) {
		p.Labels = map[string]string{"app": app}
		p.OwnerReferences = []metav1.OwnerReference{{Kind: "StatefulSet", Name: app, Controller: new(true)}}
		if app == "agent" {
			p.OwnerReferences[0].Kind = "DaemonSet"
		}
		status := corev1.ConditionFalse
		if ready {
			status = corev1.ConditionTrue
		}
		p.Status.Phase = corev1.PodRunning
		p.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodReady, Status: status}}
	})
}

func TestWhichDrainsABudgetBlocks(t *testing.T) {
	starting := labelled("slow-0", "n1", "slow", false)
	starting.Status.Phase = corev1.PodPending
	b := model.NewBuilder()
	for _, pod := range []*corev1.Pod{
		labelled("web-0", "n1", "web", true), labelled("web-1", "n2", "web", false),
		labelled("db-0", "n1", "db", true), labelled("db-1", "n3", "db", true),
		labelled("bare-0", "n1", "bare", true), labelled("bare-1", "n2", "bare", true),
		labelled("agent-0", "n1", "agent", true), starting,
	} {
		b.Pod(nil, pod)
	}
	s := b.Build(1, model.Status{}, nil)
	always := policyv1.AlwaysAllow
	for _, test := range []struct {
		name          string
		budgets       []*policyv1.PodDisruptionBudget
		nodes, shared [][]string
	}{
		{"allows none", []*policyv1.PodDisruptionBudget{selects("a", "web", 0, nil)}, [][]string{{"n1", "n2"}}, [][]string{{}}},
		{"allows one", []*policyv1.PodDisruptionBudget{selects("a", "web", 1, nil)}, [][]string{{}}, [][]string{{}}},
		{
			"always allows what is not ready", []*policyv1.PodDisruptionBudget{selects("a", "web", 0, func(b *policyv1.PodDisruptionBudget) {
				b.Spec.UnhealthyPodEvictionPolicy = &always
			})}, [][]string{{"n1"}}, [][]string{{}},
		},
		{
			"is met, so what is not ready may go", []*policyv1.PodDisruptionBudget{selects("a", "web", 0, func(b *policyv1.PodDisruptionBudget) {
				b.Status.CurrentHealthy = 2
			})}, [][]string{{"n1"}}, [][]string{{}},
		},
		{
			"was changed since its status", []*policyv1.PodDisruptionBudget{selects("a", "db", 1, func(b *policyv1.PodDisruptionBudget) {
				b.Generation, b.Status.ObservedGeneration = 2, 1
			})}, [][]string{{"n1", "n3"}}, [][]string{{}},
		},
		{
			"two select the same pods",
			[]*policyv1.PodDisruptionBudget{selects("a", "db", 1, nil), selects("b", "db", 1, nil)},
			[][]string{{"n1", "n3"}, {"n1", "n3"}},
			[][]string{{"db-0", "db-1"}, {"db-0", "db-1"}},
		},
		{
			"asked for no pod whose containers have not started",
			[]*policyv1.PodDisruptionBudget{selects("a", "slow", 0, nil), selects("b", "slow", 0, nil)},
			[][]string{{}, {}},
			[][]string{{}, {}},
		},
		{"selects a DaemonSet's pods, which a drain leaves", []*policyv1.PodDisruptionBudget{selects("a", "agent", 0, nil)}, [][]string{{}}, [][]string{{}}},
		{"selects nothing", []*policyv1.PodDisruptionBudget{selects("a", "none", 0, nil)}, [][]string{{}}, [][]string{{}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			found, _ := Budgets(s, test.budgets)
			var nodes, shared [][]string
			for _, b := range found {
				nodes, shared = append(nodes, b.Nodes), append(shared, b.Shared)
			}
			if diff := cmp.Diff(test.nodes, nodes); diff != "" {
				t.Errorf("nodes (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(test.shared, shared); diff != "" {
				t.Errorf("shared (-want +got):\n%s", diff)
			}
		})
	}
	_, without := Budgets(s, []*policyv1.PodDisruptionBudget{selects("a", "web", 0, nil), selects("b", "db", 1, nil)})
	if diff := cmp.Diff([]Unprotected{{"dev", model.Owner{Kind: "StatefulSet", Name: "bare"}, 2}}, without); diff != "" {
		t.Errorf("workloads without a budget (-want +got):\n%s", diff)
	}
}

func TestWhichBudgetsShareAPodAndWhichCountNone(t *testing.T) {
	bare := labelled("bare", "n1", "bare", true)
	bare.OwnerReferences = nil
	b := model.NewBuilder()
	for _, pod := range []*corev1.Pod{labelled("db-0", "n1", "db", true), labelled("db-1", "n2", "db", true), bare} {
		b.Pod(nil, pod)
	}
	found, _ := Budgets(b.Build(1, model.Status{}, nil), []*policyv1.PodDisruptionBudget{
		selects("z", "db", 1, nil), selects("a", "db", 1, nil), selects("m", "db", 1, nil), selects("none", "bare", 0, func(b *policyv1.PodDisruptionBudget) {
			b.Spec.MaxUnavailable = new(intstr.FromInt32(1))
			b.Status.ExpectedPods = 0
		}),
	})
	for _, b := range found {
		if want := map[string][]string{"a": {"m", "z"}, "m": {"a", "z"}, "z": {"a", "m"}}[b.Name]; !slices.Equal(want, b.SharedWith) {
			t.Errorf("%s shares pods with %q, want %q", b.Name, b.SharedWith, want)
		}
		if (b.AllowsNone != "") != (b.Name == "none") {
			t.Errorf("%s allows none: %q", b.Name, b.AllowsNone)
		}
	}
}

// A budget whose pods are all terminating, as during a drain, selects pods; one whose labels nobody has
// selects none.
func TestWhichBudgetsSelectNoPods(t *testing.T) {
	ending := labelled("db-0", "n1", "db", true)
	ending.DeletionTimestamp = new(metav1.Now())
	b := model.NewBuilder()
	b.Pod(nil, ending)
	budgets, _ := Budgets(b.Build(1, model.Status{}, nil), []*policyv1.PodDisruptionBudget{selects("a", "db", 0, nil), selects("b", "renamed", 0, nil)})
	for _, budget := range budgets {
		if want := budget.Name == "b"; budget.SelectsNone != want {
			t.Errorf("%s selects none: %t, want %t", budget.Name, budget.SelectsNone, want)
		}
	}
}
