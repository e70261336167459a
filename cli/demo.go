package cli

import (
	"bytes"
	"context"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/kubectl-fathom/kubectl-fathom/cli/complete"
	"github.com/kubectl-fathom/kubectl-fathom/cli/exit"
	"github.com/kubectl-fathom/kubectl-fathom/cli/input"
	"github.com/kubectl-fathom/kubectl-fathom/cli/session"
	"github.com/kubectl-fathom/kubectl-fathom/cli/suggest"
	"github.com/kubectl-fathom/kubectl-fathom/demo"
	"github.com/kubectl-fathom/kubectl-fathom/demo/lessons"
	"github.com/kubectl-fathom/kubectl-fathom/ui"
)

// demoOptions is one run of the embedded cluster.
type demoOptions struct {
	screen screen
	lesson string // its name, a file or "-"; "" without
	large  bool   // for a projector
	nodes  int    // of the story
	seed   uint64
	lists  lessonLists
}

// newDemo makes the command that shows the embedded cluster.
func newDemo(a *app) *cobra.Command {
	d := &demoOptions{screen: newScreen(a)}
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "The dashboard on an embedded cluster",
		Long: `The dashboard on an embedded cluster: the real kube-scheduler and controllers run in
this process, on an API in memory; kubelets are stood in for, and no container runs.
No kubeconfig is read and no server is spoken to.

Twelve nodes in three zones carry the workloads of several teams, and pods wait
for a dozen reasons. Every half a minute something happens: a rollout, a node
that is lost and comes back, a preemption. Nothing is kept when it ends.

--lesson takes a lesson instead, on a cluster of its own: it asks what the scheduler
will do, shows what it does, and ends when the cluster is as its goal says. Which
lessons were taken is kept, and --progress tells it.

Who leads a class presses i: faults that are put into the cluster and taken back, a reset,
and the steps of the lesson. --instructor draws large and plain, for a projector.`,
		Example:           fmt.Sprintf("  %[1]s demo\n  %[1]s demo --nodes 200 --seed 7\n  %[1]s demo --list\n  %[1]s demo --lesson what-counts\n  %[1]s demo --instructor --lesson what-counts\n  %[1]s demo --progress -o json", a.Name),
		Args:              cobra.NoArgs,
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := d.lists.validate(cmd); err != nil {
				return err
			}
			if d.lists.wanted() {
				return d.lists.write(a.Streams)
			}
			if err := d.validate(cmd); err != nil {
				return err
			}
			return d.run(cmd.Context())
		},
	}
	cmd.Flags().StringVar(&d.lesson, "lesson", "", "Take a lesson: its name, a file, or - for standard input.")
	cmd.Flags().BoolVar(&d.large, "instructor", false, "Draw large and plain, as for a projector; i is the menu of who leads a class, with or without it.")
	cmd.Flags().IntVar(&d.nodes, "nodes", demo.FewestNodes, fmt.Sprintf("How many nodes there are, %d to %d. More are of the same kinds, with some ten pods each.", demo.FewestNodes, demo.MostNodes))
	cmd.Flags().Uint64Var(&d.seed, "seed", 1, "The same number gives the same story again.")
	d.screen.addFlags(cmd)
	d.lists.addFlags(cmd)
	complete.Lesson(cmd)
	return cmd
}

// validate refuses what cannot be shown.
func (d *demoOptions) validate(cmd *cobra.Command) error {
	for _, flag := range []string{"nodes", "seed"} {
		if d.lesson != "" && cmd.Flags().Changed(flag) {
			return exit.Usagef("demo --%s: a lesson has a cluster of its own; leave out --%[1]s or --lesson", flag)
		}
	}
	if d.nodes < demo.FewestNodes || d.nodes > demo.MostNodes {
		return exit.Usagef("demo --nodes %d: it takes %d to %d nodes", d.nodes, demo.FewestNodes, demo.MostNodes)
	}
	return nil
}

// run shows the embedded cluster until its user leaves.
func (d *demoOptions) run(ctx context.Context) error {
	clusters := &session.Demo{Story: demo.Story{Nodes: d.nodes, Seed: d.seed}, ReadOnly: d.screen.source.ReadOnly}
	name, err := d.choose(ctx, clusters)
	if err != nil {
		return err
	}
	if err := d.screen.prepare(); err != nil {
		return err
	}
	shown, err := clusters.Open(ctx, name)
	if err != nil {
		return err
	}
	return d.screen.show(ctx, ui.Options{Cluster: shown, Session: clusters, Context: name, Demo: true, Large: d.large})
}

// meantLesson asks for the lessons that come with fathom whose names are close to a wrong one.
func meantLesson(wrong string) string { return suggest.DidYouMean(wrong, lessons.Names()...) }

// choose finds the lesson that is to be taken.
func (d *demoOptions) choose(ctx context.Context, clusters *session.Demo) (name string, err error) {
	if d.lesson == "" {
		return demo.Context, nil
	}
	if _, _, err := lessons.Named(d.lesson); err == nil {
		return d.lesson, nil
	}
	text, err := input.ReadAll(ctx, d.lesson, d.screen.In, lessons.MostSize)
	if err != nil {
		return "", exit.Usagef("open lesson: %w; demo --list lists those that come with fathom%s", err, meantLesson(d.lesson))
	}
	if clusters.File, err = lessons.Read(bytes.NewReader(text)); err != nil {
		return "", exit.Usagef("%w", err)
	}
	if d.lesson == "-" { // the keys come from the terminal itself then
		if d.screen.In, err = os.Open("/dev/tty"); err != nil {
			return "", exit.Usagef("open terminal: %w", err)
		}
	}
	return clusters.File.Name, nil
}
