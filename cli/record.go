package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/kubectl-fathom/kubectl-fathom/cli/build"
	"github.com/kubectl-fathom/kubectl-fathom/cli/exit"
	"github.com/kubectl-fathom/kubectl-fathom/cli/source"
	"github.com/kubectl-fathom/kubectl-fathom/cli/terminal"
	"github.com/kubectl-fathom/kubectl-fathom/kube/client/strip"
	"github.com/kubectl-fathom/kubectl-fathom/kube/recording"
	"github.com/kubectl-fathom/kubectl-fathom/kube/snapshot"
	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// leastEvery is the least time between two steps: their files are named by the second.
const leastEvery = time.Second

// validateRecording rejects flags that do not go together with --every, or need it.
func (s *snapshotOptions) validateRecording() error {
	switch {
	case !s.recording && s.steps != 0:
		return exit.Usagef("snapshot: --steps needs --every")
	case !s.recording:
		return nil
	case s.every < leastEvery:
		return exit.Usagef("snapshot: --every %s: the minimum is %s", s.every, leastEvery)
	case s.steps < 0:
		return exit.Usagef("snapshot: --steps %d: it cannot be negative", s.steps)
	case s.file == "" || s.file == "-":
		return exit.Usagef("snapshot: --every writes several files: name a directory with -o DIR")
	case s.force:
		return exit.Usagef("snapshot: --force is for a file; an existing recording is continued without it")
	}
	about, err := os.Stat(s.file)
	switch {
	case err == nil && !about.IsDir():
		return exit.Usagef("snapshot: write %s: it is a file; --every needs a directory", s.file)
	case err != nil && snapshot.CheckFile(s.file, true) == nil:
		return exit.Usagef("snapshot: write %s: this is the name of a file; --every needs a directory", s.file)
	}
	return nil
}

// recorder is one run of snapshot --every.
type recorder struct {
	*snapshotOptions
	live            *source.Live
	progress        *terminal.Progress
	before          int // steps that were there
	written, failed int
	first, last     time.Time
	trouble         string // why the step before could not be taken; "" if it could
	missed          int    // steps in a row that could not be taken
}

// record writes a step now and then, until ctx ends or there are enough.
func (s *snapshotOptions) record(ctx context.Context) error {
	there, err := recording.Prepare(s.file)
	if err != nil {
		return err
	}
	live, err := s.source.Open(ctx)
	if err != nil {
		return err
	}
	defer live.Close()
	if err := sameCluster(there, live.Snapshot.Status.Context); err != nil {
		return err
	}
	if err := live.Seek(ctx); err != nil {
		return err
	}
	s.sayAll(live)
	live.SayLimits()
	r := &recorder{snapshotOptions: s, live: live, progress: terminal.NewProgress(s.ErrOut), before: len(there.Steps)}
	err = r.run(ctx)
	return r.finish(err)
}

// sameCluster rejects a directory with a recording of another cluster: its steps would
// look like changes of this one.
func sameCluster(there *recording.Recording, context string) error {
	if len(there.Steps) == 0 {
		return nil
	}
	last, err := there.Read(len(there.Steps)-1, snapshot.ReadOptions{Strip: strip.New().Strip})
	if err != nil || !last.Own || last.Info.Context == context {
		return nil // a step that is broken does not keep others from being written
	}
	return exit.Usagef("write %s: it has steps of %s, but this is %s: name another directory", there.Dir, last.Info.Context, context)
}

func (r *recorder) run(ctx context.Context) error {
	for {
		taken := time.Now()
		if err := r.step(ctx, taken); err != nil {
			return err
		}
		if ctx.Err() != nil || r.steps > 0 && r.written == r.steps {
			return nil
		}
		if err := r.wait(ctx, taken.Add(r.every)); err != nil {
			return err
		}
		if ctx.Err() != nil {
			return nil
		}
	}
}

