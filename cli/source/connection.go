package source

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/kubectl-fathom/kubectl-fathom/cli/terminal"
)

// Following goes on with a cluster that was read, for commands that wait or watch. It tells
// of the connection on standard error.
type Following struct {
	live *Live
	to   *terminal.Streams
	lost bool // the server is lost, and that was said
}

// Follow begins with the state that was read.
func (l *Live) Follow() *Following { return &Following{live: l, to: l.Options.Streams} }

// IsCurrent reports whether the snapshot is the present state. It says once that the server
// is lost, and that it answers again.
func (f *Following) IsCurrent() bool {
	status := f.live.Snapshot.Status
	lost := status.Connection.Lost()
	switch {
	case lost && !f.lost:
		because := ""
		if why := status.Connection.Err; why != "" {
			because = ": " + why
		}
		f.to.Say(fmt.Errorf("no answer from %s%s; trying again", status.Server, because))
	case f.lost && !lost:
		_, _ = fmt.Fprintln(f.to.ErrOut, terminal.OneLine(status.Server+" answers again")) // one that cannot be written is no loss
	}
	f.lost = lost
	return !lost && len(status.Reading) == 0
}

// Next waits for the next snapshot, for least at least and most at most after that: then
// the snapshot stays, and what is not in it may be another.
func (f *Following) Next(ctx context.Context, least, most time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(least):
	}
	s, err := NextWithin(ctx, f.live.Cluster, most)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, context.DeadlineExceeded):
		return nil
	case err != nil:
		return fmt.Errorf("read cluster: %w", err)
	}
	f.live.Snapshot = s
	return nil
}
