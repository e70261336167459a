package cluster

import (
	"sync"

	"github.com/kubectl-fathom/kubectl-fathom/explain/scheduler"
)

// queue has the events of informers that are not folded yet. Its writers never wait.
type queue struct {
	wake chan struct{} // holds one: something is to be folded

	mu      sync.Mutex
	changes []scheduler.Change
}

// newQueue makes an empty queue.
func newQueue() *queue {
	return &queue{wake: make(chan struct{}, 1)}
}

// add appends one change and wakes the folding goroutine.
func (q *queue) add(c scheduler.Change) {
	q.mu.Lock()
	q.changes = append(q.changes, c)
	q.mu.Unlock()
	q.nudge()
}

// nudge wakes the folding goroutine.
func (q *queue) nudge() {
	select {
	case q.wake <- struct{}{}:
	default: // it is due already
	}
}

// drain takes everything out.
func (q *queue) drain() []scheduler.Change {
	q.mu.Lock()
	defer q.mu.Unlock()
	changes := q.changes
	q.changes = nil
	return changes
}
