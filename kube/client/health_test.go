package client

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

	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// answer is what a probe gives, and how long it takes.
type answer struct {
	atomic.Pointer[error]
	takes atomic.Int64
}

func answering(err error) *answer {
	a := &answer{}
	a.now(err)
	return a
}

func (a *answer) now(err error) { a.Store(&err) }

func (a *answer) slowly(d time.Duration) { a.takes.Store(int64(d)) }

// never is longer than any probe may take.
const never = time.Hour

var noStorage = notReady{checks: []string{"etcd"}}

// story runs a link whose probe gives the answer, on a clock of its own.
func story(t *testing.T, given *answer, tell func(l *serverHealth, probes *atomic.Int32)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		var probes atomic.Int32
		l := newServerHealth(usualPace, func(ctx context.Context) error {
			probes.Add(1)
			err := *given.Load()
			select {
			case <-time.After(time.Duration(given.takes.Load())):
				return err
			case <-ctx.Done():
				return ctx.Err()
			}
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

func (l *serverHealth) told() model.Connection { return l.connection(breakage{}) }

func TestAServerIsAskedEveryTwoSecondsWhetherItIsReady(t *testing.T) {
	for name, speaks := range map[string]bool{"one that speaks": true, "a silent one": false} {
		t.Run(name, func(t *testing.T) {
			story(t, answering(nil), func(l *serverHealth, probes *atomic.Int32) {
				for range 60 {
					wait(time.Second)
					if speaks {
						l.heard() // a watch cache speaks without its etcd
					}
					if c := l.told(); !c.Live || c.Err != "" || c.Tries != 0 {
						t.Fatalf("the connection is %+v", c)
					}
				}
				if n := probes.Load(); n < 29 || n > 30 {
					t.Errorf("asked %d times in a minute, want 30", n)
				}
			})
		})
	}
}

func TestAServerWithoutItsEtcdIsNotLiveWithinSecondsAndForAsLongAsThatLasts(t *testing.T) {
	given := answering(nil)
	story(t, given, func(l *serverHealth, _ *atomic.Int32) {
		wait(time.Minute)
		given.now(noStorage)
		wait(3 * time.Second)
		for range 600 {
			l.heard() // bookmarks come all the same
			if c := l.told(); c.Live || c.Problem != model.NotReady || c.Err != "not ready: etcd" {
				t.Fatalf("the connection is %+v", c)
			}
			wait(time.Second)
		}
		given.now(nil)
		wait(5 * time.Second)
		if c := l.told(); !c.Live {
			t.Errorf("etcd is back, and the connection is %+v", c)
		}
	})
}

func TestAServerThatDoesNotAnswerIsNotLiveWithinSeconds(t *testing.T) {
	given := answering(nil)
	story(t, given, func(l *serverHealth, _ *atomic.Int32) {
		wait(time.Minute)
		heard := time.Unix(0, l.heardAt.Load())
		given.slowly(never)
		wait(time.Until(heard.Add(4*time.Second + 10*time.Millisecond)))
		if c := l.told(); c.Live || c.Problem != model.Silent || c.Err != "" || !c.Heard.Equal(heard) {
			t.Errorf("after four seconds the connection is %+v", c)
		}
		wait(4 * time.Second)
		if c := l.told(); c.Live || c.Problem != model.Unreachable || c.Err != "i/o timeout" || !c.Heard.Equal(heard) || c.Tries != 1 {
			t.Errorf("after eight seconds the connection is %+v", c)
		}
	})
}

func TestThatAServerFellSilentIsTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		var told atomic.Int32
		var l *serverHealth
		var probes atomic.Int32
		l = newServerHealth(usualPace, func(ctx context.Context) error {
			if probes.Add(1) == 1 {
				time.Sleep(300 * time.Millisecond) // so the next one is sent less than two seconds after it was heard
				return nil
			}
			<-ctx.Done()
			return ctx.Err()
		}, func() {
			if !l.told().Live {
				told.Add(1)
			}
		})
		go l.run(ctx)
		wait(2300*time.Millisecond + 4*time.Second + 10*time.Millisecond)
		if told.Load() != 1 {
			t.Errorf("told %d times within four seconds, want once", told.Load())
		}
	})
}

func TestASlowNetworkIsNoLostServer(t *testing.T) {
	given := answering(nil)
	given.slowly(5 * time.Second)
	story(t, given, func(l *serverHealth, probes *atomic.Int32) {
		l.took(5 * time.Second)
		for range 120 {
			wait(time.Second)
			if c := l.told(); !c.Live {
				t.Fatalf("the connection is %+v", c)
			}
		}
		if n := probes.Load(); n < 15 {
			t.Errorf("asked %d times in two minutes", n)
		}
	})
}

func TestANetworkThatGetsSlowIsFoundAgain(t *testing.T) {
	given := answering(nil)
	story(t, given, func(l *serverHealth, _ *atomic.Int32) {
		wait(time.Minute)
		given.slowly(9 * time.Second) // longer than a probe may take at first
		wait(time.Minute)
		if c := l.told(); !c.Live {
			t.Errorf("the connection is %+v", c)
		}
	})
}

