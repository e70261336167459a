// Package get lists what the views of the dashboard show.
package get

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/validate/content"
	"k8s.io/utils/ptr"

	"github.com/kubectl-fathom/kubectl-fathom/cli/complete"
	"github.com/kubectl-fathom/kubectl-fathom/cli/exit"
	"github.com/kubectl-fathom/kubectl-fathom/cli/help"
	"github.com/kubectl-fathom/kubectl-fathom/cli/output"
	"github.com/kubectl-fathom/kubectl-fathom/cli/scope"
	"github.com/kubectl-fathom/kubectl-fathom/cli/settings"
	"github.com/kubectl-fathom/kubectl-fathom/cli/source"
	"github.com/kubectl-fathom/kubectl-fathom/cli/suggest"
	"github.com/kubectl-fathom/kubectl-fathom/cli/terminal"
)

// view is something that get lists.
type view struct {
	name    string
	aliases []string // kubectl's short names of it
	about   string   // what get says of it, in lines of at most 60 columns
	short   string   // what its own command says of it; "" if it has none
	object  string   // the object that it takes the name of, "NODE"; "" is none
	list    func(context.Context, *Options, *source.Live) (*output.List, error)
	columns settings.Name // the setting of its own columns; "" if it has none
}

// views are what get lists, in the order of its help. That of access needs no cluster's
// state, so it is not listed as the others are.
var views = []view{
	{
		name: "nodes", aliases: []string{"no", "node"}, about: "nodes, with free capacity, status and taints",
		short: "List nodes, with free capacity, status and taints", list: nodes, columns: settings.NodesColumns,
	},
	{
		name: "pods", aliases: []string{"po", "pod"}, about: "pods, with status, QoS class, priority and node",
		short: "List pods, with status, QoS class, priority and node", list: pods, columns: settings.PodsColumns,
	},
	{
		name: "pending", about: "pending pods and the reason, one row per workload",
		short: "List pending pods, with the reason", list: pending,
	},
	{name: "pools", aliases: []string{"pool"}, about: "nodes by pool and zone: requested, largest free slot, pending", list: pools},
	{name: "taints", aliases: []string{"taint"}, about: "taints, pods that do not tolerate them, reserved pools", list: taints},
	{name: "priorities", aliases: []string{"pc", "priorityclasses"}, about: "PriorityClasses, their pods, and which may preempt which", list: priorities},
	{name: "evictions", object: "NODE", about: "pods of a node in the order in which its kubelet evicts them", list: evictions},
	{name: "cgroups", object: "NODE", about: "its pods' cgroups and files; --driver, --v1, --memory-qos", list: cgroups},
	{name: "quotas", aliases: []string{"quota", "resourcequotas"}, about: "ResourceQuotas, the fullest first, and how many more pods fit", list: quotas},
	{name: "budgets", aliases: []string{"pdb", "poddisruptionbudgets"}, about: "PodDisruptionBudgets, and the nodes whose drain they block", list: budgets},
	{name: "volumes", aliases: []string{"pvc", "pv"}, about: "claims, volumes, attach limits of nodes, StorageClasses", list: volumes},
	{name: "devices", about: "devices of DRA drivers by pool and class, pending claims", list: devices},
	{name: "resizes", about: "in-place resizes of pods, and what the node lacks for them", list: resizes},
	{name: "schedulers", aliases: []string{"scheduler"}, about: "schedulers and controllers, and whether they are running", list: schedulers},
	{name: "access", about: "what you may read, and whether the context is read-only"},
}

// viewExamples are those of the commands that list a view without the word get.
var viewExamples = map[string][]string{
	"nodes":   {"nodes", "nodes -l pool=gpu -o wide", "nodes -o json"},
	"pods":    {"pods -n shop", "pods -l app=web -o wide", "pods -A -o json"},
	"pending": {"pending -n shop", "pending -l app=web -o wide", "pending -A -o json"},
}

// names are those of all views.
func names() []string {
	all := make([]string, len(views))
	for i := range views {
		all[i] = views[i].name
	}
	return all
}

// viewOf is the view that a word names.
func viewOf(word string) (view, bool) {
	at := slices.IndexFunc(views, func(v view) bool { return v.name == word || slices.Contains(v.aliases, word) })
	if at < 0 {
		return view{}, false
	}
	return views[at], true
}

// forms are the forms that get writes.
var forms = []string{"text", "wide", "json", "yaml", "name"}

