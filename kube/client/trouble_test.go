package client

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/kubectl-fathom/kubectl-fathom/kube/client/sample"
	"github.com/kubectl-fathom/kubectl-fathom/kube/client/strip"
	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// alone runs a listWatcher of pods over the access, on a clock of its own.
func alone(t *testing.T, over listWatch, then func(f *listWatcher)) {
	t.Helper()
	client, err := kubernetes.NewForConfig(&rest.Config{Host: "http://127.0.0.1:1"})
	if err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		l := newServerHealth(usualPace, func(context.Context) error { return nil }, func() {})
		go l.run(ctx)
		f := &listWatcher{watchedResource: podResource, listWatch: over, health: l, strip: strip.New(), denied: func(*listWatcher) {}, changed: func() {}}
		factory := informers.NewSharedInformerFactory(client, 0)
		f.register(factory, client)
		factory.StartWithContext(ctx)
		defer factory.Shutdown()
		defer cancel()
		then(f)
	})
}

// emptyList is a list of no pods.
func emptyList(context.Context, metav1.ListOptions) (runtime.Object, error) {
	return &corev1.PodList{ListMeta: metav1.ListMeta{ResourceVersion: "7"}}, nil
}

// ending is a watch that says these, and ends.
func ending(events ...watch.Event) watch.Interface {
	w := watch.NewFakeWithOptions(watch.FakeOptions{ChannelSize: len(events) + 1})
	for _, e := range events {
		w.Action(e.Type, e.Object)
	}
	w.Stop()
	return w
}

func statusEvent(err *apierrors.StatusError) watch.Event {
	return watch.Event{Type: watch.Error, Object: &err.ErrStatus}
}

func TestAWatchThatFailsWithoutEndIsAskedForEveryFewSeconds(t *testing.T) {
	gone := apierrors.NewResourceExpired("too old resource version")
	invalid := apierrors.NewInvalid(schema.GroupKind{Kind: "ListOptions"}, "", nil)
	for name, answer := range map[string]func(streams bool) (watch.Interface, error){
		"410":             func(bool) (watch.Interface, error) { return nil, gone },
		"410 as an event": func(bool) (watch.Interface, error) { return ending(statusEvent(gone)), nil },
		"410, where lists are pages": func(streams bool) (watch.Interface, error) {
			if streams {
				return nil, invalid
			}
			return nil, gone
		},
		"half a list": func(bool) (watch.Interface, error) {
			return ending(watch.Event{Type: watch.Added, Object: sample.SmallPod("web-1", "")}), nil
		},
		"nothing": func(bool) (watch.Interface, error) { return ending(), nil },
		"429":     func(bool) (watch.Interface, error) { return nil, apierrors.NewTooManyRequestsError("later") },
		"500":     func(bool) (watch.Interface, error) { return nil, apierrors.NewInternalError(context.Canceled) },
		"504":     func(bool) (watch.Interface, error) { return nil, apierrors.NewTimeoutError("etcd", 0) },
		"429 as an event": func(bool) (watch.Interface, error) {
			return ending(statusEvent(apierrors.NewTooManyRequestsError("later"))), nil
		},
		"500 as an event": func(bool) (watch.Interface, error) {
			return ending(statusEvent(apierrors.NewInternalError(context.Canceled))), nil
		},
		"no event but nothing": func(bool) (watch.Interface, error) { return ending(statusEvent(&apierrors.StatusError{})), nil },
	} {
		t.Run(name, func(t *testing.T) {
			var asked atomic.Int32
			alone(t, listWatch{list: emptyList, watch: func(_ context.Context, o metav1.ListOptions) (watch.Interface, error) {
				asked.Add(1)
				return answer(o.SendInitialEvents != nil)
			}}, func(f *listWatcher) {
				wait(5 * time.Minute)
				if n := asked.Load(); n > 150 || n < 10 {
					t.Errorf("asked for %d watches in five minutes", n)
				}
				if name != "nothing" { // a watch that ends at once without an error is a list now and then
					if c := f.health.connection(f.broken()); c.Live {
						t.Errorf("live, though no watch lasts: %+v", c)
					}
				}
			})
		})
	}
}

