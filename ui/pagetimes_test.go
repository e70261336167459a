package ui

import (
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-fathom/kubectl-fathom/ui/page"
)

// timePasses lets time pass on the screen: the ages are updated.
func timePasses(t *testing.T, app *App, d time.Duration) {
	t.Helper()
	before := app.Now()
	app.Now = func() time.Time { return before.Add(d) }
	send(t, app, tickMsg{app.ticker.nth})
}

func TestAgesInAnExplanationDoNotStandStill(t *testing.T) {
	r := checkoutReport()
	app, cluster, _ := whyOn(t, 80, 24, r, nil)
	older := *r
	older.Summary = "0 of 12 nodes fit, tried 1m ago."
	cluster.reports[types.UID(r.Pod.UID)] = &older
	timePasses(t, app, time.Second)
	if len(cluster.explained) != 1 {
		t.Error("it was asked again within a second")
	}
	asked := len(cluster.explained)
	passes(t, app, page.RestLeast)
	timePasses(t, app, 10*time.Second)
	if len(cluster.explained) != asked+1 {
		t.Fatalf("asked %d times after 10s, not once more", len(cluster.explained)-asked)
	}
	requireRow(t, app, 2, "tried 1m ago")
	passes(t, app, page.RestLeast)
	timePasses(t, app, time.Second)
	if len(cluster.explained) != asked+1 {
		t.Error("asked again although the answer is a second old")
	}
}

func TestAgesInMessagesDoNotStandStill(t *testing.T) {
	app := whyOf(t, 80, 24, checkoutReport(), nil)
	press(t, app, "W")
	requireRow(t, app, 3, "KUBE-SCHEDULER, 2m ago")
	timePasses(t, app, time.Minute)
	requireRow(t, app, 3, "KUBE-SCHEDULER, 3m ago")
}

func TestADescriptionSaysHowOldItIs(t *testing.T) {
	app := textOf(t, "d", "Age: 3m", nil)
	requireRow(t, app, 2, "Output of kubectl describe pods.")
	timePasses(t, app, 2*time.Minute)
	requireRow(t, app, 2, "Output of kubectl describe pods. Read 2m ago.")
}

func TestFixesOfPodsThatAreCreatedAfterAllAreGone(t *testing.T) {
	app, c := onRefused(t, 80, 24)
	press(t, app, "f")
	c.refused = nil
	send(t, app, snapshotMsg{snapshot: c.at(2, liveStatus())})
	requireRow(t, app, 2, "No pods are missing any more.")
	requireRow(t, app, 4, "There is nothing to fix any more.")
	press(t, app, "enter")
	requireRow(t, app, 23, "there is nothing to fix any more.")
}

func TestWhyOfAPodThatIsGoneSaysWhatThereIsInstead(t *testing.T) {
	app, _, prod := whyOn(t, 80, 24, checkoutReport(), nil)
	prod.keep(func(p *corev1.Pod) bool { return p.Name != checkoutName })
	send(t, app, snapshotMsg{snapshot: prod.at(2, liveStatus())})
	requireRow(t, app, 2, "Deleted. Before: 0 of 12 nodes fit.")
	requireRow(t, app, 4, "shop/checkout has 2 pods now, 2 without a node. The rest is from before.")
	if strings.Contains(screen(app), "FIXES") {
		t.Errorf("there are fixes for a pod that is gone:\n%s", screen(app))
	}
}

func TestWhyDoesNotSayThatAPodWithANodeFitsNone(t *testing.T) {
	app, _, prod := whyOn(t, 80, 24, checkoutReport(), nil)
	for _, p := range prod.pods {
		if p.Name == checkoutName {
			p.Spec.NodeName = "std-b-02"
		}
	}
	app.Update(snapshotMsg{snapshot: prod.at(2, liveStatus())}) // its Cmd never runs: no answer
	requireRow(t, app, 2, "shop/"+checkoutName+" is on std-b-02 now.")
	requireRow(t, app, 4, "   explaining")
}
