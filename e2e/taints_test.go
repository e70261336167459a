package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"

	"github.com/kubectl-fathom/kubectl-fathom/e2e/controlplane"
)

// taintedPods is how many random pods a tainted node has.
const taintedPods = 24

// apart is how much later than another a pod has to be evicted for the order of the two to
// be compared: timers of one moment fire in any order.
const apart = 3 * time.Second

// taintKeys are those of the NoExecute taints, in the order in which they are added.
var taintKeys = []string{"example.com/first", "example.com/second"}

// The taint eviction controller deletes the pods that get taints says it evicts, no other
// ones, in that order, and none before its time: with two taints one after the other, and
// pods that come before, between and after them.
func TestTaintsEvictWhenGetTaintsSays(t *testing.T) {
	t.Parallel() // most of its time is waiting for a control plane of its own
	// The other controller makes the index by which this one finds the pods of a node.
	plane := startPlane(t, controlplane.Options{Controllers: true, Only: []string{"taint-eviction-controller", "node-lifecycle-controller"}})
	client := admin(t, plane)
	createReady(t, client)
	seed := uint64(*firstSeed)
	random := rand.New(rand.NewPCG(seed, seed))
	told, last := map[string]time.Time{}, time.Now()
	for i := range taintedPods {
		if i%(taintedPods/3) == 0 && i > 0 {
			time.Sleep(2 * time.Second) // times are in seconds: what is later has to be so in these
			addNoExecute(t, client, taintKeys[i/(taintedPods/3)-1])
			time.Sleep(2 * time.Second)
		}
		createTolerating(t, client, random, fmt.Sprintf("p%02d", i))
		if i%(taintedPods/3) == taintedPods/3-1 {
			maps.Copy(told, evictionsTold(t, plane))
		}
	}
	for _, at := range told {
		if at.After(last) {
			last = at
		}
	}
	eventually(t, "the last pod is evicted", func(context.Context) (bool, error) {
		return time.Now().After(last.Add(2 * apart)), nil
	})
	deleted := deletions(t, client, told)
	if !slices.Equal(slices.Sorted(maps.Keys(told)), slices.Sorted(maps.Keys(deleted))) || len(told) < taintedPods/4 {
		t.Fatalf("get taints names %d pods that are evicted: %v\nthe controller deleted %d: %v", len(told), told, len(deleted), deleted)
	}
	order := slices.SortedFunc(maps.Keys(told), func(a, b string) int { return told[a].Compare(told[b]) })
	for i, name := range order {
		if late := deleted[name].Sub(told[name]); late < 0 {
			t.Errorf("%s was deleted %s before its time %s", name, -late, told[name])
		}
		for _, later := range order[i+1:] {
			if told[later].Sub(told[name]) >= apart && !deleted[name].Before(deleted[later]) {
				t.Errorf("%s was to be evicted at %s and %s at %s, it was the other way round: %s and %s",
					name, told[name], later, told[later], deleted[name], deleted[later])
			}
		}
	}
	fmt.Printf("%d of %d random pods were evicted by two NoExecute taints as told\n", len(told), taintedPods)
}

// createReady makes the node, which is Ready.
func createReady(t *testing.T, client kubernetes.Interface) {
	t.Helper()
	node, err := client.CoreV1().Nodes().Create(t.Context(), &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n1"}}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	now := metav1.Now()
	node.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue, LastHeartbeatTime: now, LastTransitionTime: now}}
	if _, err := client.CoreV1().Nodes().UpdateStatus(t.Context(), node, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the node lost the taint of new nodes", func(ctx context.Context) (bool, error) {
		node, err := client.CoreV1().Nodes().Get(ctx, "n1", metav1.GetOptions{})
		return err == nil && len(node.Spec.Taints) == 0, err
	})
}

// addNoExecute adds a taint to the node, with the time.
func addNoExecute(t *testing.T, client kubernetes.Interface, key string) {
	t.Helper()
	node, err := client.CoreV1().Nodes().Get(t.Context(), "n1", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	now := metav1.Now()
	taints, err := json.Marshal(append(node.Spec.Taints, corev1.Taint{Key: key, Effect: corev1.TaintEffectNoExecute, TimeAdded: &now}))
	if err != nil {
		t.Fatal(err)
	}
	patch := fmt.Appendf(nil, `{"spec":{"taints":%s}}`, taints)
	if _, err := client.CoreV1().Nodes().Patch(t.Context(), "n1", types.MergePatchType, patch, metav1.PatchOptions{}); err != nil {
		t.Fatal(err)
	}
}

// createTolerating makes a pod on the node that tolerates the taints for good or for some
// seconds, now and then all taints.
func createTolerating(t *testing.T, client kubernetes.Interface, random *rand.Rand, name string) {
	t.Helper()
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec:       corev1.PodSpec{NodeName: "n1", AutomountServiceAccountToken: new(false), Containers: []corev1.Container{{Name: "app", Image: "app"}}},
	}
	for _, key := range taintKeys {
		toleration := corev1.Toleration{Key: key, Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoExecute}
		switch random.IntN(8) {
		case 0:
			toleration.Key = ""
		case 1:
		default:
			toleration.TolerationSeconds = new(15 + random.Int64N(30))
		}
		pod.Spec.Tolerations = append(pod.Spec.Tolerations, toleration)
	}
	if _, err := client.CoreV1().Pods("default").Create(t.Context(), pod, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
}

// evictionsTold are the pods that get taints says are evicted, and when.
func evictionsTold(t *testing.T, plane *controlplane.ControlPlane) map[string]time.Time {
	t.Helper()
	r := fathom(t, "get", "taints", "-o", "json", "--kubeconfig", kubeconfig(t, plane, controlplane.Admin))
	var list struct {
		Items []struct {
			Intruders []struct {
				Name      string     `json:"name"`
				Evicts    bool       `json:"evicts"`
				EvictedAt *time.Time `json:"evictedAt"`
			} `json:"intruders"`
		} `json:"items"`
	}
	if err := json.Unmarshal([]byte(r.stdout), &list); err != nil || r.code != 0 {
		t.Fatalf("get taints: exit code %d, %v\n%s%s", r.code, err, r.stdout, r.stderr)
	}
	told := map[string]time.Time{}
	for _, taint := range list.Items {
		for _, pod := range taint.Intruders {
			if !pod.Evicts || pod.EvictedAt == nil {
				t.Fatalf("%s: no time is told of its eviction", pod.Name)
			}
			told[pod.Name] = *pod.EvictedAt
		}
	}
	return told
}

// deletions are the pods that were deleted, and when. Nothing runs them, so they stay.
func deletions(t *testing.T, client kubernetes.Interface, told map[string]time.Time) map[string]time.Time {
	t.Helper()
	deleted := map[string]time.Time{}
	pods := listPods(t, client)
	if len(pods) != taintedPods {
		t.Fatalf("%d pods are left, told of %d", len(pods), len(told))
	}
	for _, pod := range pods {
		if pod.DeletionTimestamp != nil {
			deleted[pod.Name] = pod.DeletionTimestamp.Add(-time.Duration(*pod.DeletionGracePeriodSeconds) * time.Second)
		}
	}
	return deleted
}
