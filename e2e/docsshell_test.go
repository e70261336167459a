package e2e

import (
	"bufio"
	"bytes"
	"context"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"

	"github.com/kubectl-fathom/kubectl-fathom/e2e/controlplane"
)

// documentedCluster has the nodes and pods that the guide names.
const documentedCluster = `
{apiVersion: v1, kind: Node, metadata: {name: std-a-01, labels: {kubernetes.io/hostname: std-a-01}, annotations: {kwok.x-k8s.io/node: fake}}, status: {allocatable: {cpu: "2", memory: 8Gi, pods: "50"}, capacity: {cpu: "2", memory: 8Gi, pods: "50"}}}
---
{apiVersion: v1, kind: Node, metadata: {name: std-a-02, labels: {kubernetes.io/hostname: std-a-02}, annotations: {kwok.x-k8s.io/node: fake}}, status: {allocatable: {cpu: "4", memory: 8Gi, pods: "50"}, capacity: {cpu: "4", memory: 8Gi, pods: "50"}}}
---
{apiVersion: v1, kind: Namespace, metadata: {name: shop}}
---
apiVersion: apps/v1
kind: ReplicaSet
metadata: {namespace: shop, name: cart-7b5c4d9f8}
spec:
  replicas: 1
  selector: {matchLabels: {app: cart}}
  template:
    metadata: {labels: {app: cart}}
    spec: {containers: [{name: app, image: registry.example/cart:v1, resources: {requests: {cpu: "3"}}}]}
---
apiVersion: v1
kind: Pod
metadata: {namespace: shop, name: checkout-6c9d8b7f4-x2x1p}
spec: {containers: [{name: app, image: registry.example/checkout:v1, resources: {requests: {cpu: "64"}}}]}
`

// shellCommands are the fenced commands of the guide that need more than fathom: pipes into jq, kubectl and loops. Those
// of fathom alone are run by a test of package cli.
var shellCommands = []struct {
	page, begins string // what the command begins with
	prints       string // as a regular expression, on standard output
	file         string // that it writes, in place of standard output
	fails        int    // its exit code
}{
	{"script.md", "kubectl fathom explain --all -A -o json | jq", `(?m)^shop\tcheckout-6c9d8b7f4-x2x1p\tUnschedulable\t.+`, "", 0},
	{"script.md", "kubectl fathom explain checkout-6c9d8b7f4-x2x1p", `^(null|kubectl .+)\n$`, "", 0},
	{"script.md", "kubectl fathom drain std-a-02 --plan -o json | jq", `^cart-7b5c4d9f8-\w+\n$`, "", 0},
	{"snapshots.md", "kubectl get nodes,pods -A -o yaml | kubectl fathom", `checkout-6c9d8b7f4-x2x1p: Unknown`, "", 3},
	{"snapshots.md", "for kind in nodes pods", `(?s)"kind": "Node".*"kind": "Pod".*"kind": "Lease"`, "state.json", 1}, // the last kind is not served here
	{"capacity.md", "kubectl fathom snapshot -o state.json.zst", "", "", 0},
	{"capacity.md", "for node in $(kubectl get nodes", `(?m)^.*std-a-02.*$`, "", 0},
	{"automate.md", `until kubectl fathom explain "$POD"`, `: bound to std-a-02\n$`, "", 0},
	{"settings.md", `ln -s "$(command -v kubectl-fathom)"`, "", "", 0},
	{"metrics.md", "kubectl apply -f docs/clusterrole.yaml", `(?m)^deployment\.apps/fathom-metrics created$`, "", 0},
}

// unendingCommand prints until it is interrupted.
const unendingCommand = "kubectl fathom get pending -A -w -o json | jq"

// notRun are the commands that need what a test has not.
var notRun = map[string]string{
	"CGO_ENABLED=0 go install": "it compiles the program into the user's directory; .ci/release-build builds it so",
}

