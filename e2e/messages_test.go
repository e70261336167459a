package e2e

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/kubectl-fathom/kubectl-fathom/e2e/controlplane"
	"github.com/kubectl-fathom/kubectl-fathom/e2e/random"
)

const (
	randomNodes = 20
	randomPods  = 120
)

// reasonPattern stands between the reasons of a message.
var reasonPattern = regexp.MustCompile(`(^|, |\. preemption: )(\d+/\d+ nodes are available: )?(\d+ )?`)

// What the scheduler would write is said before it writes it: while it is
// stopped and all that it wrote before is overwritten.
func TestMessagesAreTheSchedulersByteForByte(t *testing.T) {
	plane := startPlane(t, controlplane.Options{Kwok: true, Backoff: 1})
	client := admin(t, plane)
	compared, reasons := 0, map[string]int{}
	for seed := *firstSeed; seed < *firstSeed+*seeds; seed++ {
		t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) {
			fillRandom(t, plane, client, uint64(seed))
			compared += compareMessages(t, plane, client, reasons)
			plane.StopScheduler()
			clearPods(t, client)
		})
	}
	fmt.Printf("%d messages compared, of %d random clusters\n", compared, *seeds)
	delete(reasons, "") // what stands before the first
	for _, reason := range slices.Sorted(maps.Keys(reasons)) {
		t.Logf("%5d × %s", reasons[reason], reason)
	}
	if compared < *seeds*10 {
		t.Errorf("only %d messages were compared: the clusters leave too few pods pending", compared)
	}
}

// fillRandom creates the cluster of a seed and leaves it settled, with the
// scheduler stopped and its messages overwritten.
func fillRandom(t *testing.T, plane *controlplane.ControlPlane, client kubernetes.Interface, seed uint64) {
	t.Helper()
	plane.StopScheduler()
	cluster := random.New(seed, randomNodes, randomPods)
	err := cluster.Create(t.Context(), client)
	if err == nil {
		err = cluster.CreatePods(t.Context(), client)
	}
	if err != nil {
		t.Fatal(err)
	}
	settle(t, plane, client)
	terminate(t, client)
	err = plane.StartScheduler(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	settle(t, plane, client)
	overwrite(t, client)
}

// terminate deletes the pods that have a finalizer: they stay, terminating.
func terminate(t *testing.T, client kubernetes.Interface) {
	t.Helper()
	for _, pod := range listPods(t, client) {
		if !slices.Contains(pod.Finalizers, random.Finalizer) || pod.DeletionTimestamp != nil {
			continue
		}
		err := client.CoreV1().Pods(pod.Namespace).Delete(t.Context(), pod.Name, metav1.DeleteOptions{})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// compareMessages explains every pod, then lets the scheduler speak, and gives
// how many messages were compared.
func compareMessages(t *testing.T, plane *controlplane.ControlPlane, client kubernetes.Interface, reasons map[string]int) int {
	t.Helper()
	config := kubeconfig(t, plane, controlplane.Admin)
	before := placement(listPods(t, client))
	ours := explainAll(t, config)
	theirs := rewritten(t, plane, client)
	if after := placement(theirs); after != before {
		t.Fatalf("the cluster was not settled:\n%s\n---\n%s", before, after)
	}
	compared := 0
	for _, name := range slices.Sorted(maps.Keys(theirs)) {
		pod := theirs[name]
		if pod.Spec.NodeName != "" {
			continue
		}
		e, ok := ours[name]
		if !ok {
			t.Errorf("%s is unbound and was not explained", name)
			continue
		}
		if !lookedAt(pod) {
			if e.SchedulerMessage != "" {
				t.Errorf("%s: the scheduler does not look at it, yet it is said to write %q", name, e.SchedulerMessage)
			}
			continue
		}
		compareMessage(t, pod, e)
		compared++
		for _, reason := range reasonPattern.Split(strings.TrimSuffix(scheduled(pod).Message, "."), -1) {
			reasons[reason]++
		}
	}
	return compared
}

// compareMessage compares the message of one pod that the scheduler looks at.
func compareMessage(t *testing.T, pod *corev1.Pod, ours explanation) {
	t.Helper()
	theirs := scheduled(pod).Message
	if ours.SchedulerMessage != theirs {
		t.Errorf("%s (%s):\n  kube-scheduler wrote %q\n  explain foretold     %q", ours.name(), ours.Verdict, theirs, ours.SchedulerMessage)
	}
	if ours.Observed.Message != overwritten {
		t.Errorf("%s: observed.message is %q, the condition said %q", ours.name(), ours.Observed.Message, overwritten)
	}
	if ours.Observed.Agrees == nil || *ours.Observed.Agrees {
		t.Errorf("%s: observed.agrees is %s, the messages differ", ours.name(), boolean(ours.Observed.Agrees))
	}
}

// boolean spells true, false or null.
func boolean(b *bool) string {
	if b == nil {
		return "null"
	}
	return fmt.Sprint(*b)
}
