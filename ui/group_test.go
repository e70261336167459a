package ui

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page"
)

// stdB02 are the pods that hold the most cpu on std-b-02, as drawn.
func stdB02() map[types.UID]report.Eviction {
	told := map[types.UID]report.Eviction{}
	for name, e := range map[string]report.Eviction{
		"batch-report-1":            {Short: "to std-a-01; this pod fits", Fits: new(true), Sentence: "Evicted, batch/report-1 would go to std-a-01; then this pod fits std-b-02."},
		"search-index-0":            {Short: "Pending: volume in eu-1b", Fits: new(true), Sentence: "Evicted, search/index-0 would be Pending (volume in eu-1b); then this pod fits std-b-02."},
		"shop-cart-7b5c4d9f8-2kq8x": {Short: "PDB cart allows none", Fits: new(false), Sentence: "PodDisruptionBudget shop/cart allows 0 disruptions now: the eviction of shop/cart-7b5c4d9f8-2kq8x would be rejected."},
	} {
		e.UID = types.UID("pod-" + name)
		told[e.UID] = e
	}
	return told
}

// groupOf opens a group of the checkout pod's Why by its place in the list.
func groupOf(t testing.TB, width, height, nth int, report *report.Report) (*App, *fakeCluster, *prodEU) {
	t.Helper()
	app, cluster, prod := whyOn(t, width, height, report, nil)
	cluster.evictions = stdB02()
	for range nth {
		press(t, app, "j")
	}
	press(t, app, "enter")
	return app, cluster, prod
}

func TestAGroupIsDrawnAsDesigned(t *testing.T) {
	for _, size := range []struct{ width, height int }{{80, 24}, {120, 40}, {60, 15}, {200, 60}} {
		t.Run(fmt.Sprintf("%dx%d", size.width, size.height), func(t *testing.T) {
			app, _, _ := groupOf(t, size.width, size.height, 0, checkoutReport())
			requireScreen(t, app)
		})
	}
	t.Run("ascii", func(t *testing.T) {
		app, _, _ := groupOf(t, 80, 24, 0, checkoutReport())
		app.ASCII = true
		requireScreen(t, app)
	})
}

// TestAGroupNamesThePodsThatItsFiguresCount beside those on the node: those that are nominated to it.
func TestAGroupNamesThePodsThatItsFiguresCount(t *testing.T) {
	app, _, _ := groupOf(t, 80, 24, 0, checkoutReport())
	s := *app.observed.Snapshot
	on := app.history.top().Selected().Node.Name
	nominee := *s.Pending[0].First()
	object := nominee.Object.DeepCopy()
	object.UID, object.Namespace, object.Name, object.Spec.Priority, object.Status.NominatedNodeName = "nominee", "risk", "first", new(int32(1_000_000)), on
	s.Pending = append(slices.Clone(s.Pending), &model.EquivalenceClass{Pods: []*model.Pod{{Object: object, Requests: nominee.Requests}}})
	s.Revision++
	send(t, app, snapshotMsg{snapshot: &s})
	requireRow(t, app, 23, ": counting risk/first, nominated to it")
}

func TestAGroupHasTheColumnsThatFitWhatRefusesIt(t *testing.T) {
	for _, c := range []struct {
		name string
		nth  int
		make func(*report.Report)
	}{
		{"taints", 1, func(*report.Report) {}},
		{"labels", 2, func(*report.Report) {}},
		{"a taint and room", 3, func(*report.Report) {}},
		{"nodes that fit", 2, func(r *report.Report) {
			r.Groups[2].Fits, r.Groups[2].Rejections, r.Groups[2].Words = new(true), nil, "fit"
		}},
		{"not decided", 2, func(r *report.Report) {
			r.Groups[2].Fits, r.Groups[2].Rejections, r.Groups[2].Words = nil, nil, ""
			r.Unknown = []report.UnknownPart{{Resource: "pods", Why: "not allowed to list pods", Plugins: []string{"NodeResourcesFit"}}}
		}},
		{"two resources", 0, func(r *report.Report) {
			memory := report.Number{Resource: "memory", Wanted: "8Gi", Requested: "53Gi–57Gi", Allocatable: "60Gi", Short: "1Gi–5Gi"}
			r.Groups[0].Rejections[0].Numbers = append(r.Groups[0].Rejections[0].Numbers, memory)
			for i := range r.Nodes {
				memory.Requested, memory.Short = "53Gi", "1Gi"
				r.Nodes[i].Rejections[0].Numbers = append(r.Nodes[i].Rejections[0].Numbers, memory)
			}
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			report := checkoutReport()
			c.make(report)
			narrow, _, _ := groupOf(t, 80, 24, c.nth, report)
			wide, _, _ := groupOf(t, 120, 24, c.nth, report)
			both := screen(narrow) + "\n" + screen(wide)
			if c.name == "two resources" {
				press(t, narrow, "right")
				both += "\n" + screen(narrow)
			}
			requireText(t, both)
		})
	}
}

