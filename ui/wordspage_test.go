package ui

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page/why/explanation"
)

func TestWordsOfTheSchedulerAndOurs(t *testing.T) {
	for _, test := range []struct {
		name string
		make func(r *report.Report)
	}{
		{"the same", func(*report.Report) {}},
		{"otherwise", func(r *report.Report) {
			r.Observed.Agrees, r.Scheduler.Cluster = new(false), "v1.33.2"
			r.Observed.Message = strings.Replace(checkoutSaid, "3 Insufficient cpu", "2 Insufficient cpu, 1 Too many pods", 1)
			r.Scheduler.Caveats = []string{"The cluster is v1.33.2 and the plugins here are v1.37.1: their messages may differ.", "Extenders are not run."}
		}},
		{"nothing yet", func(r *report.Report) { r.Observed = report.Observed{} }},
		{"not comparable", func(r *report.Report) { r.SchedulerMessage, r.Observed.Agrees = "", nil }},
	} {
		t.Run(test.name, func(t *testing.T) {
			report := checkoutReport()
			report.Pod.SchedulerName = "default-scheduler"
			test.make(report)
			app := whyOf(t, 80, 24, report, checkoutEvents())
			press(t, app, "W")
			requireScreen(t, app)
		})
	}
}

func TestWordsAreFoundAndScrolled(t *testing.T) {
	app := whyOf(t, 60, 15, checkoutReport(), checkoutEvents())
	press(t, app, "W", "/")
	write(t, app, "scheduler and")
	press(t, app, "enter")
	if !strings.Contains(screen(app), "SCHEDULER AND CLUSTER") {
		t.Errorf("the cluster is not in view:\n%s", screen(app))
	}
}

func TestWordsOpenFromAList(t *testing.T) {
	prod := newProdEU()
	s := prod.snapshot()
	cluster := &fakeCluster{reports: verdictsOf(s)}
	cluster.reports["pod-shop-"+checkoutName] = checkoutReport()
	app := newTestAppWith(t, 80, 24, s, cluster, nil)
	press(t, app, "j", "j", "j", "j", "W")
	requireRow(t, app, 2, "Agrees with kube-scheduler, 2m ago.")
}

func TestClausesThatDiffer(t *testing.T) {
	for _, test := range []struct {
		name, a, b string
		want       []string
	}{
		{"none in equal messages", "0/2 nodes are available: 2 Insufficient cpu.", "0/2 nodes are available: 2 Insufficient cpu.", nil},
		{"a reason with another count", "0/2 nodes are available: 2 Insufficient cpu.", "0/2 nodes are available: 1 Insufficient cpu.", []string{"2 Insufficient cpu"}},
		{"a reason told twice", "a, a", "a", []string{"a"}},
		{"everything where the other says nothing", "a. b: c", "", []string{"a", "b", "c"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, explanation.Only(test.a, test.b)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestWhatCouldNotBeReadIsListed(t *testing.T) {
	status := liveStatus()
	status.Context, status.Namespace, status.MetricsNote = "dev-eu", "shop", "metrics.k8s.io is not served"
	status.Unread = []model.Unread{
		{Resource: "nodes", Why: "not allowed to list nodes"},
		{Resource: "persistentvolumes", Why: "not allowed to list persistentvolumes"},
		{Resource: "deviceclasses", Group: "resource.k8s.io", Why: "not allowed to list deviceclasses.resource.k8s.io"},
	}
	app := newTestApp(t, 80, 24, newProdEU().at(1, status))
	press(t, app, "!")
	requireScreen(t, app)
}

func TestEverythingWasRead(t *testing.T) {
	app := newTestApp(t, 80, 24, newProdEU().snapshot())
	press(t, app, "!")
	requireRow(t, app, 2, "Everything was read.")
}
