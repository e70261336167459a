package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"go.uber.org/goleak"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes/scheme"

	"github.com/kubectl-fathom/kubectl-fathom/explain"
)

func TestMain(m *testing.M) {
	explain.Silence() // before a watch of any test logs
	testscript.Main(leakChecked{m}, map[string]func(){
		"fathom":         program,
		"kubectl-fathom": program,
	})
}

// leakChecked fails where tests leave goroutines behind.
type leakChecked struct{ tests *testing.M }

// Run implements testscript.TestingM.
func (l leakChecked) Run() int {
	if code := l.tests.Run(); code != 0 {
		return code
	}
	if err := goleak.Find(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// program is the whole program, for scripts.
func program() { os.Exit(Run(context.Background(), os.Args, os.Stdin, os.Stdout, os.Stderr)) }

// TestScripts runs the command line against an API server of a few objects, whose
// kubeconfig is at $KUBECONFIG.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata",
		RequireExplicitExec: true,
		Setup: func(env *testscript.Env) error {
			kubeconfig := filepath.Join(env.WorkDir, "kubeconfig")
			newAPI(t, kubeconfig)
			env.Setenv("KUBECONFIG", kubeconfig)
			env.Setenv("HOME", env.WorkDir)
			env.Setenv("XDG_CONFIG_HOME", filepath.Join(env.WorkDir, "config"))
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"exits": exits},
	})
}

// exits runs a command and wants an exit code: exits CODE PROGRAM [ARG…].
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE PROGRAM [ARG…]")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	code := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		var exit *exec.ExitError
		if !errors.As(err, &exit) {
			ts.Fatalf("run %s: %v", args[1], err)
		}
		code = exit.ExitCode()
	}
	if code != want {
		ts.Fatalf("exit code %d, want %d", code, want)
	}
}

// decode reads the body of a request, protobuf or JSON.
func decode(r *http.Request, into runtime.Object) error {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return fmt.Errorf("read body: %w", err)
	}
	_, _, err = scheme.Codecs.UniversalDeserializer().Decode(body, &schema.GroupVersionKind{}, into)
	return err
}
