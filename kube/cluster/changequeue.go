package cluster

import (
	"sync"

	"github.com/kubectl-fathom/kubectl-fathom/explain/scheduler"
)

// queue has the events of informers that are not folded yet. Its writers never wait.
type queue struct {
	wake  chan struct{} // holds one: something is to be folded
	quiet chan struct{} // holds one: something is to be folded that nobody waits for

	mu      sync.Mutex
	changes []scheduler.Change
}

// newQueue makes an empty queue.
func newQueue() *queue {
	return &queue{wake: make(chan struct{}, 1), quiet: make(chan struct{}, 1)}
}

// add appends one change and wakes the folding goroutine, in a while if the change is quiet.
func (q *queue) add(c scheduler.Change, quiet bool) {
	q.mu.Lock()
	q.changes = append(q.changes, c)
	q.mu.Unlock()
	if quiet {
		q.whisper()
		return
	}
	q.nudge()
}

// nudge wakes the folding goroutine.
func (q *queue) nudge() {
	select {
	case q.wake <- struct{}{}:
	default: // it is due already
	}
}

// whisper wakes the folding goroutine in a while, together with what else changes until then.
func (q *queue) whisper() {
	select {
	case q.quiet <- struct{}{}:
	default: // it is due already
	}
}

// drain takes everything out.
func (q *queue) drain() []scheduler.Change {
	q.mu.Lock()
	defer q.mu.Unlock()
	select {
	case <-q.quiet: // what it stands for is among the changes
	default:
	}
	changes := q.changes
	q.changes = nil
	return changes
}
