package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"

	"github.com/kubectl-fathom/kubectl-fathom/e2e/controlplane"
)

// drainPlan is what the contract says of the plan of a drain.
type drainPlan struct {
	Pods []drainedPod
}

// drainedPod is what a plan says of a pod that ends.
type drainedPod struct {
	Namespace, Name, UID string
	Fate                 struct{ Outcome, Node, Why string }
}

// drainFigures count what a comparison of drains came to.
type drainFigures struct {
	drains, pods, lands, waits, preempts, depends, unknown, lost, moved int
}

const (
	drainsPerCluster = 3
	// endingTime is how long pods take at most to end.
	endingTime = 3 * time.Second
)

// Nodes are drained, and what the plan has said of each pod is held to what became
// of it: those that land are bound by the real scheduler, those that wait stay
// Pending.
func TestPodsOfADrainedNodeComeBackAsThePlanSays(t *testing.T) {
	t.Parallel() // most of its time is waiting for a control plane of its own
	plane := startPlane(t, controlplane.Options{Kwok: true, Controllers: true, Backoff: 1, TerminationTime: endingTime})
	client := admin(t, plane)
	kubectl(t, plane, drainRanks, "apply", "-f", "-")
	var seen drainFigures
	for seed := *firstSeed; seen.drains < *drains; seed++ {
		c := newDrainable(uint64(seed))
		c.create(t, plane)
		for n := 0; n < drainsPerCluster && seen.drains < *drains; n++ {
			node := c.nodes[c.rand.IntN(len(c.nodes))]
			t.Run(fmt.Sprintf("seed %d, %s", seed, node), func(t *testing.T) {
				atRest(t, client)
				compareDrain(t, plane, client, node, &seen)
			})
		}
		clearDrainable(t, plane, client)
	}
	fmt.Printf("%d drains compared, %d pods ended: %d landed as foretold, %d by preemption, %d stayed Pending as foretold, %d were lost; "+
		"%d depend on an order, of %d nothing could be foretold, %d were moved once more by a preemption\n",
		seen.drains, seen.pods, seen.lands, seen.preempts, seen.waits, seen.lost, seen.depends, seen.unknown, seen.moved)
	if seen.lands == 0 {
		t.Error("no pod has landed")
	}
}

// compareDrain plans the drain of a node, drains it, compares and uncordons it.
func compareDrain(t *testing.T, plane *controlplane.ControlPlane, client kubernetes.Interface, node string, seen *drainFigures) {
	t.Helper()
	config := kubeconfig(t, plane, controlplane.Admin)
	before := listPods(t, client)
	plan := planDrain(t, config, node)
	drainAll(t, plane, node)
	atRest(t, client)
	seen.drains++
	compareReturns(t, plan, before, listPods(t, client), seen)
	kubectl(t, plane, "", "uncordon", node)
}

// drainAll drains a node of all that can be evicted.
func drainAll(t *testing.T, plane *controlplane.ControlPlane, node string) {
	t.Helper()
	config := kubeconfig(t, plane, controlplane.Admin)
	if done := fathom(t, "drain", node, "--kubeconfig", config, "--yes", "--force", "--delete-emptydir-data", "--timeout", "20s"); done.code != 0 {
		// A budget waits for pods that stay Pending: it is lifted, so that all go.
		kubectl(t, plane, "", "delete", "poddisruptionbudgets", "-n", "drains", "--all")
		if done = fathom(t, "drain", node, "--kubeconfig", config, "--yes", "--force", "--delete-emptydir-data", "--timeout", "60s"); done.code != 0 {
			t.Fatalf("drain: exit code %d\n%s%s", done.code, done.stdout, done.stderr)
		}
	}
}

