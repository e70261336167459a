package e2e

import (
	"path/filepath"
	"strings"
	"testing"
)

// requireWords wants words of the whole answer about a pod and others not, a short answer of at most 20
// lines, and no promise in either.
func requireWords(t *testing.T, config, namespace, pod string, want, never []string) {
	t.Helper()
	whole := fathom(t, "explain", "--kubeconfig", config, "-n", namespace, pod, "--verbose")
	said := strings.Join(strings.Fields(whole.stdout), " ")
	for _, words := range want {
		if !strings.Contains(said, words) {
			t.Errorf("it does not say %q", words)
		}
	}
	for _, words := range never {
		if strings.Contains(said, words) {
			t.Errorf("it says %q", words)
		}
	}
	short := fathom(t, "explain", "--kubeconfig", config, "-n", namespace, pod)
	if lines := strings.Count(short.stdout, "\n"); lines > 20 {
		t.Errorf("the short answer has %d lines", lines)
	}
	if promise.MatchString(whole.stdout + short.stdout) {
		t.Error("it promises")
	}
	if t.Failed() {
		t.Logf("%s%s\n%s", whole.stdout, whole.stderr, short.stdout)
	}
}

// requireSameOfSnapshot wants part to be the same of a pod's explanations in JSON, with fixes, from the
// cluster and from a snapshot of it.
func requireSameOfSnapshot(t *testing.T, config, namespace, pod string, part func(document []byte) string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "state.yaml")
	if r := fathom(t, "snapshot", "--kubeconfig", config, "-o", file); r.code != 0 && r.code != 3 {
		t.Fatalf("exit code %d: %s", r.code, r.stderr)
	}
	explained := func(from ...string) string {
		r := fathom(t, append([]string{"explain", "-n", namespace, pod, "--fixes", "-o", "json"}, from...)...)
		if r.stdout == "" {
			t.Fatalf("exit code %d: %s", r.code, r.stderr)
		}
		return part([]byte(r.stdout))
	}
	live, filed := explained("--kubeconfig", config), explained("--from", file)
	if live != filed {
		t.Errorf("the cluster:\n%s\nthe snapshot:\n%s", live, filed)
	}
}
