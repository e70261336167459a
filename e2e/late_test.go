package e2e

import (
	"context"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
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
		ours := explainLate(t, plane, pods)
		var rest, preempting []*corev1.Pod
		for _, pod := range pods {
			e := ours[pod.Namespace+"/"+pod.Name]
			switch {
			case e.SchedulerMessage == "": // it fits, or is not looked at
				rest = append(rest, pod)
			case strings.Contains(e.SchedulerMessage, found):
				preempting = append(preempting, pod)
			default:
				compareFirst(t, client, pod, e, seen)
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
		compareFirst(t, client, pod, e, seen)
		pods = append(rest, preempting[1:]...)
		_, err := quiet(t, client, respite)
		if err != nil {
			t.Logf("no more pods that come late: %v", err)
			return
		}
	}
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

// compareFirst creates a pod that was explained before, and compares the first
// message that it gets.
func compareFirst(t *testing.T, client kubernetes.Interface, pod *corev1.Pod, ours explanation, seen *tally) {
	t.Helper()
	theirs := firstMessage(t, client, pod)
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

// firstMessage creates a pod and gives the first thing that the scheduler writes.
func firstMessage(t *testing.T, client kubernetes.Interface, pod *corev1.Pod) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), pollTimeout)
	defer cancel()
	watch, err := client.CoreV1().Pods(pod.Namespace).Watch(ctx, metav1.ListOptions{
		FieldSelector: fields.OneTermEqualSelector("metadata.name", pod.Name).String(),
	})
	if err != nil {
		t.Fatal(err)
	}
	defer watch.Stop()
	_, err = client.CoreV1().Pods(pod.Namespace).Create(ctx, pod, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for event := range watch.ResultChan() {
		now, ok := event.Object.(*corev1.Pod)
		if !ok {
			t.Fatalf("watch %s: %v", pod.Name, event.Object)
		}
		if condition := scheduled(now); condition.Status != "" {
			return condition.Message
		}
	}
	t.Fatalf("the scheduler says nothing about %s", pod.Name)
	return ""
}
