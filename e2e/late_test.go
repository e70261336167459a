package e2e

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"sigs.k8s.io/yaml"

	"github.com/kubectl-fathom/kubectl-fathom/e2e/controlplane"
	"github.com/kubectl-fathom/kubectl-fathom/e2e/random"
)

// found begins what the scheduler writes of a preemption that succeeds.
const found = "preemption: found a potential placement"

// rounds are how many pods of a cluster preempt, one after the other.
const rounds = 2

// compareLate explains the pods that come late from their manifests, while the
// scheduler runs and has nothing to do. Then it creates those that fit nowhere:
// first all that change nothing, at last one that preempts. When that has
// changed the cluster, the rest is explained anew.
func compareLate(t *testing.T, plane *controlplane.ControlPlane, client kubernetes.Interface, cluster *random.Cluster, seen *tally) {
	t.Helper()
	pods := cluster.Late
	for round := range rounds {
		ours, nodes := explainAtRest(t, plane, client, pods, seen)
		if ours == nil {
			t.Log("no more pods that come late: the cluster does not rest")
			return
		}
		var rest, preempting []*corev1.Pod
		for _, pod := range pods {
			e := ours[pod.Namespace+"/"+pod.Name]
			switch {
			case e.SchedulerMessage == "": // it fits, or is not looked at
				rest = append(rest, pod)
			case strings.Contains(e.SchedulerMessage, found):
				preempting = append(preempting, pod)
			default:
				compareFirst(t, client, pod, e, nodes, seen)
			}
		}
		if len(preempting) == 0 {
			return
		}
		pod := preempting[0]
		e := ours[pod.Namespace+"/"+pod.Name]
		if round == rounds-1 {
			hold(t, client, e)
		}
		compareFirst(t, client, pod, e, nodes, seen)
		pods = append(rest, preempting[1:]...)
		_, err := quiet(t, client, respite)
		if err != nil {
			t.Logf("no more pods that come late: %v", err)
			return
		}
	}
}

// explainAtRest explains pods that do not exist while nothing changes, and gives
// the node of every pod by its UID; no explanations if that cannot be had.
func explainAtRest(t *testing.T, plane *controlplane.ControlPlane, client kubernetes.Interface, pods []*corev1.Pod, seen *tally) (map[string]explanation, map[types.UID]string) {
	t.Helper()
	for range attempts {
		before, err := quiet(t, client, pause)
		if err != nil {
			break
		}
		ours := explainLate(t, plane, pods)
		now := listPods(t, client)
		if strings.Join(append(placement(now), claimed(t, client)...), "\n") == before {
			return ours, nodesOf(slices.Collect(maps.Values(now)))
		}
		seen.changed++
	}
	return nil, nil
}

// nodesOf is the node of each pod, or the one that it is nominated to: there its room
// counts too.
func nodesOf(pods []*corev1.Pod) map[types.UID]string {
	nodes := map[types.UID]string{}
	for _, pod := range pods {
		nodes[pod.UID] = claimedNode(pod)
	}
	return nodes
}

func claimedNode(pod *corev1.Pod) string {
	return cmp.Or(pod.Spec.NodeName, pod.Status.NominatedNodeName)
}

// hold lets the victims of a preemption stay while they terminate, on whichever
// node they are found, so that the pod that preempts stays nominated.
func hold(t *testing.T, client kubernetes.Interface, e explanation) {
	t.Helper()
	patch := []byte(`{"metadata":{"finalizers":["` + random.Finalizer + `"]}}`)
	victims := e.victims()
	for _, tied := range e.Preemption.Tie {
		victims = slices.Concat(victims, tied.Victims, tied.Alike)
	}
	for _, victim := range victims {
		_, err := client.CoreV1().Pods(victim.Namespace).Patch(t.Context(), victim.Name, types.StrategicMergePatchType, patch, metav1.PatchOptions{})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// compareFirst creates a pod that was explained when the others were on these
// nodes, and compares the first message that it gets. It is not compared if
// another pod has come to a node since.
func compareFirst(t *testing.T, client kubernetes.Interface, pod *corev1.Pod, ours explanation, nodes map[types.UID]string, seen *tally) {
	t.Helper()
	theirs, moved := firstMessage(t, client, pod, nodes)
	if moved != "" {
		t.Logf("%s is not compared: %s came to a node after it was explained", ours.name(), moved)
		seen.moved++
		return
	}
	if upTo(ours.SchedulerMessage) != upTo(theirs) {
		t.Errorf("%s (%s), late:\n  kube-scheduler wrote %q\n  explain foretold     %q", ours.name(), ours.Verdict, theirs, ours.SchedulerMessage)
	}
	if strings.Contains(theirs, found) {
		seen.preempting++
		if ours.SchedulerMessage == theirs {
			seen.alike++
		}
	}
	seen.note(upTo(theirs))
}

// upTo cuts a message where a preemption that succeeds names the node, which
// the scheduler looks for from a random one.
func upTo(message string) string {
	before, _, ok := strings.Cut(message, found)
	if !ok {
		return message
	}
	return before + found
}

// explainLate explains pods that do not exist, by name.
func explainLate(t *testing.T, plane *controlplane.ControlPlane, pods []*corev1.Pod) map[string]explanation {
	t.Helper()
	var manifest strings.Builder
	for _, pod := range pods {
		pod.TypeMeta = metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"}
		text, err := yaml.Marshal(pod)
		if err != nil {
			t.Fatal(err)
		}
		manifest.WriteString("---\n")
		manifest.Write(text)
	}
	r := fathomWithInput(t, manifest.String(), "explain", "--kubeconfig", kubeconfig(t, plane, controlplane.Admin), "-f", "-", "-o", "json")
	if r.code != 0 && r.code != 1 {
		t.Fatalf("explain -f: exit code %d\n%s", r.code, r.stderr)
	}
	return readExplanations(t, r.stdout)
}

// firstMessage creates a pod and gives the first thing that the scheduler writes,
// and which other pod has come to a node before it, if one has: the scheduler saw
// another state than the one of these nodes.
func firstMessage(t *testing.T, client kubernetes.Interface, pod *corev1.Pod, nodes map[types.UID]string) (message, moved string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), pollTimeout)
	defer cancel()
	note := func(other *corev1.Pod) {
		if node := claimedNode(other); node != "" && node != nodes[other.UID] {
			moved = other.Namespace + "/" + other.Name
		}
	}
	list, err := client.CoreV1().Pods("").List(ctx, metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range list.Items {
		note(&list.Items[i])
	}
	watch, err := client.CoreV1().Pods("").Watch(ctx, metav1.ListOptions{ResourceVersion: list.ResourceVersion})
	if err != nil {
		t.Fatal(err)
	}
	defer watch.Stop()
	made, err := client.CoreV1().Pods(pod.Namespace).Create(ctx, pod, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for event := range watch.ResultChan() {
		now, ok := event.Object.(*corev1.Pod)
		if !ok {
			t.Fatalf("watch pods: %v", event.Object)
		}
		if now.UID != made.UID {
			note(now)
		} else if condition := scheduled(now); condition.Status != "" {
			return condition.Message, moved
		}
	}
	t.Fatalf("the scheduler says nothing about %s", pod.Name)
	return "", ""
}
