package client

import (
	"context"
	"errors"
	"math/rand/v2"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// patience is how many tries a server that says that it is not ready, and
// answers reads all the same, is given.
const patience = 15

// longestProbe is how long a probe may take at most, however slow the network.
const longestProbe = 30 * time.Second

// pace is how often the server is asked what.
type pace struct {
	idle   time.Duration // between two probes
	silent time.Duration // what a probe takes beyond that counts as no answer
	limit  time.Duration // the first probe that is unanswered is given up after that; it doubles
	retry  time.Duration // the first wait after a failure; it doubles
	most   time.Duration // the longest wait
	calm   time.Duration // connected for that long: the wait starts short again

	settle  time.Duration // before a right counts as lost: a server that starts forbids for a moment
	recheck time.Duration // between two looks whether a right was won
}

var usualPace = pace{
	idle: 2 * time.Second, silent: 2 * time.Second, limit: 5 * time.Second,
	retry: time.Second, most: 5 * time.Second, calm: time.Minute,
	settle: 5 * time.Second, recheck: 2 * time.Minute,
}

// serverHealth follows whether the server answers and is ready. Lists and watches wait
// on it while it is not, so that one probe asks and not twenty reflectors, and
// all of them go on at once when it answers again.
type serverHealth struct {
	pace      pace
	probe     func(context.Context) error
	changed   func()
	throttled func() // is called with every answer 429; nil: nobody asks
	exchanges exchanges
	heardAt   atomic.Int64  // Unix nanoseconds
	wake      chan struct{} // what is due has changed
	soon      atomic.Bool   // a connection broke: probe now
	asked     atomic.Bool   // the user wants a try now
	retries   atomic.Int64  // how often the user wanted one
	bookmarks atomic.Bool   // the server sends bookmarks now and then, not only at the end of a list

	mu            sync.Mutex
	err           error         // why the server is lost; nil while it is not
	tries         int           // that failed, in a row
	wait          time.Duration // before the next try
	next          time.Time     // when that is
	since         time.Time     // when it was lost, or found again
	last          int64         // what heardAt was when it was lost
	notReadyTries int           // tries in a row that found the server not ready
	asking        bool          // a probe is under way
	roundTrip     time.Duration // what the last probe took
	up            chan struct{} // closed while the server is there
	found         chan struct{} // closed when it is found again, or answers a try that the user wanted
}

func newServerHealth(p pace, probe func(context.Context) error, changed func()) *serverHealth {
	l := &serverHealth{
		pace: p, probe: probe, changed: changed,
		wake: make(chan struct{}, 1), up: make(chan struct{}), found: make(chan struct{}),
	}
	close(l.up)
	l.heard()
	return l
}

// heard notes that the server said something.
func (l *serverHealth) heard() { l.heardAt.Store(time.Now().UnixNano()) }

// took notes how long the server took for a small question, which on a slow
// network is no sign that it is lost.
func (l *serverHealth) took(d time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.roundTrip = d
}

// open waits until the server is there.
func (l *serverHealth) open(ctx context.Context) error {
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

// foundAgain is closed when the server is found again: whoever backs off goes on.
func (l *serverHealth) foundAgain() <-chan struct{} {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.found
}

// lost notes a request that failed, and reports whether it failed because the
// server is not there or takes the user for nobody. An answer of the server
// itself is neither.
func (l *serverHealth) lost(err error) bool {
	if err == nil || isNotAnAPI(err) || isStatusBut401(err) {
		return false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.err != nil {
		return true // known
	}
	l.lose()
	l.fail(err)
	l.rouse()
	return true
}

// lose closes the gate. The lock is held.
func (l *serverHealth) lose() {
	if time.Since(l.since) > l.pace.calm {
		l.wait = 0
	}
	l.up, l.since, l.last, l.notReadyTries = make(chan struct{}), time.Now(), l.heardAt.Load(), 0
}

// fail counts one failed try. The lock is held.
func (l *serverHealth) fail(err error) {
	l.err = err
	l.tries++
	l.wait = min(max(2*l.wait, l.pace.retry), l.pace.most)
	if serves(err) {
		l.wait = l.pace.retry // it is on its way
	}
	l.next = time.Now().Add(jittered(l.wait))
	l.changed()
}

// jittered is up to a fifth less than d, so that those who lost a server
// together do not come back together.
func jittered(d time.Duration) time.Duration {
	return d - time.Duration(rand.Int64N(int64(d)/5+1)) //nolint:gosec // no secret
}

// regain notes that the server answers. The lock is held.
func (l *serverHealth) regain() {
	if l.err == nil {
		return
	}
	if !isAPIStatus(l.err) && !errors.As(l.err, new(notReady)) {
		l.exchanges.hangUp(l.since) // what was open before may wait for a connection that is no more
	}
	l.err, l.tries, l.next, l.since = nil, 0, time.Time{}, time.Now()
	close(l.up)
	l.resume()
	l.changed()
}

// resume ends the back-off of whoever waits. The lock is held.
func (l *serverHealth) resume() {
	close(l.found)
	l.found = make(chan struct{})
}

// now probes at once, whatever is under way.
func (l *serverHealth) now() {
	l.asked.Store(true)
	l.retries.Add(1)
	l.rouse()
}

// broke probes soon: a connection broke.
func (l *serverHealth) broke() {
	l.soon.Store(true)
	l.rouse()
}

func (l *serverHealth) rouse() {
	select {
	case l.wake <- struct{}{}:
	default: // it is up already
	}
}

// run probes the server whenever that is due, until ctx ends.
func (l *serverHealth) run(ctx context.Context) {
	timer := time.NewTimer(0)
	defer timer.Stop()
	var out *question // the probe that is under way; nil: none
	defer func() { out.cancel() }()
	last := time.Now() // when a probe was sent last
	for {
		timer.Reset(l.pause(out, last))
		select {
		case <-ctx.Done():
			return
		case answer := <-out.answer():
			l.take(out, answer)
			out = nil
		case <-l.wake:
		case <-timer.C:
			if out != nil && !out.told && l.silent() {
				out.told = true
				l.changed()
			}
		}
		byHand := l.asked.Swap(false)
		if byHand {
			out.cancel()
			out = nil
		}
		if out == nil && (byHand || l.soon.Swap(false) || l.pause(nil, last) <= 0) {
			last = time.Now()
			out = l.ask(ctx, byHand)
		}
	}
}

// pause is how long nothing has to be done.
func (l *serverHealth) pause(out *question, last time.Time) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case out != nil && out.told:
		return time.Hour // its answer comes, or its limit
	case out != nil:
		return max(time.Until(l.heardLast().Add(l.pace.idle+l.slow())), 0) + time.Millisecond
	case l.err != nil:
		return time.Until(l.next)
	}
	return time.Until(last.Add(l.pace.idle))
}

// heardLast is when the server said something last. The clock may have been set
// back since.
func (l *serverHealth) heardLast() time.Time {
	now, heard := time.Now(), time.Unix(0, l.heardAt.Load())
	if heard.After(now) {
		return now
	}
	return heard
}

// silent says that nothing has been heard for longer than a probe takes.
func (l *serverHealth) silent() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return time.Since(l.heardLast()) > l.pace.idle+l.slow()
}

