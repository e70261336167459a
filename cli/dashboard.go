package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	tea "charm.land/bubbletea/v2"
	"github.com/spf13/cobra"

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
		Args:              noCommand,
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE:              func(cmd *cobra.Command, _ []string) error { return d.run(cmd.Context(), cmd.Flags().Changed("ascii")) },
	}
	d.scope.addFlags(cmd)
	d.addFrom(cmd)
	d.addSchedulerConfig(cmd)
	cmd.Flags().StringVar(&d.theme, "theme", "", "Colours: "+themeNames()+". FATHOM_THEME and the configuration file can set it too.")
	cmd.Flags().BoolVar(&d.ascii, "ascii", false, "Draw with ASCII alone.")
	completeFlag(cmd, "theme", themes.Names()...)
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
func (d *dashing) look(asciiGiven bool) (settings, error) {
	settings, err := readSettings(os.Getenv)
	if err != nil {
		return settings, err
	}
	settings.apply(d.theme, d.ascii, asciiGiven)
	if err := settings.check(); err != nil {
		return settings, err
	}
	d.poolLabel = settings.PoolLabel
	if !isTerminal(d.stdin) || !isTerminal(d.stdout) {
		return settings, usagef("open dashboard: standard input and output have to be a terminal; %[1]s explain --all and %[1]s get pending work without one", d.name)
	}
	return settings, nil
}

// show runs the program on the terminal, which Bubble Tea restores however it ends.
func (d *dashing) show(ctx context.Context, options ui.Options, settings settings) error {
	options.Theme, options.ASCII, options.Production = settings.Theme, *settings.ASCII, settings.Production
	options.ReadOnly, options.Version = d.readOnly, buildVersion()
	app := ui.New(options)
	defer app.Close()
	if err := runGuarded(ctx, app, d.stdin, terminalOf(d.stdout), d.abort); err != nil {
		return fmt.Errorf("run dashboard: %w", err)
	}
	return app.Err()
}

// runGuarded runs a model until it ends, is interrupted or panics. Where it does
// not end although it is to, abort ends the program.
func runGuarded(ctx context.Context, model tea.Model, in io.Reader, out io.Writer, abort func(error)) error {
	g := &guard{app: model, abort: abort, ended: make(chan struct{})}
	// Signals end ctx. Bubble Tea's own handler would wait for its loop, which
	// ctx has ended, and the loop's end for the handler.
	program := tea.NewProgram(g, tea.WithContext(ctx), tea.WithoutSignalHandler(), tea.WithInput(in), tea.WithOutput(out))
	g.quit, g.kill = program.Quit, program.Kill
	shown.Store(g)
	defer shown.CompareAndSwap(g, nil)
	defer context.AfterFunc(ctx, g.insist)()
	_, err := program.Run()
	close(g.ended)
	switch {
	case g.failure() != nil:
		return g.failure()
	case errors.Is(err, tea.ErrInterrupted), ctx.Err() != nil:
		return nil
	default:
		return err
	}
}
