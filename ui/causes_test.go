package ui

import (
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// waitingFor are pods of one workload each, and what is said of them.
type waitingFor struct {
	name, blocked, why, summary, further string
	verdict                              report.Verdict
}

// openedWith is Pending at 80 columns with these pods and two sound nodes.
func openedWith(t *testing.T, all ...waitingFor) *App {
	t.Helper()
	cluster := newSound()
	reports := map[types.UID]*report.Report{}
	b := model.NewBuilder()
	for _, node := range cluster.nodes {
		b.Node(nil, node)
	}
	for i, w := range all {
		p := pod("shop", w.name, fmt.Sprintf("%dm", 5000+i), "1Gi", time.Duration(len(all)-i)*time.Minute)
		b.Pod(nil, p)
		r := &report.Report{
			Verdict: w.verdict, State: "unschedulable", BlockedBy: w.blocked, Why: w.why, Summary: w.summary, Total: 6, Revision: 1,
		}
		if w.verdict == report.Unschedulable {
			r.Groups = []report.Group{{Count: 6, Nodes: []string{"std-1a-0"}, Rejections: []report.Rejection{{Plugin: "NodeResourcesFit", Short: w.why}}}}
		}
		if w.further != "" {
			r.Summary, r.Further = w.summary+" "+w.further, w.further
		}
		reports[p.UID] = r
	}
	s := b.Build(1, liveStatus(), nil)
	for _, p := range s.Pods {
		if r := reports[p.Object.UID]; r != nil {
			r.Pod = podRef(p)
		}
	}
	return newTestAppWith(t, 80, 24, s, &fakeCluster{reports: reports, objects: cluster.lists}, nil)
}

// TestPodsThatAreResizedAreNotCountedAsPending by what blocks those that are.
func TestPodsThatAreResizedAreNotCountedAsPending(t *testing.T) {
	app := openedWith(t,
		waitingFor{"db-0", "memory", "n-1 needs 1Gi more", "0 of 6 nodes fit. Closest: n-1 needs memory 1Gi more.", "5 nodes with enough memory: rejected by anti-affinity.", report.Unschedulable},
		waitingFor{"web-0", "cpu", "n-1 needs 530m more", "0 of 6 nodes fit. Closest: n-1 needs cpu 530m more.", "", report.Unschedulable},
	)
	s := *app.observed.Snapshot
	grown := pod("shop", "grown", "1", "1Gi", time.Hour)
	p := model.NewPod(grown)
	s.Resizing = []*model.EquivalenceClass{{Pods: []*model.Pod{p}, Resize: &model.Resize{State: model.ResizeDeferred}}}
	send(t, app, snapshotMsg{snapshot: &s})
	requireContains(t, app, "1 resize not done")
	requireContains(t, app, "1 of 2 pending pods is blocked by memory")
}

// TestWhatBlocksMostPodsIsToldInFull after the last row, where the rows do not say it all.
func TestWhatBlocksMostPodsIsToldInFull(t *testing.T) {
	cpu := waitingFor{"web-a", "cpu", "n-1 needs 530m more", "0 of 6 nodes fit. Closest: n-1 needs cpu 530m more.", "", report.Unschedulable}
	beside := cpu
	beside.name, beside.further = "web-b", "3 nodes with enough capacity: rejected by anti-affinity of search/cache (app=batch)."
	other := cpu
	other.name, other.summary = "web-c", "0 of 6 nodes fit. Closest: n-2 needs cpu 9 more."
	class := waitingFor{
		"db-0", "volume", "class gp3 provisions only for zone in (eu-west-1a, eu-west-1b), where no node is",
		"0 of 6 nodes fit. Closest: n-1 and 5 more, class gp3 provisions only for zone in (eu-west-1a, eu-west-1b), where no node is.", "", report.Unschedulable,
	}
	again := class
	again.name = "db-1"
	gate := waitingFor{"held", "gate", "example.com/a-gate-with-a-name-that-no-column-has-room-for", "Gated.", "", report.Gated}
	fourth := waitingFor{"edge", "host port", "8443/TCP is in use on each of all the nodes that there are", "0 of 6 nodes fit. Closest: 6 nodes, 8443/TCP.", "", report.Unschedulable}
	full := waitingFor{"many", "pods", "5 nodes have reached their pod limit, and so has each of all the others", "0 of 6 nodes fit. Closest: 5 nodes have reached their pod limit.", "", report.Unschedulable}
	stopped := waitingFor{
		"train", "no scheduler", `"bin-packer" is not running: deployment/bin-packer is scaled to 0; to start it: kubectl scale deployment/bin-packer --replicas=1`,
		`Scheduler "bin-packer" is not running: deployment/bin-packer is scaled to 0.`, "", report.NotConsidered,
	}
	short := waitingFor{"api-0", "memory", "n-1 needs 1Gi more", "0 of 6 nodes fit. Closest: n-1 needs memory 1Gi more.", "", report.Unschedulable}
	short2, short3 := short, short
	short2.name, short3.name = "api-1", "api-2"
	for name, c := range map[string]struct {
		pods []waitingFor
		want []string // the rows after the blank one that follows the list
	}{
		"a word that says nothing in a sentence": {[]waitingFor{full}, []string{
			"   ✗ 1 pod needs a free slot. Closest: 5 nodes have reached their pod limit.",
		}},
		"a row says it all": {[]waitingFor{cpu}, nil},
		"a row leaves out other nodes": {[]waitingFor{beside}, []string{
			"   ✗ 1 pod blocked by cpu. Closest: n-1 needs cpu 530m more. 3 nodes with",
			"     enough capacity: rejected by anti-affinity of search/cache (app=batch).",
		}},
		"rows are cut": {[]waitingFor{class, again}, []string{
			"   ✗ 2 pods blocked by volume. Closest: n-1 and 5 more, class gp3 provisions",
			"     only for zone in (eu-west-1a, eu-west-1b), where no node is.",
		}},
		"that of most pods is first, two at most": {[]waitingFor{fourth, beside, class, again}, []string{
			"   ✗ 2 of 4 pending pods are blocked by volume. Closest: n-1 and 5 more, class",
			"     gp3 provisions only for zone in (eu-west-1a, eu-west-1b), where no node",
			"     is.",
			"   ✗ 1 of 4 pending pods is blocked by host port. Closest: 6 nodes, 8443/TCP.",
		}},
		"another pod needs something else": {[]waitingFor{beside, other}, []string{
			"   ✗ 2 pods blocked by cpu, such as shop/web-b. Closest: n-1 needs cpu 530m",
			"     more. 3 nodes with enough capacity: rejected by anti-affinity of",
			"     search/cache (app=batch).",
		}},
		"a gate is not about nodes": {[]waitingFor{gate}, nil},
		"a scheduler that does not run": {[]waitingFor{stopped}, []string{
			`   ✗ 1 pod needs its scheduler. Scheduler "bin-packer" is not running:`,
			"     deployment/bin-packer is scaled to 0.",
		}},
		"a scheduler of few of them": {[]waitingFor{stopped, class, again}, []string{
			"   ✗ 2 of 3 pending pods are blocked by volume. Closest: n-1 and 5 more, class",
			"     gp3 provisions only for zone in (eu-west-1a, eu-west-1b), where no node",
			"     is.",
		}},
		"what the rows say whole blocks more": {[]waitingFor{beside, short, short2, short3}, []string{
			"   ✗ 1 of 4 pending pods is blocked by cpu. Closest: n-1 needs cpu 530m more. 3",
			"     nodes with enough capacity: rejected by anti-affinity of search/cache",
			"     (app=batch).",
		}},
	} {
		app := openedWith(t, c.pods...)
		for i, want := range append([]string{""}, append(c.want, "")...) {
			if got := strings.TrimRight(row(app, 5+len(c.pods)+i), " "); got != want {
				t.Errorf("%s: row %d after the list is %q, want %q", name, i, got, want)
			}
		}
		if t.Failed() {
			t.Log(screen(app))
		}
	}
}

// TestWhyLeavesOutOtherNodesWhereTheyHaveNoRoom and says them in the row of what was cut.
func TestWhyLeavesOutOtherNodesWhereTheyHaveNoRoom(t *testing.T) {
	app := openedWith(t, waitingFor{
		"web-a", "cpu", "n-1 needs 530m more", "0 of 6 nodes fit. Closest: n-1 needs cpu 530m more.",
		"3 nodes with enough capacity: anti-affinity of search/cache.", report.Unschedulable,
	})
	press(t, app, "enter")
	if got, want := strings.TrimRight(row(app, 2), " "), " ✗ Unschedulable: 0 of 6 nodes fit. Closest: n-1 needs cpu 530m more."; got != want {
		t.Errorf("the answer is %q, want %q", got, want)
	}
	if got, want := strings.TrimSpace(row(app, 23)), "3 nodes with enough capacity: anti-affinity of search/cache."; got != want {
		t.Errorf("the row of what is cut is %q, want %q", got, want)
	}
	app.Update(tea.WindowSizeMsg{Width: 160, Height: 24})
	if got, want := strings.TrimRight(row(app, 2), " "), "Closest: n-1 needs cpu 530m more. 3 nodes with enough capacity: anti-affinity of search/cache."; !strings.HasSuffix(got, want) {
		t.Errorf("at 160 columns the answer is %q, want its end to be %q", got, want)
	}
}
