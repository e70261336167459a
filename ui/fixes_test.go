package ui

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/exp/golden"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/ui/keymap"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page"
)

// checkoutUID is the pod of the mock-ups of Why and Fixes.
const checkoutUID types.UID = "pod-shop-" + checkoutName

// fixesOn is the page of fixes of shop/checkout on prod-eu, with what it asks.
func fixesOn(t testing.TB, width, height int, fixes *report.Fixes, with func(*Options)) (*App, *fakeCluster, *prodEU) {
	t.Helper()
	prod := newProdEU()
	s := prod.snapshot()
	cluster := &fakeCluster{reports: verdictsOf(s), fixes: map[types.UID]*report.Fixes{checkoutUID: fixes}}
	app := newTestAppWith(t, width, height, s, cluster, with)
	press(t, app, "j", "j", "j", "j", "f")
	return app, cluster, prod
}

func TestFixesAreDrawnAsDesigned(t *testing.T) {
	for _, size := range []struct{ width, height int }{{80, 24}, {120, 40}, {60, 15}, {200, 60}} {
		t.Run(fmt.Sprintf("%dx%d", size.width, size.height), func(t *testing.T) {
			app, _, _ := fixesOn(t, size.width, size.height, checkoutFixes(), nil)
			press(t, app, "enter")
			requireScreen(t, app)
		})
	}
	t.Run("ascii", func(t *testing.T) {
		app, _, _ := fixesOn(t, 80, 24, checkoutFixes(), func(o *Options) { o.ASCII = true })
		requireScreen(t, app)
	})
	t.Run("colours", func(t *testing.T) {
		app, _, _ := fixesOn(t, 80, 24, checkoutFixes(), nil)
		requireColours(t, app)
	})
}

func TestEachFixTellsWhatItDoes(t *testing.T) {
	app, _, _ := fixesOn(t, 80, 24, checkoutFixes(), nil)
	var screens []string
	for range 7 {
		press(t, app, "j")
		if app.history.top().Off(keymap.Open) != "" {
			press(t, app, "enter")
		}
		screens = append(screens, screen(app))
	}
	golden.RequireEqual(t, strings.Join(screens, "\n"))
}

func TestTheAnswerOfFixesTellsHowManyWork(t *testing.T) {
	fix := func(verified bool) report.Fix { return report.Fix{Title: "t", Verified: verified} }
	for _, test := range []struct {
		name  string
		fixes report.Fixes
		want  string
	}{
		{"one", report.Fixes{Tried: []report.Fix{fix(true)}}, " 1 fix works.\n"},
		{"one of two", report.Fixes{Tried: []report.Fix{fix(true), fix(false)}}, " 1 fix works, 1 does not.\n"},
		{"all", report.Fixes{Tried: []report.Fix{fix(true), fix(true)}}, " 2 fixes work; least disruptive first.\n"},
		{"none", report.Fixes{Tried: []report.Fix{fix(false), fix(false)}}, " No fix works: 2 simulated, none is enough.\n"},
		{
			"stopped",
			report.Fixes{Tried: []report.Fix{fix(true), fix(false)}, Stopped: "stopped after 200 ms with 12 of 30 candidates tried"},
			" 1 fix works, 1 does not; stopped after 200 ms with 12 of 30 candidates tried.\n",
		},
		{"nothing to fix", report.Fixes{None: "the pod fits 4 nodes already"}, " The pod fits 4 nodes already.\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			app, _, _ := fixesOn(t, 100, 24, &test.fixes, nil)
			if got := row(app, 2) + "\n"; got != test.want {
				t.Errorf("it says %q, not %q", got, test.want)
			}
		})
	}
}

// What to do where no fix is simulated is shown whole, also where the row of the answer has no room for it.
func TestWhatToDoInPlaceOfFixesIsShownWhole(t *testing.T) {
	advice := "Claim warehouses-of-the-north-data exists: correct the name in the pod, or create the claim."
	app, _, _ := fixesOn(t, 80, 24, &report.Fixes{None: advice}, nil)
	requireRow(t, app, 2, "Claim warehouses-of-the-north-data exists: correct the name in the pod, or cre…")
	requireRow(t, app, 4, "   Claim warehouses-of-the-north-data exists: correct the name in the pod, or")
	requireRow(t, app, 5, "   create the claim.")
	app, _, _ = fixesOn(t, 100, 24, &report.Fixes{None: advice}, nil)
	requireRow(t, app, 2, advice)
	if body := row(app, 4); strings.TrimSpace(body) != "" {
		t.Errorf("it is said twice: %q", body)
	}
}