// slow is how long a probe may take before it counts as no answer. The lock is held.
func (l *serverHealth) slow() time.Duration { return max(l.pace.silent, 2*l.roundTrip) }

// reconnect closes what has been silent for too long, so that the next probe
// takes a connection of its own.
func (l *serverHealth) reconnect() {
	l.mu.Lock()
	silent := l.err != nil || time.Since(time.Unix(0, l.heardAt.Load())) > l.pace.idle+l.slow()
	l.wait = 0
	l.mu.Unlock()
	if silent {
		<-l.exchanges.hangUp(time.Now().Add(-l.pace.idle))
	}
}

// question is a probe that is under way.
type question struct {
	at     time.Time
	byHand bool
	told   bool // that it takes long
	slept  bool // nothing had been heard for long when it was asked: a computer slept
	end    context.CancelFunc
	result chan error // holds one
}

func (q *question) answer() <-chan error {
	if q == nil {
		return nil
	}
	return q.result
}

func (q *question) cancel() {
	if q != nil {
		q.end()
	}
}

// ask sends a probe.
func (l *serverHealth) ask(ctx context.Context, byHand bool) *question {
	l.mu.Lock()
	limit := min(max(l.pace.limit, 2*l.slow())<<min(l.tries, 8), longestProbe)
	lost := l.err != nil
	l.asking = true
	l.mu.Unlock()
	if lost {
		l.changed() // reconnecting
	}
	q := &question{at: time.Now(), byHand: byHand, slept: l.silent(), result: make(chan error, 1)}
	ctx, q.end = context.WithTimeout(ctx, limit)
	go func() {
		defer q.end()
		if byHand {
			l.reconnect()
		}
		q.result <- l.probe(ctx)
	}()
	return q
}

