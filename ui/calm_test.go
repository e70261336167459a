package ui

import (
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-fathom/kubectl-fathom/ui/page"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page/pending"
)

// timers notes what the app waits for, and never fires.
func timers(app *App) *[]time.Duration {
	var asked []time.Duration
	app.after = func(d time.Duration, _ func(time.Time) tea.Msg) tea.Cmd {
		asked = append(asked, d)
		return nil
	}
	return &asked
}

func TestAgesTickBySecondsOnlyWhileOneIsYoung(t *testing.T) {
	c := newProdEU()
	app := newTestApp(t, 80, 24, c.snapshot()) // payments/ledger-0 waits for 12s
	app.ticker.every = 0
	asked := timers(app)
	send(t, app, tickMsg{app.ticker.nth})
	if len(*asked) != 1 || (*asked)[0] != brisk {
		t.Errorf("with a young pod in view it waits %v", *asked)
	}
	c.keep(func(p *corev1.Pod) bool { return now.Sub(p.CreationTimestamp.Time) > page.Young })
	app = newTestApp(t, 80, 24, c.snapshot())
	asked = timers(app)
	send(t, app, tickMsg{app.ticker.nth})
	if len(*asked) != 1 || (*asked)[0] != calm {
		t.Errorf("with old pods in view it waits %v", *asked)
	}
	send(t, app, tea.WindowSizeMsg{Width: 81, Height: 24})
	if len(*asked) != 1 {
		t.Errorf("one tick is on its way, it waits for more: %v", *asked)
	}
}

func TestVerdictsInViewComeFirstAndOneAtATime(t *testing.T) {
	c := newProdEU()
	s := c.snapshot()
	cluster := &fakeCluster{reports: verdictsOf(s)}
	newTestAppWith(t, 80, 24, s, cluster, nil)
	want := []types.UID{}
	for _, kind := range s.Pending {
		want = append(want, kind.First().Object.UID)
	}
	if len(cluster.explained) != len(want) {
		t.Fatalf("explained %v, want each kind once: %v", cluster.explained, want)
	}
	for i := range want {
		if cluster.explained[i] != want[i] {
			t.Errorf("explained %s as number %d, want %s", cluster.explained[i], i, want[i])
		}
	}
}

func TestVerdictsAreRenewedOnlyForANewerStateAndAfterARest(t *testing.T) {
	c := newProdEU()
	s := c.snapshot()
	cluster := &fakeCluster{reports: verdictsOf(s)}
	app := newTestAppWith(t, 80, 24, s, cluster, nil)
	kinds := len(cluster.explained)
	send(t, app, resultMsg{to: app.pages.pending, msg: pending.RestedMsg{}})
	if len(cluster.explained) != kinds {
		t.Error("explained again though nothing changed")
	}
	send(t, app, snapshotMsg{snapshot: c.at(2, liveStatus())})
	again := len(cluster.explained)
	if again != kinds+1 {
		t.Errorf("explained %d kinds of a newer state before a rest, want 1", again-kinds)
	}
	send(t, app, snapshotMsg{snapshot: c.at(3, liveStatus())})
	if len(cluster.explained) != again {
		t.Error("did not rest")
	}
	press(t, app, "3")
	send(t, app, resultMsg{to: app.pages.pending, msg: pending.RestedMsg{}}, snapshotMsg{snapshot: c.at(4, liveStatus())})
	if len(cluster.explained) != again {
		t.Error("explained though nobody looks")
	}
}

// What no change bears on is explained again after a while all the same: what is in view, or decides which rows there
// are, sooner than the rest.
func TestVerdictsOutOfViewAreRenewedLessOften(t *testing.T) {
	c := newProdEU()
	for n := range 40 {
		more := pod("shop", "", fmt.Sprint(100+n), "1Gi", 9*time.Minute)
		more.UID, more.Name = types.UID(fmt.Sprint("more-", n)), fmt.Sprint("more-", n)
		c.pods = append(c.pods, more)
	}
	s := c.snapshot()
	s.Moved = s.Revision
	at, cluster := now, &fakeCluster{reports: verdictsOf(s)}
	app := newTestAppWith(t, 80, 24, s, cluster, func(o *Options) { o.Now = func() time.Time { return at } })
	rows := strings.Count(screen(app), "shop/more-")
	if rows == 0 || rows == len(s.Pending) {
		t.Fatalf("%d rows of %d are in view", rows, len(s.Pending))
	}
	after := func(d time.Duration) (again int) {
		at = now.Add(d)
		before, next := len(cluster.explained), *s
		next.Revision = s.Revision + int64(d)
		send(t, app, snapshotMsg{snapshot: &next})
		for range len(s.Pending) + 1 {
			send(t, app, resultMsg{to: app.pages.pending, msg: pending.RestedMsg{}})
		}
		return len(cluster.explained) - before
	}
	if got := after(5 * time.Second); got != 0 {
		t.Errorf("after 5 s %d are explained again", got)
	}
	if got := after(20 * time.Second); got < rows || got >= len(s.Pending) {
		t.Errorf("after 20 s %d are explained again, want the %d or more in view of %d", got, rows, len(s.Pending))
	}
	if got := after(70 * time.Second); got != len(s.Pending) {
		t.Errorf("after 70 s %d are explained again, want all %d", got, len(s.Pending))
	}
	press(t, app, "/", "b", "l", "o", "c", "k", "e", "d", "=", "x")
	if got := after(90 * time.Second); got != len(s.Pending) {
		t.Errorf("20 s later, with a filter by what blocks, %d are explained again, want all %d", got, len(s.Pending))
	}
}

func TestNoVerdictIsAskedForWhileReading(t *testing.T) {
	c := newProdEU()
	status := liveStatus()
	status.Reading = map[string]int{"pods": 3}
	s := c.at(1, status)
	cluster := &fakeCluster{reports: verdictsOf(s)}
	newTestAppWith(t, 80, 24, s, cluster, nil)
	if len(cluster.explained) > 0 {
		t.Errorf("asked for %v", cluster.explained)
	}
}
