// Package source is where the state of a cluster comes from, as the flags say: an API server,
// a file or a recording.
package source

import (
	"context"
	"path/filepath"
	"slices"

	"github.com/adrg/xdg"
	"github.com/spf13/pflag"
	"k8s.io/cli-runtime/pkg/genericclioptions"

	"github.com/kubectl-fathom/kubectl-fathom/cli/input"
	"github.com/kubectl-fathom/kubectl-fathom/cli/settings"
	"github.com/kubectl-fathom/kubectl-fathom/cli/terminal"
	"github.com/kubectl-fathom/kubectl-fathom/explain/scheduler"
	"github.com/kubectl-fathom/kubectl-fathom/explain/shell"
	"github.com/kubectl-fathom/kubectl-fathom/kube/act"
	"github.com/kubectl-fathom/kubectl-fathom/kube/client"
)

// Options are where the state of a cluster comes from.
type Options struct {
	Streams  *terminal.Streams
	Flags    *genericclioptions.ConfigFlags
	ReadOnly bool
	From     string        // the file or the recording to read in place of a cluster; "" without
	froms    []*pflag.Flag // the flag of it, of each command that has it
	about    string        // the only namespace that a command is about; "" is several, or not known
	step     int           // of the recording, from 1; 0 is the last
	Whole    bool          // objects are kept as they come
	whole    bool          // those of the file are: kubectl wrote it

	schedulerConfig string                   // the file that the user named; "" without
	Configuration   *scheduler.Configuration // what it holds

	PoolLabel string // the label of nodes that holds their pool, as set; "" without
}

// New makes the options of a command line that says nothing.
func New(streams *terminal.Streams) *Options {
	return &Options{Streams: streams, Flags: genericclioptions.NewConfigFlags(true)}
}

// About says in which namespaces the objects are that a command names: where not all namespaces may
// be read, that one is read.
func (o *Options) About(namespaces ...string) {
	slices.Sort(namespaces)
	if one := slices.Compact(namespaces); len(one) == 1 {
		o.about = one[0]
	}
}

// IsWhole reports whether columns of a user's own see all that objects have: those of a cluster, or of the
// output of kubectl get. Out of snapshots and recordings fields were left.
func (o *Options) IsWhole() bool { return o.From == "" || o.whole }

// Command is a command of this program about the same cluster or file, for a shell: "get pods -n
// shop --from state.yaml".
func (o *Options) Command(words ...string) string {
	if o.From != "" && o.From != "-" {
		words = append(words, "--from", o.From)
	}
	for _, flag := range []struct {
		name  string
		value *string
	}{{"--kubeconfig", o.Flags.KubeConfig}, {"--context", o.Flags.Context}} {
		if flag.value != nil && *flag.value != "" && o.From == "" {
			words = append(words, flag.name, *flag.value)
		}
	}
	return o.Streams.Name + " " + shell.Line(words...)
}

// Actor is what changes a cluster that is open.
func (o *Options) Actor(client *client.Client, state act.State, settings *settings.Settings) *act.Actor {
	return act.New(act.Options{
		State:           state,
		Context:         client.Context(),
		User:            client.User(),
		Reader:          client.Reader(),
		DryRunner:       client.DryRunner(),
		Writer:          client.Writer(),
		ReadOnly:        o.ReadOnly,
		ReadOnlyContext: settings.ReadOnly.Because(client.Context()) != "",
		Log:             act.NewLog(filepath.Join(xdg.StateHome, "fathom", "activity.jsonl")),
	})
}

// IdlePatterns says which patterns of the configuration file match no context of the
// kubeconfig; nil where each does.
func (o *Options) IdlePatterns(settings *settings.Settings, opened string) error {
	all, err := client.Contexts(o.Flags)
	if err != nil {
		return nil // it was read before
	}
	return settings.Idle(all, opened)
}

// SayIdle says it on standard error.
func (o *Options) SayIdle(settings *settings.Settings, client *client.Client) {
	if err := o.IdlePatterns(settings, client.Context()); err != nil {
		o.Streams.Say(err)
	}
}

// Namespace is what -n or the context sets; "" if neither does. A kubeconfig that is a pipe is
// read until ctx ends.
func (o *Options) Namespace(ctx context.Context) string {
	if *o.Flags.Namespace != "" {
		return *o.Flags.Namespace
	}
	if o.From != "" {
		return "" // no kubeconfig is read
	}
	config, err := input.UnlessEnded(ctx, o.Flags.ToRawKubeConfigLoader().RawConfig)
	if err != nil {
		return "" // connecting says what is wrong
	}
	name := config.CurrentContext
	if *o.Flags.Context != "" {
		name = *o.Flags.Context
	}
	if context, ok := config.Contexts[name]; ok {
		return context.Namespace
	}
	return ""
}
