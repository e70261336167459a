package cli

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
	"github.com/kubectl-fathom/kubectl-fathom/cli/terminal"
	"github.com/kubectl-fathom/kubectl-fathom/explain"
	"github.com/kubectl-fathom/kubectl-fathom/kube/client"
	"github.com/kubectl-fathom/kubectl-fathom/kube/cluster"
	"github.com/kubectl-fathom/kubectl-fathom/kube/recording"
	"github.com/kubectl-fathom/kubectl-fathom/kube/snapshot"
)

// stdinName is how state from standard input is called.
const stdinName = "stdin"

// addFrom adds --from to a command.
func (a *app) addFrom(cmd *cobra.Command) {
	cmd.Flags().StringVar(&a.from, "from", "",
		`Read a snapshot, a directory of them that snapshot --every wrote, or the YAML or JSON of kubectl get, in place of a cluster; "-" is standard input.`)
	cmd.Flags().IntVar(&a.step, "step", 0, "Of a directory of snapshots, the step to read, from 1; 0 is the last.")
}

// checkFrom refuses a step of what is no recording.
func (a *app) checkFrom() error {
	if a.step != 0 && !a.isRecording() {
		return exit.Usagef("--step %d: only a recording has steps; give it with --from DIR", a.step)
	}
	return nil
}

// isRecording tells that --from names a directory.
func (a *app) isRecording() bool {
	if a.from == "" || a.from == "-" {
		return false
	}
	about, err := os.Stat(a.from)
	return err == nil && about.IsDir()
}

// openRecording lists the steps of the recording that --from names, and finds the
// one to begin with, counted from 0.
func (a *app) openRecording() (r *recording.Recording, step int, err error) {
	if r, err = recording.Open(a.from); err != nil {
		return nil, 0, exit.Usagef("%w", err)
	}
	if a.step < 0 || a.step > len(r.Steps) {
		return nil, 0, exit.Usagef("--step %d: %s holds the steps 1 to %d", a.step, a.from, len(r.Steps))
	}
	return r, cmp.Or(a.step, len(r.Steps)) - 1, nil
}

// readOptions are those of files that do not say themselves what they are.
func readOptions() snapshot.ReadOptions {
	return snapshot.ReadOptions{Name: stdinName, Taken: time.Now(), Strip: client.Strip()}
}

// readStep reads the step of the recording that --from and --step name, and says
// which it is.
func (a *app) readStep() (*snapshot.File, error) {
	r, step, err := a.openRecording()
	if err != nil {
		return nil, err
	}
	file, err := r.Read(step, readOptions())
	if err == nil {
		terminal.Say(a.stderr, a.name, fmt.Errorf("step %d of %d, taken %s UTC", step+1, len(r.Steps), file.Info.Taken.UTC().Format(time.DateTime)))
	}
	return file, err
}

// readFrom reads the file that --from names, until ctx ends.
func (a *app) readFrom(ctx context.Context) (*snapshot.File, error) {
	file, err := input.UnlessEnded(ctx, a.readState)
	if err != nil {
		return nil, exit.Usagef("%w", err)
	}
	a.accept(file)
	return file, nil
}

func (a *app) readState() (file *snapshot.File, err error) {
	switch {
	case a.isRecording():
		file, err = a.readStep()
	case a.from == "-":
		if file, err = snapshot.Read(a.stdin, readOptions()); err != nil {
			err = fmt.Errorf("read standard input: %w", err)
		}
	default:
		file, err = snapshot.Open(a.from, readOptions())
	}
	return file, err
}

// accept says what of a file is passed over, and takes its cluster's version.
func (a *app) accept(file *snapshot.File) {
	if len(file.Unknown) > 0 {
		var words []string
		for _, kind := range slices.Sorted(maps.Keys(file.Unknown)) {
			words = append(words, fmt.Sprintf("%d %s", file.Unknown[kind], kind))
		}
		terminal.Say(a.stderr, a.name, errors.New("passed over, for nothing here reads them: "+strings.Join(words, ", ")))
	}
	switch {
	case file.SameUID == 1:
		terminal.Say(a.stderr, a.name, errors.New("1 object has the same UID as another, which no cluster allows: the names distinguish them"))
	case file.SameUID > 1:
		terminal.Say(a.stderr, a.name, fmt.Errorf("%d objects have the same UID as another, which no cluster allows: the names distinguish them", file.SameUID))
	}
	explain.Emulate(file.Info.Version)
}

// fileSource serves a file, with the scheduler's configuration where the user
// gave one.
func (a *app) fileSource(file *snapshot.File) (*cluster.Source, error) {
	return a.equipped(file.Source())
}

// openFile serves the file that --from names, and reads it as a cluster.
func (a *app) openFile(ctx context.Context) (*live, error) {
	saving := newThrift(os.Getenv)
	file, err := a.readFrom(ctx)
	if err != nil {
		return nil, err
	}
	source, err := a.fileSource(file)
	if err != nil {
		return nil, err
	}
	l := &live{app: a, reader: source.Client}
	ctx, l.stop = context.WithCancel(ctx)
	if l.Cluster, err = cluster.New(ctx, source, cluster.Options{}); err != nil {
		l.stop()
		return nil, err
	}
	ctx, told := a.wait(ctx)
	l.snapshot, err = a.read(ctx, l.Cluster, saving, told)
	if err := told.finish(ctx, err); err != nil {
		l.Close()
		return nil, err
	}
	return l, nil
}
