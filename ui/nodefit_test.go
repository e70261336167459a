package ui

import (
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
	"github.com/kubectl-fathom/kubectl-fathom/ui/page/nodefit"
)

// onStdB02 is what std-b-02 has against the pods of prod-eu that wait.
func onStdB02(s *model.Snapshot) map[types.UID]report.NodeAnswer {
	fit := func(short string) []report.Rejection {
		return []report.Rejection{{Plugin: "NodeResourcesFit", Short: "needs " + short + " more", What: "std-b-02 needs " + short + " more: free 3.65"}}
	}
	told := map[string]report.NodeAnswer{
		"ledger-0":                 {Fits: new(false), Rejections: fit("cpu 4.4"), Distance: 0.54},
		"index-2":                  {Fits: new(true)},
		"notebook-0":               {Fits: new(true), Held: `scheduler "ml-scheduler" is not running`},
		"train-7xk2p":              {Fits: new(false), Rejections: fit("cpu 29, memory 45Gi"), Distance: 1.6},
		"checkout-6c9d8b7f4-x2x1p": {Fits: new(false), Rejections: fit("cpu 350m"), Distance: 0.09},
		"front-5d8f9c6b4-8sd2l":    {Fits: new(false), Rejections: []report.Rejection{{Plugin: "InterPodAffinity", Short: "one per node: taken", What: "std-b-02: web/front-5d8f9c6b4-q8z2m runs here, and both want to be alone"}}, Distance: 1},
		"etl-m2k9q":                {Unknown: []report.UnknownPart{{Resource: "persistentvolumes", Why: "not allowed to list persistentvolumes"}}},
		"nightly-29xk1":            {Fits: new(true), Held: "gated: example.com/budget"},
	}
	answers := map[types.UID]report.NodeAnswer{}
	for _, kind := range s.Pending {
		if answer, ok := told[kind.First().Object.Name]; ok {
			answer.UID = kind.First().Object.UID
			answers[answer.UID] = answer
		}
	}
	return answers
}

// nodeFitOn opens the page about std-b-02 from Nodes.
func nodeFitOn(t testing.TB, width, height int, with func(*fakeCluster)) (*App, *fakeCluster, *prodEU) {
	t.Helper()
	prod := newProdEU()
	s := prod.snapshot()
	cluster := &fakeCluster{reports: verdictsOf(s), answers: onStdB02(s)}
	if with != nil {
		with(cluster)
	}
	app := newTestAppWith(t, width, height, s, cluster, nil)
	press(t, app, strings.Fields("3 j j j j j j j j j x")...)
	return app, cluster, prod
}

func TestWhyNotHereIsDrawn(t *testing.T) {
	for _, size := range []struct{ width, height int }{{80, 24}, {120, 40}, {60, 15}} {
		t.Run(fmt.Sprintf("%dx%d", size.width, size.height), func(t *testing.T) {
			app, _, _ := nodeFitOn(t, size.width, size.height, nil)
			requireScreen(t, app)
		})
	}
	t.Run("ascii", func(t *testing.T) {
		app, _, _ := nodeFitOn(t, 80, 24, nil)
		app.ASCII = true
		requireScreen(t, app)
	})
}

func TestWhatKeysLeadToFromWhyNotHere(t *testing.T) {
	for _, c := range []struct {
		does string
		keys string
		row  int
		want string
	}{
		{"the nearest are first", "", first, "▸  search/index-2"},
		{"enter asks why the pod waits", "enter", header, "prod-eu › all › pending › search/index-2"},
		{"x is the same", "x", header, "prod-eu › all › pending › search/index-2"},
		{"the message tells the rejection whole", "j j", message, "std-b-02 needs cpu 350m more: free 3.65"},
		{"a filter keeps kinds", "/ w h y ~ c p u enter", answer, "std-b-02 could get 1 of 11 pending pods, 1 not evaluated. /why~cpu: 3 match."},
		{"sorting is by the head's letters", "s p", first, "▸  payments/ledger-0"},
		{"esc goes back to the node", "esc", firstPending + 9, "▸  std-b-02"},
		{"one namespace is counted alone", "n s h o p enter", answer, "None of 3 pending pods could be scheduled on std-b-02. Closest: shop/checkout "},
	} {
		app, _, _ := nodeFitOn(t, 80, 24, nil)
		press(t, app, strings.Fields(c.keys)...)
		if got := strings.TrimSpace(screenRow(app, c.row)); !strings.HasPrefix(got, c.want) {
			t.Errorf("%s: row %d is\n%s\nwant\n%s", c.does, c.row, got, c.want)
		}
	}
}

