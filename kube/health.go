package kube

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// fresh is how long after it was heard the server counts as there.
const fresh = 30 * time.Second

// patience is how many tries a server that says that it is not ready is given.
const patience = 15

// errNotReady is the answer of a server that does not want to serve yet.
var errNotReady = errors.New("not ready")

// pace is how often the server is asked what.
type pace struct {
	idle  time.Duration // nothing was heard for that long: ask
	retry time.Duration // the first wait after a failure; it doubles
	most  time.Duration // the longest wait
	calm  time.Duration // connected for that long: the wait starts short again

	settle  time.Duration // before a right counts as lost: a server that starts forbids for a moment
	recheck time.Duration // between two looks whether a right was won
}

var usualPace = pace{
	idle: 10 * time.Second, retry: time.Second, most: 30 * time.Second, calm: time.Minute,
	settle: 5 * time.Second, recheck: 2 * time.Minute,
}

// link follows whether the server answers. Lists and watches wait on it while
// it does not, so that one probe asks and not twenty reflectors, and all of
// them go on at once when it answers again.
type link struct {
	pace    pace
	probe   func(context.Context) error
	changed func()
	heardAt atomic.Int64 // Unix nanoseconds
	wake    chan struct{}
	asked   atomic.Bool // the user wants a try now

	mu    sync.Mutex
	err   error         // why the server is lost; nil while it is not
	tries int           // that failed, in a row
	wait  time.Duration // before the next try
	next  time.Time     // when that is
	since time.Time     // when it was lost, or found again
	last  int64         // what heardAt was when it was lost
	cold  int           // tries in a row that found the server not ready
	up    chan struct{} // closed while the server is there
}

func newLink(p pace, probe func(context.Context) error, changed func()) *link {
	l := &link{pace: p, probe: probe, changed: changed, wake: make(chan struct{}, 1), up: make(chan struct{})}
	close(l.up)
	l.heard()
	return l
}

// heard notes that the server said something.
func (l *link) heard() { l.heardAt.Store(time.Now().UnixNano()) }

// listen notes every answer, and every piece of one: a watch that speaks is a
// server that is there.
func (l *link) listen(next http.RoundTripper) http.RoundTripper {
	return roundTripper(func(r *http.Request) (*http.Response, error) {
		response, err := next.RoundTrip(r)
		if err != nil {
			return nil, err
		}
		l.heard()
		response.Body = &body{ReadCloser: response.Body, heard: l.heard, broken: func() {
			if r.Context().Err() == nil { // not hung up on this side
				l.now()
			}
		}}
		return response, nil
	})
}

// open waits until the server is there.
func (l *link) open(ctx context.Context) error {
	l.mu.Lock()
	up := l.up
	l.mu.Unlock()
	select {
	case <-up:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// lost notes a request that failed, and says whether it failed because the
// server is not there or takes the user for nobody. An answer of the server
// itself is neither.
func (l *link) lost(err error) bool {
	if err == nil || isAPIStatus(err) && !apierrors.IsUnauthorized(err) {
		return false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.err != nil {
		return true // known
	}
	if time.Since(l.since) > l.pace.calm {
		l.wait = 0
	}
	l.lose()
	l.fail(err)
	l.rouse()
	return true
}

// lose closes the gate. The lock is held.
func (l *link) lose() {
	l.up, l.since, l.last, l.cold = make(chan struct{}), time.Now(), l.heardAt.Load(), 0
}

// fail counts one failed try. The lock is held.
func (l *link) fail(err error) {
	l.err = err
	l.tries++
	l.wait = min(max(2*l.wait, l.pace.retry), l.pace.most)
	if errors.Is(err, errNotReady) {
		l.wait = l.pace.retry // it is on its way
	}
	l.next = time.Now().Add(l.wait)
	l.changed()
}

// found notes that the server answers. The lock is held.
func (l *link) found() {
	if l.err == nil {
		return
	}
	l.err, l.tries, l.next, l.since = nil, 0, time.Time{}, time.Now()
	close(l.up)
	l.changed()
}

// now asks at once.
func (l *link) now() {
	l.asked.Store(true)
	l.rouse()
}

func (l *link) rouse() {
	select {
	case l.wake <- struct{}{}:
	default: // it is up already
	}
}

// run asks the server whenever it is due, until ctx ends.
func (l *link) run(ctx context.Context) {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		timer.Reset(l.due())
		select {
		case <-ctx.Done():
			return
		case <-l.wake:
		case <-timer.C:
		}
		if l.asked.Swap(false) || l.due() <= 0 {
			l.ask(ctx)
		}
	}
}

// due is how long the next question may wait.
func (l *link) due() time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.err != nil {
		return time.Until(l.next)
	}
	return time.Until(time.Unix(0, l.heardAt.Load()).Add(l.pace.idle))
}

func (l *link) ask(ctx context.Context) {
	err := l.probe(ctx)
	if ctx.Err() != nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if errors.Is(err, errNotReady) {
		// A server that starts says so, and its answers cannot be trusted yet (it
		// forbids what it will allow). One that never gets ready is used as it is.
		if l.cold++; l.err == nil || l.cold >= patience {
			err = nil
		}
	}
	if err == nil {
		l.heard()
		l.found()
		return
	}
	if l.err == nil {
		l.lose()
	}
	l.fail(err)
}

// connection says how fresh the data is, given the feeds that are broken:
// since when, and why.
func (l *link) connection(broken time.Time, why error) model.Connection {
	l.mu.Lock()
	defer l.mu.Unlock()
	c := model.Connection{Heard: time.Unix(0, l.heardAt.Load()), Tries: l.tries, Retry: l.next}
	err := l.err
	if err != nil {
		c.Heard = time.Unix(0, l.last) // if it spoke since, it did not say what was asked
	}
	if !broken.IsZero() {
		if broken.Before(c.Heard) {
			c.Heard = broken // the data is as old as its oldest part
		}
		if err == nil {
			err = why
		}
	}
	c.Err = shortly(err)
	c.Live = err == nil && time.Since(c.Heard) < fresh
	return c
}
