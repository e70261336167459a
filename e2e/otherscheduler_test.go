package e2e

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-fathom/kubectl-fathom/e2e/controlplane"
)

// oneNode is a node, and a namespace.
const oneNode = `
apiVersion: v1
kind: Node
metadata: {name: only, labels: {kubernetes.io/hostname: only}}
status:
  allocatable: {cpu: "4", memory: 8Gi, pods: "110"}
  capacity: {cpu: "4", memory: 8Gi, pods: "110"}
  conditions: [{type: Ready, status: "True"}]
---
apiVersion: v1
kind: Namespace
metadata: {name: shop}
`

// otherSchedulers are a pod that is too large for the node, of a scheduler that runs without
// a Lease, as GKE's do, and one of a scheduler that does not run.
const otherSchedulers = oneNode + `---
apiVersion: v1
kind: Pod
metadata: {name: tried, namespace: shop}
spec:
  schedulerName: gke.io/optimize-utilization-scheduler
  automountServiceAccountToken: false
  containers: [{name: main, image: x, resources: {requests: {cpu: "9"}}}]
---
apiVersion: v1
kind: Pod
metadata: {name: left, namespace: shop}
spec:
  schedulerName: nobody
  automountServiceAccountToken: false
  containers: [{name: main, image: x, resources: {requests: {cpu: "9"}}}]
`

// withoutEvents gives a user all that helps but events.
const withoutEvents = `
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: without-events}
rules:
- {apiGroups: [""], resources: [nodes, pods, namespaces, persistentvolumes, persistentvolumeclaims, services, replicationcontrollers, limitranges, resourcequotas], verbs: [get, list, watch]}
- {apiGroups: [apps, batch, policy, storage.k8s.io, resource.k8s.io, scheduling.k8s.io, coordination.k8s.io], resources: ["*"], verbs: [get, list, watch]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: without-events}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: without-events}
subjects: [{apiGroup: rbac.authorization.k8s.io, kind: User, name: without-events}]
`

// A scheduler is called dead only where everything was read and nothing tells of it.
func TestASchedulerWithoutALeaseIsAlive(t *testing.T) {
	const gke = "gke.io/optimize-utilization-scheduler"
	plane := startPlane(t, controlplane.Options{Profiles: []string{gke}, Users: []string{without("events")}})
	client := admin(t, plane)
	kubectl(t, plane, otherSchedulers, "apply", "-f", "-")
	kubectl(t, plane, withoutEvents, "apply", "-f", "-")
	eventually(t, gke+" says that no node fits", func(ctx context.Context) (bool, error) {
		pod, err := client.CoreV1().Pods("shop").Get(ctx, "tried", metav1.GetOptions{})
		return err == nil && scheduled(pod).Message != "", err
	})
	for _, test := range []struct {
		user, pod, verdict string
		code               int
		unread             bool
	}{
		{controlplane.Admin, "tried", "Unschedulable", 1, false},
		{controlplane.Admin, "left", "NotConsidered", 1, false},
		{without("events"), "tried", "Unschedulable", 1, true},
		{without("events"), "left", "Unknown", 3, true},
	} {
		t.Run(fmt.Sprintf("%s, to %s", test.pod, test.user), func(t *testing.T) {
			r := fathom(t, "explain", "--kubeconfig", kubeconfig(t, plane, test.user), "-n", "shop", test.pod, "-o", "json")
			e := readExplanation(t, r.stdout)
			if e.Verdict != test.verdict || r.code != test.code {
				t.Errorf("%s, exit code %d: %s", e.Verdict, r.code, e.Summary)
			}
			unread := slices.ContainsFunc(e.Unknown, func(part struct {
				Resource string   `json:"resource"`
				Why      string   `json:"why"`
				Plugins  []string `json:"plugins"`
			},
			) bool {
				return part.Resource == "events" && part.Why == "not allowed to list events"
			})
			if unread != test.unread {
				t.Errorf("unknown[] is %+v", e.Unknown)
			}
			for _, caveat := range []string{
				"scheduler " + gke + " is GKE's: it filters nodes as the default profile does, and may score them differently",
				"scheduler " + gke + " counts as running: last seen ",
			} {
				if got := strings.Contains(r.stdout, caveat); got != (test.pod == "tried") {
					t.Errorf("the caveat %q: %t\n%s", caveat, got, r.stdout)
				}
			}
		})
	}
}

