package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"

	"github.com/kubectl-fathom/kubectl-fathom/e2e/controlplane"
)

// drainNodes are the node to drain and two that take its pods later.
const drainNodes = `
{apiVersion: v1, kind: Node, metadata: {name: one, labels: {kubernetes.io/hostname: one}, annotations: {kwok.x-k8s.io/node: fake}}, status: {allocatable: {cpu: "8", memory: 8Gi, pods: "50"}, capacity: {cpu: "8", memory: 8Gi, pods: "50"}}}
---
{apiVersion: v1, kind: Node, metadata: {name: two, labels: {kubernetes.io/hostname: two}, annotations: {kwok.x-k8s.io/node: fake}}, spec: {unschedulable: true}, status: {allocatable: {cpu: "8", memory: 8Gi, pods: "50"}, capacity: {cpu: "8", memory: 8Gi, pods: "50"}}}
---
{apiVersion: v1, kind: Node, metadata: {name: three, labels: {kubernetes.io/hostname: three}, annotations: {kwok.x-k8s.io/node: fake}}, spec: {unschedulable: true}, status: {allocatable: {cpu: "8", memory: 8Gi, pods: "50"}, capacity: {cpu: "8", memory: 8Gi, pods: "50"}}}
---
{apiVersion: v1, kind: Namespace, metadata: {name: shop}}
`

// drainPods are one of each kind that a drain has to tell apart.
const drainPods = `
apiVersion: apps/v1
kind: DaemonSet
metadata: {namespace: shop, name: agent}
spec: {selector: {matchLabels: {app: agent}}, template: {metadata: {labels: {app: agent}}, spec: {containers: [{name: main, image: x}]}}}
---
apiVersion: v1
kind: Pod
metadata: {namespace: shop, name: static, annotations: {kubernetes.io/config.mirror: "1"}}
spec: {nodeName: one, containers: [{name: main, image: x}]}
---
apiVersion: v1
kind: Pod
metadata: {namespace: shop, name: shell}
spec: {nodeName: one, containers: [{name: main, image: x}]}
---
apiVersion: v1
kind: Pod
metadata: {namespace: shop, name: stuck, finalizers: [example.com/hold]}
spec: {nodeName: one, containers: [{name: main, image: x}]}
---
apiVersion: apps/v1
kind: StatefulSet
metadata: {namespace: shop, name: cache}
spec: {replicas: 1, serviceName: cache, selector: {matchLabels: {app: cache}}, template: {metadata: {labels: {app: cache}}, spec: {containers: [{name: main, image: x}], volumes: [{name: scratch, emptyDir: {}}]}}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {namespace: shop, name: cart}
spec: {replicas: 2, selector: {matchLabels: {app: cart}}, template: {metadata: {labels: {app: cart}}, spec: {containers: [{name: main, image: x, resources: {requests: {cpu: 500m}}}]}}}
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {namespace: shop, name: cart}
spec: {minAvailable: 2, selector: {matchLabels: {app: cart}}}
`

// blocked is how long the budget of the pods to drain forbids all evictions.
const blocked = 20 * time.Second

