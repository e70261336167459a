package e2e

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"

	"github.com/kubectl-fathom/kubectl-fathom/e2e/controlplane"
	"github.com/kubectl-fathom/kubectl-fathom/e2e/stuck"
)

// bindTimeout is how long the scheduler and the controllers get after a fix.
const bindTimeout = 30 * time.Second

// The first fix that is called verified does what it says when its command is
// run as it is printed: the scheduler binds the pod, or the one that takes its
// place, nothing else about it is different, and nobody is gone who was not named.
func TestFirstVerifiedFixLetsThePodBeBound(t *testing.T) {
	t.Parallel() // most of its time is waiting for a control plane of its own
	plane := startPlane(t, controlplane.Options{Kwok: true, Controllers: true, Backoff: 1})
	client := admin(t, plane)
	bound, tried, none := 0, 0, 0
	kinds, causes, owners := map[string]int{}, map[string]int{}, map[string]int{}
	for seed := *firstSeed; tried < *fixSeeds && seed < *firstSeed+2**fixSeeds; seed++ {
		c := stuck.New(uint64(seed))
		t.Run(fmt.Sprintf("%d %s, %s", seed, c.Cause, c.Owner), func(t *testing.T) {
			defer clearWorkloads(t, client, c.Namespace)
			pod := stuckPod(t, client, c)
			chosen, ok := firstFix(t, plane, pod)
			if !ok {
				none++
				return
			}
			tried++
			kinds[chosen.Kind]++
			causes[c.Cause]++
			owners[c.Owner]++
			if tryFix(t, plane, client, pod, chosen) {
				bound++
			}
			if t.Failed() {
				t.Logf("the fix: %s\n  %s\n  affects %+v", chosen.Title, chosen.Command, chosen.Affects)
			}
		})
	}
	fmt.Printf("%d of %d pods were bound after the first verified fix; %d more had none; %d causes, %d kinds of owners; kinds of fixes: %v\n",
		bound, tried, none, len(causes), len(owners), kinds)
	if bound < *fixSeeds || none > *fixSeeds/5 {
		t.Errorf("%d pods were bound, %d had no verified fix; want %d and few", bound, none, *fixSeeds)
	}
	if *fixSeeds >= 12 && (len(kinds) < 5 || len(causes) < 5) {
		t.Errorf("too little was tried: %v of %v", slices.Sorted(maps.Keys(kinds)), slices.Sorted(maps.Keys(causes)))
	}
}

// stuckPod creates the cluster, waits until all of it is where it stays, and
// gives one of the workload's pods.
func stuckPod(t *testing.T, client kubernetes.Interface, c *stuck.Cluster) *corev1.Pod {
	t.Helper()
	told := func(more int) func(context.Context) (bool, error) {
		return func(ctx context.Context) (bool, error) { return allTold(ctx, client, c.Namespace, len(c.Pods)+more) }
	}
	steps := []struct {
		create func(context.Context, kubernetes.Interface) error
		until  string
		done   func(context.Context) (bool, error)
	}{
		{c.Create, "the nodes are ready", nodesReady(client)},
		{c.CreatePods, "their pods run", told(0)},
		{c.CreateKeepers, "they still run", told(0)},
		{c.CreateWorkload, "the workload's pods wait", told(1)},
		{c.CreateRivals, "its rivals wait", told(1 + c.Rivals)},
	}
	for _, step := range steps {
		err := step.create(t.Context(), client)
		if err != nil {
			t.Fatal(err)
		}
		eventually(t, step.until, step.done)
	}
	var waiting []*corev1.Pod
	for _, pod := range listPods(t, client) {
		if pod.Labels[stuck.App] != "" && pod.Spec.NodeName == "" {
			waiting = append(waiting, pod)
		}
	}
	if len(waiting) == 0 {
		t.Fatal("no pod waits")
	}
	return slices.MinFunc(waiting, func(a, b *corev1.Pod) int { return strings.Compare(a.Name, b.Name) })
}

