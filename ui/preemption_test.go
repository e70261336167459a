package ui

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page"
)

func TestPreemptionIsDrawnAsDesigned(t *testing.T) {
	for _, size := range []struct{ width, height int }{{80, 24}, {120, 40}, {60, 15}} {
		t.Run(fmt.Sprintf("%dx%d", size.width, size.height), func(t *testing.T) {
			app, _, _ := preemptionOn(t, size.width, size.height, ledgerPlan())
			requireScreen(t, app)
		})
	}
	t.Run("ascii", func(t *testing.T) {
		app, _, _ := preemptionOn(t, 80, 24, ledgerPlan())
		app.ASCII = true
		requireScreen(t, app)
	})
}

func TestPreemptionTellsEachCase(t *testing.T) {
	for _, c := range []struct {
		name string
		make func() *report.Report
		keys string
	}{
		{"policy never", func() *report.Report {
			return refusedPlan(report.Unschedulable, "Won't help: its preemptionPolicy is Never.")
		}, ""},
		{"no pod is lower", func() *report.Report {
			return refusedPlan(report.Unschedulable, "Won't help: the 6 nodes that lack only capacity run no pod of lower priority.",
				report.NoPreemption{Why: "no pod of lower priority", Nodes: make([]string, 6)}, report.NoPreemption{Why: "gpu taint", Nodes: make([]string, 3)})
		}, ""},
		{"budgets not read", func() *report.Report {
			r := ledgerPlan()
			p := r.Plan
			r.Verdict, p.Node, p.Nominated = report.Unschedulable, "", ""
			p.Answer = "The victims are unknown: not allowed to list poddisruptionbudgets."
			for i := range p.Nodes {
				p.Nodes[i] = report.PreemptionNode{Name: p.Nodes[i].Name, Broken: -1, Why: "victims unknown"}
			}
			return r
		}, ""},
		{"more nodes than fit", func() *report.Report {
			r := ledgerPlan()
			p := r.Plan
			for i := range 40 {
				n := p.Nodes[1]
				n.Name = fmt.Sprintf("std-d-%02d", i)
				p.Nodes = append(p.Nodes, n)
			}
			p.Could, p.Tried = 812, 100
			return r
		}, "j j j j j j j j j"},
		{"another node", ledgerPlan, "j j"},
		{"a victim", ledgerPlan, "tab j"},
		{"a memory shortage", func() *report.Report {
			r := ledgerPlan()
			p := r.Plan
			p.Nodes[0].Resource, p.Nodes[0].Room = "memory", "free memory 10Gi + 2Gi from its victims = 12Gi; the pod requests 12Gi"
			p.Nodes[0].Victims[0].Amount, p.Nodes[0].Victims[1].Amount = "1Gi", "1Gi"
			return r
		}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			app, _, _ := preemptionOn(t, 80, 24, c.make())
			press(t, app, strings.Fields(c.keys)...)
			requireScreen(t, app)
		})
	}
}

func TestWhatKeysLeadToInPreemption(t *testing.T) {
	for _, c := range []struct {
		does string
		keys string
		row  int
		want string
	}{
		{"enter on a node asks why the pod waits", "enter", header, "pending › payments/ledger-0"},
		{"o goes to the selected node", "j o", firstPending + 6, "▸  std-a-01"},
		{"another node has victims of its own", "j", 14, "search/index-0"},
		{"and a sum of its own", "j", 12, "std-a-01: free cpu 4.5 + 4 from its victims = 8.5; the pod requests 8"},
		{"tab goes to the victims", "tab", 14, "▸  batch/report-3"},
		{"enter on one asks about it", "tab enter", header, "pods › batch/report-3"},
		{"the cursor walks across", "j j j j j j", 14, "▸  shop/cart-7b5c4d9f8-2kq8x"},
		{"and back", "j j j j j j k", 10, "▸  std-c-02"},
		{"G goes to the end, g to the first", "G g", 5, "▸  std-c-01"},
		{"W is about the page's pod", "tab W", header, "payments/ledger-0 › message"},
		{"p says that it is there", "p", message, "p preemption: this page shows preemption."},
		{"a filter has nothing to filter", "/", message, "/ filter: not available on this page."},
		{"a victim that is gone has no page", "tab j enter", message, "web/front-5d8f9c6b4-q8z2m was deleted."},
		{"what is cut stands below", "j j tab", message, ""},
		{"esc goes back", "esc", header, "prod-eu › all › pending"},
	} {
		app, _, _ := preemptionOn(t, 80, 24, ledgerPlan())
		press(t, app, strings.Fields(c.keys)...)
		if got := screenRow(app, c.row); !strings.Contains(got, c.want) {
			t.Errorf("%s: row %d is\n%s\nwant\n%s", c.does, c.row, got, c.want)
		}
	}
}

