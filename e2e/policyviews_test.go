package e2e

import (
	"context"
	"encoding/json"
	"maps"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/kubectl-fathom/kubectl-fathom/e2e/controlplane"
)

// policyObjects are quotas of several scopes, defaults of a LimitRange, and budgets of which one
// blocks evictions; pods come once the quotas are counted.
const policyObjects = `
{apiVersion: v1, kind: Node, metadata: {name: one, labels: {kubernetes.io/hostname: one}, annotations: {kwok.x-k8s.io/node: fake}}, status: {allocatable: {cpu: "8", memory: 8Gi, pods: "50"}, capacity: {cpu: "8", memory: 8Gi, pods: "50"}}}
---
{apiVersion: v1, kind: Namespace, metadata: {name: shop}}
---
{apiVersion: v1, kind: ResourceQuota, metadata: {namespace: shop, name: compute}, spec: {hard: {requests.cpu: "2", requests.memory: 1536Mi, limits.memory: 4Gi, pods: "10", services: "3", count/deployments.apps: "5"}}}
---
{apiVersion: v1, kind: ResourceQuota, metadata: {namespace: shop, name: best-effort}, spec: {hard: {pods: "4"}, scopes: [BestEffort]}}
---
{apiVersion: v1, kind: LimitRange, metadata: {namespace: shop, name: defaults}, spec: {limits: [{type: Container, defaultRequest: {cpu: 250m, memory: 128Mi}, default: {memory: 256Mi}}]}}
---
{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {namespace: shop, name: all}, spec: {minAvailable: 100%, selector: {matchLabels: {app: web}}}}
---
{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {namespace: shop, name: none}, spec: {maxUnavailable: 1, selector: {matchLabels: {app: other}}}}
`

const policyPods = `
apiVersion: apps/v1
kind: Deployment
metadata: {namespace: shop, name: web}
spec:
  replicas: 3
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: web, image: web}]}
`

// TestQuotasAndBudgetsEqualTheirStatus compares what get lists with the status that the
// controllers wrote.
func TestQuotasAndBudgetsEqualTheirStatus(t *testing.T) {
	plane := startPlane(t, controlplane.Options{Kwok: true, Controllers: true})
	client := admin(t, plane)
	kubectl(t, plane, policyObjects, "apply", "-f", "-")
	eventually(t, "the quotas are in force", func(ctx context.Context) (bool, error) {
		list, err := client.CoreV1().ResourceQuotas("shop").List(ctx, metav1.ListOptions{})
		counted := 0
		for i := range list.Items {
			counted += min(len(list.Items[i].Status.Hard), 1)
		}
		return err == nil && counted == 2, err
	})
	kubectl(t, plane, policyPods, "apply", "-f", "-")
	eventually(t, "three pods are counted", func(ctx context.Context) (bool, error) {
		budget, err := client.PolicyV1().PodDisruptionBudgets("shop").Get(ctx, "all", metav1.GetOptions{})
		if err != nil || budget.Status.CurrentHealthy != 3 {
			return false, err
		}
		quota, err := client.CoreV1().ResourceQuotas("shop").Get(ctx, "compute", metav1.GetOptions{})
		pods, deployments := quota.Status.Used[corev1.ResourcePods], quota.Status.Used["count/deployments.apps"]
		return pods.Value() == 3 && deployments.Value() == 1, err
	})
	config := kubeconfig(t, plane, controlplane.Admin)
	t.Run("quotas", func(t *testing.T) { checkQuotas(t, client, config) })
	t.Run("budgets", func(t *testing.T) { checkBudgets(t, client, config) })
}

func checkQuotas(t *testing.T, client kubernetes.Interface, config string) {
	t.Helper()
	var got struct {
		Items []struct {
			Namespace, Name string
			Hard, Used      map[string]string
			MorePods        *int64
			DefaultedPods   *int
		}
	}
	decode(t, fathom(t, "get", "quotas", "-A", "-o", "json", "--kubeconfig", config), &got)
	want, err := client.CoreV1().ResourceQuotas("").List(t.Context(), metav1.ListOptions{})
	if err != nil || len(want.Items) != len(got.Items) || len(got.Items) == 0 {
		t.Fatalf("%d quotas, want %d: %v", len(got.Items), len(want.Items), err)
	}
	for _, quota := range got.Items {
		status, err := client.CoreV1().ResourceQuotas(quota.Namespace).Get(t.Context(), quota.Name, metav1.GetOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if hard, used := texts(status.Status.Hard), texts(status.Status.Used); !maps.Equal(hard, quota.Hard) || !maps.Equal(used, quota.Used) {
			t.Errorf("%s: hard %v used %v, its status has %v and %v", quota.Name, quota.Hard, quota.Used, hard, used)
		}
		if quota.DefaultedPods == nil || *quota.DefaultedPods != 3 {
			t.Errorf("%s: %v pods got defaults, want 3", quota.Name, quota.DefaultedPods)
		}
	}
}

func checkBudgets(t *testing.T, client kubernetes.Interface, config string) {
	t.Helper()
	var got struct {
		Items []struct {
			Namespace, Name                     string
			Allowed, Healthy, Desired, Expected int32
			Nodes                               []string
		}
	}
	decode(t, fathom(t, "get", "budgets", "-A", "-o", "json", "--kubeconfig", config), &got)
	if len(got.Items) != 2 {
		t.Fatalf("%d budgets, want 2", len(got.Items))
	}
	for _, budget := range got.Items {
		object, err := client.PolicyV1().PodDisruptionBudgets(budget.Namespace).Get(t.Context(), budget.Name, metav1.GetOptions{})
		if err != nil {
			t.Fatal(err)
		}
		s := object.Status
		if budget.Allowed != s.DisruptionsAllowed || budget.Healthy != s.CurrentHealthy || budget.Desired != s.DesiredHealthy || budget.Expected != s.ExpectedPods {
			t.Errorf("%+v, its status has %+v", budget, s)
		}
		if blocks := len(budget.Nodes) > 0; blocks != (budget.Name == "all") {
			t.Errorf("%s blocks the drain of %v", budget.Name, budget.Nodes)
		}
	}
}

// decode reads the JSON that a command wrote.
func decode(t *testing.T, r result, into any) {
	t.Helper()
	if r.code != 0 {
		t.Fatalf("exit code %d: %s", r.code, r.stderr)
	}
	if err := json.Unmarshal([]byte(r.stdout), into); err != nil {
		t.Fatalf("%v in %.500s", err, r.stdout)
	}
}

// texts are quantities as Kubernetes writes them.
func texts(list corev1.ResourceList) map[string]string {
	written := map[string]string{}
	for name, quantity := range list {
		written[string(name)] = quantity.String()
	}
	return written
}
