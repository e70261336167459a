package plan

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/modeltest"
)

func aDeployment(change func(*appsv1.Deployment)) *appsv1.Deployment {
	deployment := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "checkout", UID: "d", ResourceVersion: "3"}}
	if change != nil {
		change(deployment)
	}
	return deployment
}

func TestAWorkloadIsScaled(t *testing.T) {
	ref := model.Ref{Resource: "deployments/scale", Namespace: "shop", Name: "checkout"}
	cases := []struct {
		was    int32
		exist  int32
		action Scale
		want   []string
		err    string
	}{
		{2, 2, Scale{ref, 5}, []string{
			"Scale deployment shop/checkout", "Deployment shop/checkout creates 3 more pods.", "spec.replicas  2 → 5",
			"No dry run. Undo: scale back to 2.", "y scale",
		}, ""},
		{5, 7, Scale{ref, 0}, []string{
			"Scale deployment shop/checkout", "5 pods of deployment shop/checkout are deleted; its controller chooses which.",
			"warning: Scaling down ignores PodDisruptionBudgets.", "No dry run. Undo: scale back to 5.", "Type 5 (pods to delete):",
		}, ""},
		{0, 0, Scale{ref, 1}, []string{
			"Scale deployment shop/checkout", "Deployment shop/checkout creates 1 more pod.", "spec.replicas  0 → 1",
			"No dry run. Undo: scale back to 0.", "y scale",
		}, ""},
		{3, 1, Scale{ref, 0}, []string{
			"Scale deployment shop/checkout", "Deployment shop/checkout has 1 of its 3 pods.", "Up to 3 pods of deployment shop/checkout are deleted; its controller chooses which.",
			"warning: Scaling down ignores PodDisruptionBudgets.", "No dry run. Undo: scale back to 3.", "Type 3 (pods to delete):",
		}, ""},
		{3, 1, Scale{ref, 1}, []string{
			"Scale deployment shop/checkout", "Deployment shop/checkout has 1 of its 3 pods.", "Up to 2 pods of deployment shop/checkout are deleted; its controller chooses which.",
			"warning: Scaling down ignores PodDisruptionBudgets.", "No dry run. Undo: scale back to 3.", "Type 2 (pods to delete):",
		}, ""},
		{3, 1, Scale{ref, 4}, []string{
			"Scale deployment shop/checkout", "Deployment shop/checkout has 1 of its 3 pods.", "Deployment shop/checkout creates 1 more pod.", "spec.replicas  3 → 4",
			"No dry run. Undo: scale back to 3.", "y scale",
		}, ""},
		{2, 2, Scale{ref, 2}, nil, "scale deployment shop/checkout to 2: nothing would change: it already has 2 replicas"},
		{2, 2, Scale{ref, -1}, nil, "scale deployment shop/checkout to -1: not possible: replicas cannot be negative"},
		{2, 2, Scale{model.Ref{Resource: "daemonsets", Namespace: "kube-system", Name: "proxy"}, 1}, nil, "scale daemonset kube-system/proxy to 1: not possible: daemonsets have no scale"},
		{2, 2, Scale{model.Ref{Resource: "deployments/scale", Namespace: "shop", Name: "other"}, 1}, nil, "scale deployment shop/other to 1: it no longer exists"},
	}
	for _, c := range cases {
		scale, err := runtime.DefaultUnstructuredConverter.ToUnstructured(&autoscalingv1.Scale{
			ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "checkout", UID: "d", ResourceVersion: "3"},
			Spec:       autoscalingv1.ScaleSpec{Replicas: c.was},
			Status:     autoscalingv1.ScaleStatus{Replicas: c.exist},
		})
		if err != nil {
			t.Fatal(err)
		}
		facts := factsOf(t)
		facts.Objects[ref] = scale
		plan, err := c.action.Plan(facts)
		if err != nil || c.err != "" {
			if err == nil || err.Error() != c.err {
				t.Errorf("%s: error %v, want %q", c.action.Name(), err, c.err)
			}
			continue
		}
		if n, ok := plan.Changes[0].Replicas(); !ok || n != c.action.Replicas {
			t.Errorf("%s: the change sets %d", c.action.Name(), n)
		}
		if diff := cmp.Diff(c.want, told(plan)); diff != "" {
			t.Errorf("%s: %s", c.action.Name(), diff)
		}
	}
}