// planDrain takes the plan, once more where a busy machine keeps the API server
// from answering.
func planDrain(t *testing.T, config, node string) drainPlan {
	t.Helper()
	var plan drainPlan
	r := fathom(t, "drain", node, "--kubeconfig", config, "--plan", "-o", "json")
	if r.code == 3 && r.stdout == "" {
		r = fathom(t, "drain", node, "--kubeconfig", config, "--plan", "-o", "json")
	}
	if err := json.Unmarshal([]byte(r.stdout), &plan); err != nil {
		t.Fatalf("read the plan: %v\n%s\n%s", err, r.stdout, r.stderr)
	}
	return plan
}

// returns are the pods of one controller that a drain ends, and those that have
// come meanwhile. Which of those took whose place nobody can say, but of a
// StatefulSet's.
type returns struct {
	ended        []drainedPod
	bound, waits int
	moved        bool // a pod of it that was not to end is gone: it was preempted
}

// compareReturns holds the plan to what came.
func compareReturns(t *testing.T, plan drainPlan, before, after map[string]*corev1.Pod, seen *drainFigures) {
	t.Helper()
	all := map[string]*returns{}
	of := func(pod *corev1.Pod) *returns {
		key := pod.Namespace + "/" + pod.Name
		if owner := metav1.GetControllerOf(pod); owner != nil && owner.Kind != "StatefulSet" {
			key = string(owner.UID)
		}
		if all[key] == nil {
			all[key] = &returns{}
		}
		return all[key]
	}
	ends, known := map[types.UID]bool{}, map[types.UID]bool{}
	for _, end := range plan.Pods {
		ends[types.UID(end.UID)] = true
		of(before[end.Namespace+"/"+end.Name]).ended = append(of(before[end.Namespace+"/"+end.Name]).ended, end)
	}
	left := map[types.UID]bool{}
	for _, pod := range after {
		left[pod.UID] = true
	}
	for _, pod := range before {
		known[pod.UID] = true
		if !ends[pod.UID] && !left[pod.UID] {
			of(pod).moved = true
		}
	}
	for _, pod := range after {
		switch {
		case known[pod.UID]:
		case pod.Spec.NodeName != "":
			of(pod).bound++
		default:
			of(pod).waits++
		}
	}
	for name, r := range all {
		r.compare(t, name, seen)
	}
}

// compare holds what was foretold of the pods of one controller to what came.
func (r *returns) compare(t *testing.T, name string, seen *drainFigures) {
	t.Helper()
	count := map[string]int{}
	var said []string
	for _, end := range r.ended {
		count[end.Fate.Outcome]++
		said = append(said, fmt.Sprintf("%s: %s %s (%s)", end.Name, end.Fate.Outcome, end.Fate.Node, end.Fate.Why))
	}
	seen.pods += len(r.ended)
	if r.moved && len(r.ended) > 0 {
		seen.moved += len(r.ended)
		return
	}
	seen.lost += count["notRecreated"]
	seen.depends += count["depends"]
	seen.unknown += count["unknown"]
	if len(r.ended) == 0 || count["unknown"] > 0 {
		return
	}
	lands := count["rescheduled"] + count["preempts"]
	if r.bound < lands || r.bound > lands+count["depends"] {
		t.Errorf("%s: %d came to a node, %d wait; the plan said\n  %s", name, r.bound, r.waits, strings.Join(said, "\n  "))
		return
	}
	seen.lands += count["rescheduled"]
	seen.preempts += count["preempts"]
	seen.waits += count["pending"]
	for _, line := range said {
		if strings.Contains(line, ": depends ") {
			t.Log(line)
		}
	}
}

// clearDrainable deletes the cluster.
func clearDrainable(t *testing.T, plane *controlplane.ControlPlane, client kubernetes.Interface) {
	t.Helper()
	kubectl(t, plane, "", "delete", "deployments,statefulsets,jobs,daemonsets,poddisruptionbudgets,pods", "-n", "drains", "--all", "--wait=false")
	eventually(t, "no pod is left", func(context.Context) (bool, error) { return len(listPods(t, client)) == 0, nil })
	kubectl(t, plane, "", "delete", "nodes", "--all")
}