// A drain does what its plan says, waits for budgets, and ends when all is gone.
func TestDrainEndsAsPlanned(t *testing.T) {
	t.Parallel() // most of its time is waiting for a control plane of its own
	plane := startPlane(t, controlplane.Options{Users: []string{watched}, Audit: true, Kwok: true, Controllers: true})
	client := admin(t, plane)
	kubectl(t, plane, "", "create", "clusterrolebinding", watched, "--clusterrole=cluster-admin", "--user="+watched)
	carts := createDrained(t, plane, client)
	config := kubeconfig(t, plane, watched)

	checkPlan(t, config)
	planned := writes(t, plane)
	for _, w := range planned {
		if !strings.Contains(w.URI, "dryRun=All") {
			t.Errorf("the plan has asked for a change: %+v", w)
		}
	}
	if refused := fathom(t, "drain", "one", "--yes", "--kubeconfig", config); refused.code != 2 || !slices.ContainsFunc(listNode(t, client, "one"), isNamed("shell")) {
		t.Errorf("without agreeing to what is lost: exit code %d\n%s", refused.code, refused.stderr)
	}

	before := len(writes(t, plane))
	drained := make(chan result, 1)
	go func() {
		drained <- fathom(t, "drain", "one", "--yes", "--force", "--delete-emptydir-data", "--kubeconfig", config)
	}()
	time.Sleep(blocked)
	for _, uid := range carts {
		if !slices.ContainsFunc(listNode(t, client, "one"), func(p corev1.Pod) bool { return p.UID == uid && p.DeletionTimestamp == nil }) {
			t.Errorf("a pod has gone that its budget protects: %s", uid)
		}
	}
	kubectl(t, plane, "", "patch", "pdb", "cart", "-n", "shop", "--type=merge", "-p", `{"spec":{"minAvailable":1}}`)
	eventually(t, "all but the stuck pod have left the node", func(context.Context) (bool, error) {
		left := listNode(t, client, "one")
		return len(left) == 3 && slices.ContainsFunc(left, isNamed("stuck")), nil
	})
	select {
	case r := <-drained:
		t.Fatalf("it ended while a pod was still terminating: exit code %d\n%s%s", r.code, r.stdout, r.stderr)
	case <-time.After(2 * time.Second):
	}
	kubectl(t, plane, "", "patch", "pod", "stuck", "-n", "shop", "--type=merge", "-p", `{"metadata":{"finalizers":null}}`)
	r := <-drained
	if r.code != 0 || !strings.Contains(r.stdout, "4 of 5 pods evicted, 1 gone already") {
		t.Errorf("exit code %d\n%s%s", r.code, r.stdout, r.stderr)
	}
	checkDrained(t, client)
	checkEvictions(t, writes(t, plane)[before:])
	checkDryRuns(t, plane, client, config)
}

// checkPlan looks that the plan names each pod with what is special about it, in
// words and for programs.
func checkPlan(t *testing.T, config string) {
	t.Helper()
	plan := fathom(t, "drain", "one", "--plan", "--kubeconfig", config)
	if plan.code != 1 { // something waits for its budget
		t.Errorf("--plan: exit code %d\n%s", plan.code, plan.stderr)
	}
	for _, says := range []string{
		`! shop/shell +not recreated: no controller`,
		`! shop/cart-\S+ +blocked by PDB cart`,
		`! shop/cache-0 .*emptyDir`,
		`shop/stuck .*terminating`,
		`1 DaemonSet pod, 1 static pod`,
		`\(--force\)`, `\(--delete-emptydir-data\)`,
	} {
		if !regexp.MustCompile(says).MatchString(plan.stdout) {
			t.Errorf("the plan does not say %q:\n%s", says, plan.stdout)
		}
	}
	var told struct {
		PodsTerminated int
		Pods           []struct {
			Name                                string
			NotRecreated, EmptyDir, Terminating bool
			Fate                                struct {
				Outcome string
				Budget  struct{ Allows, Name string }
			}
		}
		NotEvicted []struct{ Name, Why string }
		Verdict    struct{ Accepted bool }
	}
	plan = fathom(t, "drain", "one", "--plan", "-o", "json", "--kubeconfig", config)
	if err := json.Unmarshal([]byte(plan.stdout), &told); err != nil {
		t.Fatalf("%v\n%s%s", err, plan.stdout, plan.stderr)
	}
	var found []string
	for _, p := range told.Pods {
		name, _, _ := strings.Cut(p.Name, "-")
		found = append(found, fmt.Sprint(name, " ", p.Fate.Outcome, " not recreated ", p.NotRecreated, ", emptyDir ", p.EmptyDir, ", terminating ", p.Terminating, ", budget ", p.Fate.Budget.Name, " ", p.Fate.Budget.Allows))
	}
	for _, s := range told.NotEvicted {
		name, _, _ := strings.Cut(s.Name, "-")
		found = append(found, name+" is not evicted: "+s.Why)
	}
	slices.Sort(found)
	want := []string{
		"agent is not evicted: of a DaemonSet",
		"cache rescheduled not recreated false, emptyDir true, terminating false, budget  ",
		"cart rescheduled not recreated false, emptyDir false, terminating false, budget cart blocked",
		"cart rescheduled not recreated false, emptyDir false, terminating false, budget cart blocked",
		"shell notRecreated not recreated true, emptyDir false, terminating false, budget  ",
		"static is not evicted: a static pod",
		"stuck notRecreated not recreated true, emptyDir false, terminating true, budget  ",
	}
	if !slices.Equal(found, want) || told.PodsTerminated != 4 || !told.Verdict.Accepted {
		t.Errorf("%d end, accepted: %v:\n%s\nwant\n%s", told.PodsTerminated, told.Verdict.Accepted, strings.Join(found, "\n"), strings.Join(want, "\n"))
	}
}

