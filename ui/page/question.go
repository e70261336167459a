package page

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"
)

// Questions take only a share of the time: after an answer that took a millisecond,
// none is put during RestFactor milliseconds, and none during RestLeast.
const (
	RestFactor = 19
	RestLeast  = 200 * time.Millisecond
)

// Question is put off the event loop, again and again. Only the answer to the newest
// one counts.
type Question[T any] struct {
	nth     int // the newest one
	busy    bool
	resting bool
	cancel  context.CancelFunc
}

type (
	// Answer is the answer to a question, for the Update of the page that put it.
	Answer[T any] struct {
		nth   int
		Value T
		Err   error
		Took  time.Duration
	}
	// Rested says that the question may be put again.
	Rested[T any] struct{ nth int }
)

// Put puts the question; an answer to the one before is no longer waited for.
func (q *Question[T]) Put(h Worker, v View, work func(context.Context) (T, error)) tea.Cmd {
	q.End()
	q.nth++
	q.busy = true
	nth, now := q.nth, h.Now
	cmd, cancel := h.Ask(v, func(ctx context.Context) tea.Msg {
		start := now()
		value, err := work(ctx)
		return Answer[T]{nth, value, err, now().Sub(start)}
	})
	q.cancel = cancel
	return cmd
}

// Busy reports whether an answer is waited for.
func (q *Question[T]) Busy() bool { return q.busy }

// Takes reports whether an answer is the one that is waited for, and waits no longer.
func (q *Question[T]) Takes(msg Answer[T]) bool {
	if !q.busy || msg.nth != q.nth {
		return false
	}
	q.End()
	return true
}

// Rest begins the rest after an answer that took that long; it ends with a message
// for IsRested.
func (q *Question[T]) Rest(h Worker, v View, took time.Duration) tea.Cmd {
	q.resting = true
	return h.Later(v, max(RestLeast, RestFactor*took), Rested[T]{q.nth})
}

// Resting reports whether the question rests.
func (q *Question[T]) Resting() bool { return q.resting }

// IsRested reports whether msg ends the present rest, and ends it.
func (q *Question[T]) IsRested(msg Rested[T]) bool {
	if msg.nth != q.nth {
		return false
	}
	q.resting = false
	return true
}

// End cancels the question: its answer is not waited for.
func (q *Question[T]) End() {
	if q.cancel != nil {
		q.cancel()
	}
	q.busy, q.cancel = false, nil
}

// Leave is End, and ends the rest: shown again, the page asks again at once.
func (q *Question[T]) Leave() {
	q.End()
	q.resting = false
}
