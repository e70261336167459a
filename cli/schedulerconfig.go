package cli

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/kubectl-fathom/kubectl-fathom/cli/exit"
	"github.com/kubectl-fathom/kubectl-fathom/cli/input"
	"github.com/kubectl-fathom/kubectl-fathom/explain"
	"github.com/kubectl-fathom/kubectl-fathom/kube/client"
	"github.com/kubectl-fathom/kubectl-fathom/kube/cluster"
)

// addSchedulerConfig adds --scheduler-config to a command.
func (a *app) addSchedulerConfig(cmd *cobra.Command) {
	cmd.Flags().StringVar(&a.schedulerConfig, "scheduler-config", "",
		"The cluster's KubeSchedulerConfiguration. Without it a ConfigMap of kube-system is looked for, else the default profile is assumed.")
}

// readSchedulerConfig reads the file that --scheduler-config names.
func (a *app) readSchedulerConfig(ctx context.Context) error {
	if a.schedulerConfig == "" {
		return nil
	}
	data, err := input.ReadFile(ctx, a.schedulerConfig, input.MostSettings)
	if err != nil {
		return exit.Usagef("read scheduler configuration: %w", err)
	}
	read := &explain.Configuration{Data: data, Source: a.schedulerConfig, Asked: true}
	if err := read.Check(); err != nil {
		return exit.Usagef("%w", err)
	}
	a.configuration = read
	return nil
}

// equipped gives a source what the user set for it.
func (a *app) equipped(source *cluster.Source, err error) (*cluster.Source, error) {
	if err != nil {
		return nil, err
	}
	if a.configuration != nil {
		source.Configuration = a.configuration
	}
	source.PoolLabel = a.poolLabel
	return source, nil
}

// sourceOf opens a connection's source, with the scheduler's configuration where
// the user gave one. The plugins' feature gates have to be known before.
func (a *app) sourceOf(client *client.Client) func(context.Context) (*cluster.Source, error) {
	explain.Emulate(client.Version())
	return func(ctx context.Context) (*cluster.Source, error) {
		source, err := client.Source(ctx)
		return a.equipped(source, err)
	}
}