// nodesReady waits for the node controller to have told every node by its taints.
func nodesReady(client kubernetes.Interface) func(context.Context) (bool, error) {
	return func(ctx context.Context) (bool, error) {
		list, err := client.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
		if err != nil {
			return false, err
		}
		for _, node := range list.Items {
			cordoned := false
			for _, taint := range node.Spec.Taints {
				if taint.Key == corev1.TaintNodeNotReady {
					return false, nil
				}
				cordoned = cordoned || taint.Key == corev1.TaintNodeUnschedulable
			}
			if cordoned != node.Spec.Unschedulable {
				return false, nil
			}
		}
		return true, nil
	}
}

// allTold tells whether there are so many pods, all running or refused, twice.
func allTold(ctx context.Context, client kubernetes.Interface, namespace string, least int) (bool, error) {
	before := 0
	for range 2 {
		list, err := client.CoreV1().Pods(namespace).List(ctx, metav1.ListOptions{})
		if err != nil || len(list.Items) < least || before != 0 && before != len(list.Items) {
			return false, err
		}
		for i := range list.Items {
			pod := &list.Items[i]
			if pod.Spec.NodeName == "" && scheduled(pod).Status != corev1.ConditionFalse || pod.Spec.NodeName != "" && pod.Status.Phase == corev1.PodPending {
				return false, nil
			}
		}
		before = len(list.Items)
		time.Sleep(300 * time.Millisecond) // for a controller to make another
	}
	return true, nil
}

// firstFix is the first verified fix that explain names, if it names one.
func firstFix(t *testing.T, plane *controlplane.ControlPlane, pod *corev1.Pod) (fix, bool) {
	t.Helper()
	r := fathom(t, "explain", "--kubeconfig", kubeconfig(t, plane, controlplane.Admin), "-n", pod.Namespace, pod.Name, "--fixes", "-o", "json")
	if r.code != 1 {
		t.Fatalf("exit code %d\n%s", r.code, r.stderr)
	}
	e := readExplanation(t, r.stdout)
	for _, f := range e.Fixes {
		if !f.Verified {
			continue
		}
		if f.Command == "" {
			t.Errorf("%s is verified and has no command", f.Title)
		}
		return f, true
	}
	t.Logf("no fix is verified: %s\n%+v", e.Summary, e.Fixes)
	return fix{}, false
}

// tryFix runs the command and tells whether the pod was bound then, or a pod in
// its place.
func tryFix(t *testing.T, plane *controlplane.ControlPlane, client kubernetes.Interface, pod *corev1.Pod, f fix) bool {
	t.Helper()
	before := listPods(t, client)
	owners := ownersOf(t, client, before)
	shell(t, plane, f.Command)
	after := awaitBound(t, client, pod, stuck.App, f, before)
	if after == nil {
		t.Errorf("%s was not bound in %s\n%s", pod.Name, bindTimeout, told(listPods(t, client)))
		return false
	}
	compareSpecs(t, pod, after, f)
	comparePresence(t, before, calm(t, client), owners, f)
	return true
}

// shell runs a command as a user would, who has kubectl on the PATH: of two one in
// bash and one in zsh, where that is installed.
func shell(t *testing.T, plane *controlplane.ControlPlane, command string) {
	t.Helper()
	if err := tryShell(t, plane, command); err != nil {
		t.Error(err)
	}
}

// tryShell is shell for a command that may fail.
func tryShell(t *testing.T, plane *controlplane.ControlPlane, command string) error {
	t.Helper()
	name := "bash"
	if _, err := exec.LookPath("zsh"); err == nil && len(command)%2 == 1 {
		name = "zsh"
	}
	cmd := exec.CommandContext(t.Context(), name, "-c", command)
	cmd.Env = append(environment(t), "PATH="+binaries(t)+":/usr/bin:/bin", "KUBECONFIG="+kubeconfig(t, plane, controlplane.Admin))
	out, err := cmd.CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s -c %s: %w\n%s", name, command, err, out)
	}
	return nil
}