// Options is one run of the get command.
type Options struct {
	*terminal.Streams
	source    *source.Options
	scope     scope.Scope
	object    string // the name of the object that the view is of; "" without
	by        string // the label that pools are of; "" is pool and zone
	output    string
	noHeaders bool
	watch     bool
	cgroup    cgroupFlags
	found     exit.Outcome // get pending: what could not be evaluated

	settings settings.Settings
}

// New makes the get command.
func New(streams *terminal.Streams, from *source.Options) *cobra.Command {
	g := &Options{Streams: streams, source: from}
	cmd := &cobra.Command{
		Use:     "get VIEW",
		Short:   "List what a view shows: nodes, pods, pools, quotas and more",
		Long:    "List what a view of the dashboard shows. VIEW is one of\n" + viewLines(),
		Example: help.Examples(streams.Name, "get nodes -l pool=gpu", "get pending -A -o json", "get evictions std-a-01"),
		Args:    func(_ *cobra.Command, args []string) error { return oneView(from, args) },
		ValidArgsFunction: func(cmd *cobra.Command, args []string, begun string) ([]cobra.Completion, cobra.ShellCompDirective) {
			if len(args) == 0 {
				return slices.DeleteFunc(names(), func(name string) bool { return !strings.HasPrefix(name, begun) }), cobra.ShellCompDirectiveNoFileComp
			}
			if v, ok := viewOf(args[0]); ok && v.object == "NODE" && len(args) == 1 {
				return complete.New(from).Nodes(cmd, nil, begun)
			}
			return nil, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			v, _ := viewOf(args[0]) // Args found it
			if len(args) > 1 {
				g.object = args[1]
			}
			return g.run(cmd.Context(), v)
		},
	}
	g.addFlags(cmd)
	cmd.Flags().StringVar(&g.by, "by", "", "Group pools by this node `LABEL`.")
	return cmd
}

// viewLines say what each view lists.
func viewLines() string {
	width := 0
	for _, v := range views {
		width = max(width, len(v.name+" "+v.object))
	}
	var b strings.Builder
	for _, v := range views {
		about := strings.ReplaceAll(v.about, "\n", "\n"+strings.Repeat(" ", width+4))
		fmt.Fprintf(&b, "  %-*s  %s\n", width, strings.TrimSpace(v.name+" "+v.object), about)
	}
	return strings.TrimRight(b.String(), "\n")
}

// Views makes the commands that list a view without the word get.
func Views(streams *terminal.Streams, from *source.Options) []*cobra.Command {
	var commands []*cobra.Command
	for _, v := range views {
		if v.short == "" {
			continue
		}
		g := &Options{Streams: streams, source: from}
		cmd := &cobra.Command{
			Use:               v.name,
			Aliases:           v.aliases,
			Short:             v.short,
			Long:              v.short + ".\n\nShort for \"get " + v.name + "\".",
			Example:           help.Examples(streams.Name, viewExamples[v.name]...),
			Args:              func(cmd *cobra.Command, args []string) error { return noNames(from, v.name, v.name, args) },
			ValidArgsFunction: cobra.NoFileCompletions,
			RunE:              func(cmd *cobra.Command, _ []string) error { return g.run(cmd.Context(), v) },
		}
		g.addFlags(cmd)
		commands = append(commands, cmd)
	}
	return commands
}

// addFlags adds the flags of get.
func (g *Options) addFlags(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&g.noHeaders, "no-headers", false, "Do not print the column headers.")
	pendingToo := cmd.Name() == "get" || cmd.Name() == "pending"
	if pendingToo {
		cmd.Flags().BoolVarP(&g.watch, "watch", "w", false, "With get pending: print each change after the list.")
	}
	g.scope.AddFlags(cmd)
	g.source.AddFrom(cmd)
	if pendingToo {
		g.source.AddSchedulerConfig(cmd)
		cmd.Flags().Lookup("scheduler-config").Hidden = cmd.Name() == "get" // it is of two views only
	}
	g.cgroup.addFlags(cmd)
	output.AddFlag(cmd, &g.output, forms...)
}