func TestWhyNotHereIsThereOnANodeOfWhyToo(t *testing.T) {
	app := whyOf(t, 120, 40, checkoutReport(), nil)
	press(t, app, "tab", "x")
	requireRow(t, app, 1, "prod-eu › all › nodes › std-b-02 › why not here")
	group, _, _ := groupOf(t, 80, 24, 0, checkoutReport())
	press(t, group, "j", "x")
	requireRow(t, group, 1, "prod-eu › all › nodes › spot-c-01 › why not here")
}

func TestEveryKindIsAskedAboutInPortionsAndRoundsRest(t *testing.T) {
	var asked [][]types.UID
	prod := newProdEU()
	for i := range 2*nodefit.AtOnce + 3 {
		prod.pods = append(prod.pods, pod("many", fmt.Sprintf("p-%02d", i), fmt.Sprintf("%dm", 100+i), "1Gi", 1))
	}
	s := prod.snapshot()
	cluster := &fakeCluster{reports: verdictsOf(s), answers: map[types.UID]report.NodeAnswer{}}
	for _, kind := range s.Pending {
		uid := kind.First().Object.UID
		cluster.answers[uid] = report.NodeAnswer{UID: uid, Fits: new(true)}
	}
	cluster.onNode = func(uids []types.UID) { asked = append(asked, uids) }
	app := newTestAppWith(t, 80, 24, s, cluster, nil)
	press(t, app, "3", "x")
	if len(asked) != 3 || len(asked[0]) != nodefit.AtOnce {
		t.Fatalf("asked in %d portions", len(asked))
	}
	requireRow(t, app, 2, "gpu-a-01 could get 46 of 46 pending pods, each by itself.")
	send(t, app, snapshotMsg{snapshot: prod.at(2, liveStatus())})
	if len(asked) != 3 {
		t.Error("did not rest")
	}
	passes(t, app, page.RestLeast)
	if len(asked) != 6 {
		t.Errorf("asked %d times after a rest", len(asked))
	}
	passes(t, app, page.RestLeast)
	if len(asked) != 6 {
		t.Error("asked again though nothing changed")
	}
	press(t, app, "esc")
	send(t, app, snapshotMsg{snapshot: prod.at(3, liveStatus())})
	if len(asked) != 6 {
		t.Error("asked though nobody looks")
	}
}

func TestTroubleWithWhyNotHereIsTold(t *testing.T) {
	app, _, _ := nodeFitOn(t, 80, 24, func(c *fakeCluster) { c.err = errors.New("explain pod: no such node") })
	requireRow(t, app, 2, "Not available: explain pod: no such node")
	requireRow(t, app, 4, "not evaluated")

	app, _, prod := nodeFitOn(t, 80, 24, nil)
	nodes := prod.nodes
	prod.nodes = nil
	for _, n := range nodes {
		if n.Name != "std-b-02" {
			prod.nodes = append(prod.nodes, n)
		}
	}
	prod.keep(func(p *corev1.Pod) bool { return p.Spec.NodeName != "std-b-02" })
	send(t, app, snapshotMsg{snapshot: prod.at(2, liveStatus())})
	requireRow(t, app, 2, "std-b-02 was deleted.")

	app, _, prod = nodeFitOn(t, 80, 24, nil)
	prod.keep(func(p *corev1.Pod) bool { return p.Spec.NodeName != "" })
	send(t, app, snapshotMsg{snapshot: prod.at(2, liveStatus())})
	requireRow(t, app, 2, "No pending pods without a node.")
}

func TestRandomKeysNeverBreakWhyNotHere(t *testing.T) {
	app, _, prod := nodeFitOn(t, 80, 24, nil)
	var typed []string
	for i := range 300 {
		key := whyKeys[(i*11+i*i)%len(whyKeys)]
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