// step saves one step. If the state cannot be read, that is reported and the next step
// is tried; if the file cannot be written, the recording ends.
func (r *recorder) step(ctx context.Context, taken time.Time) error {
	found, err := r.take(ctx, taken)
	if ctx.Err() != nil {
		return nil
	}
	if err == nil {
		err = found.Save(filepath.Join(r.file, recording.FileName(taken)), false)
		if err != nil && !errors.Is(err, snapshot.ErrExists) {
			return err
		}
	}
	if err != nil {
		r.miss(taken, err)
		return nil
	}
	if r.written == 0 {
		r.first = taken
	}
	r.written++
	r.last = taken
	words := fmt.Sprintf("step %d, %s: %d objects", r.before+r.written, taken.UTC().Format(time.TimeOnly), found.Count())
	if r.missed > 0 {
		words += fmt.Sprintf("; %d before it failed", r.missed)
	}
	r.trouble, r.missed = "", 0
	r.tell(words)
	return nil
}

// miss reports why a step was skipped, once per reason.
func (r *recorder) miss(taken time.Time, err error) {
	r.failed++
	r.missed++
	if r.trouble == err.Error() {
		return
	}
	r.trouble = err.Error()
	r.progress.Clear()
	r.Say(fmt.Errorf("take step at %s: %w; trying again", taken.UTC().Format(time.TimeOnly), err))
}

// take is the current state, from the informers: nodes and pods are not listed again.
// It fails while the server does not answer.
func (r *recorder) take(ctx context.Context, taken time.Time) (*snapshot.Snapshot, error) {
	source, state := r.live.Source(), r.live.Newest()
	if len(state.Status.Reading) > 0 {
		return nil, errors.New("your access changed, and the cluster is being read again")
	}
	if err := outOfDate(source.Status()); err != nil {
		return nil, err
	}
	found, err := snapshot.Take(ctx, source, state, snapshot.Options{Taken: taken, TakenBy: build.Version(), Keep: r.keep})
	if err != nil {
		return nil, err
	}
	return found, outOfDate(source.Status()) // what is read beside the informers may be missing
}

// outOfDate is an error if the state is not current.
func outOfDate(status model.Status) error {
	c := status.Connection
	switch {
	case c.Err != "":
		return fmt.Errorf("no answer from %s: %s", status.Server, c.Err)
	case !c.Live:
		return fmt.Errorf("no answer from %s since %s", status.Server, c.Heard.UTC().Format(time.TimeOnly))
	}
	return nil
}

// wait waits for the time of the next step. It fails if the cluster can no longer be
// watched.
func (r *recorder) wait(ctx context.Context, until time.Time) error {
	for {
		_, err := source.NextWithin(ctx, r.live.Cluster, time.Until(until))
		switch {
		case ctx.Err() != nil, errors.Is(err, context.DeadlineExceeded):
			return nil
		case err != nil:
			return fmt.Errorf("read cluster: %w", err)
		}
	}
}

// tell reports the progress; on a terminal it overwrites the line before.
func (r *recorder) tell(text string) {
	if !r.progress.Line(text + "; ctrl-c stops") {
		_, _ = fmt.Fprintln(r.ErrOut, terminal.OneLine(text)) // an error means that nobody reads
	}
}

// finish reports what was recorded.
func (r *recorder) finish(err error) error {
	r.progress.Clear()
	if r.written == 0 {
		if err == nil {
			err = fmt.Errorf("record %s: no step was saved", r.file)
		}
		return err
	}
	failed := ""
	if r.failed > 0 {
		failed = fmt.Sprintf(", %d failed", r.failed)
	}
	steps := fmt.Sprintf("%d steps", r.written)
	if r.written == 1 {
		steps = "1 step"
	}
	_, told := fmt.Fprintf(r.ErrOut, "%s: %s from %s to %s UTC%s, %d in all. Open it with --from %s.\n", terminal.OneLine(r.file), steps,
		r.first.UTC().Format(time.DateTime), r.last.UTC().Format(time.TimeOnly), failed, r.before+r.written, terminal.OneLine(r.file))
	return errors.Join(err, told)
}
