package kube

import (
	"context"
	"errors"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// answer is what a probe gives.
type answer struct{ atomic.Pointer[error] }

func answering(err error) *answer {
	a := &answer{}
	a.now(err)
	return a
}

func (a *answer) now(err error) { a.Store(&err) }

// story runs a link whose probe gives the answer, on a clock of its own.
func story(t *testing.T, given *answer, tell func(l *link, probes *atomic.Int32)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		var probes atomic.Int32
		l := newLink(usualPace, func(context.Context) error {
			probes.Add(1)
			return *given.Load()
		}, func() {})
		go l.run(ctx)
		synctest.Wait()
		tell(l, &probes)
	})
}

func wait(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

func TestAServerThatSpeaksIsNotAsked(t *testing.T) {
	story(t, answering(nil), func(l *link, probes *atomic.Int32) {
		for range 60 {
			wait(time.Second)
			l.heard()
		}
		if probes.Load() != 0 {
			t.Errorf("asked %d times in a minute in which it spoke", probes.Load())
		}
	})
}

func TestASilentServerIsAskedEveryTenSeconds(t *testing.T) {
	story(t, answering(nil), func(l *link, probes *atomic.Int32) {
		wait(61 * time.Second)
		if probes.Load() != 6 {
			t.Errorf("asked %d times in a minute, want 6", probes.Load())
		}
		if c := l.connection(time.Time{}, nil); !c.Live || c.Err != "" || c.Tries != 0 {
			t.Errorf("the connection is %+v", c)
		}
	})
}

func TestALostServerIsAskedLessAndLess(t *testing.T) {
	given := answering(nil)
	story(t, given, func(l *link, probes *atomic.Int32) {
		given.now(syscall.ECONNREFUSED)
		heard := time.Now()
		wait(10 * time.Second) // one probe found it
		c := l.connection(time.Time{}, nil)
		if c.Live || c.Err != "connection refused" || c.Tries != 1 || !c.Heard.Equal(heard) || time.Until(c.Retry) != time.Second {
			t.Errorf("the connection is %+v", c)
		}
		wait(time.Minute)
		if probes.Load() != 6 { // after 1, 2, 4, 8, 16 seconds
			t.Errorf("asked %d times in the first minute, want 6", probes.Load())
		}
		wait(time.Minute)
		if probes.Load() != 8 {
			t.Errorf("asked %d times in two minutes, want 8", probes.Load())
		}
	})
}

func TestRetryAsksAtOnceAndOpensTheGate(t *testing.T) {
	given := answering(syscall.ECONNREFUSED)
	story(t, given, func(l *link, probes *atomic.Int32) {
		wait(2 * time.Minute)
		opened := make(chan error, 1)
		go func() { opened <- l.open(context.Background()) }()
		synctest.Wait()
		select {
		case err := <-opened:
			t.Fatalf("a list went on while the server was lost: %v", err)
		default:
		}
		given.now(nil)
		before := probes.Load()
		l.now()
		synctest.Wait()
		if err := <-opened; err != nil || probes.Load() != before+1 {
			t.Errorf("after a retry: %v, %d probes", err, probes.Load()-before)
		}
		if c := l.connection(time.Time{}, nil); !c.Live || c.Tries != 0 || !c.Retry.IsZero() {
			t.Errorf("the connection is %+v", c)
		}
	})
}

func TestAServerThatStartsIsWaitedForButNotForEver(t *testing.T) {
	given := answering(syscall.ECONNREFUSED)
	story(t, given, func(l *link, _ *atomic.Int32) {
		wait(10 * time.Second)
		given.now(errNotReady)
		wait(3 * time.Second)
		if c := l.connection(time.Time{}, nil); c.Live || c.Err != "not ready" {
			t.Errorf("the connection is %+v", c)
		}
		wait(30 * time.Second)
		if c := l.connection(time.Time{}, nil); !c.Live {
			t.Errorf("a server that never gets ready is never used: %+v", c)
		}
	})
	story(t, answering(errNotReady), func(l *link, _ *atomic.Int32) {
		wait(time.Minute)
		if c := l.connection(time.Time{}, nil); !c.Live {
			t.Errorf("a server that was there counts as lost for a failing check: %+v", c)
		}
	})
}

func TestWhatTheServerItselfSaysIsNoLostConnection(t *testing.T) {
	pods := schema.GroupResource{Resource: "pods"}
	for _, test := range []struct {
		says string
		err  error
		lost bool
	}{
		{"nothing", nil, false},
		{"forbidden", apierrors.NewForbidden(pods, "", errors.New("no")), false},
		{"gone", apierrors.NewResourceExpired("too old"), false},
		{"too many requests", apierrors.NewTooManyRequests("later", 1), false},
		{"an internal error", apierrors.NewInternalError(errors.New("oops")), false},
		{"unauthorized", apierrors.NewUnauthorized("expired"), true},
		{"connection refused", syscall.ECONNREFUSED, true},
		{"a time-out", context.DeadlineExceeded, true},
	} {
		t.Run(test.says, func(t *testing.T) {
			l := newLink(usualPace, nil, func() {})
			if lost := l.lost(test.err); lost != test.lost {
				t.Errorf("lost is %v, want %v", lost, test.lost)
			}
			if c := l.connection(time.Time{}, nil); c.Live == test.lost {
				t.Errorf("the connection is %+v", c)
			}
		})
	}
}

func TestDataIsAsOldAsItsOldestPart(t *testing.T) {
	l := newLink(usualPace, nil, func() {})
	broken := time.Now().Add(-time.Minute)
	c := l.connection(broken, apierrors.NewInternalError(errors.New("etcd is away")))
	if c.Live || !c.Heard.Equal(broken) || c.Err == "" {
		t.Errorf("the connection is %+v", c)
	}
}
