package cli

import (
	"context"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/kubectl-fathom/kubectl-fathom/cli/build"
	"github.com/kubectl-fathom/kubectl-fathom/cli/exit"
	"github.com/kubectl-fathom/kubectl-fathom/cli/guard"
	"github.com/kubectl-fathom/kubectl-fathom/cli/settings"
	"github.com/kubectl-fathom/kubectl-fathom/cli/suggest"
	"github.com/kubectl-fathom/kubectl-fathom/cli/terminal"
	"github.com/kubectl-fathom/kubectl-fathom/themes"
	"github.com/kubectl-fathom/kubectl-fathom/ui"
)

// dashing is one run of the dashboard.
type dashing struct {
	*app
	scope scope
	theme string
	ascii bool
}

// dashboard is the root command.
func (a *app) dashboard() *cobra.Command {
	d := &dashing{app: a}
	cmd := &cobra.Command{
		Use:   "fathom",
		Short: "A dashboard that says why pods are pending",
		Long: `A dashboard of nodes, pods, taints, QoS and priority that says why pods are pending,
by running kube-scheduler's own plugins over the cluster's present state.

Without a command the dashboard starts; ? in it lists the keys.`,
		Example:           fmt.Sprintf("  %[1]s\n  %[1]s -n shop --theme colour-blind\n  %[1]s explain --all -A", a.name),
		Args:              suggest.NoCommand,
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE:              func(cmd *cobra.Command, _ []string) error { return d.run(cmd.Context(), cmd.Flags().Changed("ascii")) },
	}
	d.scope.addFlags(cmd)
	d.addFrom(cmd)
	d.addSchedulerConfig(cmd)
	cmd.Flags().StringVar(&d.theme, "theme", "", "Colours: "+settings.ThemeNames()+". FATHOM_THEME and the configuration file can set it too.")
	cmd.Flags().BoolVar(&d.ascii, "ascii", false, "Draw with ASCII alone.")
	suggest.Complete(cmd, "theme", themes.Names()...)
	return cmd
}

// run shows the dashboard until its user leaves.
func (d *dashing) run(ctx context.Context, asciiGiven bool) error {
	if err := d.scope.resolve(d.app); err != nil {
		return err
	}
	if err := d.readSchedulerConfig(ctx); err != nil {
		return err
	}
	if err := d.checkFrom(); err != nil {
		return err
	}
	if d.from == "-" {
		return d.runPiped(ctx, asciiGiven)
	}
	settings, err := d.look(asciiGiven)
	if err != nil {
		return err
	}
	if d.from != "" {
		return d.runFile(ctx, settings)
	}
	s := &session{app: d.app, settings: settings, thrift: newThrift(os.Getenv)}
	options := ui.Options{Namespace: d.scope.namespace, Selector: d.scope.selector}
	if err := s.open(ctx, &options); err != nil {
		return err
	}
	options.Warning = d.idlePatterns(&settings, options.Context)
	return d.show(ctx, options, settings)
}

// look finds out how to draw, and whether there is a terminal to draw on.
func (d *dashing) look(asciiGiven bool) (settings.Settings, error) {
	settings, err := settings.Read(os.Getenv)
	if err != nil {
		return settings, err
	}
	settings.Apply(d.theme, d.ascii, asciiGiven)
	if err := settings.Check(); err != nil {
		return settings, err
	}
	d.poolLabel = settings.PoolLabel
	if !terminal.Is(d.stdin) || !terminal.Is(d.stdout) {
		return settings, exit.Usagef("open dashboard: standard input and output have to be a terminal; %[1]s explain --all and %[1]s get pending work without one", d.name)
	}
	return settings, nil
}

// show runs the program on the terminal, which Bubble Tea restores however it ends.
func (d *dashing) show(ctx context.Context, options ui.Options, settings settings.Settings) error {
	options.Theme, options.ASCII, options.Production = settings.Theme, *settings.ASCII, settings.Production
	options.ReadOnly, options.Version = d.readOnly, build.Version()
	app := ui.New(options)
	defer app.Close()
	if err := guard.Run(ctx, app, d.stdin, terminal.Below(d.stdout), d.abort); err != nil {
		return fmt.Errorf("run dashboard: %w", err)
	}
	return app.Err()
}
