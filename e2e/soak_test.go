package e2e

import (
	"fmt"
	"math/rand/v2"
	"os"
	"regexp"
	"strconv"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/kubectl-fathom/kubectl-fathom/e2e/controlplane"
)

// soakGrowth is how much memory the dashboard may gain over a soak, in KiB:
// what a heap needs to settle, not what a leak takes.
const soakGrowth = 64 << 10

// residentPattern is the line of /proc/PID/status with the memory that is held.
var residentPattern = regexp.MustCompile(`VmRSS:\s+(\d+) kB`)

// A dashboard that is left open over a busy cluster stays live and small.
func TestDashboardStaysLiveAndSmallUnderChange(t *testing.T) {
	plane := startFleet(t)
	client := admin(t, plane)
	s := open(t, 120, 40, "--kubeconfig", kubeconfig(t, plane, controlplane.Admin))
	s.shows(`› all › pending` + live)
	s.shows(`ml/train`)
	changes := churn(t, client, *soak/4) // until its caches are warm
	began := resident(t, s)
	for end := time.Now().Add(*soak); time.Now().Before(end); {
		for _, view := range []string{"2", "3", "1"} {
			s.press(view)
			changes += churn(t, client, time.Second)
		}
	}
	s.shows(`› all › pending` + live)
	s.shows(`ml/train`)
	grown := resident(t, s) - began
	if grown > soakGrowth {
		t.Errorf("the dashboard has grown by %d KiB in %s", grown, *soak)
	}
	s.press(ctrlC)
	s.ends(0)
	fmt.Printf("%d pods came and went under the dashboard in %s, which grew from %d KiB by %d KiB\n", changes, *soak, began, grown)
}

// churn creates and deletes pods for a while, most of which fit, and gives how many.
func churn(t *testing.T, client kubernetes.Interface, d time.Duration) int {
	t.Helper()
	count := 0
	for end := time.Now().Add(d); time.Now().Before(end); count++ {
		pod := &corev1.Pod{
			ObjectMeta: metav1.ObjectMeta{GenerateName: "soak-", Namespace: "batch", Labels: map[string]string{"app": "soak"}},
			Spec: corev1.PodSpec{Containers: []corev1.Container{{
				Name: "main", Image: "registry.example/soak:v1",
				Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{
					corev1.ResourceCPU: *resource.NewMilliQuantity(int64(10+1000*rand.IntN(10)), resource.DecimalSI),
				}},
			}}},
		}
		created, err := client.CoreV1().Pods(pod.Namespace).Create(t.Context(), pod, metav1.CreateOptions{})
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(20 * time.Millisecond) // time to bind it, or not
		err = client.CoreV1().Pods(pod.Namespace).Delete(t.Context(), created.Name, metav1.DeleteOptions{GracePeriodSeconds: new(int64)})
		if err != nil {
			t.Fatal(err)
		}
	}
	return count
}

// resident is the memory that the program holds, in KiB.
func resident(t *testing.T, s screen) int {
	t.Helper()
	pid, err := s.Program()
	if err != nil {
		t.Fatal(err)
	}
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Fatal(err)
	}
	found := residentPattern.FindSubmatch(status)
	if found == nil {
		t.Fatalf("no VmRSS in %s", status)
	}
	kibibytes, err := strconv.Atoi(string(found[1]))
	if err != nil {
		t.Fatal(err)
	}
	return kibibytes
}
