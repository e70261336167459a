package ui

import (
	"fmt"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// queuedReport is of a pod that waits for quota of Kueue.
func queuedReport() *report.Report {
	const short = "couldn't assign flavors to pod set main: insufficient unused quota for cpu in flavor default, 1 more needed"
	since := metav1.NewTime(now.Add(-12 * time.Minute))
	r := checkoutReport()
	r.Verdict, r.State, r.BlockedBy, r.Groups, r.Plugins, r.Preemption, r.Autoscaler = report.Gated, "queued", "queue", nil, nil, nil, nil
	r.SchedulerMessage, r.Observed = "", report.Observed{}
	r.Summary = "Queued by Kueue: waiting for quota for 12m (Pending): " + short + "; position 3 of 12 in ClusterQueue gpu (LocalQueue team-a)."
	r.Why = "team-a, position 3 of 12: quota not reserved"
	r.Facts = []string{
		"Gated by kueue.x-k8s.io/admission until Kueue admits its Workload.",
		"Kueue holds it: see its Workload and LocalQueue team-a; removing its gate by hand bypasses Kueue's quota and cannot be undone.",
	}
	r.Queue = &report.Queue{
		Controller: "Kueue", Summary: "Kueue: waiting for quota for 12m (Pending): " + short + "; position 3 of 12 in ClusterQueue gpu (LocalQueue team-a).",
		Workload: "job-train-1a2b", LocalQueue: "team-a", ClusterQueue: "gpu", Position: new(3), Pending: new(12),
		Conditions: []report.Condition{
			{Type: "QuotaReserved", Status: "False", Reason: "Pending", Message: short, Since: &since},
			{Type: "Evicted", Status: "True", Reason: "Preempted", Message: "Preempted to accommodate a workload (UID: \x1b[31m4f1c)", Since: &since},
		},
		Checks: []report.AdmissionCheck{{Name: "provision", State: "Pending"}},
		Quotas: []report.FlavorQuota{
			{Flavor: "default", Resource: "cpu", Nominal: "40", Used: new("36"), Reserved: new("42"), Borrowed: new("2")},
			{Flavor: "default", Resource: "memory", Nominal: "200Gi"},
		},
		Unknown: []report.UnknownScale{{Resource: "localqueues", Why: "not allowed to get localqueues.kueue.x-k8s.io"}},
	}
	return r
}

// queuedFixes are those of such a pod.
func queuedFixes() *report.Fixes {
	return &report.Fixes{Advice: "Kueue holds it: see its Workload and LocalQueue team-a", Tried: []report.Fix{
		{Title: "see its Workload and LocalQueue team-a", Kind: report.FixQueue, Steps: 1, Remaining: []string{"gated until Kueue admits its Workload"}},
		{
			Title: "remove gate kueue.x-k8s.io/admission", Kind: report.FixGate, Steps: 1, NodesGained: 1, Nodes: []string{"std-a-01"},
			Bypasses: "Kueue's quota", Remaining: []string{"bypasses Kueue's quota, and cannot be undone"},
		},
	}}
}

// whyQueued opens Why of such a pod.
func whyQueued(t *testing.T, width, height int) *App {
	t.Helper()
	app, cluster, _ := whyOn(t, width, height, queuedReport(), nil)
	cluster.fixes[types.UID(queuedReport().Pod.UID)] = queuedFixes()
	pod := app.history.top().Selected().Pod
	run(t, app, app.history.open(newWhy(app, pod)), 0)
	return app
}

func TestWhyShowsWhatKueueSays(t *testing.T) {
	for _, size := range []struct{ width, height int }{{80, 24}, {120, 40}} {
		t.Run(fmt.Sprintf("%dx%d", size.width, size.height), func(t *testing.T) {
			requireScreen(t, whyQueued(t, size.width, size.height))
		})
	}
	t.Run("messages", func(t *testing.T) {
		app := whyQueued(t, 80, 24)
		press(t, app, "W")
		requireScreen(t, app)
	})
}

// withSuspendedJob is prod-eu with a Job of four pods that Kueue keeps suspended, in place of the
// pods that a quota rejects.
func withSuspendedJob() (*model.Snapshot, *fakeCluster) {
	prod := newProdEU()
	refused := *refusedAPI()
	refused.Pod = refused.Pod.DeepCopy()
	refused.Pod.OwnerReferences[0] = metav1.OwnerReference{APIVersion: "batch/v1", Kind: "Job", Name: "train", UID: "rs-api-6c9", Controller: new(true)}
	refused.Wanted, refused.Missing, refused.Message, refused.Queue = 4, 4, "", "team-a"
	prod.refused = []*model.NotCreated{&refused}
	s := prod.snapshot()
	reports, r := verdictsOf(s), queuedReport()
	r.Verdict, r.Pod.Name, r.Pod.Namespace, r.Pod.UID, r.Pod.Owner = report.NotCreated, "", "team-a", "", &report.OwnerRef{Kind: "Job", Name: "train"}
	r.Facts = []string{"Job train is suspended until Kueue admits its Workload: it has no pods yet and needs quota for 4 pods at once", "If a pod were created, it would fit 1 node: std-a-01."}
	reports[refused.Pod.UID] = r
	return s, &fakeCluster{reports: reports, fixes: map[types.UID]*report.Fixes{refused.Pod.UID: queuedFixes()}}
}

func TestASuspendedJobIsARowOfPending(t *testing.T) {
	for _, size := range []struct{ width, height int }{{80, 24}, {120, 40}} {
		t.Run(fmt.Sprintf("%dx%d", size.width, size.height), func(t *testing.T) {
			s, cluster := withSuspendedJob()
			app := newTestAppWith(t, size.width, size.height, s, cluster, nil)
			press(t, app, "G")
			requireScreen(t, app)
		})
	}
	t.Run("Why", func(t *testing.T) {
		s, cluster := withSuspendedJob()
		app := newTestAppWith(t, 80, 24, s, cluster, nil)
		press(t, app, "G")
		press(t, app, "enter")
		requireScreen(t, app)
		press(t, app, "W")
		requireRow(t, app, 2, "The Job is suspended, so kube-scheduler never saw the pod.")
	})
}