func TestCopyTakesTheWholeCommand(t *testing.T) {
	app, _, _ := fixesOn(t, 60, 15, checkoutFixes(), nil)
	press(t, app, "j")
	_, cmd := app.Update(keyPress("C"))
	requireRow(t, app, 14, "Copied the command to tolerate dedicated=gpu:NoSchedule.")
	if got, want := clipboardOf(cmd), checkoutFixes().Tried[1].Command; got != want {
		t.Errorf("copied %q, not %q", got, want)
	}
	press(t, app, "G", "k", "C")
	requireRow(t, app, 14, "C copy: this fix has no command.")
}

// clipboardOf runs a Cmd and gives what it puts on the clipboard.
func clipboardOf(cmd tea.Cmd) string {
	for _, msg := range messagesOf(cmd) {
		if fmt.Sprintf("%T", msg) == "tea.setClipboardMsg" {
			return fmt.Sprint(msg)
		}
	}
	return ""
}

func TestWhyShowsTheFixesAndOpensThem(t *testing.T) {
	app := whyOf(t, 80, 24, checkoutReport(), nil)
	press(t, app, "tab")
	requireRow(t, app, 18, "▸$ ✓ request cpu 3.6")
	press(t, app, "j", "j", "j")
	requireRow(t, app, 20, "▸$ ✓ remove node selector")
	_, cmd := app.Update(keyPress("C"))
	if got, want := clipboardOf(cmd), checkoutFixes().Tried[3].Command; got != want {
		t.Errorf("copied %q, not %q", got, want)
	}
	press(t, app, "enter")
	requireRow(t, app, 1, "› fixes")
	requireRow(t, app, 7, "▸$ ✓ remove node selector")
	press(t, app, "esc")
	requireRow(t, app, 20, "▸$ ✓ remove node selector")
}

func TestTheExplanationNeverWaitsForFixes(t *testing.T) {
	prod := newProdEU()
	s := prod.snapshot()
	cluster := &slowFixer{fakeCluster: &fakeCluster{reports: map[types.UID]*report.Report{checkoutUID: checkoutReport()}}}
	app := newTestAppWith(t, 80, 24, s, cluster.fakeCluster, nil)
	app.Cluster = cluster
	pod, _ := s.PodNamed("shop", checkoutName)
	cmd := app.history.open(newWhy(app, pod))
	for _, msg := range messagesOf(cmd) { // the explanation, but not what it asks for then
		app.Update(msg)
	}
	requireRow(t, app, 2, "0 of 12 nodes fit.")
	requireRow(t, app, 17, " ─ FIXES: simulating ─")
	requireRow(t, app, 22, "Preemption won't help")
	if cluster.asked != 0 {
		t.Error("fixes were tried before the explanation was there")
	}
}

// slowFixer answers only when nobody waits any more.
type slowFixer struct {
	*fakeCluster
	asked int
	ended error
}

func (c *slowFixer) Ask(ctx context.Context, q report.Query) (*report.Report, error) {
	if !q.Parts.Has(report.FixesPart) {
		return c.fakeCluster.Ask(ctx, q)
	}
	c.asked++
	<-ctx.Done()
	c.ended = ctx.Err()
	return nil, c.ended
}

func TestLeavingFixesCancelsTheQuestion(t *testing.T) {
	app, cluster, prod := fixesOn(t, 80, 24, checkoutFixes(), nil)
	slow := &slowFixer{fakeCluster: cluster}
	passes(t, app, page.RestLeast)
	app.Cluster = slow
	_, cmd := app.Update(snapshotMsg{snapshot: prod.at(2, liveStatus())})
	press(t, app, "1")
	run(t, app, cmd, 0)
	if !errors.Is(slow.ended, context.Canceled) {
		t.Errorf("the question ended with %v, not because nobody looks", slow.ended)
	}
}

func TestFixesAreTriedAgainAtACalmPace(t *testing.T) {
	app, cluster, prod := fixesOn(t, 80, 24, checkoutFixes(), nil)
	send(t, app, snapshotMsg{snapshot: prod.at(2, liveStatus())}, snapshotMsg{snapshot: prod.at(3, liveStatus())})
	if len(cluster.fixed) != 1 {
		t.Errorf("tried %d times before the rest was over", len(cluster.fixed))
	}
	passes(t, app, page.RestLeast)
	if len(cluster.fixed) != 2 {
		t.Errorf("tried %d times after the rest, not twice", len(cluster.fixed))
	}
	passes(t, app, page.RestLeast)
	if len(cluster.fixed) != 2 {
		t.Error("tried again though nothing moved")
	}
}