// A drain goes on when the API server is back, and sends nothing twice.
func TestDrainOutlivesTheAPIServer(t *testing.T) {
	t.Parallel() // most of its time is waiting for a control plane of its own
	plane := startPlane(t, controlplane.Options{Users: []string{watched}, Audit: true, Kwok: true, Controllers: true})
	client := admin(t, plane)
	kubectl(t, plane, "", "create", "clusterrolebinding", watched, "--clusterrole=cluster-admin", "--user="+watched)
	createDrained(t, plane, client)
	config := kubeconfig(t, plane, watched)

	drained := make(chan result, 1)
	go func() {
		drained <- fathom(t, "drain", "one", "--yes", "--force", "--delete-emptydir-data", "--kubeconfig", config)
	}()
	eventually(t, "the budget has refused both", func(context.Context) (bool, error) {
		refused := 0
		for _, w := range writes(t, plane) {
			if w.Status == 429 && !strings.Contains(w.URI, "dryRun=All") {
				refused++
			}
		}
		return refused >= 2, nil
	})
	plane.StopAPIServer()
	time.Sleep(8 * time.Second)
	if err := plane.StartAPIServer(t.Context()); err != nil {
		t.Fatal(err)
	}
	kubectl(t, plane, "", "patch", "pdb", "cart", "-n", "shop", "--type=merge", "-p", `{"spec":{"minAvailable":0}}`)
	kubectl(t, plane, "", "patch", "pod", "stuck", "-n", "shop", "--type=merge", "-p", `{"metadata":{"finalizers":null}}`)
	r := <-drained
	if r.code != 0 || !strings.Contains(r.stdout, "4 of 5 pods evicted, 1 gone already") || !strings.Contains(r.stderr, "the connection to the API server is lost") {
		t.Errorf("exit code %d\n%s%s", r.code, r.stdout, r.stderr)
	}
	checkDrained(t, client)
	checkEvictions(t, writes(t, plane))
}

// createDrained has the pods run on node one and the other nodes take more. It
// gives the pods that a budget protects.
func createDrained(t *testing.T, plane *controlplane.ControlPlane, client kubernetes.Interface) (carts []types.UID) {
	t.Helper()
	kubectl(t, plane, drainNodes, "apply", "-f", "-")
	eventually(t, "the namespace has its service account", func(ctx context.Context) (bool, error) {
		_, err := client.CoreV1().ServiceAccounts("shop").Get(ctx, "default", metav1.GetOptions{})
		return err == nil, nil
	})
	kubectl(t, plane, drainPods, "apply", "-f", "-")
	eventually(t, "all pods run on node one and the budget is counted", func(ctx context.Context) (bool, error) {
		pods := listNode(t, client, "one")
		ready := len(pods) == 7 && !slices.ContainsFunc(pods, func(p corev1.Pod) bool { return p.Status.Phase != corev1.PodRunning })
		budget, err := client.PolicyV1().PodDisruptionBudgets("shop").Get(ctx, "cart", metav1.GetOptions{})
		return ready && err == nil && budget.Status.CurrentHealthy == 2, nil
	})
	kubectl(t, plane, "", "delete", "pod", "stuck", "-n", "shop", "--wait=false")
	kubectl(t, plane, "", "uncordon", "two", "three")
	for _, pod := range listNode(t, client, "one") {
		if strings.HasPrefix(pod.Name, "cart-") {
			carts = append(carts, pod.UID)
		}
	}
	return carts
}

// protectedTwice is a pod that the server never evicts.
const protectedTwice = `
{apiVersion: v1, kind: Pod, metadata: {namespace: shop, name: twice, labels: {app: twice}}, spec: {nodeName: two, containers: [{name: main, image: x}]}}
---
{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {namespace: shop, name: first}, spec: {minAvailable: 0, selector: {matchLabels: {app: twice}}}}
---
{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {namespace: shop, name: second}, spec: {minAvailable: 0, selector: {matchLabels: {app: twice}}}}
`

