package e2e

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/kubectl-fathom/kubectl-fathom/e2e/controlplane"
	"github.com/kubectl-fathom/kubectl-fathom/e2e/terminal"
)

// innards of a program that nobody wants to read. A klog line starts with its
// level and the date.
var innards = regexp.MustCompile(`goroutine \d|panic:|runtime error|(?m)^[IWEF]\d{4} `)

// What cannot be answered is told in one line, by the right exit code.
func TestBadInputGetsOneClearLine(t *testing.T) {
	plane := startPlane(t, controlplane.Options{Kwok: true, Users: []string{powerless}})
	kubectl(t, plane, hardCases, "apply", "-f", "-")
	kubectl(t, plane, "", "-n", "hard", "wait", "pod/there", "--for=condition=Ready", "--timeout=60s")
	config := kubeconfig(t, plane, controlplane.Admin)
	broken := filepath.Join(t.TempDir(), "broken.yaml")
	err := os.WriteFile(broken, []byte("apiVersion: v1\nkind: Pod\n  metadata: ["), 0o600)
	if err != nil {
		t.Fatal(err)
	}
	unreachable := unreachableKubeconfig(t, config, plane.URL())
	for _, c := range []struct {
		name string
		args []string
		code int
		says []string // all of these, in its one line
	}{
		{"no kubeconfig", []string{"explain", "pod-1"}, 3, []string{"kubeconfig"}},
		{"no kubeconfig, of all pods", []string{"explain", "--all", "-A"}, 3, []string{"kubeconfig"}},
		{"a kubeconfig that does not exist", []string{"explain", "pod-1", "--kubeconfig", "/nonexistent/config"}, 3, []string{"/nonexistent/config"}},
		{"an unknown context", []string{"explain", "pod-1", "--kubeconfig", config, "--context", "prod-xx"}, 2, []string{"context", "prod-xx"}},
		{"an unknown context, of a view", []string{"get", "nodes", "--kubeconfig", config, "--context", "prod-xx"}, 2, []string{"context", "prod-xx"}},
		{"a server that does not answer", []string{"explain", "pod-1", "--kubeconfig", unreachable}, 3, []string{"127.0.0.1:1"}},
		{"a server that does not answer, of all pods", []string{"explain", "--all", "-A", "--kubeconfig", unreachable}, 3, []string{"127.0.0.1:1"}},
		{"a server that does not answer, of a view", []string{"get", "nodes", "--kubeconfig", unreachable}, 3, []string{"127.0.0.1:1"}},
		{"everything forbidden", []string{"explain", "three", "-n", "hard", "--kubeconfig", kubeconfig(t, plane, powerless)}, 3, []string{"powerless", "pods"}},
		{"everything forbidden, of all pods", []string{"explain", "--all", "-A", "--kubeconfig", kubeconfig(t, plane, powerless)}, 3, []string{"powerless", "pods"}},
		{"everything forbidden, of a view", []string{"get", "nodes", "--kubeconfig", kubeconfig(t, plane, powerless)}, 3, []string{"powerless", "nodes"}},
		{"an unknown pod", []string{"explain", "nobody", "-n", "hard", "--kubeconfig", config}, 3, []string{"nobody"}},
		{"a broken manifest", []string{"explain", "-f", broken, "--kubeconfig", config}, 2, []string{"broken.yaml"}},
		{"a manifest that does not exist", []string{"explain", "-f", "/nonexistent/pod.yaml", "--kubeconfig", config}, 2, []string{"/nonexistent/pod.yaml"}},
		{"no terminal", []string{"--kubeconfig", config}, 2, []string{"terminal"}},
		{"an unknown flag", []string{"explain", "--nonsense"}, 2, []string{"--nonsense"}},
		{"an unknown command", []string{"nonsense"}, 2, []string{"nonsense"}},
		{"an unknown view", []string{"get", "nonsense", "--kubeconfig", config}, 2, []string{"nonsense"}},
		{"an unknown form", []string{"explain", "--all", "-A", "-o", "nonsense", "--kubeconfig", config}, 2, []string{"nonsense"}},
		{"no pod at all", []string{"explain", "--kubeconfig", config}, 2, []string{"pod"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := fathom(t, c.args...)
			lines := strings.Split(strings.TrimSpace(r.stderr), "\n")
			if r.code != c.code || len(lines) != 1 || r.stdout != "" {
				t.Errorf("exit code %d, want %d and one line\nstdout: %.500s\nstderr: %.2000s", r.code, c.code, r.stdout, r.stderr)
			}
			for _, words := range c.says {
				if !strings.Contains(lines[0], words) {
					t.Errorf("it does not say %q: %s", words, lines[0])
				}
			}
			if found := innards.FindString(r.stderr); found != "" {
				t.Errorf("it shows its innards: %q", found)
			}
		})
	}
	t.Run("a running pod", func(t *testing.T) { checkRunningPod(t, config) })
	t.Run("a terminal of 40×10", func(t *testing.T) { checkSmallTerminal(t, config) })
}

// unreachableKubeconfig points to a port where nobody listens.
func unreachableKubeconfig(t *testing.T, config, url string) string {
	t.Helper()
	data, err := os.ReadFile(config)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "config")
	err = os.WriteFile(path, []byte(strings.ReplaceAll(string(data), url, "https://127.0.0.1:1")), 0o600)
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// checkRunningPod wants the exit code of a pod that nothing is wrong with.
func checkRunningPod(t *testing.T, config string) {
	t.Helper()
	r := fathom(t, "explain", "there", "-n", "hard", "--kubeconfig", config)
	if r.code != 0 || !strings.Contains(r.stdout, "bad") || innards.MatchString(r.stderr) {
		t.Errorf("exit code %d, want 0 and the node's name\nstdout: %s\nstderr: %s", r.code, r.stdout, r.stderr)
	}
}

// checkSmallTerminal wants the size that is needed, and a way out.
func checkSmallTerminal(t *testing.T, config string) {
	t.Helper()
	tty, err := terminal.Start(environment(t), 40, 10, binary, "--kubeconfig", config)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tty.Close() }()
	err = tty.Wait(t.Context(), "the size that is needed", func(lines []string) bool {
		return slices.ContainsFunc(lines, func(line string) bool { return strings.Contains(line, "60") && strings.Contains(line, "15") })
	})
	if err != nil {
		t.Fatal(err)
	}
	err = tty.Type("\x03")
	if err != nil {
		t.Fatal(err)
	}
	code, err := tty.Ended(t.Context())
	if err != nil || code != 0 {
		t.Errorf("ctrl-c: exit code %d, want 0: %v", code, err)
	}
	err = tty.Restored()
	if err != nil {
		t.Error(err)
	}
}
