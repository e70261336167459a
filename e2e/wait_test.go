package e2e

import (
	"bufio"
	"context"
	"encoding/json"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-fathom/kubectl-fathom/e2e/controlplane"
)

// smallNode is a node with 2 cpu, and a namespace.
const smallNode = `
{apiVersion: v1, kind: Node, metadata: {name: full}, spec: {},
 status: {allocatable: {cpu: "2", memory: 8Gi, pods: "110"}, conditions: [{type: Ready, status: "True"}]}}
---
{apiVersion: v1, kind: Namespace, metadata: {name: shop}}
`

// waitingPod is a pod that requests cpu.
func waitingPod(name, cpu string) string {
	return `{apiVersion: v1, kind: Pod, metadata: {namespace: shop, name: ` + name + `}, spec: {automountServiceAccountToken: false, containers: [{name: main, image: x, resources: {requests: {cpu: "` + cpu + `"}}}]}}`
}

// runs is a command that goes on.
type runs struct {
	t      *testing.T
	cmd    *exec.Cmd
	stdout *bufio.Scanner
	stderr *bufio.Scanner
}

func start(t *testing.T, args ...string) *runs {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), runTimeout) // it is killed then, and its output ends
	t.Cleanup(cancel)
	r := &runs{t: t, cmd: exec.CommandContext(ctx, binary, args...)}
	r.cmd.Env = environment(t)
	stdout, err := r.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	stderr, err := r.cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	r.stdout, r.stderr = bufio.NewScanner(stdout), bufio.NewScanner(stderr)
	if err := r.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return r
}

// ends reads what it still prints, and gives that and its exit code.
func (r *runs) ends() (stdout string, code int) {
	r.t.Helper()
	var lines []string
	for r.stdout.Scan() {
		lines = append(lines, r.stdout.Text())
	}
	for r.stderr.Scan() { // to its end: Wait closes it
		lines = append(lines, "standard error: "+r.stderr.Text())
	}
	_ = r.cmd.Wait() // the exit code says it
	return strings.Join(lines, "\n"), r.cmd.ProcessState.ExitCode()
}

// TestWaitingEndsAsThePodDoes waits for pods of a real control plane until they are bound, are rejected
// for another reason, are deleted, or the time is over, and wants the exit code of each.
func TestWaitingEndsAsThePodDoes(t *testing.T) {
	plane := startPlane(t, controlplane.Options{})
	client, config := admin(t, plane), kubeconfig(t, plane, controlplane.Admin)
	kubectl(t, plane, smallNode, "apply", "-f", "-")
	kubectl(t, plane, waitingPod("holder", "2"), "create", "-f", "-")
	eventually(t, "the node is full", func(ctx context.Context) (bool, error) {
		pod, err := client.CoreV1().Pods("shop").Get(ctx, "holder", metav1.GetOptions{})
		return err == nil && pod.Spec.NodeName != "", err
	})
	for _, test := range []struct {
		name  string
		limit string
		after func() // what happens once the wait has begun
		code  int
		says  string
	}{
		{"over", "--wait=15s", func() {}, 5, "needs cpu 2 more"},
		{"tainted", "--wait", func() { kubectl(t, plane, "", "taint", "node", "full", "for=others:NoSchedule") }, 4, "for=others:NoSchedule"},
		{"deleted", "--wait", func() { kubectl(t, plane, "", "delete", "pod", "deleted", "-n", "shop", "--wait=false") }, 6, ""},
		{"bound", "--wait", func() {
			kubectl(t, plane, "", "delete", "pod", "holder", "-n", "shop", "--force", "--grace-period=0")
		}, 0, "full"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if test.name == "bound" { // nothing but cpu is to be in its way
				kubectl(t, plane, "", "taint", "node", "full", "for-")
			}
			kubectl(t, plane, waitingPod(test.name, "2"), "create", "-f", "-")
			eventually(t, "kube-scheduler has tried it", func(ctx context.Context) (bool, error) {
				pod, err := client.CoreV1().Pods("shop").Get(ctx, test.name, metav1.GetOptions{})
				return err == nil && len(pod.Status.Conditions) > 0, err
			})
			wait := start(t, "explain", test.name, "-n", "shop", test.limit, "--kubeconfig", config)
			if !wait.stderr.Scan() {
				t.Fatal("the wait does not say what it began with")
			}
			test.after()
			if said, code := wait.ends(); code != test.code || !strings.Contains(said, test.says) {
				t.Errorf("exit code %d, want %d, and %q in:\n%s", code, test.code, test.says, said)
			}
			if test.code != 0 && test.code != 6 {
				kubectl(t, plane, "", "delete", "pod", test.name, "-n", "shop")
			}
		})
	}
}

// TestWatchingPendingPodsPrintsEachChange wants a line when a pod is pending, when it is bound and when
// one is deleted, and the end at ctrl-c.
func TestWatchingPendingPodsPrintsEachChange(t *testing.T) {
	plane := startPlane(t, controlplane.Options{})
	kubectl(t, plane, smallNode, "apply", "-f", "-")
	kubectl(t, plane, waitingPod("first", "4"), "create", "-f", "-")
	watch := start(t, "get", "pending", "-n", "shop", "--watch", "-o", "json", "--kubeconfig", kubeconfig(t, plane, controlplane.Admin))
	await := func(event, pod string) {
		t.Helper()
		for watch.stdout.Scan() {
			var line struct {
				Event string
				Pods  []string
			}
			if err := json.Unmarshal(watch.stdout.Bytes(), &line); err != nil {
				t.Fatalf("%v: %s", err, watch.stdout.Text())
			}
			if line.Event == event && len(line.Pods) == 1 && line.Pods[0] == pod {
				return
			}
			t.Logf("before %s of %s: %s", event, pod, watch.stdout.Text())
		}
		t.Fatalf("the watch ends before %s of %s", event, pod)
	}
	await("pending", "first")
	kubectl(t, plane, waitingPod("second", "4"), "create", "-f", "-")
	await("appeared", "second")
	kubectl(t, plane, "", "delete", "pod", "second", "-n", "shop")
	await("gone", "second")
	kubectl(t, plane, "", "patch", "node", "full", "--subresource", "status", "-p", `{"status":{"allocatable":{"cpu":"8"}}}`)
	await("scheduled", "first")
	if err := watch.cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	if said, code := watch.ends(); code != 0 {
		t.Errorf("ctrl-c ends it with %d:\n%s", code, said)
	}
}
