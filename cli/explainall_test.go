package cli

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

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
