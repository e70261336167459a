package e2e

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/kubectl-fathom/kubectl-fathom/e2e/controlplane"
)

// fitAnswer is what the contract says of an answer of fit.
type fitAnswer struct {
	Asked  int
	Fits   *int
	Placed []struct {
		Node string
		Pods int
	}
	Next      *struct{ Summary string }
	Scheduler struct{ Caveats []string }
}

// chance begins the caveat that random choices decide how many fit.
const chance = "where several nodes score equally, kube-scheduler chooses at random"

// mostFit is how many replicas are asked for: more than any of these clusters takes.
const mostFit = 150

// fitKinds are what decides how many pods fit, beside their requests.
var fitKinds = []struct{ name, spec string }{
	{"plain", ""},
	{"spread", "topologySpreadConstraints: [{maxSkew: 1, topologyKey: topology.kubernetes.io/zone, whenUnsatisfiable: DoNotSchedule, labelSelector: {matchLabels: {app: fits}}}]"},
	{"anti-affinity", "affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: kubernetes.io/hostname, labelSelector: {matchLabels: {app: fits}}}]}}"},
	{"taints", "tolerations: [{key: fits, operator: Exists}], nodeSelector: {kubernetes.io/hostname: drain-01}"},
	{"host ports", ""},
}

// fitSeen counts what a comparison of answers of fit came to.
type fitSeen struct{ cases, bound, none, chance int }

// In random clusters the replicas that fit are created, and one more: those are bound by
// the real scheduler to the nodes that fit names, the one more is not.
func TestAsManyReplicasAreBoundAsFit(t *testing.T) {
	t.Parallel() // most of its time is waiting for a control plane of its own
	plane := startPlane(t, controlplane.Options{Kwok: true, Controllers: true, Backoff: 1, TerminationTime: endingTime})
	client := admin(t, plane)
	kubectl(t, plane, drainRanks, "apply", "-f", "-")
	var seen fitSeen
	for seed := *firstSeed; seen.cases < *fits; seed++ {
		c := newDrainable(uint64(seed))
		c.create(t, plane)
		kubectl(t, plane, "", "taint", "node", "drain-01", "fits=only:NoSchedule")
		atRest(t, client)
		for _, kind := range fitKinds {
			if seen.cases == *fits {
				break
			}
			t.Run(fmt.Sprintf("seed %d, %s", seed, kind.name), func(t *testing.T) {
				compareFit(t, plane, client, fitManifest(c, kind.name, kind.spec), &seen)
			})
			seen.cases++
		}
		clearDrainable(t, plane, client)
	}
	fmt.Printf("%d answers of fit compared: %d replicas were bound, and one more of each was not; %d fit no node, %d were left to chance\n",
		seen.cases, seen.bound, seen.none, seen.chance)
	if seen.bound == 0 {
		t.Error("no replica fits")
	}
}

// fitManifest is a ReplicaSet of pods of a kind; %d is how many.
func fitManifest(c *drainable, kind, spec string) string {
	cpu, ports := pickOne(c, "500m", "1", "1500m", "2"), ""
	if kind == "host ports" {
		ports = "ports: [{containerPort: 80, hostPort: 8080}], "
	}
	if spec != "" {
		spec = ", " + spec
	}
	return fmt.Sprintf("apiVersion: apps/v1\nkind: ReplicaSet\nmetadata: {namespace: drains, name: fits}\nspec: {replicas: %%d, selector: {matchLabels: {app: fits}}, "+
		"template: {metadata: {labels: {app: fits}}, spec: {containers: [{name: main, image: x, %sresources: {requests: {cpu: %s}}}]%s}}}\n", ports, cpu, spec)
}

