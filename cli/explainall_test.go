package cli

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-fathom/kubectl-fathom/cli/exit"
)

// A pod that could preempt on two equal nodes: explain --all names both, also without --fixes.
func TestExplainAllNamesWhatTiesInAPreemption(t *testing.T) {
	config := filepath.Join(t.TempDir(), "config")
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	objects := newObjects(t)
	objects.nodes[1].Spec.Taints = nil
	vip := podOf("shop", "vip", "8", "", corev1.PodPending)
	vip.Spec.Priority = new(int32(100))
	objects.pods = []corev1.Pod{
		podOf("shop", "low-1", "8", "std-1", corev1.PodRunning), podOf("shop", "low-2", "8", "gpu-1", corev1.PodRunning), vip,
	}
	serve(t, config, objects)
	var out, said bytes.Buffer
	args := []string{"fathom", "--kubeconfig", config, "explain", "--all", "-n", "shop", "-o", "json"}
	if code := Run(t.Context(), args, strings.NewReader(""), &out, &said); code != exit.Blocked {
		t.Fatalf("exit code %d: %s", code, &said)
	}
	var told struct {
		Items []struct {
			Pod        struct{ Name string }
			Preemption struct{ Tie []struct{ Node string } }
		}
	}
	if err := json.Unmarshal(out.Bytes(), &told); err != nil {
		t.Fatal(err)
	}
	if len(told.Items) != 1 || len(told.Items[0].Preemption.Tie) != 2 {
		t.Errorf("want one pod and two nodes that tie, got %+v", told.Items)
	}
}

// A pod whose victims are terminating: explain --all names its node and who goes there as explain POD does.
func TestExplainAllTellsOfAPreemptionUnderWayAsExplainDoes(t *testing.T) {
	config := filepath.Join(t.TempDir(), "config")
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	objects := newObjects(t)
	vip, low := podOf("shop", "vip", "8", "", corev1.PodPending), podOf("shop", "low-1", "8", "std-1", corev1.PodRunning)
	vip.Spec.Priority, vip.Status.NominatedNodeName = new(int32(100)), "std-1"
	low.DeletionTimestamp = new(metav1.NewTime(time.Now().Add(time.Hour)))
	objects.pods = []corev1.Pod{low, vip}
	serve(t, config, objects)
	ask := func(args ...string) string {
		var out, said bytes.Buffer
		args = append([]string{"fathom", "--kubeconfig", config, "explain"}, args...)
		if code := Run(t.Context(), args, strings.NewReader(""), &out, &said); code != exit.Blocked {
			t.Fatalf("%v: exit code %d: %s", args, code, &said)
		}
		return out.String()
	}
	preemption := func(whole string) string {
		var told struct {
			Items      []struct{ Preemption json.RawMessage }
			Preemption json.RawMessage
		}
		if err := json.Unmarshal([]byte(whole), &told); err != nil {
			t.Fatal(err)
		}
		var flat bytes.Buffer
		for _, item := range told.Items {
			told.Preemption = item.Preemption
		}
		if err := json.Compact(&flat, told.Preemption); err != nil {
			t.Fatal(err)
		}
		return flat.String()
	}
	want := preemption(ask("vip", "-n", "shop", "-o", "json"))
	if !strings.Contains(want, `"node":"std-1"`) || !strings.Contains(want, "low-1") {
		t.Fatalf("explain says %s", want)
	}
	for _, more := range [][]string{nil, {"--nodes"}, {"--fixes"}} {
		if got := preemption(ask(append([]string{"--all", "-n", "shop", "-o", "json"}, more...)...)); got != want {
			t.Errorf("explain --all %v says %s\nexplain says          %s", more, got, want)
		}
		if text := ask(append([]string{"--all", "-n", "shop"}, more...)...); !strings.Contains(text, "Preemption has chosen std-1. Being evicted:\n  shop/low-1, priority 0") {
			t.Errorf("explain --all %v says\n%s", more, text)
		}
	}
}

// resizing makes a running pod one whose resize in place is deferred.
func resizing(p *corev1.Pod) {
	p.Spec.Containers[0].Resources.Requests[corev1.ResourceCPU] = resource.MustParse("64")
	p.Status.Conditions = append(p.Status.Conditions, corev1.PodCondition{
		Type: corev1.PodResizePending, Status: corev1.ConditionTrue, Reason: corev1.PodReasonDeferred, Message: "Node didn't have enough resource: cpu",
	})
}

// A running pod whose resize is deferred is listed after the pending ones, and is no reason for exit code 1.
func TestResizesAreListedWithPendingPods(t *testing.T) {
	config := filepath.Join(t.TempDir(), "config")
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	objects := newObjects(t)
	grown := podOf("shop", "grown", "1", "std-1", corev1.PodRunning)
	resizing(&grown)
	objects.pods = []corev1.Pod{grown}
	serve(t, config, objects)
	run := func(want int, args ...string) string {
		t.Helper()
		var out, said bytes.Buffer
		if code := Run(t.Context(), append([]string{"fathom", "--kubeconfig", config}, args...), strings.NewReader(""), &out, &said); code != want {
			t.Fatalf("exit code %d: %s", code, &said)
		}
		return out.String()
	}
	var told struct {
		Items []struct {
			Verdict, BlockedBy, Resize string
			Pod                        struct{ Name string }
			Pods                       []string
		}
	}
	if err := json.Unmarshal([]byte(run(exit.Clear, "explain", "--all", "-n", "shop", "-o", "json")), &told); err != nil {
		t.Fatal(err)
	}
	if len(told.Items) != 1 || told.Items[0].Pod.Name != "grown" || told.Items[0].Verdict != "Scheduled" || told.Items[0].BlockedBy != "resize" {
		t.Errorf("explain --all has %+v", told.Items)
	}
	if text := run(exit.Clear, "explain", "--all", "-n", "shop"); !strings.Contains(text, "resize") || strings.Contains(text, "No pending pods") {
		t.Errorf("explain --all says %q", text)
	}
	if err := json.Unmarshal([]byte(run(exit.Clear, "get", "pending", "-n", "shop", "-o", "json")), &told); err != nil {
		t.Fatal(err)
	}
	if len(told.Items) != 1 || told.Items[0].Pods[0] != "grown" || told.Items[0].Resize != "Deferred" || told.Items[0].BlockedBy != "resize" {
		t.Errorf("get pending has %+v", told.Items)
	}
	if row := lineWith(run(exit.Clear, "get", "pending", "-n", "shop"), "grown"); !strings.Contains(row, "resize") || !strings.Contains(row, "deferred") {
		t.Errorf("get pending has the row %q", row)
	}
	objects.pods = append(objects.pods, podOf("shop", "waits", "99", "", corev1.PodPending))
	rows := run(exit.Clear, "get", "pending", "-n", "shop", "-o", "name")
	if rows != "pod/waits\npod/grown\n" {
		t.Errorf("the resize does not stand after the pending pod: %q", rows)
	}
	run(exit.Blocked, "explain", "--all", "-n", "shop", "-o", "json")
}