func TestTheSelectedFixStaysSelected(t *testing.T) {
	app, cluster, prod := fixesOn(t, 80, 24, checkoutFixes(), nil)
	press(t, app, "j", "j")
	next := checkoutFixes()
	next.Tried = next.Tried[1:]
	cluster.fixes[checkoutUID] = next
	passes(t, app, page.RestLeast)
	app.Update(snapshotMsg{snapshot: prod.at(2, liveStatus())}) // its Cmd never runs: no answer
	passes(t, app, page.SlowAfter)
	requireRow(t, app, 3, "   FIX (simulating again)")
	app.history.top().(leaver).Leave()
	send(t, app, snapshotMsg{snapshot: prod.at(3, liveStatus())})
	requireRow(t, app, 5, "▸  ✓ evict batch/report-1")
	requireRow(t, app, 3, "   FIX   ")
}

func TestFixesSayWhyThereIsNoAnswer(t *testing.T) {
	app, cluster, prod := fixesOn(t, 80, 24, checkoutFixes(), nil)
	cluster.err = errors.New("try fixes: the engine\x1b[2J is closed")
	app.history.top().(leaver).Leave()
	send(t, app, snapshotMsg{snapshot: prod.at(2, liveStatus())})
	requireRow(t, app, 2, "Not available: try fixes: the engine is closed")
	prod.keep(func(p *corev1.Pod) bool { return p.Name != checkoutName })
	cluster.err = nil
	send(t, app, snapshotMsg{snapshot: prod.at(3, liveStatus())})
	requireRow(t, app, 2, "Deleted.")
}

func TestFixesAreForPodsWithoutANode(t *testing.T) {
	app := newTestApp(t, 80, 24, newProdEU().snapshot())
	press(t, app, "2", "j", "f")
	requireRow(t, app, 23, "f fixes: batch/report-0 has a node: fixes are for pods without one.")
}

func TestATitleThatWasCutStandsInTheDetails(t *testing.T) {
	long := checkoutFixes()
	long.Tried[0].Title = "tolerate dedicated=gpu:NoSchedule and remove node selector disktype=ssd"
	app, _, _ := fixesOn(t, 80, 24, long, nil)
	requireRow(t, app, 4, "▸$ ✓ tolerate dedicated=gpu:NoSchedule and remo…  1 node")
	requireRow(t, app, 12, " Tolerate dedicated=gpu:NoSchedule and remove node selector disktype=ssd.")
}

func TestCommandsForAnotherThanKubectlsClusterSaySo(t *testing.T) {
	app, _, _ := fixesOn(t, 80, 24, checkoutFixes(), nil)
	if drawn := screen(app); strings.Contains(drawn, "kubectl needs") {
		t.Errorf("kubectl needs nothing:\n%s", drawn)
	}
	app.observed.Snapshot.Status.KubectlFlags = "--context prod-eu"
	if drawn := screen(app); !strings.Contains(drawn, " Cluster  To reach this cluster, kubectl needs --context prod-eu.") || !strings.Contains(drawn, " Command  kubectl") {
		t.Errorf("it does not say what kubectl needs:\n%s", drawn)
	}
}

func TestTheMouseSelectsAFix(t *testing.T) {
	app, _, _ := fixesOn(t, 80, 24, checkoutFixes(), nil)
	send(t, app, tea.MouseClickMsg{X: 20, Y: 5, Button: tea.MouseLeft})
	requireRow(t, app, 6, "▸  ✓ evict batch/report-1")
	send(t, app, tea.MouseWheelMsg{Button: tea.MouseWheelUp}, tea.MouseClickMsg{X: 20, Y: 15, Button: tea.MouseLeft})
	requireRow(t, app, 5, "▸$ ✓ tolerate")
}

func TestFixesOfAClusterNeverReachTheTerminalRaw(t *testing.T) {
	evil := "\x1b]0;owned\x07\x1b[2J名前\u202eevil\nline\ttab"
	hostile := checkoutFixes()
	for i := range hostile.Tried {
		f := &hostile.Tried[i]
		f.Title, f.Brief, f.Command, f.Undo, f.Remaining = evil, evil, evil, evil, []string{evil}
		f.Affects, f.Nodes = []report.Affected{{Kind: evil, Name: evil, How: evil}}, []string{evil}
	}
	for _, size := range []struct{ width, height int }{{80, 24}, {120, 40}, {60, 15}} {
		app, cluster, _ := fixesOn(t, size.width, size.height, hostile, nil)
		cluster.reports[checkoutUID] = checkoutReport() // esc goes to Pending, enter to Why
		for _, key := range []string{"j", "C", "enter", "G", "W", "esc", "esc", "enter", "tab", "j", "C"} {
			press(t, app, key)
			requireFrame(t, app, key)
			requireHarmless(t, app)
		}
	}
}

