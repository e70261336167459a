package cli

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// views are what get can list.
var views = []string{"nodes", "pods", "pending", "access"}

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
		RunE:      func(cmd *cobra.Command, args []string) error { return g.run(cmd.Context(), args[0]) },
	}
	cmd.Flags().BoolVar(&g.noHeaders, "no-headers", false, "Leave out the heads of the columns.")
	g.scope.addFlags(cmd)
	g.addFrom(cmd)
	addOutput(cmd, &g.output, "text", "json")
	return cmd
}

// oneView takes the name of one view.
func oneView(_ *cobra.Command, args []string) error {
	switch {
	case len(args) != 1:
		return fmt.Errorf("get: name one view: %s", strings.Join(views, ", "))
	case !slices.Contains(views, args[0]):
		return fmt.Errorf("get %s: no such view; there are %s", args[0], strings.Join(views, ", "))
	default:
		return nil
	}
}

// listing is a view as a list: a table for people, items for programs.
type listing struct {
	kind  string // of the JSON list
	heads []string
	rows  [][]string
	items []any
	empty string // what to say if nothing is in it
}

// add adds one row.
func (l *listing) add(item any, cells ...string) {
	l.items = append(l.items, item)
	l.rows = append(l.rows, cells)
}

// run lists a view.
func (g *getting) run(ctx context.Context, view string) error {
	if err := checkOutput(g.output, "text", "json"); err != nil {
		return err
	}
	if err := g.scope.resolve(g.app); err != nil {
		return err
	}
	if view == "access" && g.from != "" {
		return usagef("get access: a file has no rights to ask for; leave --from out")
	}
	if view == "access" {
		return g.access(ctx)
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

// print writes a listing in the form asked for.
func (g *getting) print(l *listing) error {
	if g.output == "json" {
		return printList(g.stdout, l.kind, l.items)
	}
	if len(l.rows) == 0 {
		_, err := fmt.Fprintln(g.stderr, oneLine(l.empty))
		return err
	}
	rows := l.rows
	if !g.noHeaders {
		rows = slices.Insert(rows, 0, l.heads)
	}
	_, err := io.WriteString(g.stdout, table(rows))
	return err
}
