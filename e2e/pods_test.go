package e2e

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"

	"github.com/kubectl-fathom/kubectl-fathom/e2e/controlplane"
	"github.com/kubectl-fathom/kubectl-fathom/e2e/random"
)

// overwritten takes the place of what the scheduler said.
const overwritten = "overwritten by the test"

// pollTimeout is how long a state of the cluster may be waited for.
const pollTimeout = 2 * time.Minute

// eventually waits until done says true.
func eventually(t *testing.T, what string, done func(context.Context) (bool, error)) {
	t.Helper()
	err := wait.PollUntilContextTimeout(t.Context(), 100*time.Millisecond, pollTimeout, true, done)
	if err != nil {
		t.Fatalf("wait until %s: %v", what, err)
	}
}

// listPods gives all pods, by namespace/name.
func listPods(t *testing.T, client kubernetes.Interface) map[string]*corev1.Pod {
	t.Helper()
	list, err := client.CoreV1().Pods("").List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return byName(list)
}

// byName indexes pods by namespace/name.
func byName(list *corev1.PodList) map[string]*corev1.Pod {
	pods := make(map[string]*corev1.Pod, len(list.Items))
	for i := range list.Items {
		pods[list.Items[i].Namespace+"/"+list.Items[i].Name] = &list.Items[i]
	}
	return pods
}

// scheduled is the PodScheduled condition, or a zero one.
func scheduled(pod *corev1.Pod) corev1.PodCondition {
	for _, condition := range pod.Status.Conditions {
		if condition.Type == corev1.PodScheduled {
			return condition
		}
	}
	return corev1.PodCondition{}
}

// lookedAt tells whether kube-scheduler runs its filters for an unbound pod. It
// waits with those whose resource claim does not exist.
func lookedAt(pod *corev1.Pod) bool {
	missing := slices.ContainsFunc(pod.Spec.ResourceClaims, func(use corev1.PodResourceClaim) bool {
		return use.ResourceClaimName != nil && *use.ResourceClaimName == random.Missing
	})
	return pod.Spec.NodeName == "" && pod.DeletionTimestamp == nil && !missing &&
		len(pod.Spec.SchedulingGates) == 0 && pod.Spec.SchedulerName == corev1.DefaultSchedulerName
}

// overwrite overwrites the message of every unbound pod.
func overwrite(t *testing.T, client kubernetes.Interface) {
	t.Helper()
	patch := []byte(`{"status":{"conditions":[{"type":"PodScheduled","status":"False","reason":"Unschedulable","message":"` + overwritten + `"}]}}`)
	for _, pod := range listPods(t, client) {
		if !lookedAt(pod) {
			continue
		}
		_, err := client.CoreV1().Pods(pod.Namespace).Patch(t.Context(), pod.Name, types.StrategicMergePatchType, patch, metav1.PatchOptions{}, "status")
		if err != nil {
			t.Fatal(err)
		}
	}
}

// rewritten starts the scheduler, waits until it has tried every pod that it
// looks at, and gives the pods. The CSI drivers of cluster do their part.
func rewritten(t *testing.T, plane *controlplane.ControlPlane, client kubernetes.Interface, cluster *random.Cluster) map[string]*corev1.Pod {
	t.Helper()
	err := plane.StartScheduler(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var pods map[string]*corev1.Pod
	var waits []string
	defer func() {
		if t.Failed() {
			t.Logf("still not tried: %v", waits)
		}
	}()
	eventually(t, "the scheduler has tried every pod", func(ctx context.Context) (bool, error) {
		err := cluster.Provision(ctx, client)
		if err != nil {
			return false, err
		}
		list, err := client.CoreV1().Pods("").List(ctx, metav1.ListOptions{})
		if err != nil {
			return false, err
		}
		pods, waits = byName(list), nil
		for name, pod := range pods {
			message := scheduled(pod).Message
			if lookedAt(pod) && (message == "" || message == overwritten) {
				waits = append(waits, name)
			}
		}
		return len(waits) == 0, nil
	})
	return pods
}

// settle lets the scheduler try every pod again and again until that changes
// nothing, and stops it. The error says what does not settle.
func settle(t *testing.T, plane *controlplane.ControlPlane, client kubernetes.Interface, cluster *random.Cluster) error {
	t.Helper()
	const most = 30
	before := ""
	for range most {
		rewritten(t, plane, client, cluster)
		state, err := quiet(t, client, pause)
		plane.StopScheduler()
		if err != nil || state == before {
			return err
		}
		before = state
		overwrite(t, client)
	}
	return fmt.Errorf("settle the cluster: it still changes after %d rounds", most)
}

// How long nothing may change before the cluster is said to rest.
const (
	pause   = 300 * time.Millisecond  // for victims to go, their successors to bind, claims to be bound
	respite = 1500 * time.Millisecond // for pods that the scheduler lets wait before it tries them again
)

// quiet waits until nothing that decides where pods go has changed for a
// while, and gives it. The error says what keeps changing.
func quiet(t *testing.T, client kubernetes.Interface, pause time.Duration) (string, error) {
	t.Helper()
	const most = 100
	var before []string
	var last map[string]bool // what has changed of late
	for i := range most {
		state := append(placement(listPods(t, client)), claimed(t, client)...)
		if slices.Equal(state, before) {
			return strings.Join(state, "\n"), nil
		}
		if i%(most/10) == 0 {
			last = map[string]bool{}
		}
		for _, line := range state {
			if !slices.Contains(before, line) {
				last[line] = true
			}
		}
		before = state
		time.Sleep(pause)
	}
	return "", fmt.Errorf("settle the cluster: it keeps changing:\n%s", strings.Join(slices.Sorted(maps.Keys(last)), "\n"))
}

// claimed is the state of everything else that kube-scheduler and
// kube-controller-manager write: volumes, claims, devices and budgets.
func claimed(t *testing.T, client kubernetes.Interface) []string {
	t.Helper()
	var lines []string
	add := func(objects []metav1.Object) {
		for _, o := range objects {
			lines = append(lines, fmt.Sprintf("%T %s/%s %s", o, o.GetNamespace(), o.GetName(), o.GetResourceVersion()))
		}
	}
	all := metav1.ListOptions{}
	volumes, err1 := client.CoreV1().PersistentVolumes().List(t.Context(), all)
	claims, err2 := client.CoreV1().PersistentVolumeClaims("").List(t.Context(), all)
	devices, err3 := client.ResourceV1().ResourceClaims("").List(t.Context(), all)
	budgets, err4 := client.PolicyV1().PodDisruptionBudgets("").List(t.Context(), all)
	err := errors.Join(err1, err2, err3, err4)
	if err != nil {
		t.Fatal(err)
	}
	add(objectsOf(volumes.Items))
	add(objectsOf(claims.Items))
	add(objectsOf(devices.Items))
	add(objectsOf(budgets.Items))
	slices.Sort(lines)
	return lines
}

// objectsOf are the objects of a list.
func objectsOf[T any, P interface {
	*T
	metav1.Object
}](items []T) []metav1.Object {
	objects := make([]metav1.Object, len(items))
	for i := range items {
		objects[i] = P(&items[i])
	}
	return objects
}

// placement says where each pod is, or is to be.
func placement(pods map[string]*corev1.Pod) []string {
	var lines []string
	for name, pod := range pods {
		lines = append(lines, name+" "+string(pod.UID)+" "+pod.Spec.NodeName+" "+pod.Status.NominatedNodeName)
	}
	slices.Sort(lines)
	return lines
}