// compareFit asks how many replicas fit, creates them and one more, and removes them.
func compareFit(t *testing.T, plane *controlplane.ControlPlane, client kubernetes.Interface, manifest string, seen *fitSeen) {
	t.Helper()
	r := fathomWithInput(t, fmt.Sprintf(manifest, mostFit), "fit", "-f", "-", "-o", "json", "--kubeconfig", kubeconfig(t, plane, controlplane.Admin))
	var answer fitAnswer
	if err := json.Unmarshal([]byte(r.stdout), &answer); err != nil {
		t.Fatalf("read the answer: %v\n%s\n%s", err, r.stdout, r.stderr)
	}
	if r.code != 1 || answer.Fits == nil || answer.Next == nil || answer.Asked != mostFit {
		t.Fatalf("exit code %d\n%s\n%s", r.code, r.stdout, r.stderr)
	}
	placed := map[string]int{}
	for _, p := range answer.Placed {
		placed[p.Node] += p.Pods
	}
	kubectl(t, plane, fmt.Sprintf(manifest, *answer.Fits+1), "apply", "-f", "-")
	defer func() {
		kubectl(t, plane, "", "delete", "replicaset", "-n", "drains", "fits")
		atRest(t, client)
	}()
	atRest(t, client)
	bound, pending := map[string]int{}, 0
	for _, pod := range listPods(t, client) {
		switch {
		case pod.Labels["app"] != "fits":
		case pod.Spec.NodeName == "":
			pending++
			if why := scheduled(pod).Reason; why != corev1.PodReasonUnschedulable {
				t.Errorf("one more is pending for another reason: %s", why)
			}
		default:
			bound[pod.Spec.NodeName]++
		}
	}
	sum := 0
	for _, pods := range bound {
		sum += pods
	}
	random := slices.ContainsFunc(answer.Scheduler.Caveats, func(text string) bool { return strings.HasPrefix(text, chance) })
	switch {
	case sum == *answer.Fits && pending == 1:
		seen.bound += sum
		if sum == 0 {
			seen.none++
		}
		t.Logf("%d bound as %v, placed as %v; the next: %s", sum, bound, placed, answer.Next.Summary)
		if !random && !maps.Equal(bound, placed) {
			t.Error("they are bound to other nodes than fit names")
		}
	case random:
		seen.chance++
		t.Logf("%d fit, %d bound, %d pending: left to chance", *answer.Fits, sum, pending)
	default:
		t.Errorf("%d fit, as %v; %d are bound, as %v, %d pending", *answer.Fits, placed, sum, bound, pending)
	}
}

// lossAnswer is what the contract says of an answer of fit --lose.
type lossAnswer struct {
	Rescheduled, Pending, NotRecreated, Undecided []struct{ Namespace, Name, UID, Outcome, Node, Why string }
}

// Nodes are drained, and what fit --lose has said of their pods is held to what became of
// them, as that of a plan is.
func TestPodsOfADrainedNodeComeBackAsFitLoseSays(t *testing.T) {
	t.Parallel() // most of its time is waiting for a control plane of its own
	plane := startPlane(t, controlplane.Options{Kwok: true, Controllers: true, Backoff: 1, TerminationTime: endingTime})
	client := admin(t, plane)
	kubectl(t, plane, drainRanks, "apply", "-f", "-")
	var seen drainFigures
	// Random nodes may have no pod to reschedule: a few more are drained then.
	for seed := *firstSeed; seen.drains < *losses || seen.lands == 0 && seen.drains < 4**losses; seed++ {
		c := newDrainable(uint64(seed))
		c.create(t, plane)
		node := c.nodes[c.rand.IntN(len(c.nodes))]
		t.Run(fmt.Sprintf("seed %d, %s", seed, node), func(t *testing.T) {
			atRest(t, client)
			compareLoss(t, plane, client, node, &seen)
		})
		clearDrainable(t, plane, client)
	}
	fmt.Printf("%d answers of fit --lose compared, %d pods: %d were rescheduled as foretold, %d by preemption, %d stayed Pending as foretold, %d were lost; "+
		"%d depend on an order, of %d nothing could be foretold, %d were moved once more by a preemption\n",
		seen.drains, seen.pods, seen.lands, seen.preempts, seen.waits, seen.lost, seen.depends, seen.unknown, seen.moved)
	if seen.lands == 0 {
		t.Error("no pod is rescheduled")
	}
}

// compareLoss asks what becomes of the pods of a node, drains it and compares.
func compareLoss(t *testing.T, plane *controlplane.ControlPlane, client kubernetes.Interface, node string, seen *drainFigures) {
	t.Helper()
	config := kubeconfig(t, plane, controlplane.Admin)
	before := listPods(t, client)
	r := fathom(t, "fit", "--lose", node, "-o", "json", "--kubeconfig", config)
	var answer lossAnswer
	if err := json.Unmarshal([]byte(r.stdout), &answer); err != nil {
		t.Fatalf("read the answer: %v\n%s\n%s", err, r.stdout, r.stderr)
	}
	if lost := len(answer.Pending) + len(answer.NotRecreated); (r.code == 1) != (lost > 0) {
		t.Errorf("exit code %d with %d pods that become Pending or are not recreated", r.code, lost)
	}
	var told drainPlan
	for _, pod := range slices.Concat(answer.Rescheduled, answer.Pending, answer.NotRecreated, answer.Undecided) {
		one := drainedPod{Namespace: pod.Namespace, Name: pod.Name, UID: pod.UID}
		one.Fate.Outcome, one.Fate.Node, one.Fate.Why = pod.Outcome, pod.Node, pod.Why
		told.Pods = append(told.Pods, one)
	}
	drainAll(t, plane, node)
	atRest(t, client)
	seen.drains++
	compareReturns(t, told, before, listPods(t, client), seen)
	kubectl(t, plane, "", "uncordon", node)
}
