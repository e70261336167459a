package ui

import (
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page/pending"
)

// previewed is the dashboard on prod-eu, where shop/checkout has its whole explanation.
func previewed(t *testing.T, width, height int, with func(*Options)) (*App, *fakeCluster, types.UID) {
	t.Helper()
	return previewedWith(t, width, height, with, func(*report.Report) {})
}

// previewedWith is previewed, with the explanation of shop/checkout changed.
func previewedWith(t *testing.T, width, height int, with func(*Options), change func(*report.Report)) (*App, *fakeCluster, types.UID) {
	t.Helper()
	s := newProdEU().snapshot()
	checkout, ok := s.PodNamed("shop", "checkout-6c9d8b7f4-x2x1p")
	if !ok {
		t.Fatal("there is no shop/checkout")
	}
	uid := checkout.Object.UID
	cluster := &fakeCluster{reports: verdictsOf(s), fixes: map[types.UID]*report.Fixes{uid: checkoutFixes()}}
	row, whole := cluster.reports[uid], checkoutReport()
	whole.State, whole.BlockedBy, whole.Why, whole.Revision = row.State, row.BlockedBy, row.Why, row.Revision
	change(whole)
	cluster.reports[uid] = whole
	return newTestAppWith(t, width, height, s, cluster, with), cluster, uid
}

// cursorRests lets the time pass after which the cursor counts as resting on its row.
func cursorRests(t *testing.T, app *App) {
	t.Helper()
	passesOnPending(t, app, pending.RestAfter)
}

// passesOnPending is passes, with the messages of Pending.
func passesOnPending(t *testing.T, app *App, after time.Duration) {
	t.Helper()
	var due []tea.Msg
	comingLater[app] = slices.DeleteFunc(comingLater[app], func(d dueMsg) bool {
		if d.after != after {
			return false
		}
		due = append(due, d.msg)
		return true
	})
	send(t, app, due...)
}

func TestThePreviewIsDrawnAsDesigned(t *testing.T) {
	for name, size := range map[string]struct{ width, height int }{"80x24": {80, 24}, "120x40": {120, 40}, "160x40": {160, 40}} {
		t.Run(name, func(t *testing.T) {
			app, _, _ := previewed(t, size.width, size.height, nil)
			press(t, app, "j", "j", "j", "j")
			cursorRests(t, app)
			requireScreen(t, app)
		})
	}
}

func TestThePreviewHasTheLastClauseOfAnAutoscaler(t *testing.T) {
	for name, size := range map[string]struct{ width, height int }{"80x24": {80, 24}, "120x40": {120, 40}, "160x45": {160, 45}} {
		t.Run(name, func(t *testing.T) {
			app, cluster, uid := previewedWith(t, size.width, size.height, nil, func(r *report.Report) {
				r.Summary = "Enough capacity in total, but not on one node: cpu 84 free on 14 nodes, at most 3.65 on one; it requests 4."
				r.Autoscaler[0].Message = "pod didn't trigger scale-up: 1 node(s) had untolerated taint {cloud.google.com/gke-spot: true}, 1 max node group size reached"
			})
			tried := cluster.fixes[uid].Tried
			tried[1] = tried[len(tried)-1] // one that does not work
			press(t, app, "j", "j", "j", "j")
			cursorRests(t, app)
			got := strings.Join(strings.Fields(strings.ReplaceAll(screen(app), "│", "")), " ")
			for _, want := range []string{"✓ " + tried[0].Title, "max node group size reached"} {
				if !strings.Contains(got, want) {
					t.Errorf("the preview lacks %q:\n%s", want, screen(app))
				}
			}
		})
	}
}

func TestFixesAreSimulatedOnceTheCursorRests(t *testing.T) {
	app, cluster, checkout := previewed(t, 80, 24, nil)
	press(t, app, "j", "j", "j", "j")
	if len(cluster.fixed) != 0 {
		t.Fatalf("fixes of %v were simulated while the cursor moved", cluster.fixed)
	}
	if got := screen(app); !strings.Contains(got, "simulating fixes") {
		t.Errorf("the preview does not say that fixes follow:\n%s", got)
	}
	cursorRests(t, app) // on five rows, four of which it has left
	if !slices.Equal(cluster.fixed, []types.UID{checkout}) {
		t.Errorf("fixes of %v were simulated, want those of %v", cluster.fixed, checkout)
	}
	if got := screen(app); !strings.Contains(got, "✓ request cpu 3.6") {
		t.Errorf("the preview does not have the fix:\n%s", got)
	}
	press(t, app, "j")
	if got := screen(app); strings.Contains(got, "✓ request cpu 3.6") {
		t.Errorf("the preview has a fix of another row:\n%s", got)
	}
}