// A partition keeps the pods before it: they are not replaced.
func TestARestartKeepsThePodsBeforeAPartition(t *testing.T) {
	ref := model.Ref{Resource: "statefulsets", Namespace: "shop", Name: "db"}
	for _, c := range []struct {
		partition, start int32
		pods             int
		says             string
	}{
		{0, 0, 3, "Statefulset shop/db replaces its 3 pods in a rolling update."},
		{2, 0, 1, "Statefulset shop/db replaces 1 pod in a rolling update; its partition keeps 2."},
		{99, 0, 0, "Statefulset shop/db replaces none of its pods: its partition keeps all 3."},
		{1, 5, 2, "Statefulset shop/db replaces 2 pods in a rolling update; its partition keeps 1."},
	} {
		set := &appsv1.StatefulSet{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "db", UID: "db"}}
		set.Spec.UpdateStrategy = appsv1.StatefulSetUpdateStrategy{
			Type: appsv1.RollingUpdateStatefulSetStrategyType, RollingUpdate: &appsv1.RollingUpdateStatefulSetStrategy{Partition: &c.partition},
		}
		set.Spec.Ordinals = &appsv1.StatefulSetOrdinals{Start: c.start}
		objects := []runtime.Object{set}
		for n := range int32(3) {
			objects = append(objects, owned(fmt.Sprintf("shop/db-%d", c.start+n), "n1", "StatefulSet/db", nil))
		}
		plan, err := Restart{Ref: ref, At: time.Unix(0, 0).UTC()}.Plan(factsOf(t, objects...))
		if err != nil {
			t.Fatal(err)
		}
		if plan.PodsTerminated != c.pods || plan.Effects[0] != c.says {
			t.Errorf("with partition %d from %d: %d pods, %q", c.partition, c.start, plan.PodsTerminated, plan.Effects[0])
		}
	}
}

func TestAWorkloadIsRestarted(t *testing.T) {
	ref := model.Ref{Resource: "deployments", Namespace: "shop", Name: "checkout"}
	at := time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC)
	ofCheckout := func(pod *corev1.Pod) { pod.Labels["pod-template-hash"] = "6c9d" }
	pods := []runtime.Object{
		owned("shop/checkout-6c9d-1", "n1", "ReplicaSet/checkout-6c9d", ofCheckout),
		owned("shop/checkout-6c9d-2", "n1", "ReplicaSet/checkout-6c9d", func(p *corev1.Pod) { ofCheckout(p); asTerminating(p) }),
		owned("shop/cart-1", "n1", "ReplicaSet/cart", nil),
	}
	closing := "No dry run. Undo: restore the previous template, which replaces the pods again."
	cases := []struct {
		about  string
		action Restart
		is     func(*appsv1.Deployment)
		want   []string
		err    string
	}{
		{"rolling", Restart{ref, at}, nil, []string{
			"Restart deployment shop/checkout", "Deployment shop/checkout replaces its 1 pod in a rolling update.", "Where the new pods are scheduled is not simulated.",
			"  shop/checkout-6c9d-1 ", "  shop/checkout-6c9d-2 already terminating",
			"Longest grace period 30s.", closing, "Type 1 (pods to replace):",
		}, ""},
		{"recreated", Restart{ref, at}, func(d *appsv1.Deployment) { d.Spec.Strategy.Type = appsv1.RecreateDeploymentStrategyType }, []string{
			"Restart deployment shop/checkout", "Deployment shop/checkout deletes its 1 pod, then creates a new one.", "Where the new pods are scheduled is not simulated.",
			"  shop/checkout-6c9d-1 ", "  shop/checkout-6c9d-2 already terminating",
			"Longest grace period 30s.", closing, "Type 1 (pods to replace):",
		}, ""},
		{"paused", Restart{ref, at}, func(d *appsv1.Deployment) { d.Spec.Paused = true }, nil, "restart deployment shop/checkout: not possible: its rollout is paused; run kubectl rollout resume first"},
		{"restarted just now", Restart{ref, at}, func(d *appsv1.Deployment) {
			d.Spec.Template.Annotations = map[string]string{restartedAt: "2026-11-20T09:00:00Z"}
		}, nil, "restart deployment shop/checkout: nothing would change: it was already restarted this second"},
		{"a pod", Restart{podRef("shop", "cart-1"), at}, nil, nil, "restart pod shop/cart-1: not possible: pods have no rollout"},
		{"what is gone", Restart{model.Ref{Resource: "statefulsets", Namespace: "shop", Name: "x"}, at}, nil, nil, "restart statefulset shop/x: it no longer exists"},
	}
	for _, c := range cases {
		plan, err := c.action.Plan(factsOf(t, append(pods, aDeployment(c.is))...))
		if err != nil || c.err != "" {
			if err == nil || err.Error() != c.err {
				t.Errorf("%s: error %v, want %q", c.about, err, c.err)
			}
			continue
		}
		if diff := cmp.Diff(c.want, told(plan)); diff != "" {
			t.Errorf("%s: %s", c.about, diff)
		}
		if gone := plan.Supposed(factsOf(t, pods...).Snapshot).Gone; len(gone) > 0 {
			t.Errorf("%s: %v would be gone at once", c.about, gone)
		}
	}
}

func TestARolloutOnDeleteReplacesNothing(t *testing.T) {
	set := &appsv1.StatefulSet{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "cart", UID: "s", ResourceVersion: "3"}}
	set.Spec.UpdateStrategy.Type = appsv1.OnDeleteStatefulSetStrategyType
	plan, err := Restart{model.Ref{Resource: "statefulsets", Namespace: "shop", Name: "cart"}, modeltest.Epoch}.Plan(
		factsOf(t, set, owned("shop/cart-0", "n1", "StatefulSet/cart", nil)))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"Statefulset shop/cart replaces its pods only when they are deleted (strategy OnDelete)."}
	if diff := cmp.Diff(want, plan.Effects); diff != "" || plan.PodsTerminated != 0 {
		t.Errorf("%d pods end, %s", plan.PodsTerminated, diff)
	}
}
