package cli

import (
	"bytes"
	"context"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/kubectl-fathom/kubectl-fathom/cli/exit"
	"github.com/kubectl-fathom/kubectl-fathom/cli/input"
	"github.com/kubectl-fathom/kubectl-fathom/cli/settings"
	"github.com/kubectl-fathom/kubectl-fathom/cli/suggest"
	"github.com/kubectl-fathom/kubectl-fathom/demo"
	"github.com/kubectl-fathom/kubectl-fathom/demo/lessons"
	"github.com/kubectl-fathom/kubectl-fathom/themes"
	"github.com/kubectl-fathom/kubectl-fathom/ui"
)

// demonstrating is one run of the embedded cluster.
type demonstrating struct {
	dashing
	lesson string // its name, a file or "-"; "" without
	large  bool   // for a projector
	nodes  int    // of the story
	seed   uint64
	lists  listingLessons
}

// demo is the command that shows the embedded cluster.
func (a *app) demo() *cobra.Command {
	d := &demonstrating{dashing: dashing{app: a}}
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
		Example:           fmt.Sprintf("  %[1]s demo\n  %[1]s demo --nodes 200 --seed 7\n  %[1]s demo --list\n  %[1]s demo --lesson what-counts\n  %[1]s demo --instructor --lesson what-counts\n  %[1]s demo --progress -o json", a.name),
		Args:              cobra.NoArgs,
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := d.lists.check(cmd); err != nil {
				return err
			}
			if d.lists.wanted() {
				return d.lists.write(d.app)
			}
			for _, flag := range []string{"nodes", "seed"} {
				if d.lesson != "" && cmd.Flags().Changed(flag) {
					return exit.Usagef("demo --%s: a lesson has a cluster of its own; leave out --%[1]s or --lesson", flag)
				}
			}
			return d.run(cmd.Context(), cmd.Flags().Changed("ascii"))
		},
	}
	cmd.Flags().StringVar(&d.lesson, "lesson", "", "Take a lesson: its name, a file, or - for standard input.")
	cmd.Flags().StringVar(&d.theme, "theme", "", "Colours: "+settings.ThemeNames()+". FATHOM_THEME and the configuration file can set it too.")
	cmd.Flags().BoolVar(&d.large, "instructor", false, "Draw large and plain, as for a projector; i is the menu of who leads a class, with or without it.")
	cmd.Flags().BoolVar(&d.ascii, "ascii", false, "Draw with ASCII alone.")
	cmd.Flags().IntVar(&d.nodes, "nodes", demo.FewestNodes, fmt.Sprintf("How many nodes there are, %d to %d. More are of the same kinds, with some ten pods each.", demo.FewestNodes, demo.MostNodes))
	cmd.Flags().Uint64Var(&d.seed, "seed", 1, "The same number gives the same story again.")
	d.lists.addFlags(cmd)
	suggest.Complete(cmd, "theme", themes.Names()...)
	completeLesson(cmd)
	return cmd
}

// run shows the embedded cluster until its user leaves.
func (d *demonstrating) run(ctx context.Context, asciiGiven bool) error {
	if d.nodes < demo.FewestNodes || d.nodes > demo.MostNodes {
		return exit.Usagef("demo --nodes %d: it takes %d to %d nodes", d.nodes, demo.FewestNodes, demo.MostNodes)
	}
	session := &demoSession{app: d.app, story: demo.Story{Nodes: d.nodes, Seed: d.seed}}
	name, err := d.choose(ctx, session)
	if err != nil {
		return err
	}
	settings, err := d.look(asciiGiven)
	if err != nil {
		return err
	}
	shown, err := session.Open(ctx, name)
	if err != nil {
		return err
	}
	return d.show(ctx, ui.Options{Cluster: shown, Session: session, Context: name, Demo: true, Large: d.large}, settings)
}

// meantLesson asks for the lessons that come with fathom whose names are close to a wrong one.
func meantLesson(wrong string) string { return suggest.DidYouMean(wrong, lessons.Names()...) }

// choose finds the lesson that is to be taken.
func (d *demonstrating) choose(ctx context.Context, session *demoSession) (name string, err error) {
	if d.lesson == "" {
		return demo.Context, nil
	}
	if _, _, err := lessons.Named(d.lesson); err == nil {
		return d.lesson, nil
	}
	text, err := input.ReadAll(ctx, d.lesson, d.stdin, lessons.MostSize)
	if err != nil {
		return "", exit.Usagef("open lesson: %w; demo --list lists those that come with fathom%s", err, meantLesson(d.lesson))
	}
	if session.file, err = lessons.Read(bytes.NewReader(text)); err != nil {
		return "", exit.Usagef("%w", err)
	}
	if d.lesson == "-" { // the keys come from the terminal itself then
		if d.stdin, err = os.Open("/dev/tty"); err != nil {
			return "", exit.Usagef("open terminal: %w", err)
		}
	}
	return session.file.Name, nil
}
