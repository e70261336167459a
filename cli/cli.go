// Package cli is the command line: each command's flags become a value, and the
// value runs.
package cli

import (
	"context"
	"fmt"
	"io"
	"log"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/client-go/rest"

	"github.com/kubectl-fathom/kubectl-fathom/explain"
)

// app is what all commands share.
type app struct {
	name     string // what the user typed: "fathom", or "kubectl fathom" as a plugin
	stdin    io.Reader
	stdout   io.Writer // a stream, as is stderr
	stderr   io.Writer
	flags    *genericclioptions.ConfigFlags
	readOnly bool
	parsed   bool   // the command line was understood
	from     string // the file or the recording to read in place of a cluster; "" without
	step     int    // of the recording, from 1; 0 is the last
	whole    bool   // objects are kept as they come

	schedulerConfig string                 // the file that the user named; "" without
	configuration   *explain.Configuration // what it holds

	poolLabel string // the label of nodes that holds their pool, as set; "" without
}

// Run runs a command line, args[0] being the program's name, and gives its exit code.
func Run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) (code int) {
	silence()
	said := newStream(stderr)
	whole := said.isStderr()
	defer said.takeOver()()
	a := &app{
		name:   programName(args),
		stdin:  stdin,
		stdout: newStream(stdout),
		stderr: said,
		flags:  genericclioptions.NewConfigFlags(true),
	}
	defer func() {
		if r := recover(); r != nil {
			say(a.stderr, a.name, newCrash(r))
			code = exitUnknown
		}
	}()
	if whole {
		catchPanics(a.abort)
	}
	cmd, err := a.root(args).ExecuteContextC(ctx)
	if err != nil && !a.parsed {
		err = usageError{fmt.Errorf("%w; see %s --help", err, cmd.CommandPath())}
	}
	return exitCode(ctx, err, a.name, a.stderr)
}

// silence keeps the libraries from writing over our own lines.
func silence() {
	explain.Silence()
	log.SetOutput(io.Discard) // net/http's
	rest.SetDefaultWarningHandler(rest.NoWarnings{})
}

// programName is how the user calls the program.
func programName(args []string) string {
	if len(args) > 0 {
		base := strings.TrimSuffix(filepath.Base(args[0]), ".exe")
		if plugin, ok := strings.CutPrefix(strings.Replace(base, completer, "kubectl-", 1), "kubectl-"); ok {
			return "kubectl " + oneLine(plugin)
		}
	}
	return "fathom"
}

// root builds the command tree. The root command itself is the dashboard.
func (a *app) root(args []string) *cobra.Command {
	cmd := a.dashboard()
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	cmd.Annotations = map[string]string{cobra.CommandDisplayNameAnnotation: a.name}
	cmd.PersistentPreRun = func(*cobra.Command, []string) { a.parsed = true }
	a.flags.AddFlags(cmd.PersistentFlags())
	a.completeConnection(cmd)
	cmd.PersistentFlags().BoolVar(&a.readOnly, "readonly", false,
		"Send nothing that could change the cluster, not even as a dry run.")
	cmd.AddCommand(a.explain(), a.list(), a.snapshot(), a.version(),
		a.cordon(false), a.cordon(true), a.drain(), a.taint(), a.label(), a.evict(), a.demo())
	cmd.AddCommand(a.viewCommands()...)
	cmd.SetFlagErrorFunc(nearestFlag)
	cmd.SetIn(a.stdin)
	cmd.SetOut(a.stdout)
	cmd.SetErr(a.stderr)
	cmd.SetArgs(commandLine(args))
	return cmd
}