func TestAWatchFromWhichAnEventComesIsLiveAgain(t *testing.T) {
	var fails atomic.Bool
	fails.Store(true)
	var works *watch.FakeWatcher
	alone(t, listWatch{list: emptyList, watch: func(_ context.Context, o metav1.ListOptions) (watch.Interface, error) {
		switch {
		case o.SendInitialEvents != nil:
			return nil, apierrors.NewInvalid(schema.GroupKind{Kind: "ListOptions"}, "", nil)
		case fails.Load():
			return nil, apierrors.NewResourceExpired("too old resource version")
		}
		return works, nil
	}}, func(f *listWatcher) {
		wait(time.Minute)
		if f.health.connection(f.broken()).Live {
			t.Error("live, though no watch could be opened")
		}
		works = watch.NewFakeWithOptions(watch.FakeOptions{ChannelSize: 1})
		fails.Store(false)
		wait(time.Minute)
		works.Add(sample.SmallPod("web-1", ""))
		wait(time.Millisecond) // before anything says that the watch lasts
		if c := f.health.connection(f.broken()); !c.Live {
			t.Errorf("not live, though an event came: %+v", c)
		}
	})
}

func TestAWatchThatWasRefusedIsLiveOnceItIsOpen(t *testing.T) {
	var accepts atomic.Bool
	alone(t, listWatch{list: emptyList, watch: func(_ context.Context, o metav1.ListOptions) (watch.Interface, error) {
		switch {
		case o.SendInitialEvents != nil: // what is streamed is there only after its list
			return nil, apierrors.NewInvalid(schema.GroupKind{Kind: "ListOptions"}, "", nil)
		case !accepts.Load():
			return nil, apierrors.NewTooManyRequestsError("later")
		}
		return watch.NewFake(), nil
	}}, func(f *listWatcher) {
		wait(time.Minute)
		if f.health.connection(f.broken()).Live {
			t.Error("live, though no watch could be opened")
		}
		accepts.Store(true)
		wait(longestBackoff + time.Millisecond)
		if c := f.health.connection(f.broken()); !c.Live {
			t.Errorf("not live, though a watch is open: %+v", c)
		}
	})
}

func TestAWatchThatIsTooOldOnceIsBegunAnewAtOnce(t *testing.T) {
	var asked atomic.Int32
	alone(t, listWatch{list: emptyList, watch: func(_ context.Context, o metav1.ListOptions) (watch.Interface, error) {
		if asked.Add(1) == 1 {
			return nil, apierrors.NewResourceExpired("too old resource version")
		}
		return watch.NewFake(), nil
	}}, func(f *listWatcher) {
		wait(time.Millisecond)
		if asked.Load() != 2 || !f.health.connection(f.broken()).Live {
			t.Errorf("asked %d times; %+v", asked.Load(), f.broken())
		}
	})
}

func TestABackOffEndsWhenTheServerIsFoundAgain(t *testing.T) {
	var fails atomic.Bool
	var asked atomic.Int32
	fails.Store(true)
	alone(t, listWatch{list: emptyList, watch: func(context.Context, metav1.ListOptions) (watch.Interface, error) {
		asked.Add(1)
		if fails.Load() {
			return nil, apierrors.NewInternalError(context.Canceled)
		}
		return watch.NewFake(), nil
	}}, func(f *listWatcher) {
		wait(time.Hour)
		fails.Store(false)
		before := asked.Load()
		f.health.now() // ctrl-r
		wait(time.Millisecond)
		if asked.Load() != before+1 {
			t.Errorf("asked %d times at once", asked.Load()-before)
		}
		wait(2 * longLived)
		f.tend()
		if c := f.health.connection(f.broken()); !c.Live {
			t.Errorf("the connection is %+v", c)
		}
	})
}

func TestTheServersOwnDelayIsKept(t *testing.T) {
	var asked atomic.Int32
	alone(t, listWatch{list: emptyList, watch: func(ctx context.Context, _ metav1.ListOptions) (watch.Interface, error) {
		asked.Add(1)
		*ctx.Value(delayKey{}).(*time.Duration) = 40 * time.Second
		return nil, apierrors.NewTooManyRequestsError("later")
	}}, func(f *listWatcher) {
		wait(39 * time.Second)
		f.health.now() // not even by hand
		wait(900 * time.Millisecond)
		if asked.Load() != 1 {
			t.Errorf("asked %d times in 40 seconds", asked.Load())
		}
		c := f.health.connection(f.broken())
		if c.Problem != model.Throttled || c.Err != "too many requests" || c.Retry.IsZero() || c.Live {
			t.Errorf("the connection is %+v", c)
		}
		wait(time.Second)
		if asked.Load() != 2 {
			t.Errorf("asked %d times in 41 seconds", asked.Load())
		}
	})
}

