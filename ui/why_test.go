package ui

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page"
)

// whyOf is Why of shop/checkout on prod-eu.
func whyOf(t testing.TB, width, height int, report *report.Report, events []model.Event) *App {
	t.Helper()
	app, _, _ := whyOn(t, width, height, report, events)
	return app
}

// whyOn is whyOf with the cluster that it asks, and the cluster's state.
func whyOn(t testing.TB, width, height int, r *report.Report, events []model.Event) (*App, *fakeCluster, *prodEU) {
	t.Helper()
	prod := newProdEU()
	s := prod.snapshot()
	s.Usage = prod.usage
	fixes := r.Tried
	if fixes == nil {
		fixes = checkoutFixes()
	}
	cluster := &fakeCluster{
		reports: map[types.UID]*report.Report{types.UID(r.Pod.UID): r},
		fixes:   map[types.UID]*report.Fixes{types.UID(r.Pod.UID): fixes},
		events:  map[string][]model.Event{checkoutName: events},
	}
	app := newTestAppWith(t, width, height, s, cluster, nil)
	pod, _ := s.PodNamed("shop", checkoutName)
	cluster.explained = nil
	run(t, app, app.history.open(newWhy(app, pod)), 0)
	return app, cluster, prod
}

// row is a row of the screen, from 1.
func row(app *App, n int) string {
	return strings.TrimRight(strings.Split(screen(app), "\n")[n-1], " ")
}

// requireRow checks that a row of the screen says what it should.
func requireRow(t *testing.T, app *App, n int, want string) {
	t.Helper()
	if got := row(app, n); !strings.Contains(got, want) {
		t.Errorf("row %d is %q, without %q", n, got, want)
	}
}

func TestEnterOnPendingOpensWhy(t *testing.T) {
	prod := newProdEU()
	s := prod.snapshot()
	cluster := &fakeCluster{reports: verdictsOf(s)}
	cluster.reports["pod-shop-"+checkoutName] = checkoutReport()
	app := newTestAppWith(t, 80, 24, s, cluster, nil)
	press(t, app, "j", "j", "j", "j", "enter")
	requireRow(t, app, 1, "shop/"+checkoutName)
	requireRow(t, app, 2, "0 of 12 nodes fit. Closest: std-b-02 needs cpu 350m more.")
}

func TestANodeOfTheWideTableOpensAsItsPods(t *testing.T) {
	app := whyOf(t, 120, 40, checkoutReport(), nil)
	press(t, app, "tab", "j")
	requireRow(t, app, 17, "▸  spot-c-01")
	press(t, app, "enter")
	requireRow(t, app, 1, "spot-c-01")
	requireRow(t, app, 2, "12 pods")
}

func TestTheCursorWalksAcrossTheParts(t *testing.T) {
	app := whyOf(t, 120, 40, checkoutReport(), checkoutEvents())
	press(t, app, "G")
	requireRow(t, app, 38, "▸  2m ago FailedScheduling")
	press(t, app, "k")
	requireRow(t, app, 31, "▸  ✗ request cpu 2.8")
	press(t, app, "tab", "tab", "tab", "tab")
	requireRow(t, app, 24, "▸$ ✓ request cpu 3.6")
	press(t, app, "k")
	requireRow(t, app, 18, "▸  std-b-01")
	press(t, app, "g")
	requireRow(t, app, 7, "▸")
	press(t, app, "shift+tab")
	requireRow(t, app, 38, "▸")
	press(t, app, "tab")
	requireRow(t, app, 7, "▸")
}

func TestTheClosestNodeIsThatOfTheSelectedGroup(t *testing.T) {
	app := whyOf(t, 80, 24, checkoutReport(), nil)
	press(t, app, "j")
	requireRow(t, app, 13, " ─ gpu-a-01 · eu-1a · Ready ─")
	requireRow(t, app, 14, "   the pod does not tolerate dedicated=gpu:NoSchedule for 14d")
	requireRow(t, app, 15, "   cpu ███▎······  32%   free 21.4, enough")
	press(t, app, "j", "j")
	requireRow(t, app, 13, " ─ spot-b-01 · eu-1b · NotReady ─")
	requireRow(t, app, 15, "   cpu ███████▌··  74%   free 2 = allocatable 7.9 − requested 5.9; needs 2 more")
}

