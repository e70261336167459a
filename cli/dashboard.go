package cli

import (
	"context"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/kubectl-fathom/kubectl-fathom/cli/exit"
	"github.com/kubectl-fathom/kubectl-fathom/cli/scope"
	"github.com/kubectl-fathom/kubectl-fathom/cli/session"
	"github.com/kubectl-fathom/kubectl-fathom/cli/source"
	"github.com/kubectl-fathom/kubectl-fathom/cli/suggest"
	"github.com/kubectl-fathom/kubectl-fathom/cli/terminal"
	"github.com/kubectl-fathom/kubectl-fathom/kube/snapshot"
	"github.com/kubectl-fathom/kubectl-fathom/ui"
)

// dashboardOptions is one run of the dashboard.
type dashboardOptions struct {
	source *source.Options
	scope  scope.Scope
	screen screen
}

// newDashboard makes the root command.
func newDashboard(a *app) *cobra.Command {
	d := &dashboardOptions{source: a.source, screen: newScreen(a)}
	cmd := &cobra.Command{
		Use:   "fathom",
		Short: "Open a dashboard that explains why pods are pending",
		Long: `Open a dashboard that explains why pods are pending, by running kube-scheduler's
own plugins on the current state of the cluster. Press ? in it for its keys.`,
		Example: fmt.Sprintf(`  %[1]s -n shop
  # Explain every pending pod, without the dashboard
  %[1]s explain --all -A
  # Try fathom without a cluster
  %[1]s demo`, a.Name),
		Args:              suggest.NoCommand,
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE:              func(cmd *cobra.Command, _ []string) error { return d.run(cmd.Context()) },
	}
	d.scope.AddFlags(cmd)
	d.source.AddFrom(cmd)
	d.source.AddSchedulerConfig(cmd)
	d.screen.addFlags(cmd)
	return cmd
}

// run shows the dashboard until its user leaves.
func (d *dashboardOptions) run(ctx context.Context) error {
	if err := d.scope.Resolve(ctx, d.source); err != nil {
		return err
	}
	if err := d.source.ReadSchedulerConfig(ctx); err != nil {
		return err
	}
	if err := d.source.CheckFrom(); err != nil {
		return err
	}
	if d.source.From == "-" {
		return d.runPiped(ctx)
	}
	if err := d.screen.prepare(); err != nil {
		return err
	}
	if d.source.From != "" {
		return d.runFile(ctx)
	}
	clusters := &session.Kubeconfig{Source: d.source, Settings: &d.screen.settings, Tuner: source.NewGCTuner(ctx, os.Getenv)}
	options := ui.Options{Namespace: d.scope.Namespace, Selector: d.scope.Selector}
	if err := clusters.Start(ctx, &options); err != nil {
		return err
	}
	options.Warning = d.source.IdlePatterns(&d.screen.settings, options.Context)
	return d.screen.show(ctx, options)
}

// runFile shows the file that --from names. No kubeconfig is read for it.
func (d *dashboardOptions) runFile(ctx context.Context) error {
	saving := source.NewGCTuner(ctx, os.Getenv)
	if d.source.IsRecording() {
		shown, recorded, err := session.OpenRecording(ctx, d.source, saving)
		if err != nil {
			return err
		}
		return d.screen.show(ctx, ui.Options{
			Cluster: shown, Recording: recorded, Context: recorded.Context(), Namespace: d.scope.Namespace, Selector: d.scope.Selector,
		})
	}
	file, err := d.source.ReadFrom(ctx)
	if err != nil {
		return err
	}
	return d.showFile(ctx, file, saving)
}

// runPiped shows what standard input holds; the keys come from the terminal itself.
func (d *dashboardOptions) runPiped(ctx context.Context) error {
	if err := d.screen.readSettings(); err != nil {
		return err
	}
	saving := source.NewGCTuner(ctx, os.Getenv)
	file, err := d.source.ReadFrom(ctx)
	if err != nil {
		return err
	}
	keyboard, err := terminal.OpenKeyboard()
	if err != nil {
		return exit.Usagef("%w", err)
	}
	defer func() { _ = keyboard.Close() }() // it was only read
	d.screen.In = keyboard
	if err := d.screen.checkTerminal(); err != nil {
		return err
	}
	return d.showFile(ctx, file, saving)
}

func (d *dashboardOptions) showFile(ctx context.Context, file *snapshot.File, saving *source.GCTuner) error {
	shown, err := session.OpenFile(ctx, d.source, file, saving)
	if err != nil {
		return err
	}
	return d.screen.show(ctx, ui.Options{
		Cluster: shown, Context: file.Info.Context, Namespace: d.scope.Namespace, Selector: d.scope.Selector,
	})
}
