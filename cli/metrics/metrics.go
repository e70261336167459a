// Package metrics serves Prometheus metrics of what is pending in a cluster, and why.
package metrics

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/kubectl-fathom/kubectl-fathom/cli/exit"
	"github.com/kubectl-fathom/kubectl-fathom/cli/help"
	"github.com/kubectl-fathom/kubectl-fathom/cli/scope"
	"github.com/kubectl-fathom/kubectl-fathom/cli/source"
	"github.com/kubectl-fathom/kubectl-fathom/cli/terminal"
	"github.com/kubectl-fathom/kubectl-fathom/kube/cluster"
	"github.com/kubectl-fathom/kubectl-fathom/model"
)

const (
	// defaultListen is where metrics are served: on this machine alone.
	defaultListen = "127.0.0.1:9500"
	// defaultNamespaces is how many namespaces have a value of their own.
	defaultNamespaces = 100

	// looksEvery is the most time between two evaluations: some of what explanations need
	// is not in snapshots, such as Leases.
	looksEvery = 15 * time.Second
	// looksApart is the least time between two evaluations.
	looksApart = 2 * time.Second
	// rests is how many times longer than an evaluation the pause after it is at least, so
	// that a large cluster takes a fifth of a core at most.
	rests = 4
)

// Options is one run of the metrics command.
type Options struct {
	*terminal.Streams
	source     *source.Options
	scope      scope.Scope
	listen     string
	namespaces int
}

// New makes the metrics command.
func New(streams *terminal.Streams, from *source.Options) *cobra.Command {
	o := &Options{Streams: streams, source: from}
	cmd := &cobra.Command{
		Use:   "metrics",
		Short: "Serve Prometheus metrics of what is pending, and why",
		Long: `Serve Prometheus metrics of what is pending, and why, until ctrl-c or SIGTERM.

/metrics has pending pods by verdict; by namespace, what blocks them and what
autoscalers do; the oldest of them; nodes; requested and allocatable resources;
and whether everything could be read. What is unknown has no value, never 0.
/readyz answers 200 once the cluster was read, /healthz while the program is
running. Nothing is changed in the cluster.`,
		Example: help.Examples(streams.Name, "metrics", "metrics --listen 127.0.0.1:9500 -A", "metrics -n shop"),
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return fmt.Errorf("metrics takes no names: -n and -l select pods")
			}
			return nil
		},
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE:              func(cmd *cobra.Command, _ []string) error { return o.run(cmd.Context()) },
	}
	flags := cmd.Flags()
	flags.StringVar(&o.listen, "listen", defaultListen, "Serve on this `ADDRESS`; :9500 is on all interfaces.")
	flags.IntVar(&o.namespaces, "max-namespaces", defaultNamespaces, "The `NUMBER` of namespaces with a value of their own.")
	o.scope.AddFlags(cmd)
	o.source.AddSchedulerConfig(cmd)
	return cmd
}

// run serves metrics until ctx ends, which is no error.
func (o *Options) run(ctx context.Context) error {
	if o.namespaces < 0 {
		return exit.Usagef("metrics: --max-namespaces %d: it cannot be negative", o.namespaces)
	}
	if err := o.scope.Resolve(ctx, o.source); err != nil {
		return err
	}
	if err := o.source.ReadSchedulerConfig(ctx); err != nil {
		return err
	}
	o.source.ReadOnly = true
	state := &current{now: time.Now}
	server, err := listen(ctx, o.listen, state)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	ended := make(chan error, 1)
	go func() {
		err := server.serve(ctx)
		cancel(err)
		ended <- err
	}()
	err = o.look(ctx, state, server)
	if cause := context.Cause(ctx); cause != nil && !errors.Is(cause, context.Canceled) {
		err = cause // serving failed
	} else if ctx.Err() != nil {
		err = nil // it was told to stop
	}
	cancel(nil)
	if stopped := <-ended; err == nil {
		err = stopped
	}
	return err
}

// sayServing says where metrics are served.
func (o *Options) sayServing(server *server) error {
	if server.open() {
		_, _ = fmt.Fprintln(o.ErrOut, "Other machines can connect: there is no authentication, and names of namespaces are in the metrics.")
	}
	_, err := fmt.Fprintf(o.Out, "Serving metrics on http://%s/metrics\n", server.address())
	return err
}

// look reads the cluster, says where it is served, and evaluates it after its changes until ctx ends.
func (o *Options) look(ctx context.Context, state *current, server *server) error {
	live, err := o.source.Open(ctx)
	if err != nil {
		return err
	}
	defer live.Close()
	if err := o.sayServing(server); err != nil {
		return err
	}
	state.connect(func() model.Status { return live.Newest().Status })
	follow, tuner := live.Follow(), source.NewGCTuner(ctx, os.Getenv)
	live.SayLimits()
	for {
		var took time.Duration
		if follow.IsCurrent() {
			tuner.Note(live.Snapshot)
			began := time.Now()
			found, err := o.evaluate(ctx, live)
			switch {
			case errors.Is(err, cluster.ErrReading): // the next snapshot says more
			case err != nil:
				return err
			default:
				took = time.Since(began)
				found.evaluated, found.took = time.Now(), took
				state.set(found)
			}
		}
		if err := follow.Next(ctx, max(looksApart, rests*took), looksEvery); err != nil {
			return err
		}
	}
}
