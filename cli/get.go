package cli

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kubectl-fathom/kubectl-fathom/cli/exit"
	"github.com/kubectl-fathom/kubectl-fathom/cli/output"
	"github.com/kubectl-fathom/kubectl-fathom/cli/settings"
	"github.com/kubectl-fathom/kubectl-fathom/cli/source"
	"github.com/kubectl-fathom/kubectl-fathom/cli/suggest"
	"github.com/kubectl-fathom/kubectl-fathom/cli/terminal"
)

// views are what get can list.
var views = []string{"nodes", "pods", "pending", "access"}

// viewNames are kubectl's other words for views.
var viewNames = map[string]string{"node": "nodes", "no": "nodes", "pod": "pods", "po": "pods"}

// getForms are the forms that get writes.
var getForms = []string{"text", "wide", "json", "yaml", "name"}

// getOptions is one run of the get command.
type getOptions struct {
	*terminal.Streams
	source    *source.Options
	scope     scope
	output    string
	noHeaders bool

	settings settings.Settings
}

// newGet makes the get command.
func newGet(a *app) *cobra.Command {
	g := &getOptions{Streams: a.Streams, source: a.source}
	cmd := &cobra.Command{
		Use:   "get VIEW",
		Short: "List what a view of the dashboard shows",
		Long: `List what a view of the dashboard shows, without the dashboard.

VIEW is one of
  nodes     room, taints and state of each node
  pods      state, QoS class, priority and node of each pod
  pending   what waits, a row per kind of pod, and why
  access    what this user may read and which views that leaves open; whether fathom keeps the context read-only`,
		Example:   fmt.Sprintf("  %[1]s get nodes -l pool=gpu\n  %[1]s get pending -A -o json", a.Name),
		Args:      oneView,
		ValidArgs: views,
		RunE:      func(cmd *cobra.Command, args []string) error { return g.run(cmd.Context(), viewOf(args[0])) },
	}
	g.addFlags(cmd)
	return cmd
}

// newViews makes the commands that list a view without the word get.
func newViews(a *app) []*cobra.Command {
	var commands []*cobra.Command
	for _, view := range []string{"nodes", "pods", "pending"} {
		g := &getOptions{Streams: a.Streams, source: a.source}
		cmd := &cobra.Command{
			Use:               view,
			Short:             "List " + view + ", as get " + view + " does",
			Args:              cobra.NoArgs,
			ValidArgsFunction: cobra.NoFileCompletions,
			RunE:              func(cmd *cobra.Command, _ []string) error { return g.run(cmd.Context(), view) },
		}
		for other, of := range viewNames {
			if of == view {
				cmd.Aliases = append(cmd.Aliases, other)
			}
		}
		slices.Sort(cmd.Aliases)
		g.addFlags(cmd)
		commands = append(commands, cmd)
	}
	return commands
}

// viewOf is the view that a word names.
func viewOf(word string) string { return cmp.Or(viewNames[word], word) }

// addFlags adds the flags of get.
func (g *getOptions) addFlags(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&g.noHeaders, "no-headers", false, "Leave out the heads of the columns.")
	g.scope.addFlags(cmd)
	g.source.AddFrom(cmd)
	output.AddFlag(cmd, &g.output, getForms...)
}

// oneView takes the name of one view.
func oneView(_ *cobra.Command, args []string) error {
	switch {
	case len(args) != 1:
		return fmt.Errorf("get: name one view: %s", strings.Join(views, ", "))
	case !slices.Contains(views, viewOf(args[0])):
		return fmt.Errorf("get %s: no such view; there are %s%s", args[0], strings.Join(views, ", "), suggest.DidYouMean(args[0], views...))
	default:
		return nil
	}
}

// validate refuses what a view cannot be listed as.
func (g *getOptions) validate(view string) error {
	if err := output.Check(g.output, getForms...); err != nil {
		return err
	}
	if view == "access" && g.source.From != "" {
		return exit.Usagef("get access: a file has no rights to ask for; leave --from out")
	}
	if view == "access" && g.output == "name" {
		return exit.Usagef("get access: -o name: rights have no names; give text, wide, json or yaml")
	}
	return nil
}

// complete reads what the flags name, and the configuration file.
func (g *getOptions) complete() (err error) {
	if err := g.scope.resolve(g.source); err != nil {
		return err
	}
	g.settings, err = settings.Checked(os.Getenv)
	g.source.PoolLabel = g.settings.PoolLabel
	return err
}

// run lists a view.
func (g *getOptions) run(ctx context.Context, view string) error {
	if err := g.validate(view); err != nil {
		return err
	}
	if err := g.complete(); err != nil {
		return err
	}
	if view == "access" {
		return g.access(ctx)
	}
	live, err := g.source.Open(ctx)
	if err != nil {
		return err
	}
	defer live.Close()
	var l *output.List
	switch view {
	case "nodes":
		l, err = g.nodes(live)
	case "pods":
		l, err = g.pods(live)
	case "pending":
		l, err = g.pending(ctx, live)
	}
	if err != nil {
		return err
	}
	live.SayLimits()
	return l.Print(g.Out, g.ErrOut, g.output, g.noHeaders)
}
