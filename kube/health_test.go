package kube

import (
	"context"
	"errors"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// story runs a link whose probe gives what answer says, on a clock of its own.
func story(t *testing.T, answer func() error, tell func(l *link, probes *int)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		probes := 0
		l := newLink(usualPace, func(context.Context) error {
			probes++
			return answer()
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
	story(t, func() error { return nil }, func(l *link, probes *int) {
		for range 60 {
			wait(time.Second)
			l.heard()
		}
		if *probes != 0 {
			t.Errorf("asked %d times in a minute in which it spoke", *probes)
		}
	})
}

func TestASilentServerIsAskedEveryTenSeconds(t *testing.T) {
	story(t, func() error { return nil }, func(l *link, probes *int) {
		wait(61 * time.Second)
		if *probes != 6 {
			t.Errorf("asked %d times in a minute, want 6", *probes)
		}
		if c := l.connection(time.Time{}, nil); !c.Live || c.Err != "" || c.Tries != 0 {
			t.Errorf("the connection is %+v", c)
		}
	})
}

func TestALostServerIsAskedLessAndLess(t *testing.T) {
	var answer error
	story(t, func() error { return answer }, func(l *link, probes *int) {
		answer = syscall.ECONNREFUSED
		heard := time.Now()
		wait(10 * time.Second) // one probe found it
		c := l.connection(time.Time{}, nil)
		if c.Live || c.Err != "connection refused" || c.Tries != 1 || !c.Heard.Equal(heard) || time.Until(c.Retry) != time.Second {
			t.Errorf("the connection is %+v", c)
		}
		wait(time.Minute)
		if *probes != 6 { // after 1, 2, 4, 8, 16 seconds
			t.Errorf("asked %d times in the first minute, want 6", *probes)
		}
		wait(time.Minute)
		if *probes != 8 {
			t.Errorf("asked %d times in two minutes, want 8", *probes)
		}
	})
}

func TestRetryAsksAtOnceAndOpensTheGate(t *testing.T) {
	answer := error(syscall.ECONNREFUSED)
	story(t, func() error { return answer }, func(l *link, probes *int) {
		wait(2 * time.Minute)
		opened := make(chan error, 1)
		go func() { opened <- l.open(context.Background()) }()
		synctest.Wait()
		select {
		case err := <-opened:
			t.Fatalf("a list went on while the server was lost: %v", err)
		default:
		}
		answer = nil
		before := *probes
		l.now()
		synctest.Wait()
		if err := <-opened; err != nil || *probes != before+1 {
			t.Errorf("after a retry: %v, %d probes", err, *probes-before)
		}
		if c := l.connection(time.Time{}, nil); !c.Live || c.Tries != 0 || !c.Retry.IsZero() {
			t.Errorf("the connection is %+v", c)
		}
	})
}

func TestAServerThatStartsIsWaitedForButNotForEver(t *testing.T) {
	answer := error(syscall.ECONNREFUSED)
	story(t, func() error { return answer }, func(l *link, _ *int) {
		wait(10 * time.Second)
		answer = errNotReady
		wait(3 * time.Second)
		if c := l.connection(time.Time{}, nil); c.Live || c.Err != "not ready" {
			t.Errorf("the connection is %+v", c)
		}
		wait(30 * time.Second)
		if c := l.connection(time.Time{}, nil); !c.Live {
			t.Errorf("a server that never gets ready is never used: %+v", c)
		}
	})
	story(t, func() error { return errNotReady }, func(l *link, _ *int) {
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