func TestAWatchThatIsSilentWhereBookmarksAreDueIsBegunAnew(t *testing.T) {
	var asked atomic.Int32
	bookmark := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{ResourceVersion: "9"}}
	for name, test := range map[string]struct {
		bookmarks, others bool // from this watch, and from that of another kind
		event             bool // the second watch speaks again
		of                string
		every             time.Duration
		watches           int32
		live              bool // in the end
	}{
		"with bookmarks":               {bookmarks: true, every: longLived, watches: 3},
		"stalled before the first":     {others: true, every: longLived, watches: 3},
		"stalled, then it goes on":     {others: true, event: true, every: longLived, watches: 3, live: true},
		"without bookmarks":            {every: longLived, watches: 1, live: true},
		"events, which are not cached": {others: true, of: "events", every: longLived, watches: 1, live: true},
		"after the computer slept":     {bookmarks: true, every: 5 * time.Minute, watches: 2, live: true},
	} {
		t.Run(name, func(t *testing.T) {
			asked.Store(0)
			alone(t, listWatch{list: emptyList, watch: func(_ context.Context, o metav1.ListOptions) (watch.Interface, error) {
				if o.SendInitialEvents != nil {
					return nil, apierrors.NewBadRequest("no streams")
				}
				w := watch.NewFakeWithOptions(watch.FakeOptions{ChannelSize: 1})
				if n := asked.Add(1); test.bookmarks && n == 1 || test.event && n == test.watches {
					w.Action(watch.Bookmark, bookmark)
				}
				return w, nil
			}}, func(f *listWatcher) {
				if test.of != "" {
					f.gvr.Resource = test.of
				}
				f.health.bookmarks.Store(test.others)
				wait(time.Second)
				f.tend()
				for left := 5 * time.Minute; left > 0; left -= test.every {
					wait(test.every)
					f.tend()
				}
				wait(time.Second)
				b := f.broken()
				if n := asked.Load(); n < 2 && test.watches > 1 || n > test.watches || (b.err == nil) != test.live {
					t.Errorf("%d watches in five minutes, broken is %+v", n, b)
				}
				if c := f.health.connection(b); c.Live != test.live || !c.Live && (c.Problem != model.Failing || c.Err != "the watch of pods is silent" || time.Since(c.Heard) < bookmarkTimeout) {
					t.Errorf("the connection is %+v", c)
				}
			})
		})
	}
}

// A user who sees that a watch is silent has another one begun at once; a new list makes the kind live.
func TestASilentWatchIsBegunAnewByHandAndAListEndsIt(t *testing.T) {
	var asked, listed atomic.Int32
	var gone atomic.Bool
	list := func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) {
		listed.Add(1)
		return emptyList(ctx, o)
	}
	alone(t, listWatch{list: list, watch: func(_ context.Context, o metav1.ListOptions) (watch.Interface, error) {
		switch {
		case o.SendInitialEvents != nil:
			return nil, apierrors.NewBadRequest("no streams")
		case gone.Swap(false):
			return ending(statusEvent(apierrors.NewResourceExpired("too old"))), nil
		}
		asked.Add(1)
		return watch.NewFake(), nil
	}}, func(f *listWatcher) {
		f.health.bookmarks.Store(true)
		for range bookmarkTimeout/time.Second + 2 {
			wait(time.Second)
			f.tend()
		}
		before := asked.Load()
		if f.broken().err == nil || before != 2 {
			t.Fatalf("%d watches, broken is %+v", before, f.broken())
		}
		f.health.now() // ctrl-r
		f.tend()
		wait(time.Second)
		f.tend()
		if n := asked.Load(); n != before+1 {
			t.Errorf("%d watches after ctrl-r, want %d", n, before+1)
		}
		gone.Store(true) // the next watch is from too long ago
		f.health.now()
		f.tend()
		wait(5 * time.Second)
		if b := f.broken(); b.err != nil || listed.Load() != 2 {
			t.Errorf("after %d lists broken is %+v", listed.Load(), b)
		}
	})
}

