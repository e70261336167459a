package ui

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page/trace"
)

// traceOf is Trace of shop/checkout on prod-eu.
func traceOf(t testing.TB, width, height int, r *report.Report) (*App, *fakeCluster, *prodEU) {
	t.Helper()
	prod := newProdEU()
	s := prod.snapshot()
	cluster := &fakeCluster{reports: map[types.UID]*report.Report{"pod-shop-" + checkoutName: r}}
	app := newTestAppWith(t, width, height, s, cluster, nil)
	pod, _ := s.PodNamed("shop", checkoutName)
	cluster.explained = nil
	run(t, app, app.history.open(trace.New(&app.host, pod)), 0)
	return app, cluster, prod
}

func TestTraceIsDrawnAsDesigned(t *testing.T) {
	for _, size := range []struct{ width, height int }{{80, 24}, {120, 40}, {60, 15}} {
		t.Run(fmt.Sprintf("%dx%d", size.width, size.height), func(t *testing.T) {
			app, _, _ := traceOf(t, size.width, size.height, checkoutWay())
			press(t, app, "j", "j")
			requireScreen(t, app)
		})
	}
	t.Run("score 60x15", func(t *testing.T) {
		app, _, _ := traceOf(t, 60, 15, rankedWay("std-c-01"))
		requireScreen(t, app)
	})
	t.Run("ascii", func(t *testing.T) {
		app, _, _ := traceOf(t, 80, 24, checkoutWay())
		app.ASCII = true
		requireScreen(t, app)
	})
}

// traceScreens are other states of the page.
var traceScreens = []struct {
	name   string
	report func() *report.Report
	keys   []string
}{
	{"queue", checkoutWay, []string{"shift+tab", "shift+tab"}},
	{"prefilter", checkoutWay, []string{"shift+tab"}},
	{"postfilter", checkoutWay, []string{"tab", "j"}},
	{"bind", checkoutWay, []string{"tab", "tab", "tab"}},
	{"score", func() *report.Report { return rankedWay("") }, []string{"j"}},
	{"why there", func() *report.Report { return rankedWay("std-c-01") }, nil},
	{"gated", func() *report.Report {
		r := checkoutWay()
		r.Verdict = report.Gated
		gate := &r.Cycle.Stages[0]
		gate.Outcome, gate.To, gate.Words = report.Rejected, 0, "kube-scheduler does not look at the pod: example.com/budget."
		gate.Steps[0] = aStep(report.StageQueue, "SchedulingGates", 12, 12)
		gate.Steps[0].What, gate.Steps[0].Detail = "example.com/budget", "Gated by example.com/budget, until the gate is removed."
		for i, stage := range r.Cycle.Stages[1:] {
			r.Cycle.Stages[i+1] = report.Stage{Name: stage.Name, Outcome: report.Unreached, Words: "Not reached: the pod does not get into the queue."}
		}
		return r
	}, nil},
	{"nodes not read", func() *report.Report {
		r := checkoutWay()
		r.Verdict = report.Unknown
		for i, stage := range r.Cycle.Stages[1:] {
			r.Cycle.Stages[i+1] = report.Stage{Name: stage.Name, Outcome: report.Open, Words: "Unknown: not allowed to list nodes."}
		}
		return r
	}, nil},
	{"claims not read", func() *report.Report {
		r := checkoutWay()
		filter := r.Cycle.Stage(report.StageFilter)
		filter.Outcome, filter.To = report.Open, 3
		filter.Steps[5] = aStep(report.StageFilter, "NodeResourcesFit", 3, 0)
		for i := range filter.Steps[6:] {
			filter.Steps[6+i] = aStep(report.StageFilter, filter.Steps[6+i].Plugin, 3, 0)
		}
		r.Cycle.Stages[3] = report.Stage{Name: report.StagePostFilter, Outcome: report.Unreached, Words: "Not reached: whether a node fits is unknown."}
		open := &filter.Steps[8]
		open.Outcome, open.Rejected, open.What = report.Open, nil, "unknown: not allowed to list persistentvolumeclaims"
		return r
	}, []string{"G", "k", "k", "k", "k", "k"}},
}

func TestTraceShowsEachStage(t *testing.T) {
	for _, test := range traceScreens {
		for _, size := range []struct{ width, height int }{{80, 24}, {120, 40}} {
			t.Run(fmt.Sprintf("%s %dx%d", test.name, size.width, size.height), func(t *testing.T) {
				app, _, _ := traceOf(t, size.width, size.height, test.report())
				press(t, app, test.keys...)
				requireScreen(t, app)
			})
		}
	}
}

func TestANodeThatIsTheOnlyOneHasNoScores(t *testing.T) {
	r := rankedWay("std-c-01")
	score := r.Cycle.Stage(report.StageScore)
	score.Outcome, score.Words = report.Skipped, "Only one node is left, so none is ranked."
	for i := range score.Steps {
		score.Steps[i].Outcome, score.Steps[i].What = report.Unreached, "not asked: only one node is left"
	}
	r.Cycle.Ranked = []report.RankedNode{{Node: "std-c-01", First: true}}
	app, _, _ := traceOf(t, 80, 24, r)
	requireRow(t, app, 4, "Only one node is left")
	requireRow(t, app, 6, "▸  std-c-01        –")
	if got := row(app, 7); got != "" {
		t.Errorf("below it stands %q", got)
	}
}

