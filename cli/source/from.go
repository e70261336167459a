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

	"github.com/kubectl-fathom/kubectl-fathom/cli/exit"
	"github.com/kubectl-fathom/kubectl-fathom/cli/input"
	"github.com/kubectl-fathom/kubectl-fathom/explain"
	"github.com/kubectl-fathom/kubectl-fathom/kube/client"
	"github.com/kubectl-fathom/kubectl-fathom/kube/cluster"
	"github.com/kubectl-fathom/kubectl-fathom/kube/recording"
	"github.com/kubectl-fathom/kubectl-fathom/kube/snapshot"
)

// stdinName is how state from standard input is called.
const stdinName = "stdin"

// AddFrom adds --from to a command.
func (o *Options) AddFrom(cmd *cobra.Command) {
	cmd.Flags().StringVar(&o.From, "from", "",
		`Read a snapshot, a directory of them that snapshot --every wrote, or the YAML or JSON of kubectl get, in place of a cluster; "-" is standard input.`)
	cmd.Flags().IntVar(&o.step, "step", 0, "Of a directory of snapshots, the step to read, from 1; 0 is the last.")
}

// CheckFrom refuses a step of what is no recording.
func (o *Options) CheckFrom() error {
	if o.step != 0 && !o.IsRecording() {
		return exit.Usagef("--step %d: only a recording has steps; give it with --from DIR", o.step)
	}
	return nil
}

// IsRecording tells that --from names a directory.
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
		return nil, 0, exit.Usagef("--step %d: %s holds the steps 1 to %d", o.step, o.From, len(r.Steps))
	}
	return r, cmp.Or(o.step, len(r.Steps)) - 1, nil
}

// ReadOptions are those of files that do not say themselves what they are.
func ReadOptions() snapshot.ReadOptions {
	return snapshot.ReadOptions{Name: stdinName, Taken: time.Now(), Strip: client.Strip()}
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
	switch {
	case o.IsRecording():
		file, err = o.readStep()
	case o.From == "-":
		if file, err = snapshot.Read(o.Streams.In, ReadOptions()); err != nil {
			err = fmt.Errorf("read standard input: %w", err)
		}
	default:
		file, err = snapshot.Open(o.From, ReadOptions())
	}
	return file, err
}

// accept says what of a file is passed over, and takes its cluster's version.
func (o *Options) accept(file *snapshot.File) {
	if len(file.Unknown) > 0 {
		var words []string
		for _, kind := range slices.Sorted(maps.Keys(file.Unknown)) {
			words = append(words, fmt.Sprintf("%d %s", file.Unknown[kind], kind))
		}
		o.Streams.Say(errors.New("passed over, for nothing here reads them: " + strings.Join(words, ", ")))
	}
	switch {
	case file.SameUID == 1:
		o.Streams.Say(errors.New("1 object has the same UID as another, which no cluster allows: the names distinguish them"))
	case file.SameUID > 1:
		o.Streams.Say(fmt.Errorf("%d objects have the same UID as another, which no cluster allows: the names distinguish them", file.SameUID))
	}
	explain.Emulate(file.Info.Version)
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
