package ui

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
)

func TestTheMapOfReasonsIsDrawnAsDesigned(t *testing.T) {
	for _, size := range []struct {
		name          string
		width, height int
	}{{"80x24", 80, 24}, {"120x40", 120, 40}} {
		t.Run(size.name, func(t *testing.T) {
			app := whyOf(t, size.width, size.height, checkoutReport(), nil)
			press(t, app, "m", "j")
			requireFrame(t, app, "m")
			requireScreen(t, app)
		})
	}
	t.Run("colours", func(t *testing.T) {
		app := whyOf(t, 80, 24, checkoutReport(), nil)
		press(t, app, "m")
		requireColours(t, app)
	})
	t.Run("500-80x24", func(t *testing.T) {
		app, _ := fleetWhy(t, 500)
		press(t, app, "m")
		requireScreen(t, app)
	})
}

// fleetWhy is Why of a pod on a fleet, of which eu-1b lacks its volume.
func fleetWhy(t testing.TB, nodes int) (*App, *fakeCluster) {
	t.Helper()
	f := newFleet(nodes)
	p := pod("shop", "index-0", "4", "8Gi", day)
	f.pods = append(f.pods, p)
	s := f.at(1, liveStatus())
	r := checkoutReport()
	r.Pod, r.Groups, r.Nodes, r.Total = report.PodRef{Namespace: "shop", Name: "index-0", UID: string(p.UID)}, nil, nil, nodes
	groups := map[string]*report.Group{}
	for _, n := range s.Nodes {
		rejection := report.Rejection{Plugin: "NodeResourcesFit", Cause: "cpu", Short: "needs cpu", What: n.Name + " needs cpu 350m more"}
		switch {
		case n.Pool == "gpu":
			rejection = report.Rejection{Plugin: "TaintToleration", Cause: "taint", Short: "dedicated=gpu", What: "the pod does not tolerate dedicated=gpu:NoSchedule"}
		case n.Zone == "eu-1b":
			rejection = report.Rejection{Plugin: "VolumeBinding", Cause: "volume", Short: "volume is in zone eu-1a", What: "volume pvc-1 is only in zone eu-1a"}
		case n.Cordoned:
			rejection = report.Rejection{Plugin: "NodeUnschedulable", Cause: "cordoned", Short: "cordoned", What: n.Name + " is cordoned"}
		case n.Pool == "batch" && n.Zone == "eu-1c":
			rejection = report.Rejection{Plugin: "NodeAffinity", Cause: "node selector", Short: "disktype=ssd", What: "the pod requires disktype=ssd"}
		}
		r.Nodes = append(r.Nodes, report.NodeResult{Name: n.Name, Fits: new(false), Rejections: []report.Rejection{rejection}})
		if groups[rejection.Cause] == nil {
			groups[rejection.Cause] = &report.Group{Fits: new(false), Rejections: []report.Rejection{rejection}, Words: rejection.Short}
		}
		g := groups[rejection.Cause]
		g.Count, g.Nodes = g.Count+1, append(g.Nodes, n.Name)
	}
	for _, cause := range []string{"cpu", "taint", "volume", "node selector", "cordoned"} {
		if groups[cause] != nil {
			r.Groups = append(r.Groups, *groups[cause])
		}
	}
	cluster := &fakeCluster{reports: map[types.UID]*report.Report{p.UID: r}}
	app := newTestAppWith(t, 80, 24, s, cluster, nil)
	waiting, _ := s.PodNamed("shop", "index-0")
	run(t, app, app.history.open(newWhy(app, waiting)), 0)
	return app, cluster
}

func TestTheMapOfReasonsNamesTheZonesWithOneReason(t *testing.T) {
	app, cluster := fleetWhy(t, 120)
	var r *report.Report
	for _, r = range cluster.reports {
		for i := range r.Nodes { // the taint of gpu nodes in eu-1b
			if node, _ := app.observed.Snapshot.Node(r.Nodes[i].Name); node.Zone == "eu-1b" {
				r.Nodes[i].Rejections[0] = report.Rejection{Plugin: "VolumeBinding", Cause: "volume"}
			}
		}
	}
	press(t, app, "m")
	requireRow(t, app, 2, "0 of 120 nodes fit: cpu 63, volume 40, taint 10, node selector 5, cordoned 2.")
	press(t, app, "esc")
	app.width = 120
	press(t, app, "m")
	requireRow(t, app, 2, "cordoned 2. All of eu-1b: volume.")
}

