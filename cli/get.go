package cli

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-fathom/kubectl-fathom/cli/exit"
	"github.com/kubectl-fathom/kubectl-fathom/cli/output"
	"github.com/kubectl-fathom/kubectl-fathom/cli/settings"
	"github.com/kubectl-fathom/kubectl-fathom/cli/source"
	"github.com/kubectl-fathom/kubectl-fathom/cli/suggest"
	"github.com/kubectl-fathom/kubectl-fathom/cli/terminal"
)

// views are what get can list.
var views = []string{"nodes", "pods", "pending", "access"}

// viewNames are kubectl's short names of views.
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
		Short: "List nodes, pods, pending pods or your access",
		Long: `List what a view of the dashboard shows.

VIEW is one of
  nodes     nodes, with free capacity, status and taints
  pods      pods, with status, QoS class, priority and node
  pending   pending pods and the reason, a row for the replicas of a workload
  access    what you may read, which views that opens, and whether fathom treats
            the context as read-only`,
		Example: fmt.Sprintf(`  # List the nodes of a pool
  %[1]s get nodes -l pool=gpu
  # List all pending pods, as JSON
  %[1]s get pending -A -o json
  # List what you may read
  %[1]s get access`, a.Name),
		Args:      oneView,
		ValidArgs: views,
		RunE:      func(cmd *cobra.Command, args []string) error { return g.run(cmd.Context(), viewOf(args[0])) },
	}
	g.addFlags(cmd)
	return cmd
}

// newViews makes the commands that list a view without the word get.
func newViews(a *app) []*cobra.Command {
	shorts := map[string]string{
		"nodes":   "List nodes, with free capacity, status and taints",
		"pods":    "List pods, with status, QoS class, priority and node",
		"pending": "List pending pods, with the reason",
	}
	examples := map[string][]string{
		"nodes":   {"nodes", "nodes -l pool=gpu -o wide", "nodes -o json"},
		"pods":    {"pods -n shop", "pods -l app=web -o wide", "pods -A -o json"},
		"pending": {"pending -n shop", "pending -l app=web -o wide", "pending -A -o json"},
	}
	var commands []*cobra.Command
	for _, view := range []string{"nodes", "pods", "pending"} {
		g := &getOptions{Streams: a.Streams, source: a.source}
		cmd := &cobra.Command{
			Use:               view,
			Short:             shorts[view],
			Long:              shorts[view] + ".\n\nShort for \"get " + view + "\".",
			Example:           examplesOf(a.Name, examples[view]...),
			Args:              func(cmd *cobra.Command, args []string) error { return noNames(cmd, view, view, args) },
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
	cmd.Flags().BoolVar(&g.noHeaders, "no-headers", false, "Do not print the column headers.")
	g.scope.addFlags(cmd)
	g.source.AddFrom(cmd)
	output.AddFlag(cmd, &g.output, getForms...)
}

// oneView takes the name of one view.
func oneView(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return fmt.Errorf("get: name one view: %s", strings.Join(views, ", "))
	}
	word, name, cut := strings.Cut(args[0], "/")
	view, names := viewOf(word), args[1:]
	if cut {
		names = append([]string{name}, names...) // as kubectl reads TYPE/NAME
	}
	switch {
	case !slices.Contains(views, view):
		return fmt.Errorf("get %s: no such view: choose one of %s%s", args[0], strings.Join(views, ", "), suggest.DidYouMean(args[0], views...))
	case len(names) > 0 && slices.Contains(views, viewOf(names[0])):
		return fmt.Errorf("get: name one view: %s", strings.Join(views, ", "))
	}
	return noNames(cmd, "get "+view, view, names)
}

// noNames rejects names after a view, and says what does for one object what is asked.
func noNames(cmd *cobra.Command, verb, view string, names []string) error {
	switch {
	case len(names) == 0:
		return nil
	case view == "access":
		return fmt.Errorf("%s takes no names", verb)
	case view == "nodes":
		return fmt.Errorf("%s takes no names: -l selects by label, such as -l %s=%s", verb, corev1.LabelHostname, names[0])
	}
	return fmt.Errorf("%s takes no names: \"%s explain %s\" explains one pod; -l selects by label", verb, cmd.Root().CommandPath(), names[0])
}

// validate rejects what a view cannot be listed as.
func (g *getOptions) validate(view string) error {
	if err := output.Check(g.output, getForms...); err != nil {
		return err
	}
	if view == "access" && g.source.From != "" {
		return exit.Usagef("get access: it needs a cluster: leave out --from")
	}
	if view == "access" && g.output == "name" {
		return exit.Usagef("get access: -o name: permissions have no names: choose text, wide, json or yaml")
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
