package source

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/kubectl-fathom/kubectl-fathom/cli/exit"
	"github.com/kubectl-fathom/kubectl-fathom/cli/input"
	"github.com/kubectl-fathom/kubectl-fathom/explain/scheduler"
	"github.com/kubectl-fathom/kubectl-fathom/kube/client/strip"
	"github.com/kubectl-fathom/kubectl-fathom/kube/cluster"
	"github.com/kubectl-fathom/kubectl-fathom/kube/recording"
	"github.com/kubectl-fathom/kubectl-fathom/kube/snapshot"
)

// stdinName is the name of state from standard input.
const stdinName = "stdin"

// AddFrom adds --from to a command.
func (o *Options) AddFrom(cmd *cobra.Command) {
	cmd.Flags().StringVar(&o.From, "from", "",
		"Read `FILE` (snapshot, recording, kubectl get -o yaml; - is standard input), not a cluster.")
	o.froms = append(o.froms, cmd.Flags().Lookup("from"))
	cmd.Flags().IntVar(&o.step, "step", 0, "The step of a recording, from 1; 0 is the last.")
}

// CheckFrom rejects --step without a recording, and a --from without a name: a variable that is
// not set would have the cluster read.
func (o *Options) CheckFrom() error {
	if o.From == "" && slices.ContainsFunc(o.froms, func(flag *pflag.Flag) bool { return flag.Changed }) {
		return exit.Usagef(`--from "": give the name of a file or a directory, or - for standard input`)
	}
	if o.step != 0 && !o.IsRecording() {
		return exit.Usagef("--step %d: only a recording has steps: name one with --from DIR", o.step)
	}
	return nil
}

// IsRecording reports whether --from names a directory.
func (o *Options) IsRecording() bool {
	if o.From == "" || o.From == "-" {
		return false
	}
	about, err := os.Stat(o.From)
	return err == nil && about.IsDir()
}

// OpenRecording lists the steps of the recording that --from names, and finds the
// one to begin with, counted from 0.
func (o *Options) OpenRecording() (r *recording.Recording, step int, err error) {
	if r, err = recording.Open(o.From); err != nil {
		return nil, 0, exit.Usagef("%w", err)
	}
	if o.step < 0 || o.step > len(r.Steps) {
		return nil, 0, exit.Usagef("--step %d: %s has steps 1 to %d", o.step, o.From, len(r.Steps))
	}
	return r, cmp.Or(o.step, len(r.Steps)) - 1, nil
}

// ReadOptions are for files that do not say what they are.
func ReadOptions() snapshot.ReadOptions {
	return snapshot.ReadOptions{Name: stdinName, Taken: time.Now(), Strip: strip.New().Strip}
}

// readStep reads the step of the recording that --from and --step name, and says
// which it is.
func (o *Options) readStep() (*snapshot.File, error) {
	r, step, err := o.OpenRecording()
	if err != nil {
		return nil, err
	}
	file, err := r.Read(step, ReadOptions())
	if err == nil {
		o.Streams.Say(fmt.Errorf("step %d of %d, taken %s UTC", step+1, len(r.Steps), file.Info.Taken.UTC().Format(time.DateTime)))
	}
	return file, err
}

// ReadFrom reads the file that --from names, until ctx ends.
func (o *Options) ReadFrom(ctx context.Context) (*snapshot.File, error) {
	file, err := input.UnlessEnded(ctx, o.readState)
	if err != nil {
		return nil, exit.Usagef("%w", err)
	}
	o.accept(file)
	return file, nil
}

func (o *Options) readState() (file *snapshot.File, err error) {
	options := ReadOptions()
	if o.Whole {
		options.Strip = nil
	}
	switch {
	case o.IsRecording():
		file, err = o.readStep()
	case o.From == "-":
		if file, err = snapshot.Read(o.Streams.In, options); err != nil {
			err = fmt.Errorf("read standard input: %w", err)
		}
	default:
		file, err = snapshot.Open(o.From, options)
	}
	return file, err
}

// counted lists kinds with how many there are of each.
func counted(kinds map[string]int) string {
	var words []string
	for _, kind := range slices.Sorted(maps.Keys(kinds)) {
		words = append(words, fmt.Sprintf("%d %s", kinds[kind], kind))
	}
	return strings.Join(words, ", ")
}

// accept reports what of a file is ignored, and takes its cluster's version.
func (o *Options) accept(file *snapshot.File) {
	o.whole = o.Whole && !file.Own
	if len(file.Unknown) > 0 {
		o.Streams.Say(errors.New("ignored, because fathom does not use them: " + counted(file.Unknown)))
	}
	if len(file.OtherVersions) > 0 {
		o.Streams.Say(errors.New("ignored, because fathom reads another version of them: " + counted(file.OtherVersions)))
	}
	switch {
	case file.SameUID == 1:
		o.Streams.Say(errors.New("1 object has the same UID as another, which no cluster allows: fathom distinguishes them by name"))
	case file.SameUID > 1:
		o.Streams.Say(fmt.Errorf("%d objects have the same UID as another, which no cluster allows: fathom distinguishes them by name", file.SameUID))
	}
	scheduler.Emulate(file.Info.Version)
}

// JoinFile joins a file with the engine.
func (o *Options) JoinFile(ctx context.Context, file *snapshot.File) (*cluster.Cluster, error) {
	source, err := o.equipped(file.Source())
	if err != nil {
		return nil, err
	}
	joined, err := cluster.New(ctx, source, cluster.Options{})
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", o.From, err)
	}
	return joined, nil
}
