package ui

import (
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page/pending"
)

// queue is a cluster in which pods wait, each for itself.
func queue(revision int64, teams, each int) *model.Snapshot {
	b := model.NewBuilder()
	b.Node(nil, machines[0].object())
	for team := range teams {
		for i := range each {
			p := pod(fmt.Sprintf("team-%02d", team), fmt.Sprintf("job-%02d-%03d", team, i), "1", "1Gi", time.Hour-time.Duration(i)*time.Second)
			p.Labels = map[string]string{"team": fmt.Sprintf("t%d", team), "nth": fmt.Sprint(i)}
			b.Pod(nil, p)
		}
	}
	return b.Build(revision, liveStatus(), nil)
}

// stateOf gives every pod a verdict: every tenth is gated, the others fit no node.
func stateOf(s *model.Snapshot) map[types.UID]*report.Report {
	reports := map[types.UID]*report.Report{}
	for i, p := range s.Pods {
		r := &report.Report{Verdict: report.Unschedulable, State: "unschedulable", BlockedBy: "memory", Why: "needs 1Gi more", Revision: s.Revision}
		if i%10 == 9 {
			r = &report.Report{Verdict: report.Gated, State: "gated", BlockedBy: "gate", Why: "example.com/budget", Revision: s.Revision}
		}
		reports[p.Object.UID] = r
	}
	return reports
}

// filterBy types a filter at once.
func filterBy(t *testing.T, app *App, text string) {
	t.Helper()
	press(t, app, "/")
	send(t, app, tea.PasteMsg{Content: text})
	press(t, app, "enter")
}

// names of the rows of Pending, in their order.
func pendingNames(app *App) string {
	var names []string
	for _, w := range app.pages.pending.Table.Rows {
		names = append(names, w.Pod.Object.Name)
	}
	return strings.Join(names, " ")
}

func TestAFilterOnTheVerdictExplainsPodsThatItHides(t *testing.T) {
	for _, filter := range []string{"state=gated", "state~gate", "why~budget", "/budget/", `"budget"`, "!state~unsched", "state!=unschedulable", `!/more/`, `job state=gated`} {
		s := queue(1, 2, 5)
		cluster := &fakeCluster{reports: stateOf(s)}
		app := newTestAppWith(t, 80, 24, s, cluster, nil)
		filterBy(t, app, filter)
		later := queue(2, 4, 5)
		cluster.reports = stateOf(later)
		send(t, app, snapshotMsg{snapshot: later})
		if got, want := pendingNames(app), "job-01-004 job-03-004"; got != want {
			t.Errorf("%s: shows %q, want %q", filter, got, want)
		}
		if got := screenRow(app, answer); strings.Contains(got, "being explained") {
			t.Errorf("%s: still says %q", filter, got)
		}
	}
}

func TestARowsVerdictThatChangesIsFilteredAgain(t *testing.T) {
	s := queue(1, 1, 5)
	cluster := &fakeCluster{reports: stateOf(s)}
	app := newTestAppWith(t, 80, 24, s, cluster, nil)
	filterBy(t, app, "state=gated")
	if got := pendingNames(app); got != "" {
		t.Fatalf("shows %q", got)
	}
	next := queue(2, 1, 5)
	cluster.reports = stateOf(next)
	cluster.reports[next.Pods[2].Object.UID] = &report.Report{Verdict: report.Gated, State: "gated", BlockedBy: "gate", Why: "g", Revision: 2}
	send(t, app, snapshotMsg{snapshot: next})
	for range 5 { // its timers never fire
		send(t, app, resultMsg{to: app.pages.pending, msg: pending.RestedMsg{}})
	}
	if got := pendingNames(app); got != "job-00-002" {
		t.Errorf("shows %q", got)
	}
}

func TestWhileVerdictsAreMissingTheHeaderSaysSo(t *testing.T) {
	s := queue(1, 2, 10)
	cluster := &fakeCluster{reports: stateOf(s)}
	app := newTestAppWith(t, 80, 24, s, cluster, nil)
	filterBy(t, app, "state=gated")
	later := queue(2, 4, 10)
	cluster.reports = stateOf(later)
	delete(cluster.reports, later.Pods[25].Object.UID) // it cannot be explained
	_, cmd := app.Update(snapshotMsg{snapshot: later})
	if got := screenRow(app, answer); !strings.Contains(got, ": 2 of 40 match, 20 being explained.") {
		t.Errorf("before any came it says %q", got)
	}
	for _, width := range []int{60, 72, 132} {
		app.Update(tea.WindowSizeMsg{Width: width, Height: 24})
		if got := screenRow(app, answer); !strings.Contains(got, "20 being explained") {
			t.Errorf("at %d columns it says %q", width, got)
		}
	}
	run(t, app, cmd, 0)
	if got := screenRow(app, answer); !strings.Contains(got, ": 4 of 40 match, 1 unknown.") {
		t.Errorf("after all came it says %q", got)
	}
	app.Update(tea.WindowSizeMsg{Width: 60, Height: 24})
	press(t, app, "esc", "/")
	send(t, app, tea.PasteMsg{Content: "state=preempting"})
	if got := screenRow(app, answer); !strings.Contains(got, "so far; 1 unknown.") {
		t.Errorf("where nothing matches it says %q", got)
	}
}