// TestShellCommandsOfTheGuideRun runs each as it is printed, by bash, with the real kubectl and jq, on a control plane.
func TestShellCommandsOfTheGuideRun(t *testing.T) {
	t.Parallel() // most of its time is waiting for a control plane of its own
	if _, err := exec.LookPath("jq"); err != nil {
		t.Fatalf("find jq: %v; install it", err)
	}
	plane := startPlane(t, controlplane.Options{Kwok: true, Controllers: true})
	client := admin(t, plane)
	kubectl(t, plane, documentedCluster, "apply", "-f", "-")
	if err := plane.StartScheduler(t.Context()); err != nil {
		t.Fatal(err)
	}
	running := ""
	eventually(t, "one pod runs and one is rejected", func(ctx context.Context) (bool, error) {
		list, err := client.CoreV1().Pods("shop").List(ctx, metav1.ListOptions{})
		if err != nil {
			return false, err
		}
		rejected := false
		for i := range list.Items {
			if list.Items[i].Status.Phase == corev1.PodRunning {
				running = list.Items[i].Name
			}
			rejected = rejected || scheduled(&list.Items[i]).Reason == corev1.PodReasonUnschedulable
		}
		return running != "" && rejected, nil
	})
	dir, env := pluginDirectory(t, plane)
	env = append(env, "POD="+running)
	found := guideShellCommands(t)
	for _, want := range shellCommands {
		t.Run(want.page+": "+want.begins, func(t *testing.T) {
			command := ""
			found[want.page] = slices.DeleteFunc(found[want.page], func(c string) bool {
				is := command == "" && strings.HasPrefix(c, want.begins)
				if is {
					command = c
				}
				return is
			})
			if command == "" {
				t.Fatalf("%s has no such command any more: take it from the list", want.page)
			}
			printed, said, code := inBash(t, dir, env, command)
			if want.file != "" {
				printed = readFile(t, filepath.Join(dir, want.file))
			}
			if code != want.fails || !regexp.MustCompile(want.prints).MatchString(printed) || strings.Contains(said, "jq: error") {
				t.Errorf("%s\nexit code %d, want %d and %s in:\n%.2000s\n%.2000s", command, code, want.fails, want.prints, printed, said)
			}
		})
	}
	t.Run("changes of pending pods", func(t *testing.T) {
		found["automate.md"] = slices.DeleteFunc(found["automate.md"], func(c string) bool {
			is := strings.HasPrefix(c, unendingCommand)
			if is {
				printsChanges(t, client, dir, env, c)
			}
			return is
		})
	})
	for page, commands := range found {
		for _, c := range commands {
			if slices.ContainsFunc(slices.Collect(maps.Keys(notRun)), func(begins string) bool { return strings.HasPrefix(c, begins) }) {
				continue
			}
			t.Errorf("%s: no test runs\n%s", page, c)
		}
	}
}

// pluginDirectory is a directory to run commands in, with docs as in the source, and the environment of a user at home there, whose
// kubectl has the plugin and whose kubeconfig is the administrator's.
func pluginDirectory(t *testing.T, plane *controlplane.ControlPlane) (dir string, env []string) {
	t.Helper()
	dir, env = t.TempDir(), installAsKrew(t)
	docs, err := filepath.Abs("../docs")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(docs, filepath.Join(dir, "docs")); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(dir, ".local", "bin"), 0o700); err != nil {
		t.Fatal(err)
	}
	return dir, append(env, "HOME="+dir, "KUBECONFIG="+kubeconfig(t, plane, controlplane.Admin))
}

// inBash runs a command that ends.
func inBash(t *testing.T, dir string, env []string, command string) (stdout, stderr string, code int) {
	t.Helper()
	var out, said bytes.Buffer
	cmd := bash(t.Context(), dir, env, command)
	cmd.Stdout, cmd.Stderr = &out, &said
	if err := cmd.Run(); err != nil && cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return out.String(), said.String(), cmd.ProcessState.ExitCode()
}