func TestWhatKeysLeadToInAGroup(t *testing.T) {
	for _, c := range []struct {
		does string
		keys string
		row  int
		want string
	}{
		{"enter on a node opens its pods", "enter", header, "prod-eu › all › pods › std-b-02"},
		{"the next node has holders of its own", "j", 7, "   CPU ON spot-c-01"},
		{"tab goes to the holders", "tab", 8, "▸  batch/report-1"},
		{"where the message tells all of it", "tab", message, "Evicted, batch/report-1 would go to std-a-01; then this pod fits std-b-02."},
		{"enter on one asks about it", "tab enter", header, "prod-eu › all › pods › batch/report-1"},
		{"o goes to its node", "tab o", firstPending + 9, "▸  std-b-02"},
		{"the cursor walks across", "j j j j", 9, "▸  team-a/worker-std-b-01-01"},
		{"and back", "j j j k", 6, "▸  std-b-01"},
		{"the others open as the node's pods", "tab G enter", header, "prod-eu › all › pods › std-b-02"},
		{"G goes to the end, g to the first", "G g", first, "▸  std-b-02"},
		{"W is about the page's pod", "tab W", header, "checkout-6c9d8b7f4-x2x1p › message"},
		{"a filter keeps nodes", "/ s p o t enter", first, "▸  spot-c-01"},
		{"esc clears it", "/ s p o t enter esc", 6, "   std-b-01"},
		{"esc goes back to Why", "esc", 6, "▸      3"},
	} {
		app, _, _ := groupOf(t, 80, 24, 0, checkoutReport())
		press(t, app, strings.Fields(c.keys)...)
		if got := screenRow(app, c.row); !strings.HasPrefix(strings.TrimSpace(got), strings.TrimSpace(c.want)) && !strings.Contains(got, c.want) {
			t.Errorf("%s: row %d is\n%s\nwant\n%s", c.does, c.row, got, c.want)
		}
	}
}

func TestAGroupFollowsItsExplanation(t *testing.T) {
	report := checkoutReport()
	app, cluster, prod := groupOf(t, 80, 24, 0, report)
	asked := len(cluster.explained)
	newer := checkoutReport()
	newer.Groups[0].Count, newer.Groups[0].Nodes = 2, []string{"std-b-02", "std-b-01"}
	cluster.reports[types.UID(report.Pod.UID)] = newer
	passes(t, app, page.RestLeast)
	send(t, app, snapshotMsg{snapshot: prod.at(2, liveStatus())})
	if len(cluster.explained) == asked {
		t.Fatal("the group asks for no newer explanation")
	}
	requireRow(t, app, 2, "2 nodes rejected only for insufficient c")
	gone := checkoutReport()
	gone.Groups = gone.Groups[1:]
	cluster.reports[types.UID(report.Pod.UID)] = gone
	passes(t, app, page.RestLeast)
	send(t, app, snapshotMsg{snapshot: prod.at(3, liveStatus())})
	requireRow(t, app, 2, "No node is in this group now. Before: 2 nodes rejected only for insufficient c")
	requireRow(t, app, 4, "▸  std-b-02")
}

func TestEvictionsAreTriedAgainOnlyForANewerStateAndAfterARest(t *testing.T) {
	app, cluster, prod := groupOf(t, 80, 24, 0, checkoutReport())
	if cluster.evicted != 1 {
		t.Fatalf("asked %d times at first", cluster.evicted)
	}
	send(t, app, snapshotMsg{snapshot: prod.at(2, liveStatus())})
	if cluster.evicted != 1 {
		t.Error("did not rest")
	}
	passes(t, app, page.RestLeast)
	if cluster.evicted != 2 {
		t.Errorf("asked %d times after a rest", cluster.evicted)
	}
	press(t, app, "j")
	if cluster.evicted != 3 {
		t.Error("another node waits for the rest of the last one")
	}
	press(t, app, "esc")
	send(t, app, snapshotMsg{snapshot: prod.at(4, liveStatus())})
	if cluster.evicted != 3 {
		t.Error("asked though nobody looks")
	}
}

func TestAFailedTrialIsNotEvaluated(t *testing.T) {
	app, cluster, _ := whyOn(t, 80, 24, checkoutReport(), nil)
	_, asks := app.Update(keyPress("enter"))
	requireRow(t, app, 8, "simulating")
	cluster.err = errors.New("no answer")
	run(t, app, asks, 0)
	requireRow(t, app, 8, "not evaluated")
}

func TestNoEvictionIsTriedWhereNoRoomIsShort(t *testing.T) {
	_, cluster, _ := groupOf(t, 80, 24, 1, checkoutReport())
	if cluster.evicted != 0 {
		t.Errorf("asked %d times about nodes that are tainted", cluster.evicted)
	}
}

func TestRandomKeysNeverBreakAGroup(t *testing.T) {
	keys := append([]string{"s", "n", "S"}, whyKeys...)
	for nth := range 5 {
		app, _, prod := groupOf(t, 80, 24, nth, checkoutReport())
		var typed []string
		for i := range 200 {
			key := keys[(i*7+nth*13+i*i)%len(keys)]
			typed = append(typed, key)
			if i%9 == 0 {
				send(t, app, tea.WindowSizeMsg{Width: 60 + (i*17)%100, Height: 15 + (i*5)%30})
			}
			if i%31 == 0 {
				send(t, app, snapshotMsg{snapshot: prod.at(int64(i+2), liveStatus())})
			}
			press(t, app, key)
			requireFrame(t, app, strings.Join(typed, " "))
		}
	}
}

func TestTheMouseReachesBothPartsOfAGroup(t *testing.T) {
	app, _, _ := groupOf(t, 80, 24, 0, checkoutReport())
	click := func(row int) {
		t.Helper()
		send(t, app, tea.MouseClickMsg{X: 5, Y: row - 1, Button: tea.MouseLeft})
	}
	click(9)
	requireRow(t, app, 9, "▸  search/index-0")
	click(5)
	requireRow(t, app, 5, "▸  spot-c-01")
	click(5)
	requireRow(t, app, 1, "spot-c-01")
}
