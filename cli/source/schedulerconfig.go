package source

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/kubectl-fathom/kubectl-fathom/cli/exit"
	"github.com/kubectl-fathom/kubectl-fathom/cli/input"
	"github.com/kubectl-fathom/kubectl-fathom/explain/scheduler"
	"github.com/kubectl-fathom/kubectl-fathom/kube/cluster"
)

// AddSchedulerConfig adds --scheduler-config to a command.
func (o *Options) AddSchedulerConfig(cmd *cobra.Command) {
	cmd.Flags().StringVar(&o.schedulerConfig, "scheduler-config", "",
		"The KubeSchedulerConfiguration `FILE` (default: from kube-system, else the default profile).")
}

// HasSchedulerConfig reports whether --scheduler-config is given.
func (o *Options) HasSchedulerConfig() bool { return o.schedulerConfig != "" }

// ReadSchedulerConfig reads the file that --scheduler-config names.
func (o *Options) ReadSchedulerConfig(ctx context.Context) error {
	if o.schedulerConfig == "" {
		return nil
	}
	data, err := input.ReadFile(ctx, o.schedulerConfig, input.MostSettings)
	if err != nil {
		return exit.Usagef("read scheduler configuration: %w", err)
	}
	read := &scheduler.Configuration{Data: data, Source: o.schedulerConfig, Asked: true}
	if err := read.Check(); err != nil {
		return exit.Usagef("%w", err)
	}
	o.Configuration = read
	return nil
}

// equipped gives a source what the user set for it: the scheduler's configuration and
// the label of pools.
func (o *Options) equipped(source *cluster.Source, err error) (*cluster.Source, error) {
	if err != nil {
		return nil, err
	}
	if o.Configuration != nil {
		source.Configuration = o.Configuration
	}
	source.PoolLabel = o.PoolLabel
	return source, nil
}