func TestOnTheWideScreenTheClosestNodeIsTheSelectedOne(t *testing.T) {
	app := whyOf(t, 120, 40, checkoutReport(), nil)
	requireRow(t, app, 19, " ─ std-b-02 · eu-1b · Ready ─")
	press(t, app, "tab", "j")
	requireRow(t, app, 19, " ─ spot-c-01 · eu-1c · Ready ─")
	requireRow(t, app, 20, "free 2.8 = allocatable 7.9 − requested 5.1; needs 1.2 more; used 3.3")
}

func TestWhereThePodsAreNotKnownNothingIsSaidOfOtherResources(t *testing.T) {
	prod := newProdEU()
	status := liveStatus()
	status.Unread = []model.Unread{{Resource: "pods", Why: "not allowed to list pods"}}
	s := prod.at(1, status)
	r := checkoutReport()
	app := newTestAppWith(t, 80, 24, s, &fakeCluster{reports: map[types.UID]*report.Report{types.UID(r.Pod.UID): r}}, nil)
	pod, _ := s.PodNamed("shop", checkoutName)
	run(t, app, app.history.open(newWhy(app, pod)), 0)
	requireRow(t, app, 14, "   cpu ███████▊··  77%   free 3.65 = allocatable 15.9 − requested 12.25")
	if strings.Contains(screen(app), "enough") || strings.Contains(screen(app), "largest by") {
		t.Errorf("it says more than is known:\n%s", screen(app))
	}
}

func TestAPodThatPreemptsNothingSaysSoBesideTheAgreement(t *testing.T) {
	app, _, prod := whyOn(t, 80, 24, checkoutReport(), nil)
	for _, p := range prod.pods {
		if p.Name == checkoutName {
			p.Spec.PreemptionPolicy = new(corev1.PreemptNever)
		}
	}
	send(t, app, snapshotMsg{snapshot: prod.at(2, liveStatus())})
	requireRow(t, app, 4, "   agrees with kube-scheduler, 2m ago (W message)  ")
	requireRow(t, app, 4, "  preemption: off (Never)")
	if strings.Contains(screen(app), "Preemption won't help") {
		t.Errorf("it says twice what preemption does:\n%s", screen(app))
	}
}

func TestAnExplanationIsRenewedWhenTheClusterMoved(t *testing.T) {
	app, cluster, prod := whyOn(t, 80, 24, checkoutReport(), nil)
	if len(cluster.explained) != 1 {
		t.Fatalf("asked %d times at first, not once", len(cluster.explained))
	}
	send(t, app, snapshotMsg{snapshot: prod.at(1, liveStatus())})
	passes(t, app, page.RestLeast)
	if len(cluster.explained) != 1 {
		t.Error("asked again though nothing moved")
	}
	send(t, app, snapshotMsg{snapshot: prod.at(2, liveStatus())})
	send(t, app, snapshotMsg{snapshot: prod.at(3, liveStatus())})
	if len(cluster.explained) != 2 {
		t.Errorf("asked %d times, not once and, after the rest, once more", len(cluster.explained))
	}
	passes(t, app, page.RestLeast)
	if len(cluster.explained) != 3 {
		t.Errorf("asked %d times, not for the newest snapshot when the rest was over", len(cluster.explained))
	}
}

func TestASlowExplanationLeavesTheLastOne(t *testing.T) {
	app, _, prod := whyOn(t, 80, 24, checkoutReport(), nil)
	passes(t, app, page.RestLeast)
	app.Update(snapshotMsg{snapshot: prod.at(2, liveStatus())}) // its Cmd never runs: no answer
	requireRow(t, app, 4, "agrees with kube-scheduler")
	passes(t, app, page.SlowAfter)
	requireRow(t, app, 4, "   explaining")
	requireRow(t, app, 6, "cpu: std-b-02 needs 350m")
}

func TestLeavingWhyCancelsTheQuestion(t *testing.T) {
	app, cluster, prod := whyOn(t, 80, 24, checkoutReport(), nil)
	passes(t, app, page.RestLeast)
	blocked := &deafCluster{fakeCluster: cluster}
	app.Cluster = blocked
	_, cmd := app.Update(snapshotMsg{snapshot: prod.at(2, liveStatus())})
	press(t, app, "1")
	run(t, app, cmd, 0)
	if !errors.Is(blocked.ended, context.Canceled) {
		t.Errorf("the question ended with %v, not because nobody looks", blocked.ended)
	}
}

