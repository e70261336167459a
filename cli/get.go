package cli

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// views are what get can list.
var views = []string{"nodes", "pods", "pending", "access"}

// viewNames are kubectl's other words for views.
var viewNames = map[string]string{"node": "nodes", "no": "nodes", "pod": "pods", "po": "pods"}

// getForms are the forms that get writes.
var getForms = []string{"text", "wide", "json", "yaml", "name"}

// getting is one run of the get command.
type getting struct {
	*app
	scope     scope
	output    string
	noHeaders bool
}

// list is the get command.
func (a *app) list() *cobra.Command {
	g := &getting{app: a}
	cmd := &cobra.Command{
		Use:   "get VIEW",
		Short: "List what a view of the dashboard shows",
		Long: `List what a view of the dashboard shows, without the dashboard.

VIEW is one of
  nodes     room, taints and state of each node
  pods      state, QoS class, priority and node of each pod
  pending   what waits, a row per kind of pod, and why
  access    what this user may read and which views that leaves open; whether fathom keeps the context read-only`,
		Example:   fmt.Sprintf("  %[1]s get nodes -l pool=gpu\n  %[1]s get pending -A -o json", a.name),
		Args:      oneView,
		ValidArgs: views,
		RunE:      func(cmd *cobra.Command, args []string) error { return g.run(cmd.Context(), viewOf(args[0])) },
	}
	g.addFlags(cmd)
	return cmd
}

// viewCommands are the commands that list a view without the word get.
func (a *app) viewCommands() []*cobra.Command {
	var commands []*cobra.Command
	for _, view := range []string{"nodes", "pods", "pending"} {
		g := &getting{app: a}
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
func (g *getting) addFlags(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&g.noHeaders, "no-headers", false, "Leave out the heads of the columns.")
	g.scope.addFlags(cmd)
	g.addFrom(cmd)
	addOutput(cmd, &g.output, getForms...)
}

// oneView takes the name of one view.
func oneView(_ *cobra.Command, args []string) error {
	switch {
	case len(args) != 1:
		return fmt.Errorf("get: name one view: %s", strings.Join(views, ", "))
	case !slices.Contains(views, viewOf(args[0])):
		return fmt.Errorf("get %s: no such view; there are %s%s", args[0], strings.Join(views, ", "), didYouMean(args[0], views...))
	default:
		return nil
	}
}

// listing is a view as a list: a table for people, items for programs.
type listing struct {
	kind  string // of the JSON list
	heads []string
	more  []string // heads of the columns that -o wide adds
	rows  [][]string
	items []any
	names []string // of the objects, as kubectl get -o name has them
	empty string   // what to say if nothing is in it
}

// add adds one row. Its last cells are those of -o wide.
func (l *listing) add(item any, cells ...string) {
	l.items = append(l.items, item)
	l.rows = append(l.rows, cells)
}

// run lists a view.
func (g *getting) run(ctx context.Context, view string) error {
	if err := checkOutput(g.output, getForms...); err != nil {
		return err
	}
	if err := g.scope.resolve(g.app); err != nil {
		return err
	}
	if view == "access" && g.from != "" {
		return usagef("get access: a file has no rights to ask for; leave --from out")
	}
	if view == "access" && g.output == "name" {
		return usagef("get access: -o name: rights have no names; give text, wide, json or yaml")
	}
	if view == "access" {
		return g.access(ctx)
	}
	if err := g.readPoolLabel(); err != nil {
		return err
	}
	live, err := g.open(ctx)
	if err != nil {
		return err
	}
	defer live.Close()
	var l *listing
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
	live.sayLimits()
	return g.print(l)
}

// readPoolLabel reads the setting of the label that holds nodes' pools.
func (a *app) readPoolLabel() error {
	settings, err := readSettings(os.Getenv)
	if err != nil {
		return err
	}
	a.poolLabel = settings.PoolLabel
	return settings.check()
}

// print writes a listing in the form asked for.
func (g *getting) print(l *listing) error {
	switch g.output {
	case "json":
		return printList(g.stdout, l.kind, l.items)
	case "yaml":
		return writeYAML(g.stdout, itemList{TypeMeta: metav1.TypeMeta{APIVersion: report.APIVersion, Kind: l.kind}, Items: listOrEmpty(l.items)})
	}
	if len(l.rows) == 0 {
		_, err := fmt.Fprintln(g.stderr, oneLine(l.empty))
		return err
	}
	if g.output == "name" {
		_, err := io.WriteString(g.stdout, nameLines(l.names))
		return err
	}
	heads := slices.Concat(l.heads, l.more)
	width := len(heads)
	if g.output != "wide" {
		width = len(l.heads)
	}
	var rows [][]string
	if !g.noHeaders {
		rows = append(rows, heads[:width])
	}
	for _, row := range l.rows {
		rows = append(rows, row[:width])
	}
	_, err := io.WriteString(g.stdout, table(rows))
	return err
}

// nameLines puts each name on a line of its own.
func nameLines(names []string) string {
	var b strings.Builder
	for _, name := range names {
		b.WriteString(model.Clean(name) + "\n")
	}
	return b.String()
}

// itemList is a list as YAML tells it.
type itemList struct {
	metav1.TypeMeta `json:",inline"`

	Items []any `json:"items"`
}