func TestEnterPlansTheFixesThatAreActions(t *testing.T) {
	for _, c := range []struct {
		fix  string
		down int
		want string
	}{
		{"an eviction", 2, "evict batch/report-1"},
		{"a taint of nodes", 4, "untaint 3 nodes dedicated=gpu:NoSchedule-"},
		{"a cordoned node", 5, "uncordon spot-a-01"},
	} {
		app, cluster, _ := fixesOn(t, 80, 24, checkoutFixes(), nil)
		for range c.down {
			press(t, app, "j")
		}
		press(t, app, "enter")
		asked := cluster.actor.(*fakeActor).asked
		if len(asked) != 1 || asked[0].Name() != c.want {
			t.Errorf("%s: planned %v, not %s", c.fix, asked, c.want)
		}
		if app.dialog == nil {
			t.Errorf("%s: no box asks:\n%s", c.fix, screen(app))
		}
	}
}

// The box repeats what the row of a fix says and its plan does not: confirming is not believing.
func TestTheBoxOfAFixSaysThatItMayNotWork(t *testing.T) {
	unsure := checkoutFixes().Tried[2]
	unsure.Verified, unsure.Steps = false, 2
	unsure.Actions = append(unsure.Actions, unsure.Actions[0])
	unsure.Title += " and batch/report-2 from std-c-02"
	unsure.Remaining = []string{"a pending api pod may be scheduled there first (3 of 8 orders tried)"}
	unsure.Unless = []report.Unless{{Who: "a pending api pod", How: "may be scheduled there first", Simulations: 3, Of: 8}}
	vain := checkoutFixes().Tried[5]
	for name, c := range map[string]struct {
		fix  report.Fix
		want []string
	}{
		"works": {checkoutFixes().Tried[2], nil},
		"may":   {unsure, []string{"Step 1 of 2 of a fix:", "This may not help " + checkoutName + ". Simulated: the pod fits std-b-02, but a pending api pod may be scheduled there first (3 of 8 orders tried)."}},
		"vain":  {vain, []string{"This does not help " + checkoutName + ": still needs memory 2Gi more."}},
	} {
		app, _, _ := fixesOn(t, 120, 40, &report.Fixes{Revision: 1, Tried: []report.Fix{c.fix}}, nil)
		press(t, app, "enter")
		if app.dialog == nil {
			t.Fatalf("%s: no box asks:\n%s", name, screen(app))
		}
		text := strings.Join(strings.Fields(strings.ReplaceAll(screen(app), "│", " ")), " ")
		for _, want := range c.want {
			if !strings.Contains(text, want) {
				t.Errorf("%s: the box does not say %q:\n%s", name, want, screen(app))
			}
		}
		if c.want == nil && strings.Contains(text, "help "+checkoutName) {
			t.Errorf("%s:\n%s", name, screen(app))
		}
	}
}

func TestAGateOfKueueIsNotOfferedAsAFixThatWorks(t *testing.T) {
	fixes := &report.Fixes{Advice: "Kueue holds it: see its Workload and LocalQueue team-a", Tried: []report.Fix{
		{Title: "see its Workload and LocalQueue team-a", Kind: report.FixQueue, Steps: 1, Remaining: []string{"gated until Kueue admits its Workload"}},
		{
			Title: "remove gate kueue.x-k8s.io/admission", Kind: report.FixGate, Steps: 1, NodesGained: 1, Nodes: []string{"std-a-01"},
			Bypasses: "Kueue's quota", Remaining: []string{"bypasses Kueue's quota, and cannot be undone"},
			Actions: []report.Remedy{{Kind: report.FixGate, Gates: []string{"kueue.x-k8s.io/admission"}, Pods: []report.PodRef{{Namespace: "shop", Name: "x"}}}},
		},
	}}
	app, _, _ := fixesOn(t, 120, 40, fixes, nil)
	requireRow(t, app, 2, " Kueue holds it: see its Workload and LocalQueue team-a.")
	requireRow(t, app, 4, "▸· ! see its Workload and LocalQueue team-a")
	requireRow(t, app, 5, "   ✗ remove gate kueue.x-k8s.io/admission")
	requireRow(t, app, 5, "bypasses Kueue's quota, and cannot be undone")
	if text := screen(app); !strings.Contains(text, "Not simulated: kube-scheduler does not decide this.") {
		t.Error(text)
	}
	press(t, app, "enter")
	requireRow(t, app, 39, "enter: fathom does not admit pods to queues.")
	press(t, app, "j")
	if text := screen(app); !strings.Contains(text, "Simulated: the pod fits std-a-01, but bypasses Kueue's quota.") {
		t.Error(text)
	}
}

func TestAFixOfWhichAStepCannotBePlannedIsNotPlanned(t *testing.T) {
	fixes := checkoutFixes()
	fixes.Tried[2].Steps = 2
	app, cluster, _ := fixesOn(t, 80, 24, fixes, nil)
	press(t, app, "j", "j", "enter")
	if asked := cluster.actor.(*fakeActor).asked; len(asked) != 0 {
		t.Errorf("planned %v", asked)
	}
	requireRow(t, app, 23, "enter: fathom does not change pod templates. C copies the command.")
}
