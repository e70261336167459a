// Package e2e runs the built binary against a real control plane.
package e2e

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"k8s.io/client-go/kubernetes"

	"github.com/kubectl-fathom/kubectl-fathom/e2e/controlplane"
	"github.com/kubectl-fathom/kubectl-fathom/explain"
)

var (
	seeds     = flag.Int("seeds", 4, "how many random clusters the comparisons of messages and of preemptions take")
	firstSeed = flag.Int("first", 1, "the first seed of them")
	given     = flag.String("binary", "", "the kubectl-fathom to test, in place of one built from this tree")
	older     = flag.String("kubernetes", "", "an older minor version (1.36) whose control plane runs: make control-plane VERSION=1.36")
	fixSeeds  = flag.Int("fixes", 12, "how many pending pods the test of fixes takes, each of a cluster of its own")
	busyFixes = flag.Int("busyfixes", 30, "how many first verified fixes are applied on busy clusters")
	drains    = flag.Int("drains", 3, "how many nodes the comparison of drains with their plans drains")
	losses    = flag.Int("losses", 2, "how many answers of fit --lose are compared with a drain")
	fits      = flag.Int("fits", 6, "how many answers of fit are compared with what the scheduler binds")
	gangs     = flag.Int("gangs", 8, "how many random gangs the scheduler decides about as fathom foretold")
	workloads = flag.Int("workloads", 30, "how many workloads go to both the embedded cluster and a real one")
	shots     = flag.Int("snapshots", 2, "of how many random clusters the explanations of a snapshot are compared with the live ones")
	soak      = flag.Duration("soak", 30*time.Second, "how long the soak test changes the cluster")
)

// runTimeout is far above what any command needs: past it the command hangs.
const runTimeout = 3 * time.Minute

// binary is the kubectl-fathom under test.
var binary string

func TestMain(m *testing.M) {
	explain.Silence() // as the command line does, before a watch of any test logs
	flag.Parse()
	os.Exit(build(m.Run))
}

// build builds the binary into a temporary folder and runs the tests with it,
// or runs them with the one that -binary names.
func build(run func() int) int {
	if *given != "" {
		binary = *given
		return run()
	}
	dir, err := os.MkdirTemp("", "fathom-e2e-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() { _ = os.RemoveAll(dir) }()
	binary = filepath.Join(dir, "kubectl-fathom")
	out, err := exec.Command("go", "build", "-C", "..", "-o", binary, ".").CombinedOutput()
	if err != nil {
		fmt.Fprintf(os.Stderr, "build kubectl-fathom: %v\n%s", err, out)
		return 1
	}
	return run()
}

// result of a command that has ended.
type result struct {
	stdout, stderr string
	code           int
	took           time.Duration
}

// fathom runs the binary to its end, without a terminal. A hang fails the test.
func fathom(t *testing.T, args ...string) result {
	t.Helper()
	return fathomWithInput(t, "", args...)
}

// fathomWithInput is fathom with something on its standard input.
func fathomWithInput(t *testing.T, input string, args ...string) result {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), runTimeout)
	defer cancel()
	var stdout, stderr bytes.Buffer
	cmd := exec.CommandContext(ctx, binary, args...)
	cmd.Env = environment(t)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewBufferString(input), &stdout, &stderr
	began := time.Now()
	err := cmd.Run()
	r := result{stdout: stdout.String(), stderr: stderr.String(), code: cmd.ProcessState.ExitCode(), took: time.Since(began)}
	if ctx.Err() != nil {
		t.Fatalf("kubectl-fathom %q hangs: no end after %s\nstdout: %s\nstderr: %s", args, runTimeout, r.stdout, r.stderr)
	}
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		t.Fatalf("kubectl-fathom %q: %v", args, err)
	}
	return r
}

// environment is a plain one: no kubeconfig and no settings of the machine's user.
func environment(t *testing.T) []string {
	t.Helper()
	home := t.TempDir()
	t.Cleanup(func() {
		if stack, err := os.ReadFile(filepath.Join(home, ".local", "state", "fathom", "crash.log")); err == nil {
			t.Logf("it has crashed:\n%s", stack)
		}
	})
	return []string{"HOME=" + home, "PATH=" + os.Getenv("PATH"), "TERM=xterm-256color", "LANG=C.UTF-8", "KUBECONFIG=" + filepath.Join(home, "none")}
}

// startPlane starts a control plane that ends with the test.
func startPlane(t *testing.T, o controlplane.Options) *controlplane.ControlPlane {
	t.Helper()
	o.Binaries, o.Version = binaries(t), *older
	plane, err := controlplane.Start(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		err := plane.Stop()
		if err != nil {
			t.Error(err)
		}
	})
	return plane
}

// binaries is where make control-plane puts them.
func binaries(t *testing.T) string {
	t.Helper()
	dir, err := filepath.Abs("bin")
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// kubeconfig writes the kubeconfig of a user.
func kubeconfig(t *testing.T, plane *controlplane.ControlPlane, user string) string {
	t.Helper()
	path, err := plane.Kubeconfig(user)
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// admin is a client that may do everything.
func admin(t *testing.T, plane *controlplane.ControlPlane) kubernetes.Interface {
	t.Helper()
	client, err := plane.Client(controlplane.Admin)
	if err != nil {
		t.Fatal(err)
	}
	return client
}

// kubectl runs kubectl as the administrator and gives what it prints.
func kubectl(t *testing.T, plane *controlplane.ControlPlane, input string, args ...string) string {
	t.Helper()
	args = append([]string{"--kubeconfig", kubeconfig(t, plane, controlplane.Admin)}, args...)
	cmd := exec.CommandContext(t.Context(), filepath.Join(binaries(t), "kubectl"), args...)
	cmd.Env = environment(t)
	cmd.Stdin = bytes.NewBufferString(input)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("kubectl %q: %v\n%s", args, err, stderr.String())
	}
	return string(out)
}