// awaitBound waits until the pod is bound, or one that takes its place where the
// fix says so, and gives it; nil if that does not happen. The label has the name of
// the pod's workload.
func awaitBound(t *testing.T, client kubernetes.Interface, pod *corev1.Pod, label string, f fix, before map[string]*corev1.Pod) (bound *corev1.Pod) {
	t.Helper()
	known := map[types.UID]bool{}
	for _, old := range before {
		known[old.UID] = true
	}
	_ = wait.PollUntilContextTimeout(t.Context(), 100*time.Millisecond, bindTimeout, true, func(ctx context.Context) (bool, error) {
		list, err := client.CoreV1().Pods(pod.Namespace).List(ctx, metav1.ListOptions{LabelSelector: label + "=" + pod.Labels[label]})
		if err != nil {
			return false, err
		}
		for i := range list.Items {
			one := &list.Items[i]
			instead := replaces(f, pod.Labels[label]) && !known[one.UID] && takesThePlace(one, pod)
			if one.Spec.NodeName != "" && (one.UID == pod.UID || instead) {
				bound = one
			}
		}
		return bound != nil, nil
	})
	return bound
}

// takesThePlace tells whether one pod may stand for the other: pods that
// have a name, or a node, of their own only for the same.
func takesThePlace(one, of *corev1.Pod) bool {
	by := metav1.GetControllerOf(of)
	switch {
	case by == nil || by.Kind == "StatefulSet":
		return one.Name == of.Name
	case by.Kind == "DaemonSet":
		return cmp.Equal(nodeOf(one), nodeOf(of))
	}
	return true
}

// nodeOf is where the DaemonSet controller wants a pod.
func nodeOf(pod *corev1.Pod) []corev1.NodeSelectorTerm {
	return pod.Spec.Affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution.NodeSelectorTerms
}

// calm gives the pods when none has come or gone for a second.
func calm(t *testing.T, client kubernetes.Interface) map[string]*corev1.Pod {
	t.Helper()
	pods, since := listPods(t, client), time.Now()
	eventually(t, "no pod comes or goes", func(context.Context) (bool, error) {
		now := listPods(t, client)
		if !slices.Equal(placement(now), placement(pods)) {
			pods, since = now, time.Now()
		}
		return time.Since(since) > time.Second, nil
	})
	return pods
}

// clearWorkloads deletes what makes pods, all pods and the nodes.
func clearWorkloads(t *testing.T, client kubernetes.Interface, namespace string) {
	t.Helper()
	apps, batch := client.AppsV1(), client.BatchV1()
	type deleter interface {
		DeleteCollection(context.Context, metav1.DeleteOptions, metav1.ListOptions) error
	}
	for _, kind := range []deleter{
		apps.Deployments(namespace), apps.ReplicaSets(namespace), apps.StatefulSets(namespace), apps.DaemonSets(namespace),
		batch.Jobs(namespace), client.CoreV1().ReplicationControllers(namespace),
	} {
		err := kind.DeleteCollection(t.Context(), metav1.DeleteOptions{PropagationPolicy: new(metav1.DeletePropagationBackground)}, metav1.ListOptions{})
		if err != nil {
			t.Fatal(err)
		}
	}
	now := metav1.DeleteOptions{GracePeriodSeconds: new(int64)}
	eventually(t, "nothing is left", func(ctx context.Context) (bool, error) {
		sets, setsErr := apps.ReplicaSets(namespace).List(ctx, metav1.ListOptions{})
		jobs, jobsErr := batch.Jobs(namespace).List(ctx, metav1.ListOptions{})
		pods, podsErr := client.CoreV1().Pods(namespace).List(ctx, metav1.ListOptions{})
		err := errors.Join(setsErr, jobsErr, podsErr)
		if err != nil {
			return false, err
		}
		for _, pod := range pods.Items {
			err := client.CoreV1().Pods(namespace).Delete(ctx, pod.Name, now)
			if err != nil && !apierrors.IsNotFound(err) {
				return false, err
			}
		}
		return len(sets.Items)+len(jobs.Items)+len(pods.Items) == 0, nil
	})
	err := client.CoreV1().Nodes().DeleteCollection(t.Context(), now, metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
}

// replaces tells whether a fix says that the pods of a workload will be others.
func replaces(f fix, workload string) bool {
	return f.Recreates || slices.ContainsFunc(f.Affects, func(a affected) bool { return a.Name == workload || strings.HasPrefix(a.Name, workload+"-") })
}

// told is a line for each pod.
func told(pods map[string]*corev1.Pod) string {
	var lines []string
	for name, pod := range pods {
		lines = append(lines, fmt.Sprintf("  %s on %q: %s", name, pod.Spec.NodeName, scheduled(pod).Message))
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}