func TestPreemptionFollowsTheVictimsOfTheSelectedNode(t *testing.T) {
	planned := ledgerPlan()
	plan := planned.Plan
	for i := range plan.Nodes[2].Victims {
		plan.Nodes[2].Victims[i].RescheduledOn, plan.Nodes[2].Victims[i].Afterwards = "", ""
	}
	plan.Nodes[2].Landed = false
	app, cluster, _ := preemptionOn(t, 80, 24, planned)
	press(t, app, "j")
	if len(cluster.planned) != 1 {
		t.Fatalf("asked for %q", cluster.planned)
	}
	_, ask := app.Update(keyPress("j"))
	requireRow(t, app, 14, "simulating")
	cluster.plans[ledgerUID] = ledgerPlan()
	run(t, app, ask, 0)
	if len(cluster.planned) != 2 || cluster.planned[1] != "std-b-02" {
		t.Fatalf("asked for %q", cluster.planned)
	}
	requireRow(t, app, 14, "rescheduled on std-c-…")
	requireRow(t, app, 7, "▸  std-b-02")
}

func TestPreemptionIsPlannedAgainOnlyForANewerStateAndAfterARest(t *testing.T) {
	app, cluster, prod := preemptionOn(t, 80, 24, ledgerPlan())
	send(t, app, snapshotMsg{snapshot: prod.at(2, liveStatus())})
	if len(cluster.planned) != 1 {
		t.Error("did not rest")
	}
	shorter := ledgerPlan()
	shorter.Plan.Nodes = shorter.Plan.Nodes[1:]
	cluster.plans[ledgerUID] = shorter
	passes(t, app, page.RestLeast)
	if len(cluster.planned) != 2 {
		t.Errorf("asked %d times after a rest", len(cluster.planned))
	}
	requireRow(t, app, 5, "gone") // it stays until the next key
	press(t, app, "j")
	requireRow(t, app, 5, "std-a-01")
	prod.pods = prod.pods[:0]
	send(t, app, snapshotMsg{snapshot: prod.at(3, liveStatus())})
	requireRow(t, app, 2, "Deleted. Before: Preempting")
}

func TestAPlanThatFailsSaysSo(t *testing.T) {
	app, cluster, _ := preemptionOn(t, 80, 24, ledgerPlan())
	press(t, app, "esc")
	cluster.err = errors.New("no answer")
	press(t, app, "p")
	requireRow(t, app, 2, "Not available: no answer")
}

func TestRandomKeysNeverBreakPreemption(t *testing.T) {
	keys := append([]string{"s", "n", "S", "o", "p"}, whyKeys...)
	for nth := range 4 {
		app, _, prod := preemptionOn(t, 80, 24, ledgerPlan())
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
			if i%17 == 0 {
				press(t, app, "1", "g", "p")
			}
			press(t, app, key)
			requireFrame(t, app, strings.Join(typed, " "))
		}
	}
}

func TestTheMouseReachesBothPartsOfPreemption(t *testing.T) {
	app, _, _ := preemptionOn(t, 80, 24, ledgerPlan())
	click := func(row int) {
		t.Helper()
		send(t, app, tea.MouseClickMsg{X: 5, Y: row - 1, Button: tea.MouseLeft})
	}
	click(7)
	requireRow(t, app, 7, "▸  std-b-02")
	click(15)
	requireRow(t, app, 15, "▸  batch/report-1")
	click(15)
	requireRow(t, app, 1, "batch/report-1")
}