func TestAFilterExplainsWhatItNeedsAndNoMore(t *testing.T) {
	s := queue(1, 100, 50)
	cluster := &fakeCluster{reports: stateOf(s)}
	app := newTestAppWith(t, 80, 24, s, cluster, func(o *Options) { o.Selector = "team=t3" })
	press(t, app, "/")
	send(t, app, tea.PasteMsg{Content: " state=gated"})
	if len(cluster.explained) != 50 {
		t.Errorf("%d of 5,000 pods were explained, for a filter about 50", len(cluster.explained))
	}
	app.Update(keyPress("esc"))
	if !app.verdicts.Asking {
		t.Error("once the filter goes nothing more is explained")
	}
}

func TestPodsOnTheScreenAreExplainedFirst(t *testing.T) {
	s := queue(1, 4, 50)
	cluster := &fakeCluster{reports: stateOf(s)}
	app := newTestAppWith(t, 80, 24, s, cluster, nil)
	filterBy(t, app, "state=gated")
	app.verdicts.Known = map[string]pending.Verdict{}
	cluster.explained = nil
	_, cmd := app.Update(snapshotMsg{snapshot: queue(2, 4, 50)})
	shown := app.pages.pending.Table.InView()
	run(t, app, cmd, 0)
	for i, w := range shown {
		if got := cluster.explained[i]; got != w.Pod.Object.UID {
			t.Errorf("%s is explained as number %d, want %s", got, i, w.Pod.Object.UID)
		}
	}
	if got := len(cluster.explained); got != 200 {
		t.Errorf("%d of 200 were explained", got)
	}
}

func TestAnExplanationThatTheFilterNoLongerNeedsIsEnded(t *testing.T) {
	s := queue(1, 2, 5)
	app := newTestAppWith(t, 80, 24, s, &fakeCluster{reports: stateOf(s)}, nil)
	filterBy(t, app, "ns=team-00 state=gated")
	later := queue(2, 3, 6)
	_, cmd := app.Update(snapshotMsg{snapshot: later})
	if !app.verdicts.Asking {
		t.Fatal("nothing is being explained")
	}
	app.Update(tea.KeyPressMsg{Code: '/', Text: "/"})
	stop, stopped := app.verdicts.Stop, 0
	app.verdicts.Stop = func() { stopped++; stop() }
	app.Update(tea.PasteMsg{Content: " ns=team-01"})
	if stopped == 0 {
		t.Error("it is not ended")
	}
	run(t, app, cmd, 0)
	if app.verdicts.Asking {
		t.Error("nothing goes on after it")
	}
}

func TestANewRevisionKeepsWhatTheFilterShows(t *testing.T) {
	s := queue(1, 4, 10)
	app := newTestAppWith(t, 80, 24, s, &fakeCluster{reports: stateOf(s)}, nil)
	filterBy(t, app, "state=gated")
	want := pendingNames(app)
	for revision := range int64(5) {
		app.Update(snapshotMsg{snapshot: queue(2+revision, 4, 10)}) // no verdict comes
		if got := pendingNames(app); got != want || want == "" {
			t.Fatalf("shows %q, want %q", got, want)
		}
	}
}

func TestSortingByTheVerdictMovesARowWhenItComes(t *testing.T) {
	s := queue(1, 1, 4)
	cluster := &fakeCluster{reports: stateOf(s)}
	app := newTestAppWith(t, 80, 24, s, cluster, nil)
	app.pages.pending.Query().SortBy(3)
	later := queue(2, 1, 10) // the last one is gated
	cluster.reports = stateOf(later)
	send(t, app, snapshotMsg{snapshot: later})
	if got := pendingNames(app); !strings.HasPrefix(got, "job-00-009 ") {
		t.Errorf("its order is %s", got)
	}
}

func TestARowThatTheFilterNoLongerKeepsIsNotGone(t *testing.T) {
	s := queue(1, 1, 10)
	cluster := &fakeCluster{reports: stateOf(s)}
	app := newTestAppWith(t, 80, 24, s, cluster, nil)
	filterBy(t, app, "state=gated")
	next := queue(2, 1, 10)
	cluster.reports = stateOf(next)
	cluster.reports[next.Pods[9].Object.UID] = &report.Report{Verdict: report.Unschedulable, State: "unschedulable", BlockedBy: "cpu", Why: "w", Revision: 2}
	send(t, app, snapshotMsg{snapshot: next})
	for range 10 {
		send(t, app, resultMsg{to: app.pages.pending, msg: pending.RestedMsg{}})
	}
	if got := screenRow(app, firstPending); !strings.Contains(got, " cpu ") || strings.Contains(got, "gone") {
		t.Errorf("it says %q", got)
	}
	if app.pages.pending.Table.SelectedGone() {
		t.Error("nothing can be done with it")
	}
	press(t, app, "j")
	if got := pendingNames(app); got != "" {
		t.Errorf("after a key it shows %q", got)
	}
}

func TestANodeThatTheFilterNoLongerKeepsShowsWhatItIsNow(t *testing.T) {
	c := newProdEU()
	app := newTestApp(t, 80, 24, c.snapshot())
	press(t, app, "3")
	filterBy(t, app, "status=ready")
	name := app.history.top().Selected().Copy
	for i, n := range c.nodes {
		if n.Name == name {
			n = n.DeepCopy()
			n.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionFalse}}
			c.nodes[i] = n
		}
	}
	send(t, app, snapshotMsg{snapshot: c.at(2, liveStatus())})
	if got := screenRow(app, firstPending); !strings.Contains(got, "NotReady") || strings.Contains(got, "gone") {
		t.Errorf("it says %q", got)
	}
}