// take notes the answer to a probe.
func (l *serverHealth) take(q *question, err error) {
	unanswered := errors.Is(err, context.DeadlineExceeded)
	if unanswered {
		l.exchanges.hangUp(q.at) // a connection that is dead would hold the next probe up too
	} else if q.told || q.slept {
		l.exchanges.hangUpAlone(q.at)
		answered := time.Now()
		l.mu.Lock()
		slow := l.slow()
		l.mu.Unlock()
		time.AfterFunc(slow, func() { l.exchanges.hangUpAlone(answered) }) // what was asked meanwhile
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.asking = false
	if serves(err) {
		// A server that starts says so, and its answers cannot be trusted yet (it
		// forbids what it will allow). One that never gets ready is used as it is.
		if l.notReadyTries++; l.err == nil || l.notReadyTries >= patience {
			err = nil
		}
	}
	if err != nil {
		if l.err == nil {
			l.lose()
		}
		l.fail(err)
		return
	}
	l.heard()
	l.roundTrip = time.Since(q.at)
	if l.err == nil && q.byHand {
		l.resume()
	}
	if q.told {
		l.changed()
	}
	l.regain()
}

// connection says how fresh the data is, given the list or watch that has been broken
// for longest.
func (l *serverHealth) connection(broken breakage) model.Connection {
	l.mu.Lock()
	defer l.mu.Unlock()
	c := model.Connection{Heard: l.heardLast(), Tries: l.tries, Retry: l.next}
	err := l.err
	if err != nil {
		c.Heard = time.Unix(0, l.last) // if it spoke since, it did not say what was asked
		if l.asking {
			c.Retry = time.Time{}
		}
	}
	silent := time.Since(c.Heard) > l.pace.idle+l.slow()
	if broken.err != nil {
		if broken.since.Before(c.Heard) {
			c.Heard = broken.since // the data is as old as its oldest part
		}
		if err == nil {
			err, c.Tries, c.Retry = broken.err, broken.tries, broken.next
		}
	}
	c.Err = shortly(err)
	c.Problem = problemOf(err)
	if err == nil && silent {
		c.Problem = model.Silent
	}
	c.Live = c.Problem == model.NoProblem
	return c
}

// problemOf is what an error of the connection, a list or a watch means.
func problemOf(err error) model.Problem {
	switch {
	case err == nil:
		return model.NoProblem
	case isNotAnAPI(err):
		return model.NotAnAPI
	case errors.As(err, new(notReady)):
		return model.NotReady
	case apierrors.IsUnauthorized(err):
		return model.Unauthorized
	case apierrors.IsTooManyRequests(err):
		return model.Throttled
	case isRejected(err):
		return model.Rejected
	case isAPIStatus(err), errors.As(err, new(silentWatch)):
		return model.Failing
	}
	return model.Unreachable
}

// listen notes every answer, and every piece of one: a watch that speaks is a
// server that is there.
func (l *serverHealth) listen(next http.RoundTripper) http.RoundTripper {
	l.exchanges.over(next)
	return roundTripper(func(r *http.Request) (*http.Response, error) {
		x := l.exchanges.begin(r)
		response, err := next.RoundTrip(r.WithContext(x.ctx))
		if err != nil {
			return nil, x.failed(err)
		}
		l.heard()
		x.answered(response)
		if response.StatusCode == http.StatusTooManyRequests && l.throttled != nil {
			l.throttled()
		}
		noteDelay(r, response)
		response.Body = &body{
			ReadCloser: response.Body,
			heard:      func() { l.heard(); x.hear() },
			cut:        x.cut,
			broken: func() {
				if r.Context().Err() == nil && !x.hungUp() { // not hung up on this side
					l.broke()
				}
			},
			closed: x.end,
		}
		return response, nil
	})
}
