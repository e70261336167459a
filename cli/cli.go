// Package cli is the command line: each command's flags become a value, and the
// value runs.
package cli

import (
	"context"
	"io"
	"log"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/client-go/rest"

	"github.com/kubectl-fathom/kubectl-fathom/cli/exit"
	"github.com/kubectl-fathom/kubectl-fathom/cli/guard"
	"github.com/kubectl-fathom/kubectl-fathom/cli/suggest"
	"github.com/kubectl-fathom/kubectl-fathom/cli/terminal"
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
	said := terminal.NewStream(stderr)
	whole := said.IsStderr()
	defer said.TakeOver()()
	a := &app{
		name:   programName(args),
		stdin:  stdin,
		stdout: terminal.NewStream(stdout),
		stderr: said,
		flags:  genericclioptions.NewConfigFlags(true),
	}
	defer func() {
		if r := recover(); r != nil {
			terminal.Say(a.stderr, a.name, guard.NewCrash(r))
			code = exit.Unknown
		}
	}()
	if whole {
		guard.CatchPanics(a.abort)
	}
	cmd, err := a.root(args).ExecuteContextC(ctx)
	if err != nil && !a.parsed {
		err = exit.Usagef("%w; see %s --help", err, cmd.CommandPath())
	}
	return exit.Code(ctx, err, a.name, a.stderr)
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
			return "kubectl " + terminal.OneLine(plugin)
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
	cmd.SetFlagErrorFunc(suggest.Flag)
	cmd.SetIn(a.stdin)
	cmd.SetOut(a.stdout)
	cmd.SetErr(a.stderr)
	cmd.SetArgs(commandLine(args))
	return cmd
}

// abort ends the process at once, with an error in one line.
func (a *app) abort(err error) {
	terminal.Say(a.stderr, a.name, err)
	os.Exit(exit.Unknown)
}