// deafCluster answers only when nobody waits any more.
type deafCluster struct {
	*fakeCluster
	ended error
}

func (c *deafCluster) Ask(ctx context.Context, _ report.Query) (*report.Report, error) {
	<-ctx.Done()
	c.ended = ctx.Err()
	return nil, c.ended
}

func TestTheSelectedGroupStaysSelected(t *testing.T) {
	r := checkoutReport()
	app, cluster, prod := whyOn(t, 80, 24, r, nil)
	press(t, app, "j")
	next := *r
	next.Groups = append([]report.Group{{
		Count: 1, Nodes: []string{"new-01"}, Fits: new(false), Words: "needs pods 1 more",
		Rejections: []report.Rejection{{Plugin: "NodeResourcesFit", Short: "needs pods 1 more"}},
	}}, r.Groups...)
	next.Plugins = []report.PluginResult{{Name: "TaintToleration", Rejects: 3, Alone: 3}}
	cluster.reports[types.UID(r.Pod.UID)] = &next
	passes(t, app, page.RestLeast)
	send(t, app, snapshotMsg{snapshot: prod.at(2, liveStatus())})
	requireRow(t, app, 8, "▸      3    ·     ✗")
	requireRow(t, app, 5, "cordon taint node-aff fit")
}

func TestAPodThatVanishedIsGone(t *testing.T) {
	app, _, prod := whyOn(t, 80, 24, checkoutReport(), nil)
	for i, p := range prod.pods {
		if p.Name == checkoutName {
			prod.pods = append(prod.pods[:i:i], prod.pods[i+1:]...)
			break
		}
	}
	send(t, app, snapshotMsg{snapshot: prod.at(2, liveStatus())})
	requireRow(t, app, 2, "Deleted. Before: 0 of 12 nodes fit.")
	requireRow(t, app, 6, "cpu: std-b-02 needs 350m")
}

func TestWhySaysWhyItHasNoAnswer(t *testing.T) {
	prod := newProdEU()
	s := prod.snapshot()
	cluster := &fakeCluster{err: errors.New("explain pod: the engine\x1b[2J is closed")}
	app := newTestAppWith(t, 80, 24, s, cluster, nil)
	pod, _ := s.PodNamed("shop", checkoutName)
	run(t, app, app.history.open(newWhy(app, pod)), 0)
	requireRow(t, app, 2, "Not available: explain pod: the engine is closed")
	press(t, app, "C")
	requireRow(t, app, 23, "C copy: the pod is still being explained.")
}

func TestCopyTakesThePageAsMarkdown(t *testing.T) {
	app := whyOf(t, 80, 24, checkoutReport(), nil)
	_, cmd := app.Update(keyPress("C"))
	requireRow(t, app, 23, "Copied the explanation of shop/"+checkoutName+" as Markdown.")
	copied := ""
	for _, msg := range messagesOf(cmd) {
		if fmt.Sprintf("%T", msg) == "tea.setClipboardMsg" {
			copied = fmt.Sprint(msg)
		}
	}
	if want := checkoutReport().WithFixes(checkoutFixes()).Markdown(); copied != want {
		t.Errorf("copied %q, not %q", copied, want)
	}
}

// messagesOf runs a Cmd and gives what comes of it.
func messagesOf(cmd tea.Cmd) []tea.Msg {
	if cmd == nil {
		return nil
	}
	msg := cmd()
	batch, ok := msg.(tea.BatchMsg)
	if !ok {
		return []tea.Msg{msg}
	}
	var all []tea.Msg
	for _, one := range batch {
		all = append(all, messagesOf(one)...)
	}
	return all
}

func TestWhyWaitsForAllLists(t *testing.T) {
	prod := newProdEU()
	status := liveStatus()
	status.Reading = map[string]int{"pods": 12400}
	cluster := &fakeCluster{}
	app := newTestAppWith(t, 80, 24, prod.at(1, status), cluster, nil)
	pod, _ := app.observed.Snapshot.PodNamed("shop", checkoutName)
	run(t, app, app.history.open(newWhy(app, pod)), 0)
	requireRow(t, app, 2, "Reading pods: 12,400 so far")
	if len(cluster.explained) > 0 {
		t.Error("asked before everything was read")
	}
}