// A scheduler without a Lease that was seen an hour ago may be running; one that was never seen is
// not.
func TestASchedulerSeenAnHourAgoIsNotCalledDead(t *testing.T) {
	plane := startPlane(t, controlplane.Options{})
	client := admin(t, plane)
	kubectl(t, plane, strings.ReplaceAll(otherSchedulers, "gke.io/optimize-utilization-scheduler", "quiet"), "apply", "-f", "-")
	pod, err := client.CoreV1().Pods("shop").Get(t.Context(), "tried", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	ago := metav1.NewTime(time.Now().Add(-time.Hour))
	event := &corev1.Event{
		ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "tried.1"}, Type: "Warning", Reason: "FailedScheduling", Message: "0/1 nodes are available: 1 Insufficient cpu.",
		Source: corev1.EventSource{Component: "quiet"}, FirstTimestamp: ago, LastTimestamp: ago, Count: 1,
		InvolvedObject: corev1.ObjectReference{Kind: "Pod", APIVersion: "v1", Namespace: "shop", Name: "tried", UID: pod.UID},
	}
	if _, err := client.CoreV1().Events("shop").Create(t.Context(), event, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	for pod, want := range map[string]struct {
		verdict, says string
		code          int
	}{
		"tried": {"Unknown", "it has no Lease; last seen 60m ago: FailedScheduling of pod shop/tried", 3},
		"left":  {"NotConsidered", "no Lease, no events, no pods bound by it", 1},
	} {
		r := fathom(t, "explain", "--kubeconfig", kubeconfig(t, plane, controlplane.Admin), "-n", "shop", pod, "-o", "json")
		if e := readExplanation(t, r.stdout); e.Verdict != want.verdict || r.code != want.code || !strings.Contains(r.stdout, want.says) {
			t.Errorf("%s: %s, exit code %d\n%s", pod, e.Verdict, r.code, r.stdout)
		}
	}
}

// forgotten are a pod and a Deployment of a scheduler that does not run.
const forgotten = `
apiVersion: v1
kind: Pod
metadata: {name: bare, namespace: shop, labels: {app: bare}}
spec:
  schedulerName: nobody
  automountServiceAccountToken: false
  containers: [{name: main, image: x, resources: {requests: {cpu: "1"}}}]
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      schedulerName: nobody
      automountServiceAccountToken: false
      containers: [{name: main, image: x, resources: {requests: {cpu: "1"}}}]
`

// The first fix of a pod whose scheduler does not run has the default one place it.
func TestTheDefaultSchedulerTakesAForgottenPod(t *testing.T) {
	plane := startPlane(t, controlplane.Options{Controllers: true, Kwok: true})
	client := admin(t, plane)
	kubectl(t, plane, oneNode, "apply", "-f", "-")
	eventually(t, "pods may be made", func(ctx context.Context) (bool, error) {
		_, err := client.CoreV1().ServiceAccounts("shop").Get(ctx, "default", metav1.GetOptions{})
		return err == nil, nil
	})
	kubectl(t, plane, forgotten, "apply", "-f", "-")
	for _, app := range []string{"bare", "web"} {
		t.Run(app, func(t *testing.T) {
			var pod corev1.Pod
			eventually(t, "the pod is made", func(ctx context.Context) (bool, error) {
				list, err := client.CoreV1().Pods("shop").List(ctx, metav1.ListOptions{LabelSelector: "app=" + app})
				if err != nil || len(list.Items) == 0 {
					return false, err
				}
				pod = list.Items[0]
				return true, nil
			})
			before := listPods(t, client)
			r := fathom(t, "explain", "--kubeconfig", kubeconfig(t, plane, controlplane.Admin), "-n", "shop", pod.Name, "--fixes", "-o", "json")
			e := readExplanation(t, r.stdout)
			if e.Verdict != "NotConsidered" || len(e.Fixes) == 0 || !e.Fixes[0].Verified || e.Fixes[0].Kind != "scheduler" {
				t.Fatalf("%s with fixes %+v", e.Verdict, e.Fixes)
			}
			shell(t, plane, e.Fixes[0].Command)
			if bound := awaitBound(t, client, &pod, "app", e.Fixes[0], before); bound == nil {
				t.Errorf("not bound after\n%s", e.Fixes[0].Command)
			}
		})
	}
}