func TestNoFixesAreSimulatedWithoutAPreview(t *testing.T) {
	for name, c := range map[string]struct {
		height int
		with   func(*Options)
		keys   []string
	}{
		"a low terminal":       {height: 23},
		"the setting":          {height: 24, with: func(o *Options) { o.NoPreview = true }},
		"v":                    {height: 24, keys: []string{"v"}},
		"large and plain":      {height: 24, with: func(o *Options) { o.Large = true }},
		"another page is open": {height: 24, keys: []string{"3"}},
	} {
		t.Run(name, func(t *testing.T) {
			app, cluster, _ := previewed(t, 80, c.height, c.with)
			press(t, app, c.keys...)
			press(t, app, "j", "j", "j", "j")
			cursorRests(t, app)
			if len(cluster.fixed) != 0 {
				t.Errorf("fixes of %v were simulated", cluster.fixed)
			}
			if got := screen(app); strings.Contains(got, " ─ shop/checkout") {
				t.Errorf("there is a preview:\n%s", got)
			}
		})
	}
}

func TestVShowsAndHidesThePreviewOfAllLists(t *testing.T) {
	app, _, _ := previewed(t, 80, 24, nil)
	before := screen(app)
	press(t, app, "v")
	if got := screen(app); strings.Contains(got, " ─ payments/ledger-0") {
		t.Errorf("v does not hide it:\n%s", got)
	}
	press(t, app, "2", "1")
	if got := screen(app); strings.Contains(got, " ─ payments/ledger-0") {
		t.Errorf("it comes back with the page:\n%s", got)
	}
	press(t, app, "v")
	if got := screen(app); got != before {
		t.Errorf("it is not as it was:\n%s", got)
	}
}

func TestVKeepsThePreviewForTheNextStart(t *testing.T) {
	var kept []bool
	s := newProdEU().snapshot()
	app := newTestAppWith(t, 80, 24, s, &fakeCluster{reports: verdictsOf(s)}, func(o *Options) {
		o.KeepPreview = func(shown bool) { kept = append(kept, shown) }
	})
	press(t, app, "v", "v")
	if !slices.Equal(kept, []bool{false, true}) {
		t.Errorf("%v was kept", kept)
	}
}

func TestAnotherOrderOfTheRowsTakesTheFixesAway(t *testing.T) {
	app, cluster, checkout := previewed(t, 80, 24, nil)
	press(t, app, "j", "j", "j", "j")
	cursorRests(t, app)
	for _, keys := range [][]string{{"s", "p"}, {"S"}, {"G"}} {
		press(t, app, keys...)
		selected, _ := app.pages.pending.Table.Selected()
		if got := screen(app); strings.Contains(got, "✓ request cpu 3.6") && selected.Pod.Object.UID != checkout {
			t.Errorf("after %v the preview of %s has fixes of shop/checkout:\n%s", keys, selected.Pod.FullName(), got)
		}
	}
	cursorRests(t, app)
	if last := cluster.fixed[len(cluster.fixed)-1]; last == checkout {
		t.Errorf("no fixes were simulated for the row that the cursor is on now: %v", cluster.fixed)
	}
}

func TestWhyBeginsWithTheFixesOfThePreview(t *testing.T) {
	for name, c := range map[string]struct {
		moved int64 // after the fixes were simulated
		asked int
	}{
		"nothing has changed since": {0, 1},
		"another node may fit now":  {1, 2},
	} {
		t.Run(name, func(t *testing.T) {
			app, cluster, _ := previewed(t, 80, 24, nil)
			at := app.Now()
			app.Now = func() time.Time { return at }
			first := app.host.Observed().Snapshot.Revision + 1
			shown := func(after, moved int64) {
				next := *app.host.Observed().Snapshot
				next.Revision, next.Moved = first+after, first+moved
				send(t, app, snapshotMsg{snapshot: &next})
			}
			shown(0, 0)
			press(t, app, "j", "j", "j", "j")
			cursorRests(t, app)
			shown(2, c.moved)
			cluster.fixed = cluster.fixed[:1]
			press(t, app, "enter")
			if len(cluster.fixed) != c.asked {
				t.Errorf("fixes of %v were simulated, want %d times", cluster.fixed, c.asked)
			}
			if got := screen(app); !strings.Contains(got, "› shop/checkout") || !strings.Contains(got, "request cpu 3.6") {
				t.Errorf("Why does not have the fix:\n%s", got)
			}
		})
	}
}

// A quota that has changed changes the verdict, and no node: the fixes of before do not stay.
func TestFixesAreSimulatedAgainForAnotherVerdict(t *testing.T) {
	app, cluster, checkout := previewed(t, 80, 24, nil)
	at := app.Now()
	app.Now = func() time.Time { return at }
	press(t, app, "j", "j", "j", "j")
	cursorRests(t, app)
	passesOnPending(t, app, page.RestLeast)
	asked := len(cluster.fixed)
	for _, summary := range []string{cluster.reports[checkout].Summary, "It fits 1 node now."} {
		at = at.Add(time.Minute)
		changed := *cluster.reports[checkout]
		changed.Summary = summary
		cluster.reports[checkout] = &changed
		for range 2 * len(cluster.reports) { // one row after the other is explained again
			next := *app.host.Observed().Snapshot
			next.Revision++
			send(t, app, resultMsg{app.opened, app.history.top(), pending.RestedMsg{}}, snapshotMsg{snapshot: &next})
		}
		if summary == "It fits 1 node now." {
			asked++
		}
		if len(cluster.fixed) != asked {
			t.Errorf("%q: fixes were simulated %d times, want %d", summary, len(cluster.fixed), asked)
		}
	}
}
