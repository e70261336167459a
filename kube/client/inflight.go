package client

import (
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	utilnet "k8s.io/apimachinery/pkg/util/net"
)

// errHungUp is what is read from a connection that was given up here.
var errHungUp = errors.New("connection closed: the server sent nothing")

// How often idle connections are closed after exchanges were ended, and the time
// between two of these.
const (
	closeTries = 5
	closePause = 20 * time.Millisecond
)

// exchanges are the requests that are out and the answers that are being read,
// to end those that have fallen silent: a connection that is dead without
// having been closed is noticed by nobody else for minutes.
type exchanges struct {
	mu         sync.Mutex
	transports []http.RoundTripper
	http1      atomic.Bool // the last answer came by HTTP/1.1
	open       map[*exchange]bool
}

// exchange is a request, and its answer until that is closed.
type exchange struct {
	of      *exchanges
	ctx     context.Context
	cancel  context.CancelFunc
	reads   bool
	heardAt atomic.Int64 // Unix nanoseconds
	alone   atomic.Bool  // it has a connection of its own: HTTP/1.1; until it is answered, as the last answer had
	hung    atomic.Bool
	once    sync.Once
}

// over remembers a transport whose idle connections are closed too.
func (e *exchanges) over(transport http.RoundTripper) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.transports = append(e.transports, transport)
}

func (e *exchanges) begin(r *http.Request) *exchange {
	x := &exchange{of: e, reads: r.Method == http.MethodGet}
	x.ctx, x.cancel = context.WithCancel(r.Context())
	x.hear()
	x.alone.Store(e.http1.Load())
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.open == nil {
		e.open = map[*exchange]bool{}
	}
	e.open[x] = true
	return x
}

// hangUp ends the reads on which nothing was heard since then, and closes the
// connections that are idle after that. Requests that change something are left
// to their own limits. The channel is closed when that is done.
func (e *exchanges) hangUp(since time.Time) <-chan struct{} {
	return e.hangUpOn(since, func(*exchange) bool { return true })
}

// hangUpAlone is hangUp of the exchanges that have connections of their own: that
// the server answers on another one says nothing about those.
func (e *exchanges) hangUpAlone(since time.Time) {
	e.hangUpOn(since, func(x *exchange) bool { return x.alone.Load() })
}

func (e *exchanges) hangUpOn(since time.Time, which func(*exchange) bool) <-chan struct{} {
	var silent []*exchange
	e.mu.Lock()
	for x := range e.open {
		if x.reads && x.heardAt.Load() <= since.UnixNano() && which(x) {
			silent = append(silent, x)
		}
	}
	transports := slices.Clone(e.transports)
	e.mu.Unlock()
	for _, x := range silent {
		x.hung.Store(true)
		x.cancel()
	}
	done := make(chan struct{})
	if len(transports) == 0 {
		close(done)
		return done
	}
	go func() {
		defer close(done)
		for range closeTries { // HTTP/2 lets go of its streams a little later
			for _, transport := range transports {
				utilnet.CloseIdleConnectionsFor(transport)
			}
			time.Sleep(closePause)
		}
	}()
	return done
}

// answered notes by which version of HTTP the answer came.
func (x *exchange) answered(response *http.Response) {
	x.hear()
	alone := response.ProtoMajor < 2
	x.alone.Store(alone)
	x.of.http1.Store(alone)
}

// hear notes that something came in.
func (x *exchange) hear() { x.heardAt.Store(time.Now().UnixNano()) }

func (x *exchange) hungUp() bool { return x.hung.Load() }

// failed ends the exchange, and says if it was ended here.
func (x *exchange) failed(err error) error {
	x.end()
	if x.hungUp() {
		return errHungUp
	}
	return err
}

// cut ends the exchange in the middle of its answer. One that was ended here
// looks like one that the server ended, which watches go on from.
func (x *exchange) cut(err error) error {
	x.end()
	if x.hungUp() {
		return io.ErrUnexpectedEOF
	}
	return err
}

// end is called when the answer is closed, or none came.
func (x *exchange) end() {
	x.once.Do(func() {
		x.cancel()
		x.of.mu.Lock()
		delete(x.of.open, x)
		x.of.mu.Unlock()
	})
}
