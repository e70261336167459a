package e2e

import (
	"context"
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

// lookedAt tells whether kube-scheduler runs its filters for an unbound pod.
func lookedAt(pod *corev1.Pod) bool {
	return pod.Spec.NodeName == "" && pod.DeletionTimestamp == nil &&
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
// looks at, and gives the pods.
func rewritten(t *testing.T, plane *controlplane.ControlPlane, client kubernetes.Interface) map[string]*corev1.Pod {
	t.Helper()
	err := plane.StartScheduler(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var pods map[string]*corev1.Pod
	eventually(t, "the scheduler has tried every pod", func(ctx context.Context) (bool, error) {
		list, err := client.CoreV1().Pods("").List(ctx, metav1.ListOptions{})
		if err != nil {
			return false, err
		}
		pods = byName(list)
		for _, pod := range pods {
			message := scheduled(pod).Message
			if lookedAt(pod) && (message == "" || message == overwritten) {
				return false, nil
			}
		}
		return true, nil
	})
	return pods
}

// settle lets the scheduler try every pod again and again until that changes
// nothing, and stops it.
func settle(t *testing.T, plane *controlplane.ControlPlane, client kubernetes.Interface) {
	t.Helper()
	const rounds = 30
	before := ""
	for range rounds {
		pods := rewritten(t, plane, client)
		state := placement(pods)
		if state == before {
			plane.StopScheduler()
			return
		}
		before = state
		time.Sleep(200 * time.Millisecond) // for victims to go and their successors to bind
		plane.StopScheduler()
		overwrite(t, client)
	}
	t.Fatalf("the scheduler does not settle in %d rounds", rounds)
}

// placement says where each pod is, or is to be.
func placement(pods map[string]*corev1.Pod) string {
	var lines []string
	for name, pod := range pods {
		lines = append(lines, name+" "+string(pod.UID)+" "+pod.Spec.NodeName+" "+pod.Status.NominatedNodeName)
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

// clearPods deletes all pods and nodes at once.
func clearPods(t *testing.T, client kubernetes.Interface) {
	t.Helper()
	now := metav1.DeleteOptions{GracePeriodSeconds: new(int64)}
	for _, pod := range listPods(t, client) {
		if len(pod.Finalizers) > 0 {
			_, err := client.CoreV1().Pods(pod.Namespace).Patch(t.Context(), pod.Name, types.MergePatchType, []byte(`{"metadata":{"finalizers":null}}`), metav1.PatchOptions{})
			if err != nil {
				t.Fatal(err)
			}
		}
		err := client.CoreV1().Pods(pod.Namespace).Delete(t.Context(), pod.Name, now)
		if err != nil && pod.DeletionTimestamp == nil {
			t.Fatal(err)
		}
	}
	eventually(t, "all pods are gone", func(ctx context.Context) (bool, error) {
		list, err := client.CoreV1().Pods("").List(ctx, metav1.ListOptions{})
		return err == nil && len(list.Items) == 0, err
	})
	err := client.CoreV1().Nodes().DeleteCollection(t.Context(), now, metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
}