func TestTabWalksTheStagesRound(t *testing.T) {
	app, _, _ := traceOf(t, 80, 24, checkoutWay())
	for _, want := range []string{"[PostFilter ✗]", "[Score –]", "[Bind –]", "[PreEnqueue ✓]", "[PreFilter ✓]", "[Filter 12→0]"} {
		press(t, app, "tab")
		requireRow(t, app, 2, want)
	}
	press(t, app, "shift+tab")
	requireRow(t, app, 2, "[PreFilter ✓]")
}

func TestWhatKeysOfTraceLeadTo(t *testing.T) {
	for _, test := range []struct {
		name   string
		report *report.Report
		keys   []string
		row    int
		want   string
	}{
		{"nodes that drop out", checkoutWay(), []string{"j", "j", "enter"}, 2, "4 nodes are rejected by TaintToleration: 3 dedicated=gpu, 1 NotReady."},
		{"and they are listed", checkoutWay(), []string{"j", "j", "enter"}, firstPending, "▸  gpu-a-01"},
		{"none are behind a plugin that refuses none", checkoutWay(), []string{"enter"}, 23, "enter nodes: this row has no nodes."},
		{"a ranked node opens as its pods", rankedWay(""), []string{"enter"}, 2, "57 pods"},
		{"esc goes back", checkoutWay(), []string{"esc"}, 1, "pending"},
		{"W has the words", checkoutWay(), []string{"W"}, 1, "message"},
		{"x says why", checkoutWay(), []string{"x"}, 2, "0 of 12 nodes fit"},
		{"T is here already", checkoutWay(), []string{"T"}, 23, "T trace: this page is the trace."},
		{"T on Pending opens it", checkoutWay(), []string{"1", "j", "j", "j", "j", "T"}, 2, "[Filter 12→0]"},
		{"T on Why opens it", checkoutWay(), []string{"x", "T"}, 2, "[Filter 12→0]"},
		{"C copies it", checkoutWay(), []string{"C"}, 23, "Copied the scheduling cycle of shop/" + checkoutName + " as Markdown."},
	} {
		t.Run(test.name, func(t *testing.T) {
			app, _, _ := traceOf(t, 80, 24, test.report)
			press(t, app, test.keys...)
			requireRow(t, app, test.row, test.want)
		})
	}
}

func TestAWayIsRenewedWhenTheClusterMoved(t *testing.T) {
	app, cluster, prod := traceOf(t, 80, 24, checkoutWay())
	press(t, app, "j", "j", "tab", "shift+tab", "j", "j")
	if len(cluster.explained) != 1 {
		t.Fatalf("asked %d times, not once", len(cluster.explained))
	}
	send(t, app, snapshotMsg{snapshot: prod.at(2, liveStatus())}, snapshotMsg{snapshot: prod.at(3, liveStatus())})
	if len(cluster.explained) != 1 {
		t.Error("asked again before it had rested")
	}
	passes(t, app, page.RestLeast)
	if len(cluster.explained) != 2 {
		t.Errorf("asked %d times, not once more after the rest", len(cluster.explained))
	}
	requireRow(t, app, 7, "▸  TaintToleration")
}

func TestATraceThatTakesItsTimeSaysSo(t *testing.T) {
	app, _, prod := traceOf(t, 80, 24, checkoutWay())
	passes(t, app, page.RestLeast)
	app.Update(snapshotMsg{snapshot: prod.at(4, liveStatus())}) // its Cmd never runs: no answer
	passes(t, app, page.SlowAfter)
	requireRow(t, app, 3, "explaining")
	requireRow(t, app, 7, "TaintToleration")
}

func TestATraceOfAPodThatIsGoneStaysOnTheScreen(t *testing.T) {
	app, _, prod := traceOf(t, 80, 24, checkoutWay())
	gone, _ := prod.snapshot().PodNamed("shop", checkoutName)
	prod.keep(func(p *corev1.Pod) bool { return p.UID != gone.Object.UID })
	send(t, app, snapshotMsg{snapshot: prod.at(2, liveStatus())})
	requireRow(t, app, 2, "Deleted. Before: 0 of 12 nodes fit.")
	requireRow(t, app, 5, "NodeName")
}

func TestATraceThatFailsSaysWhy(t *testing.T) {
	prod := newProdEU()
	s := prod.snapshot()
	app := newTestAppWith(t, 80, 24, s, &fakeCluster{err: errors.New("explain pod: no such pod")}, nil)
	pod, _ := s.PodNamed("shop", checkoutName)
	run(t, app, app.history.open(trace.New(&app.host, pod)), 0)
	requireRow(t, app, 2, "Not available: explain pod: no such pod")
	for _, key := range []string{"j", "tab", "enter", "C", "W", "G"} {
		press(t, app, key)
	}
}

func TestAPluginThatDidNotScoreIsNamedOnce(t *testing.T) {
	app, _, _ := traceOf(t, 80, 24, rankedWay(""))
	press(t, app, "j")
	text := strings.Join(strings.Fields(screen(app)), " ")
	want := "Not scored by NodeAffinity (no preferred affinity), InterPodAffinity (no preferred affinity)."
	if strings.Count(text, want) != 1 || strings.Count(text, "(no preferred affinity)") != 2 {
		t.Error(screen(app))
	}
}
