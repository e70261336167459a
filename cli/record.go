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
	"github.com/kubectl-fathom/kubectl-fathom/kube/client"
	"github.com/kubectl-fathom/kubectl-fathom/kube/recording"
	"github.com/kubectl-fathom/kubectl-fathom/kube/snapshot"
	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// leastEvery is the least time between two steps: their files are named by the second.
const leastEvery = time.Second

// validateRecording refuses flags that do not go together with --every, or need it.
func (s *snapshotOptions) validateRecording() error {
	switch {
	case !s.recording && s.steps != 0:
		return exit.Usagef("snapshot: --steps needs --every")
	case !s.recording:
		return nil
	case s.every < leastEvery:
		return exit.Usagef("snapshot: --every %s: the least is %s", s.every, leastEvery)
	case s.steps < 0:
		return exit.Usagef("snapshot: --steps %d: give how many steps to take, or leave it out", s.steps)
	case s.file == "" || s.file == "-":
		return exit.Usagef("snapshot: --every writes many files: name their directory with -o DIR")
	case s.force:
		return exit.Usagef("snapshot: --force is for a file; a recording that is there already goes on")
	}
	about, err := os.Stat(s.file)
	switch {
	case err == nil && !about.IsDir():
		return exit.Usagef("snapshot: write %s: it is a file; --every needs a directory", s.file)
	case err != nil && snapshot.CheckFile(s.file, true) == nil:
		return exit.Usagef("snapshot: write %s: that is the name of a file; --every needs a directory", s.file)
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
	live.SayLimits()
	r := &recorder{snapshotOptions: s, live: live, progress: terminal.NewProgress(s.ErrOut), before: len(there.Steps)}
	err = r.run(ctx)
	return r.finish(err)
}

// sameCluster refuses to go on with a recording of another cluster, which could
// not be told from a change.
func sameCluster(there *recording.Recording, context string) error {
	if len(there.Steps) == 0 {
		return nil
	}
	last, err := there.Read(len(there.Steps)-1, snapshot.ReadOptions{Strip: client.Strip()})
	if err != nil || !last.Own || last.Info.Context == context {
		return nil // a step that is broken does not keep others from being written
	}
	return exit.Usagef("write %s: it holds steps of %s, and this is %s; name another directory", there.Dir, last.Info.Context, context)
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

// step writes one. What keeps the state from being known is told, and the next
// step may do better; what keeps a file from being written ends the recording.
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
		words += fmt.Sprintf("; %d before it could not be taken", r.missed)
	}
	r.trouble, r.missed = "", 0
	r.tell(words)
	return nil
}

// miss says why a step could not be taken, unless that is what was said last.
func (r *recorder) miss(taken time.Time, err error) {
	r.failed++
	r.missed++
	if r.trouble == err.Error() {
		return
	}
	r.trouble = err.Error()
	r.progress.Clear()
	r.Say(fmt.Errorf("no step at %s: %w; it is tried again", taken.UTC().Format(time.TimeOnly), err))
}

// take is the state of now, from what the informers hold: nodes and pods are not
// listed again. While the server does not answer there is none.
func (r *recorder) take(ctx context.Context, taken time.Time) (*snapshot.Snapshot, error) {
	source, state := r.live.Source(), r.live.Newest()
	if len(state.Status.Reading) > 0 {
		return nil, errors.New("rights changed, and the cluster is read anew")
	}
	if err := outOfDate(source.Status()); err != nil {
		return nil, err
	}
	found, err := snapshot.Take(ctx, source, state, snapshot.Options{Taken: taken, TakenBy: build.Version(), Keep: r.keep})
	if err != nil {
		return nil, err
	}
	return found, outOfDate(source.Status()) // what is asked for beside the informers may lack
}

// outOfDate says that the state is not that of now.
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

// wait waits for the time of the next step; its error is that of a cluster that
// cannot be followed any more.
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

// tell says how far the recording is: over the line before on a terminal.
func (r *recorder) tell(text string) {
	if !r.progress.Line(text + "; ctrl-c ends it") {
		_, _ = fmt.Fprintln(r.ErrOut, terminal.OneLine(text)) // nothing can be done where nobody hears it
	}
}

// finish says what was recorded.
func (r *recorder) finish(err error) error {
	r.progress.Clear()
	if r.written == 0 {
		if err == nil {
			err = fmt.Errorf("record %s: no step was taken", r.file)
		}
		return err
	}
	failed := ""
	if r.failed > 0 {
		failed = fmt.Sprintf(", %d could not be taken", r.failed)
	}
	steps := fmt.Sprintf("%d steps", r.written)
	if r.written == 1 {
		steps = "1 step"
	}
	_, told := fmt.Fprintf(r.ErrOut, "%s: %s from %s to %s UTC%s; it holds %d. --from %s shows them.\n", terminal.OneLine(r.file), steps,
		r.first.UTC().Format(time.DateTime), r.last.UTC().Format(time.TimeOnly), failed, r.before+r.written, terminal.OneLine(r.file))
	return errors.Join(err, told)
}
