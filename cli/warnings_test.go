package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kubectl-fathom/kubectl-fathom/cli/exit"
)

// withoutControllers is a cluster in which kube-controller-manager has stopped an hour before kube-scheduler renewed its
// Lease, and nothing is pending.
const withoutControllers = `apiVersion: v1
kind: List
items:
- {apiVersion: v1, kind: Node, metadata: {name: std-1}, status: {allocatable: {cpu: "4", memory: 8Gi, pods: "110"}, conditions: [{type: Ready, status: "True"}]}}
- {apiVersion: v1, kind: Pod, metadata: {name: web, namespace: shop}, spec: {nodeName: std-1, containers: [{name: main}]}, status: {phase: Running}}
- {apiVersion: coordination.k8s.io/v1, kind: Lease, metadata: {name: kube-scheduler, namespace: kube-system}, spec: {renewTime: "2026-01-05T10:00:00.000000Z"}}
- {apiVersion: coordination.k8s.io/v1, kind: Lease, metadata: {name: kube-controller-manager, namespace: kube-system}, spec: {renewTime: "2026-01-05T09:00:00.000000Z"}}
`

// TestTextsAboutPendingPodsComeWithUrgentWarnings on standard error: they say why all may look calm.
func TestTextsAboutPendingPodsComeWithUrgentWarnings(t *testing.T) {
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	file := filepath.Join(t.TempDir(), "cluster.yaml")
	if err := os.WriteFile(file, []byte(withoutControllers), 0o600); err != nil {
		t.Fatal(err)
	}
	const down = "fathom: kube-controller-manager is not running: its Lease was renewed 1h ago. No pods are created or replaced"
	for _, c := range []struct {
		args  string
		warns bool
	}{
		{"explain --all -A", true},
		{"explain --all -A -o json", false},
		{"get pending -A", true},
		{"get pending -A -o wide", true},
		{"get pending -A -o json", false},
		{"fit --lose std-1", true},
		{"fit --lose std-1 -o json", false},
		{"get pods -A", false},
	} {
		var out, said bytes.Buffer
		code := Run(t.Context(), append([]string{"fathom"}, append(strings.Fields(c.args), "--from", file)...), strings.NewReader(""), &out, &said)
		if code == exit.Usage {
			t.Fatalf("%s: %s", c.args, &said)
		}
		if warns := lineWith(said.String(), down) != ""; warns != c.warns || strings.Contains(out.String(), down) {
			t.Errorf("%s: warns %v, want %v: %s", c.args, warns, c.warns, &said)
		}
	}
}