func TestALostServerIsAskedLessAndLessButEveryFiveSeconds(t *testing.T) {
	given := answering(nil)
	story(t, given, func(l *serverHealth, probes *atomic.Int32) {
		wait(time.Minute)
		given.now(syscall.ECONNREFUSED)
		heard := time.Unix(0, l.heardAt.Load())
		wait(2100 * time.Millisecond) // one probe found it
		c := l.told()
		if c.Live || c.Err != "connection refused" || c.Problem != model.Unreachable || c.Tries != 1 || !c.Heard.Equal(heard) ||
			c.Retry.IsZero() || time.Until(c.Retry) > time.Second {
			t.Errorf("the connection is %+v", c)
		}
		before := probes.Load()
		wait(7 * time.Second)
		if n := probes.Load() - before; n != 3 { // after 1, 2, 4 seconds, or a little less
			t.Errorf("asked %d times in seven seconds, want 3", n)
		}
		wait(time.Hour)
		before = probes.Load()
		wait(time.Minute)
		if n := probes.Load() - before; n < 12 || n > 15 {
			t.Errorf("asked %d times in a minute after an hour, want 12 to 15", n)
		}
		given.now(nil)
		wait(5 * time.Second)
		if c := l.told(); !c.Live {
			t.Errorf("five seconds after the server is back the connection is %+v", c)
		}
	})
}

func TestRetriesAreNotMadeByAllAtOnce(t *testing.T) {
	seen := map[time.Duration]bool{}
	for range 100 {
		d := jittered(5 * time.Second)
		if d > 5*time.Second || d < 4*time.Second {
			t.Fatalf("waits %s of 5s", d)
		}
		seen[d] = true
	}
	if len(seen) < 50 {
		t.Errorf("%d different waits of 100", len(seen))
	}
}

func TestRetryAsksAtOnceAndOpensTheGate(t *testing.T) {
	for name, hangs := range map[string]bool{"while nothing is asked": false, "while a question hangs": true} {
		t.Run(name, func(t *testing.T) {
			given := answering(syscall.ECONNREFUSED)
			story(t, given, func(l *serverHealth, probes *atomic.Int32) {
				wait(2 * time.Minute)
				if hangs {
					given.slowly(never)
					wait(6 * time.Second)
				}
				opened := make(chan error, 1)
				go func() { opened <- l.open(context.Background()) }()
				synctest.Wait()
				select {
				case err := <-opened:
					t.Fatalf("a list went on while the server was lost: %v", err)
				default:
				}
				if c := l.told(); hangs != c.Retry.IsZero() {
					t.Errorf("the connection is %+v; a try is under way: %v", c, hangs)
				}
				given.slowly(0)
				given.now(nil)
				before := probes.Load()
				l.now()
				synctest.Wait()
				if err := <-opened; err != nil || probes.Load() != before+1 {
					t.Errorf("after a retry: %v, %d probes", err, probes.Load()-before)
				}
				if c := l.told(); !c.Live || c.Tries != 0 || !c.Retry.IsZero() {
					t.Errorf("the connection is %+v", c)
				}
			})
		})
	}
}

func TestAServerThatStartsIsWaitedForButNotForEver(t *testing.T) {
	starting := notReady{serves: true}
	given := answering(syscall.ECONNREFUSED)
	story(t, given, func(l *serverHealth, _ *atomic.Int32) {
		wait(10 * time.Second)
		given.now(starting)
		wait(5 * time.Second)
		if c := l.told(); c.Live || c.Err != "not ready" {
			t.Errorf("the connection is %+v", c)
		}
		wait(30 * time.Second)
		if c := l.told(); !c.Live {
			t.Errorf("a server that never gets ready is never used: %+v", c)
		}
	})
	story(t, answering(starting), func(l *serverHealth, _ *atomic.Int32) {
		wait(time.Minute)
		if c := l.told(); !c.Live {
			t.Errorf("a server that was there counts as lost for a failing check: %+v", c)
		}
	})
}

func TestAClockThatIsSetBackKeepsAServerLive(t *testing.T) {
	given := answering(nil)
	story(t, given, func(l *serverHealth, probes *atomic.Int32) {
		l.heardAt.Store(time.Now().Add(time.Hour).UnixNano()) // before it was set back
		wait(10 * time.Second)
		if c := l.told(); !c.Live || c.Heard.After(time.Now()) || probes.Load() < 4 {
			t.Errorf("the connection is %+v after %d probes", c, probes.Load())
		}
	})
}

func TestAComputerThatSleptKnowsThatItsDataIsOld(t *testing.T) {
	given := answering(nil)
	story(t, given, func(l *serverHealth, _ *atomic.Int32) {
		given.slowly(never)
		l.heardAt.Store(time.Now().Add(-8 * time.Hour).UnixNano()) // the clock that sleeps too stood still
		wait(time.Second)
		if c := l.told(); c.Live || c.Problem != model.Silent {
			t.Errorf("the connection is %+v", c)
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
		{"what no API server says", errNotAnAPI, false},
		{"unauthorized", apierrors.NewUnauthorized("expired"), true},
		{"connection refused", syscall.ECONNREFUSED, true},
		{"a time-out", context.DeadlineExceeded, true},
	} {
		t.Run(test.says, func(t *testing.T) {
			l := newServerHealth(usualPace, nil, func() {})
			if lost := l.lost(test.err); lost != test.lost {
				t.Errorf("lost is %v, want %v", lost, test.lost)
			}
			if c := l.told(); c.Live == test.lost {
				t.Errorf("the connection is %+v", c)
			}
		})
	}
}

func TestDataIsAsOldAsItsOldestPart(t *testing.T) {
	l := newServerHealth(usualPace, nil, func() {})
	broken := time.Now().Add(-time.Minute)
	c := l.connection(breakage{err: apierrors.NewInternalError(errors.New("etcd is away")), since: broken})
	if c.Live || !c.Heard.Equal(broken) || c.Err == "" || c.Problem != model.Failing {
		t.Errorf("the connection is %+v", c)
	}
}
