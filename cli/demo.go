package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/spf13/cobra"

	"github.com/kubectl-fathom/kubectl-fathom/cli/complete"
	"github.com/kubectl-fathom/kubectl-fathom/cli/exit"
	"github.com/kubectl-fathom/kubectl-fathom/cli/input"
	"github.com/kubectl-fathom/kubectl-fathom/cli/lessonlist"
	"github.com/kubectl-fathom/kubectl-fathom/cli/session"
	"github.com/kubectl-fathom/kubectl-fathom/cli/suggest"
	"github.com/kubectl-fathom/kubectl-fathom/cli/terminal"
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
	lists  lessonlist.Options
}

// newDemo makes the command that shows the embedded cluster.
func newDemo(a *app) *cobra.Command {
	d := &demoOptions{screen: newScreen(a)}
	d.screen.plain = a.Name + " demo --list works"
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Open the dashboard on an embedded cluster, or take a lesson",
		Long: `Open the dashboard on an embedded cluster, or take a lesson.

The real kube-scheduler and controllers run in this process; kubelets are
simulated, and no container runs. No kubeconfig is read, no server is contacted,
and the cluster is discarded at the end. Pods are pending for a dozen reasons,
and every 20 to 40 seconds something happens, such as a rollout or a preemption.

A lesson has its own cluster. It asks what the scheduler will do, shows what it
does, and ends when its goal is reached. Instructors press i for their menu.`,
		Example: fmt.Sprintf(`  # Open the dashboard on a larger embedded cluster
  %[1]s demo --nodes 200 --seed 7
  # List the lessons, and take the first
  %[1]s demo --list
  %[1]s demo --lesson requests
  # Show how your lessons went
  %[1]s demo --progress`, a.Name),
		Args:              noLesson,
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := d.lists.Validate(cmd); err != nil {
				return err
			}
			if d.lists.Wanted() {
				return d.lists.Write(a.Streams, session.LessonBook())
			}
			if err := d.validate(cmd); err != nil {
				return err
			}
			return d.run(cmd.Context())
		},
	}
	cmd.Flags().StringVar(&d.lesson, "lesson", "", "Take a `LESSON`: its name, a file, or - for standard input.")
	cmd.Flags().BoolVar(&d.large, "instructor", false, "Draw large and plain, for a projector.")
	cmd.Flags().IntVar(&d.nodes, "nodes", demo.FewestNodes, fmt.Sprintf("Number of nodes, %d to %d.", demo.FewestNodes, demo.MostNodes))
	cmd.Flags().Uint64Var(&d.seed, "seed", 1, "The same number repeats the same events.")
	d.screen.addFlags(cmd)
	d.lists.AddFlags(cmd)
	complete.Lesson(cmd)
	return cmd
}

// noLesson rejects arguments, and says how a lesson is taken that one names.
func noLesson(cmd *cobra.Command, args []string) error {
	if len(args) > 0 && slices.Contains(lessons.Names(), args[0]) {
		return fmt.Errorf("demo takes no arguments: demo --lesson %s starts a lesson", args[0])
	}
	return suggest.NoArguments(cmd, args)
}

// validate rejects what cannot be shown.
func (d *demoOptions) validate(cmd *cobra.Command) error {
	for _, flag := range []string{"nodes", "seed"} {
		if d.lesson != "" && cmd.Flags().Changed(flag) {
			return exit.Usagef("demo --%s: a lesson has its own cluster: leave out --%[1]s or --lesson", flag)
		}
	}
	if d.nodes < demo.FewestNodes || d.nodes > demo.MostNodes {
		return exit.Usagef("demo --nodes %d: it must be %d to %d", d.nodes, demo.FewestNodes, demo.MostNodes)
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
func meantLesson(wrong string) string {
	if len(wrong) < 4 {
		return "" // two other letters make another word of it
	}
	return suggest.DidYouMean(wrong, lessons.Names()...)
}

// choose finds the lesson that is to be taken.
func (d *demoOptions) choose(ctx context.Context, clusters *session.Demo) (name string, err error) {
	if d.lesson == "" {
		return demo.Context, nil
	}
	if _, _, err := lessons.Named(d.lesson); err == nil {
		return d.lesson, nil
	}
	text, err := input.ReadAll(ctx, d.lesson, d.screen.In, lessons.MostSize)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", exit.Usagef("open lesson: no lesson and no file is named %s%s; %s demo --list lists the lessons", d.lesson, meantLesson(d.lesson), d.screen.Name)
	case err != nil:
		return "", exit.Usagef("open lesson: %w; %s demo --list lists the lessons", err, d.screen.Name)
	}
	if clusters.File, err = lessons.Read(bytes.NewReader(text)); err != nil {
		return "", exit.Usagef("read lesson %s: %w", d.lesson, err)
	}
	if d.lesson == "-" { // the keys come from the terminal itself then
		if d.screen.In, err = terminal.OpenKeyboard(); err != nil {
			return "", exit.Usagef("%w", err)
		}
	}
	return clusters.File.Name, nil
}