func TestTheMapOfReasonsOpensTheGroupOfANode(t *testing.T) {
	app := whyOf(t, 100, 30, checkoutReport(), nil)
	press(t, app, "m")
	if got := onMap(t, app); got != "std-b-02" {
		t.Errorf("the map begins at %s, not at the closest node", got)
	}
	press(t, app, "g")
	for range 12 {
		name := onMap(t, app)
		press(t, app, "enter")
		if text := screen(app); !strings.Contains(text, "▸  "+name+" ") || strings.Contains(text, "map of") {
			t.Errorf("enter on %s opens\n%s", name, text)
		}
		press(t, app, "esc")
		if got := onMap(t, app); got != name {
			t.Fatalf("back is at %s, not at %s", got, name)
		}
		press(t, app, "l")
	}
}

func TestTheMapOfReasonsFollowsTheExplanation(t *testing.T) {
	app, cluster, prod := whyOn(t, 100, 30, checkoutReport(), nil)
	press(t, app, "m")
	requireRow(t, app, 2, "0 of 12 nodes fit: ")
	r := checkoutReport()
	r.Fits, r.Revision = 1, 2
	r.Nodes[0].Fits, r.Nodes[0].Rejections = new(true), nil
	cluster.reports[types.UID(r.Pod.UID)] = r
	passes(t, app, 200_000_000)
	send(t, app, snapshotMsg{snapshot: prod.at(2, liveStatus())})
	requireRow(t, app, 2, "1 of 12 nodes fit: ")
	if text := screen(app); !strings.Contains(text, "✓ fits") || !strings.Contains(text, " std-b-02 · fits · ") {
		t.Errorf("the map is\n%s", text)
	}
}

func TestOtherMeasuresOfTheMapAreInWhyToo(t *testing.T) {
	app := whyOf(t, 100, 30, checkoutReport(), nil)
	press(t, app, "m", "tab")
	requireRow(t, app, 1, "map of cpu requested")
	requireRow(t, app, 2, "12 nodes: none at 95%+")
	press(t, app, "shift+tab")
	requireRow(t, app, 1, "map of reasons")
}

func TestThereIsNoMapWhereNoNodesWereEvaluated(t *testing.T) {
	r := checkoutReport()
	r.Verdict = report.Gated
	app := whyOf(t, 80, 24, r, nil)
	press(t, app, "m")
	requireRow(t, app, 23, "m map: no nodes were evaluated for this pod.")
}

func TestReasonsThatAreNotKnownAreUnknown(t *testing.T) {
	r := checkoutReport()
	r.Groups, r.Nodes = r.Groups[:1], r.Nodes[:3]
	r.Nodes[1].Fits = nil
	app := whyOf(t, 100, 30, r, nil)
	press(t, app, "m")
	requireRow(t, app, 2, "0 of 12 nodes fit: unknown 10, resources 2.")
	press(t, app, "g", "enter")
	requireRow(t, app, 29, "is in no group.")
}

func TestTheMapOfReasonsIsHiddenDuringAPrediction(t *testing.T) {
	open := oneTooMany()
	open.state.Answered = 0
	for _, taken := range []*fakeLesson{oneTooMany(), open} {
		app := whyOf(t, 100, 30, checkoutReport(), nil)
		press(t, app, "m")
		app.lesson.Taken, app.lesson.State = taken, taken.state
		send(t, app, tea.WindowSizeMsg{Width: 120, Height: 40})
		if text := screen(app); strings.Contains(text, "would reveal") != (taken == open) || strings.Contains(text, "node affinity") == (taken == open) {
			t.Errorf("answered %d:\n%s", taken.state.Answered, text)
		}
		press(t, app, "3", "m")
		if text := screen(app); !strings.Contains(text, "map of cpu") || strings.Contains(text, "would reveal") {
			t.Errorf("the map of all nodes is\n%s", text)
		}
	}
}
