// Package cli is the command line: each command's flags become a value, and the
// value runs.
package cli

import (
	"context"
	"io"
	"log"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"k8s.io/client-go/rest"

	"github.com/kubectl-fathom/kubectl-fathom/cli/complete"
	"github.com/kubectl-fathom/kubectl-fathom/cli/exit"
	"github.com/kubectl-fathom/kubectl-fathom/cli/get"
	"github.com/kubectl-fathom/kubectl-fathom/cli/guard"
	"github.com/kubectl-fathom/kubectl-fathom/cli/help"
	"github.com/kubectl-fathom/kubectl-fathom/cli/metrics"
	"github.com/kubectl-fathom/kubectl-fathom/cli/source"
	"github.com/kubectl-fathom/kubectl-fathom/cli/suggest"
	"github.com/kubectl-fathom/kubectl-fathom/cli/terminal"
	"github.com/kubectl-fathom/kubectl-fathom/explain"
)

// app is what all commands share.
type app struct {
	*terminal.Streams
	source *source.Options
	parsed bool // the command line was understood
}

// Run runs a command line, args[0] being the program's name, and gives its exit code.
func Run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) (code int) {
	silence()
	said := terminal.NewStream(stderr)
	whole := said.IsStderr()
	defer said.TakeOver()()
	out := terminal.NewStream(stdout)
	a := newApp(&terminal.Streams{Name: programName(args), In: stdin, Out: out, ErrOut: said})
	defer func() {
		if r := recover(); r != nil {
			a.Say(guard.NewCrash(r))
			code = exit.Unknown
		}
	}()
	if whole {
		guard.CatchPanics(aborting(a.Streams))
	}
	cmd, err := a.root(args).ExecuteContextC(ctx)
	if err != nil && !a.parsed {
		err = exit.Usagef("%w; see %s --help", err, cmd.CommandPath())
	}
	if err == nil {
		err = out.Err()
	}
	return exit.Code(ctx, err, a.Streams)
}

func newApp(streams *terminal.Streams) *app {
	return &app{Streams: streams, source: source.New(streams)}
}

// silence stops libraries from writing to our streams.
func silence() {
	explain.Silence()
	log.SetOutput(io.Discard) // net/http's
	rest.SetDefaultWarningHandler(rest.NoWarnings{})
}

// root builds the command tree. The root command itself is the dashboard.
func (a *app) root(args []string) *cobra.Command {
	cmd := newDashboard(a)
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	cmd.Use = strings.ReplaceAll(a.Name, " ", "-") // the program's file, for which shells complete
	cmd.Annotations = map[string]string{cobra.CommandDisplayNameAnnotation: a.Name}
	cmd.PersistentPreRun = func(*cobra.Command, []string) { a.parsed = true }
	a.source.Flags.AddFlags(cmd.PersistentFlags())
	cmd.PersistentFlags().Lookup("namespace").Usage = "The `namespace` (default: the context's, else all)."
	complete.New(a.source).Connection(cmd)
	cmd.PersistentFlags().BoolVar(&a.source.ReadOnly, "readonly", false,
		"Send nothing that could change the cluster, not even a dry run.")
	cmd.AddGroup(help.Groups...)
	cmd.AddCommand(help.Grouped(help.Explain, newExplain(a), newFit(a))...)
	cmd.AddCommand(help.Grouped(help.Look, append(get.Views(a.Streams, a.source), get.New(a.Streams, a.source))...)...)
	cmd.AddCommand(help.Grouped(help.Change, newCordon(a, false), newCordon(a, true), newDrain(a), newEvict(a), newLabel(a), newTaint(a))...)
	cmd.AddCommand(help.Grouped(help.Files, newDemo(a), newSnapshot(a))...)
	cmd.AddCommand(help.Grouped(help.Other, newConfig(a), metrics.New(a.Streams, a.source), newOptions(a), newVersion(a), newMan(a))...)
	cmd.SetFlagErrorFunc(suggest.Flag)
	cmd.SetIn(a.In)
	cmd.SetOut(a.Out)
	cmd.SetErr(a.ErrOut)
	setCompletion(cmd) // it takes the stream that is set
	help.Set(cmd)
	takeOnce(cmd)
	cmd.SetArgs(commandLine(args))
	return cmd
}

// aborting ends the process at once, with an error in one line.
func aborting(streams *terminal.Streams) func(error) {
	return func(err error) {
		streams.Say(err)
		os.Exit(exit.Unknown)
	}
}
