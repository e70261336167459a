package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/kubectl-fathom/kubectl-fathom/demo"
	"github.com/kubectl-fathom/kubectl-fathom/themes"
	"github.com/kubectl-fathom/kubectl-fathom/ui"
)

// demonstrating is one run of the embedded cluster.
type demonstrating struct {
	dashing
}

// demo is the command that shows the embedded cluster.
func (a *app) demo() *cobra.Command {
	d := &demonstrating{dashing{app: a}}
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "The dashboard on an embedded cluster",
		Long: `The dashboard on an embedded cluster: the real kube-scheduler and controllers run in
this process, on an API in memory. No kubeconfig is read and no server is spoken to.`,
		Example:           fmt.Sprintf("  %[1]s demo", a.name),
		Args:              cobra.NoArgs,
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE:              func(cmd *cobra.Command, _ []string) error { return d.run(cmd.Context(), cmd.Flags().Changed("ascii")) },
	}
	cmd.Flags().StringVar(&d.theme, "theme", "", "Colours: "+themeNames()+". FATHOM_THEME and the configuration file can set it too.")
	cmd.Flags().BoolVar(&d.ascii, "ascii", false, "Draw with ASCII alone.")
	completeFlag(cmd, "theme", themes.Names()...)
	return cmd
}

// run shows the embedded cluster until its user leaves.
func (d *demonstrating) run(ctx context.Context, asciiGiven bool) error {
	settings, err := d.look(asciiGiven)
	if err != nil {
		return err
	}
	running, err := demo.Start(ctx)
	if err != nil {
		return err
	}
	defer running.Stop()
	shown, err := embed(ctx, running, d.readOnly)
	if err != nil {
		return err
	}
	return d.show(ctx, ui.Options{Cluster: shown, Context: demo.Context, Demo: true}, settings)
}