func bash(ctx context.Context, dir string, env []string, command string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "bash", "-c", command)
	cmd.Dir, cmd.Env = dir, env
	return cmd
}

// printsChanges runs a command that prints changes of pending pods until ctrl-c, and changes some until it has printed one.
func printsChanges(t *testing.T, client kubernetes.Interface, dir string, env []string, command string) {
	t.Helper()
	cmd := bash(t.Context(), dir, env, command)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // ctrl-c is for all of its processes
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	printed := make(chan string, 1)
	go func() {
		line, _ := bufio.NewReader(stdout).ReadString('\n') // without a line the test fails
		printed <- line
	}()
	changes, timeout := time.NewTicker(2*time.Second), time.After(runTimeout)
	defer changes.Stop()
	line, waiting := "", true
	for i := 0; waiting; i++ {
		select {
		case line = <-printed:
			waiting = false
		case <-changes.C:
			ungate(t, client, "change-"+strconv.Itoa(i))
		case <-timeout:
			waiting = false
		}
	}
	if err := syscall.Kill(-cmd.Process.Pid, syscall.SIGINT); err != nil {
		t.Error(err)
	}
	_ = cmd.Wait() // it was interrupted
	if !regexp.MustCompile(`^shop\tchange-\d+\ttoo large\n$`).MatchString(line) {
		t.Errorf("%s\nprints %q", command, line)
	}
}

// ungate creates a pod with a scheduling gate that is too large for each node, and removes the gate a second later.
func ungate(t *testing.T, client kubernetes.Interface, name string) {
	t.Helper()
	pods := client.CoreV1().Pods("shop")
	large := corev1.ResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("64")}}
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: corev1.PodSpec{
		SchedulingGates: []corev1.PodSchedulingGate{{Name: "example.com/quota"}},
		Containers:      []corev1.Container{{Name: "app", Image: "app", Resources: large}},
	}}
	if _, err := pods.Create(t.Context(), pod, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	time.Sleep(time.Second) // until the command has seen it
	patch := []byte(`{"spec":{"schedulingGates":null}}`)
	if _, err := pods.Patch(t.Context(), name, types.MergePatchType, patch, metav1.PatchOptions{}); err != nil {
		t.Fatal(err)
	}
}

var shellFence = regexp.MustCompile("(?ms)^ *```sh\n(.*?)^ *```")

// guideShellCommands are the fenced commands of each page that need more than fathom: a loop whole, the others a line
// each.
func guideShellCommands(t *testing.T) map[string][]string {
	t.Helper()
	pages, err := filepath.Glob("../docs/guide/*.md")
	if err != nil || len(pages) < 8 {
		t.Fatalf("pages of the guide: %v, %v", pages, err)
	}
	found := map[string][]string{}
	for _, page := range append(pages, "../README.md", "../docs/user-guide.md", "../docs/skills/kubectl-fathom/SKILL.md") {
		for _, block := range shellFence.FindAllStringSubmatch(readFile(t, page), -1) {
			found[filepath.Base(page)] = append(found[filepath.Base(page)], shellCommandsOf(block[1])...)
		}
	}
	return found
}

// shellCommandsOf are the commands of a block that are not of fathom alone, and those that come before a loop.
func shellCommandsOf(block string) (commands []string) {
	loop := ""
	for line := range strings.Lines(block) {
		switch {
		case loop != "" || strings.HasPrefix(line, "for ") || strings.HasPrefix(line, "until "):
			loop += line
			if strings.HasPrefix(line, "done") {
				commands, loop = append(commands, loop), ""
			}
		case strings.Contains(line, " | ") || !strings.HasPrefix(line, "kubectl fathom") && strings.TrimSpace(line) != "",
			strings.Contains(block, "\nfor "):
			commands = append(commands, strings.TrimSpace(line))
		}
	}
	return commands
}

func readFile(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