// What the server will answer again is told as that, and what may pass is not.
func TestARequestThatIsRejectedIsToldAsThat(t *testing.T) {
	for code, want := range map[int]model.Problem{
		http.StatusBadRequest: model.Rejected, http.StatusNotFound: model.Rejected, http.StatusNotAcceptable: model.Rejected,
		http.StatusGone: model.Failing, http.StatusInternalServerError: model.Failing, http.StatusServiceUnavailable: model.Failing,
		http.StatusUnauthorized: model.Unauthorized, http.StatusTooManyRequests: model.Throttled,
	} {
		err := apierrors.NewGenericServerResponse(code, "list", podResource.gvr.GroupResource(), "", "no", 0, false)
		if got := problemOf(fmt.Errorf("list pods: %w", err)); got != want {
			t.Errorf("%d is told as %v, want %v", code, got, want)
		}
	}
}

func TestTooManyRequestsAreToldAndPass(t *testing.T) {
	for name, streams := range map[string]bool{"streamed": true, "in pages": false} {
		t.Run(name, func(t *testing.T) {
			server := newAPIServer(t)
			server.streams = streams
			server.fill(3)
			client := server.open(t)
			throttled := func(w http.ResponseWriter, r *http.Request) bool {
				if r.URL.Path != "/api/v1/pods" || r.URL.Query().Get("limit") == "1" {
					return false
				}
				w.Header().Set("Retry-After", "1")
				http.Error(w, "Too many requests, please try again later.", http.StatusTooManyRequests)
				return true
			}
			server.set(func() { server.instead = throttled })
			source, err := client.Source(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			source.Factory.StartWithContext(t.Context())
			told := until(t, source, "throttled", func(s model.Status) bool { return s.Connection.Problem == model.Throttled })
			if c := told.Connection; c.Live || c.Err != "too many requests" {
				t.Errorf("the connection is %+v", c)
			}
			server.set(func() { server.instead = nil })
			until(t, source, "in and live", func(s model.Status) bool { return len(s.Reading) == 0 && s.Connection.Live })
		})
	}
}

func TestAnAnswerWithoutKindOrResourceVersionIsNoEmptyList(t *testing.T) {
	for name, text := range map[string]string{
		"an empty object":     `{}`,
		"no kind":             `{"metadata":{"resourceVersion":"12"},"items":[]}`,
		"no resource version": `{"kind":"PodList","apiVersion":"v1","metadata":{},"items":[]}`,
		"a page to log in":    `<html><body>Log in</body></html>`,
	} {
		t.Run(name, func(t *testing.T) {
			server := newAPIServer(t)
			server.fill(3)
			client := server.open(t)
			server.set(func() {
				server.instead = func(w http.ResponseWriter, r *http.Request) bool {
					if !strings.HasPrefix(r.URL.Path, "/api/v1/pods") {
						return false
					}
					w.Header().Set("Content-Type", "application/json")
					if strings.HasPrefix(text, "<") {
						w.Header().Set("Content-Type", "text/html; charset=utf-8")
					}
					_, _ = fmt.Fprint(w, text)
					return true
				}
			})
			source, err := client.Source(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if first, err := source.First(t.Context()); err == nil {
				t.Errorf("the first rows are %+v", first)
			} else if !isNotAnAPI(err) || strings.Contains(err.Error(), "\n") {
				t.Errorf("the first rows fail by %v", err)
			}
			source.Factory.StartWithContext(t.Context())
			told := until(t, source, "told", func(s model.Status) bool { return s.Connection.Problem == model.NotAnAPI })
			if _, reading := told.Reading["pods"]; !reading || told.Connection.Live {
				t.Errorf("pods count as read: %+v", told)
			}
			server.set(func() { server.instead = nil })
			until(t, source, "in and live", func(s model.Status) bool { return len(s.Reading) == 0 && s.Connection.Live })
		})
	}
}

// saysReady answers /readyz.
func saysReady(code int, body string) func(http.ResponseWriter, *http.Request) bool {
	return func(w http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path != "/readyz" {
			return false
		}
		w.WriteHeader(code)
		_, _ = fmt.Fprint(w, body)
		return true
	}
}

func TestReadinessIsKnownWhateverTheUserMayAsk(t *testing.T) {
	const failing = "[+]ping ok\n[-]%s failed: reason withheld\nreadyz check failed\n"
	noReads := func(readyz func(http.ResponseWriter, *http.Request) bool) func(http.ResponseWriter, *http.Request) bool {
		return func(w http.ResponseWriter, r *http.Request) bool {
			if strings.HasPrefix(r.URL.Path, "/api/") && r.URL.Query().Get("watch") == "" {
				fail(w, http.StatusGatewayTimeout, metav1.StatusReasonTimeout, "etcdserver: request timed out")
				return true
			}
			return readyz(w, r)
		}
	}
	hangs := func(_ http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path == "/readyz" {
			<-r.Context().Done()
		}
		return r.URL.Path == "/readyz"
	}
	for name, test := range map[string]struct {
		instead func(http.ResponseWriter, *http.Request) bool
		problem model.Problem
		says    string
	}{
		"ready":                              {saysReady(200, "ok"), model.NoProblem, ""},
		"who may not ask":                    {saysReady(403, ""), model.NoProblem, ""},
		"a proxy that knows nobody there":    {saysReady(401, ""), model.NoProblem, ""},
		"a server without it":                {saysReady(404, ""), model.NoProblem, ""},
		"a server that leaves it unanswered": {hangs, model.NoProblem, ""},
		"a check that is no matter of reads": {saysReady(500, fmt.Sprintf(failing, "poststarthook/x")), model.NoProblem, ""},
		"etcd":                               {saysReady(500, fmt.Sprintf(failing, "etcd")), model.NotReady, "not ready: etcd"},
		"etcd's readiness":                   {saysReady(500, fmt.Sprintf(failing, "etcd-readiness")), model.NotReady, "not ready: etcd-readiness"},
		"a check, and reads fail":            {noReads(saysReady(500, "")), model.NotReady, "not ready"},
		"who may not ask, and reads fail":    {noReads(saysReady(403, "")), model.Failing, "etcdserver: request timed out"},
	} {
		t.Run(name, func(t *testing.T) {
			server := newAPIServer(t)
			server.streams = true
			server.fill(3)
			p := quick
			p.limit, p.silent = 2*time.Second, 100*time.Millisecond
			client := openAt(t, server.URL, p)
			source := start(t, client)
			until(t, source, "live", live)
			server.set(func() { server.instead = test.instead })
			if test.problem == model.NoProblem {
				ctx, cancel := context.WithTimeout(t.Context(), 4*time.Second)
				defer cancel()
				if err := client.readiness.probe(ctx); err != nil && !serves(err) {
					t.Errorf("the probe says %v", err)
				}
			}
			told := until(t, source, "told", func(s model.Status) bool { return s.Connection.Problem == test.problem })
			if told.Connection.Err != test.says {
				t.Errorf("the connection is %+v, want it to say %q", told.Connection, test.says)
			}
			server.set(func() { server.instead = nil })
			until(t, source, "live again", live)
		})
	}
}

// Where a proxy never answers /readyz, each probe waiting for it would pass for a slow
// network, on which a lost server is noticed late.
func TestReadyzThatIsNeverAnsweredDoesNotPassForASlowNetwork(t *testing.T) {
	server := newAPIServer(t)
	server.streams = true
	server.fill(3)
	readyz := make(chan struct{}, 1000)
	server.instead = func(_ http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path == "/readyz" {
			readyz <- struct{}{}
			<-r.Context().Done()
		}
		return r.URL.Path == "/readyz"
	}
	p := quick
	p.limit, p.silent = time.Second, 100*time.Millisecond
	client := openAt(t, server.URL, p)
	source := start(t, client)
	until(t, source, "live", live)
	for range 6 {
		<-readyz
	}
	client.health.mu.Lock()
	slow := client.health.slow()
	client.health.mu.Unlock()
	if slow > 4*time.Second {
		t.Errorf("after six probes a server may take %v to answer", slow)
	}
}
