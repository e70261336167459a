package ui

import (
	"fmt"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/ui/cells"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page/nodefit"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page/rejectiongroup"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page/trace"
	"github.com/kubectl-fathom/kubectl-fathom/ui/table"
)

// requireApart fails where heads or cells of a table touch, where a head of two
// words is not told from its neighbours, or where a row is wider than the table.
func requireApart[R any](t *testing.T, grid *table.Table[R], app *App, where string) {
	t.Helper()
	drawn := grid.Layout().Place()
	for n, line := range grid.Draw(app.styles()) {
		text := strings.TrimRight(ansi.Strip(line), " ")
		if cells.Width(text) > grid.Width {
			t.Errorf("%s: line %d has %d cells of %d:\n%s", where, n, cells.Width(text), grid.Width, text)
		}
		at := table.Gutter
		for i, p := range drawn {
			c := &grid.Columns[p.Column]
			if i > 0 {
				gap := ansi.Cut(text, at, at+c.Before())
				if c.Before() < 1 || strings.Trim(gap, " ") != "" {
					t.Errorf("%s: line %d has %q before %s:\n%s", where, n, gap, c.Head, text)
				}
				at += c.Before()
			}
			at += p.Width
		}
		if n == 0 {
			requireHeadsApart(t, grid, text, where)
		}
	}
}

// requireHeadsApart looks at the line of heads alone.
func requireHeadsApart[R any](t *testing.T, table *table.Table[R], text, where string) {
	t.Helper()
	drawn, from := table.Layout().Place(), 0
	for i, p := range drawn {
		head := table.Columns[p.Column].Head
		if cells.Width(head) > p.Width || head == "" {
			return // it is cut, and so shown to be
		}
		at := strings.Index(text[from:], head)
		if at < 0 {
			t.Fatalf("%s: no head %s in %q", where, head, text)
		}
		if i > 0 {
			before := table.Columns[drawn[i-1].Column].Head
			words := strings.Contains(head, " ") || strings.Contains(before, " ") || strings.HasSuffix(before, "USED")
			if at < 1 || words && at < 2 {
				t.Errorf("%s: %s and %s run into each other in %q", where, before, head, text)
			}
		}
		from += at + len(head)
	}
}

// bigFigures is prod-eu with nodes and pods whose names and figures are long, and
// without usage.
func bigFigures() *prodEU {
	c := newProdEU()
	for i, n := range c.nodes[:4] {
		n = n.DeepCopy()
		n.Status.Allocatable[corev1.ResourceCPU] = resource.MustParse("123456789")
		n.Status.Allocatable[corev1.ResourceMemory] = resource.MustParse("123456Pi")
		n.Status.Conditions = append(n.Status.Conditions,
			corev1.NodeCondition{Type: corev1.NodeMemoryPressure, Status: corev1.ConditionTrue},
			corev1.NodeCondition{Type: corev1.NodeDiskPressure, Status: corev1.ConditionTrue})
		n.Spec.Unschedulable = true
		c.nodes[i] = n
	}
	for i := range 30 {
		n := c.nodes[i%len(c.nodes)].DeepCopy()
		n.Name = fmt.Sprintf("ip-10-0-%d-%d.eu-west-1.compute.internal", i, i*7)
		n.UID += n.UID
		c.nodes = append(c.nodes, n)
		p := pod("a-team-with-quite-a-long-name", fmt.Sprintf("a-service-with-quite-a-long-name-6c9d8b7f4-%05d", i), "1234567", "123Pi", 400*day)
		p.Spec.Priority = new(int32(-2000001000))
		if i%2 == 0 {
			p = ran(p, n.Name)
			p.Status.ContainerStatuses[0].RestartCount = 1234567
		}
		c.pods = append(c.pods, p)
	}
	return c
}

func TestHeadsAndCellsOfTablesNeverTouch(t *testing.T) {
	for name, c := range map[string]*prodEU{"as drawn": newProdEU(), "with long figures": bigFigures()} {
		s := c.snapshot()
		s.Usage = c.usage
		app := newTestAppWith(t, 80, 24, s, &fakeCluster{reports: verdictsOf(s)}, nil)
		for _, namespace := range []string{"", "a-team-with-quite-a-long-name", "shop"} {
			run(t, app, app.commands.inNamespace(namespace), 0)
			for width := minWidth; width <= 220; width++ {
				where := fmt.Sprintf("%s, namespace %q, %d cells", name, namespace, width)
				press(t, app, "1")
				app.Update(tea.WindowSizeMsg{Width: width, Height: 24})
				requireApart(t, app.pages.pending.Table, app, where+", pending")
				press(t, app, "2")
				requireApart(t, app.pages.pods.Table, app, where+", pods")
				press(t, app, "3")
				requireApart(t, app.pages.nodes.Table, app, where+", nodes")
			}
		}
	}
}

func TestHeadsAndCellsOfAGroupsPageNeverTouch(t *testing.T) {
	reports := map[string]*report.Report{"cpu": checkoutReport(), "two resources": checkoutReport()}
	for i := range reports["two resources"].Nodes {
		rejection := &reports["two resources"].Nodes[i].Rejections[0]
		rejection.Numbers = append(rejection.Numbers, report.Number{Resource: "memory", Wanted: "800Gi", Requested: "1234Gi", Allocatable: "1300Gi", Short: "734Gi"})
	}
	for name, report := range reports {
		for nth := range 5 {
			app, _, _ := groupOf(t, 80, 24, nth, report)
			p := app.history.top().(*rejectiongroup.Page)
			for width := minWidth; width <= 220; width++ {
				app.Update(tea.WindowSizeMsg{Width: width, Height: 24})
				where := fmt.Sprintf("%s, group %d, %d cells", name, nth+1, width)
				requireApart(t, p.Table, app, where)
				requireApart(t, p.Holders.Table, app, where+", holders")
			}
		}
	}
}

func TestHeadsAndCellsOfOtherTablesNeverTouch(t *testing.T) {
	app, _, _ := nodeFitOn(t, 80, 24, nil)
	here := app.history.top().(*nodefit.Page)
	traced, _, _ := traceOf(t, 80, 24, checkoutWay())
	stages := traced.history.top().(*trace.Page)
	ranked, _, _ := traceOf(t, 80, 24, rankedWay(""))
	scores := ranked.history.top().(*trace.Page)
	for range 8 {
		for width := minWidth; width <= 220; width++ {
			for _, app := range []*App{app, traced, ranked} {
				app.Update(tea.WindowSizeMsg{Width: width, Height: 24})
			}
			where := fmt.Sprintf("%d cells", width)
			requireApart(t, here.Table, app, where+", why not here")
			requireApart(t, stages.Table, traced, where+", trace")
			requireApart(t, scores.Table, ranked, where+", scores")
		}
		press(t, traced, "tab")
		press(t, ranked, "tab")
	}
}

func TestATableWithoutRoomLeavesColumnsOut(t *testing.T) {
	c := bigFigures()
	app := newTestApp(t, 80, 24, c.snapshot())
	press(t, app, "3")
	for width := minWidth; width < 120; width++ {
		app.Update(tea.WindowSizeMsg{Width: width, Height: 24})
		if got := screenRow(app, 4); !strings.HasPrefix(got, "   NAME") || !strings.Contains(got, "STATUS") {
			t.Errorf("at %d cells the heads are %q", width, got)
		}
	}
}