// oneView takes the name of one view, and of the object where the view is of one.
func oneView(from *source.Options, args []string) error {
	choices := strings.Join(names(), ", ")
	if len(args) == 0 {
		return fmt.Errorf("get: name one view: %s", choices)
	}
	word, name, cut := strings.Cut(args[0], "/")
	v, ok := viewOf(word)
	objects := args[1:]
	if cut {
		objects = append([]string{name}, objects...) // as kubectl reads TYPE/NAME
	}
	switch {
	case !ok:
		return fmt.Errorf("get %s: no such view: choose one of %s%s", args[0], choices, suggest.DidYouMean(args[0], names()...))
	case len(objects) > 0 && isView(objects[0]):
		return fmt.Errorf("get: name one view: %s", choices)
	case v.object == "":
		return noNames(from, "get "+v.name, v.name, objects)
	case len(objects) != 1 || cut:
		return fmt.Errorf("get %s: name one %s: get %s %s", v.name, strings.ToLower(v.object), v.name, v.object)
	}
	return nil
}

func isView(word string) bool {
	_, ok := viewOf(word)
	return ok
}

// noNames rejects names after a view, and says what does for one object what is asked.
func noNames(from *source.Options, verb, view string, names []string) error {
	switch {
	case len(names) == 0:
		return nil
	case view == "access":
		return fmt.Errorf("%s takes no names", verb)
	case view == "nodes":
		return fmt.Errorf("%s takes no names: -l selects by label, such as -l %s=%s", verb, corev1.LabelHostname, names[0])
	}
	words := []string{"explain", names[0]}
	if in := ptr.Deref(from.Flags.Namespace, ""); in != "" {
		words = append(words, "-n", in)
	}
	return fmt.Errorf("%s takes no names: \"%s\" explains one pod; -l selects by label", verb, from.Command(words...))
}

// validate rejects what a view cannot be listed as.
func (g *Options) validate(v view) error {
	if err := output.Check(g.output, forms...); err != nil {
		return err
	}
	if g.by != "" && v.name != "pools" {
		return exit.Usagef("get %s: --by is only for pools", v.name)
	}
	if wrong := content.IsLabelKey(g.by); g.by != "" && len(wrong) > 0 {
		return exit.Usagef("get pools: --by %q is not a label key: %s", g.by, wrong[0])
	}
	if v.name == "pools" && g.output == "name" {
		return exit.Usagef("get pools: -o name: a pool is not an object of the API: choose text, wide, json or yaml")
	}
	if err := g.cgroup.check(v.name); err != nil {
		return err
	}
	if err := g.checkWatch(v.name); err != nil {
		return err
	}
	switch {
	case g.source.HasSchedulerConfig() && v.name != "pending" && v.name != "schedulers":
		return exit.Usagef("get %s: --scheduler-config is only for pending and schedulers", v.name)
	case v.list == nil:
		return g.validateAccess()
	}
	return nil
}

// complete reads what the flags name, and what the view uses of the configuration file.
func (g *Options) complete(ctx context.Context, v view) (err error) {
	if err := g.scope.Resolve(ctx, g.source); err != nil {
		return err
	}
	used := []settings.Name{settings.PoolLabel}
	if v.list == nil {
		used = []settings.Name{settings.ReadOnly, settings.Production}
	}
	if v.name == "pools" {
		used = append(used, settings.BarLevels)
	}
	if v.columns != "" && g.output == "wide" {
		used = append(used, v.columns)
	}
	if err := g.source.ReadSchedulerConfig(ctx); err != nil {
		return err
	}
	g.settings, err = settings.Used(used...)
	g.source.PoolLabel = g.settings.PoolLabel
	g.source.Whole = v.columns != "" && g.output == "wide" && g.settings.Columns.NeedWhole()
	return err
}

// run lists a view.
func (g *Options) run(ctx context.Context, v view) error {
	if err := g.validate(v); err != nil {
		return err
	}
	if err := g.complete(ctx, v); err != nil {
		return err
	}
	if v.list == nil {
		if g.output == "yaml" {
			return g.clusterRole(ctx)
		}
		return g.access(ctx)
	}
	live, err := g.source.Open(ctx)
	if err != nil {
		return err
	}
	defer live.Close()
	if g.watch {
		return g.watchPending(ctx, live)
	}
	l, err := v.list(ctx, g, live)
	if err != nil {
		return err
	}
	live.SayLimits()
	if v.name == "pending" && (g.output == "text" || g.output == "wide") {
		source.Warn(ctx, live, g.scope.Namespace)
	}
	if err := l.Print(g.Out, g.ErrOut, g.output, g.noHeaders); err != nil {
		return err
	}
	return g.found.Err()
}