// checkDryRuns looks that what the server would refuse is told before anything
// is sent in earnest, and that a deletion without a body is a dry run by its
// query alone.
func checkDryRuns(t *testing.T, plane *controlplane.ControlPlane, client kubernetes.Interface, config string) {
	t.Helper()
	kubectl(t, plane, protectedTwice, "apply", "-f", "-")
	eventually(t, "the pod runs", func(ctx context.Context) (bool, error) {
		pod, err := client.CoreV1().Pods("shop").Get(ctx, "twice", metav1.GetOptions{})
		return err == nil && pod.Status.Phase == corev1.PodRunning, nil
	})
	before := len(writes(t, plane))
	plan := fathom(t, "evict", "shop/twice", "--plan", "--kubeconfig", config)
	if plan.code != 1 || !strings.Contains(plan.stdout, "This pod has more than one PodDisruptionBudget") {
		t.Errorf("--plan: exit code %d\n%s%s", plan.code, plan.stdout, plan.stderr)
	}
	for _, w := range writes(t, plane)[before:] {
		if !strings.Contains(w.URI, "dryRun=All") {
			t.Errorf("the plan has asked for a change: %+v", w)
		}
	}
	if r := fathom(t, "evict", "shop/twice", "--yes", "--kubeconfig", config); r.code != 2 || !strings.Contains(r.stderr, "--force") {
		t.Errorf("evict of a pod without a controller: exit code %d, want 2\n%s%s", r.code, r.stdout, r.stderr)
	}
	if r := fathom(t, "evict", "shop/twice", "--yes", "--force", "--kubeconfig", config); r.code != 1 {
		t.Errorf("evict: exit code %d\n%s%s", r.code, r.stdout, r.stderr)
	}
	kubectl(t, plane, "", "delete", "--raw", "/api/v1/namespaces/shop/pods/twice?dryRun=All")
	pod, err := client.CoreV1().Pods("shop").Get(t.Context(), "twice", metav1.GetOptions{})
	if err != nil || pod.DeletionTimestamp != nil {
		t.Errorf("the dry run of a deletion has deleted: %v", err)
	}
}

// listNode are the pods of a node.
func listNode(t *testing.T, client kubernetes.Interface, node string) []corev1.Pod {
	t.Helper()
	list, err := client.CoreV1().Pods("").List(t.Context(), metav1.ListOptions{FieldSelector: "spec.nodeName=" + node})
	if err != nil {
		t.Fatal(err)
	}
	return list.Items
}

func isNamed(name string) func(corev1.Pod) bool {
	return func(p corev1.Pod) bool { return p.Name == name }
}

// checkDrained looks who has stayed, and that the others are back elsewhere.
func checkDrained(t *testing.T, client kubernetes.Interface) {
	t.Helper()
	for _, pod := range listNode(t, client, "one") {
		if pod.Name != "static" && !strings.HasPrefix(pod.Name, "agent-") {
			t.Errorf("%s is still on the node", pod.Name)
		}
	}
	eventually(t, "the workloads are back on other nodes", func(context.Context) (bool, error) {
		back := 0
		for _, pod := range append(listNode(t, client, "two"), listNode(t, client, "three")...) {
			if strings.HasPrefix(pod.Name, "cart-") || pod.Name == "cache-0" {
				back++
			}
		}
		return back == 3, nil
	})
}

// checkEvictions looks in the audit log that pods were evicted only, each once,
// and that the budget's rejections came before.
func checkEvictions(t *testing.T, asked []controlplane.Write) {
	t.Helper()
	accepted, refused := map[string]int{}, map[string]int{}
	patches := 0
	for _, w := range asked {
		pod, eviction := strings.CutSuffix(strings.TrimPrefix(w.URI, "/api/v1/namespaces/shop/pods/"), "/eviction")
		switch {
		case strings.Contains(w.URI, "dryRun=All"):
		case w.Verb == "patch" && strings.HasPrefix(w.URI, "/api/v1/nodes/one?"):
			patches++
		case w.Verb != "create" || !eviction:
			t.Errorf("asked for: %+v", w)
		case w.Status == 201:
			accepted[pod]++
		case w.Status == 429 && strings.HasPrefix(pod, "cart-") && accepted[pod] == 0:
			refused[pod]++
		default:
			t.Errorf("not to be expected: %+v", w)
		}
	}
	if patches != 1 || len(accepted) != 4 || len(refused) != 2 {
		t.Errorf("%d patches of the node; evicted %v, refused before %v", patches, accepted, refused)
	}
	for pod, n := range accepted {
		if n != 1 || pod == "static" || pod == "stuck" || strings.HasPrefix(pod, "agent-") {
			t.Errorf("%s was evicted %d times", pod, n)
		}
	}
	fmt.Printf("drain: %d evictions accepted, refused by the budget before: %v, no deletion\n", len(accepted), refused)
}
