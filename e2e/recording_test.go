package e2e

import (
	"bytes"
	"context"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/kubectl-fathom/kubectl-fathom/e2e/controlplane"
)

// recorded is a control plane that is recorded, a step each second.
type recorded struct {
	t      *testing.T
	client kubernetes.Interface
	dir    string
	run    *exec.Cmd
	said   bytes.Buffer
}

func record(t *testing.T, plane *controlplane.ControlPlane) *recorded {
	t.Helper()
	r := &recorded{t: t, client: admin(t, plane), dir: filepath.Join(t.TempDir(), "recording")}
	r.run = exec.CommandContext(t.Context(), binary, "snapshot", "--kubeconfig", kubeconfig(t, plane, controlplane.Admin), "--every", "1s", "-o", r.dir)
	r.run.Env, r.run.Stderr = environment(t), &r.said
	if err := r.run.Start(); err != nil {
		t.Fatal(err)
	}
	return r
}

// steps counts those that were written.
func (r *recorded) steps() int {
	files, err := filepath.Glob(filepath.Join(r.dir, "*.json.zst"))
	if err != nil {
		r.t.Fatal(err)
	}
	return len(files)
}

// await waits for two more steps: the second one was begun by now.
func (r *recorded) await() {
	r.t.Helper()
	before := r.steps()
	eventually(r.t, "two more steps are there", func(context.Context) (bool, error) { return r.steps() >= before+2, nil })
}

// end ends the recording as ctrl-c does.
func (r *recorded) end() {
	r.t.Helper()
	if err := r.run.Process.Signal(syscall.SIGINT); err != nil {
		r.t.Fatal(err)
	}
	if err := r.run.Wait(); err != nil {
		r.t.Errorf("the recording ends with %v: %s", err, r.said.String())
	}
}

// pod creates one that wants so much cpu, and waits until the scheduler decided.
func (r *recorded) pod(name, cpu string) {
	r.t.Helper()
	pods := r.client.CoreV1().Pods(metav1.NamespaceDefault)
	_, err := pods.Create(r.t.Context(), &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: corev1.PodSpec{Containers: []corev1.Container{{
			Name: "main", Image: "registry.example/main:v1",
			Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse(cpu)}},
		}}},
	}, metav1.CreateOptions{})
	if err != nil {
		r.t.Fatal(err)
	}
	eventually(r.t, name+" was tried", func(ctx context.Context) (bool, error) {
		pod, err := pods.Get(ctx, name, metav1.GetOptions{})
		return err == nil && (pod.Spec.NodeName != "" || scheduled(pod).Status == corev1.ConditionFalse), err
	})
}

// node creates one that has so much cpu.
func (r *recorded) node(name, cpu string) {
	r.t.Helper()
	room := corev1.ResourceList{
		corev1.ResourceCPU: resource.MustParse(cpu), corev1.ResourceMemory: resource.MustParse("32Gi"), corev1.ResourcePods: resource.MustParse("110"),
	}
	_, err := r.client.CoreV1().Nodes().Create(r.t.Context(), &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{corev1.LabelHostname: name}},
		Status:     corev1.NodeStatus{Allocatable: room, Capacity: room},
	}, metav1.CreateOptions{})
	if err != nil {
		r.t.Fatal(err)
	}
}

// An incident on a real control plane is recorded, and read in a terminal when the
// control plane is no more.
func TestARecordedIncidentIsReadFromItsEnd(t *testing.T) {
	plane := startPlane(t, controlplane.Options{Kwok: true})
	r := record(t, plane)
	r.node("std-1", "4")
	eventually(t, "the node is ready", func(ctx context.Context) (bool, error) {
		node, err := r.client.CoreV1().Nodes().Get(ctx, "std-1", metav1.GetOptions{})
		return err == nil && len(node.Spec.Taints) == 0, err
	})
	r.await()
	r.pod("took", "2")
	r.await()
	r.pod("waits", "3")
	r.await()
	r.end()
	if !strings.Contains(r.said.String(), " steps from ") {
		t.Errorf("it says %s", r.said.String())
	}

	s := open(t, 120, 30, "--from", r.dir)
	s.shows(`SNAPSHOT READ-ONLY  step (\d+) of (\d+)  taken`)
	s.shows(`^▸ +default/waits .* cpu +std-1 needs 1 more`)
	s.press("H")
	s.shows(`^ No node (fits|would have fit) since step \d+: took took the capacity on std-1\.`)
	s.shows(`default/took was scheduled with cpu 2; without it the pod would fit`)
	since := regexp.MustCompile(`^ No node (?:fits|would have fit) since step (\d+):`).FindStringSubmatch(s.Lines()[1])
	if since == nil {
		t.Fatalf("since when?\n%s", s)
	}
	s.press("1,,")
	s.shows(`step ` + strconv.Itoa(r.steps()-2) + ` of ` + strconv.Itoa(r.steps()) + ` `)
	s.press(ctrlC)
	s.ends(0)

	s = open(t, 120, 30, "--from", r.dir, "--step", since[1])
	s.shows(`step ` + since[1] + ` of`)
	s.press("D")
	s.shows(`^ +default/took +std-1, requests cpu 2; new`)
	s.press(strings.Repeat(",", r.steps()))
	s.shows(`step 1 of `)
	s.shows(`this is the first step`)
	s.press(ctrlC)
	s.ends(0)
}