func TestTheMouseSelectsThenOpens(t *testing.T) {
	app := whyOf(t, 80, 24, checkoutReport(), nil)
	click := tea.MouseClickMsg{X: 40, Y: 6, Button: tea.MouseLeft}
	send(t, app, click)
	requireRow(t, app, 7, "▸      3    ·     ✗")
	send(t, app, tea.MouseWheelMsg{Button: tea.MouseWheelDown})
	requireRow(t, app, 8, "▸      4    ·     ·")
	send(t, app, tea.MouseClickMsg{X: 2, Y: 15, Button: tea.MouseLeft})
	requireRow(t, app, 8, "▸      4    ·     ·")
	send(t, app, click, click)
	requireRow(t, app, 1, "only taint")
}

func TestEventsThatCannotBeReadAreUnknown(t *testing.T) {
	unheard := checkoutReport()
	unheard.Autoscaler = nil
	app, cluster, _ := whyOn(t, 120, 40, unheard, nil)
	app.Cluster = deniedEvents{cluster}
	run(t, app, app.history.open(newWhy(app, app.history.top().Selected().Pod)), 0)
	requireRow(t, app, 35, "EVENTS unknown")
	requireRow(t, app, 36, "not allowed to list events in shop")
}

// provisioned adds to a report what Karpenter could do: nothing, for two reasons.
func provisioned(r *report.Report) *report.Report {
	r.Provisioning = &report.Provisioning{
		Summary: "Karpenter: no NodePool allows zone eu-1c: std has eu-1a, eu-1b; gpu has eu-1a.",
		NodePools: []report.NodePool{
			{
				Name: "std", RuledOut: new(true), Reasons: []string{"the pod requires zone eu-1c, it has eu-1a, eu-1b"},
				Limits: []report.NodeRoom{{Resource: "cpu", Used: "98", Limit: "100"}},
			},
			{Name: "gpu", RuledOut: new(true), Reasons: []string{"the pod requires zone eu-1c, it has eu-1a"}, Notes: []string{"its last nodes failed to register"}},
		},
	}
	return r
}

func TestWhyShowsWhatAnAutoscalerCouldDo(t *testing.T) {
	for _, size := range []struct{ width, height int }{{80, 24}, {120, 40}} {
		t.Run(fmt.Sprintf("%dx%d", size.width, size.height), func(t *testing.T) {
			requireScreen(t, whyOf(t, size.width, size.height, provisioned(checkoutReport()), checkoutEvents()))
		})
	}
	t.Run("messages", func(t *testing.T) {
		app := whyOf(t, 80, 24, provisioned(checkoutReport()), checkoutEvents())
		press(t, app, "W")
		requireScreen(t, app)
	})
}

func TestAnAttemptBeforeTheClusterChangedIsNoDisagreement(t *testing.T) {
	report := checkoutReport()
	report.Observed.Agrees, report.Observed.Message = new(false), "0/11 nodes are available: 11 Insufficient cpu. preemption: not eligible."
	app := whyOf(t, 80, 24, report, checkoutEvents())
	requireRow(t, app, 4, "✗ disagrees with kube-scheduler")
	report.Observed.Outdated = "cluster changed since kube-scheduler's last attempt"
	app = whyOf(t, 80, 24, report, checkoutEvents())
	requireRow(t, app, 4, "   cluster changed since kube-scheduler's last attempt (W both messages)")
	press(t, app, "W")
	requireRow(t, app, 2, "Cluster changed since kube-scheduler's last attempt.")
}

// deniedEvents is a cluster whose events may not be read.
type deniedEvents struct{ *fakeCluster }

func (deniedEvents) Events(context.Context, model.Ref) ([]model.Event, error) {
	return nil, errors.New("not allowed to list events in shop")
}

// requireContains checks that the screen says something.
func requireContains(t *testing.T, app *App, want string) {
	t.Helper()
	if !strings.Contains(screen(app), want) {
		t.Errorf("without %q:\n%s", want, screen(app))
	}
}
