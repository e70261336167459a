package ui

import (
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-fathom/kubectl-fathom/ui/table"
)

// drawnChanged says whether text is drawn as what has just changed.
func drawnChanged(app *App, text string) bool {
	begin, _, _ := strings.Cut(app.styles().Changed.Render("x"), "x")
	return strings.Contains(app.View().Content, begin+text)
}

func TestACellThatChangedIsBoldForAWhile(t *testing.T) {
	c := newProdEU()
	at := now
	app := newTestAppWith(t, 80, 24, c.snapshot(), &fakeCluster{}, func(o *Options) { o.Now = func() time.Time { return at } })
	asked := timers(app)
	press(t, app, "3", "j")
	c.nodes[6] = c.nodes[6].DeepCopy()
	c.nodes[6].Spec.Unschedulable = true
	c.nodes[7] = c.nodes[7].DeepCopy()
	c.nodes[7].CreationTimestamp.Time = now.Add(-time.Hour) // an age is no change
	send(t, app, snapshotMsg{snapshot: c.at(2, liveStatus())})
	if !drawnChanged(app, "Ready,cordoned") {
		t.Error("a new status is drawn as always")
	}
	if n := len(app.pages.nodes.Table.Highlights.Till); n != 1 {
		t.Errorf("%d cells have changed, want the one status", n)
	}
	waits := 0
	for _, d := range *asked {
		if d == table.ChangedFor {
			waits++
		}
	}
	if waits != 1 {
		t.Errorf("%d timers for one change", waits)
	}
	at = at.Add(table.ChangedFor - time.Millisecond)
	send(t, app, changedMsg{})
	if len(app.pages.nodes.Table.Highlights.Till) != 1 {
		t.Error("it is as always too soon")
	}
	at = at.Add(time.Millisecond)
	send(t, app, changedMsg{})
	if len(app.pages.nodes.Table.Highlights.Till) != 0 {
		t.Error("it stays so for ever")
	}
}

func TestWhatIsNewInViewHasNotChanged(t *testing.T) {
	c := newProdEU()
	app := newTestApp(t, 80, 24, c.snapshot())
	table := app.pages.pods.Table
	press(t, app, "2")
	send(t, app, snapshotMsg{snapshot: c.at(2, liveStatus())})
	press(t, app, "G", "s", "a", "g") // other rows, in another order
	send(t, app, snapshotMsg{snapshot: c.at(3, liveStatus())})
	if n := len(table.Highlights.Till); n > 0 {
		t.Errorf("%d cells have changed by scrolling and sorting", n)
	}
	press(t, app, "3")
	c.pods = append([]*corev1.Pod(nil), c.pods...)
	for i, p := range c.pods {
		if p.Status.Phase == corev1.PodRunning {
			c.pods[i] = p.DeepCopy()
			c.pods[i].Status.Phase = corev1.PodFailed
		}
	}
	send(t, app, snapshotMsg{snapshot: c.at(4, liveStatus())})
	press(t, app, "2")
	send(t, app, snapshotMsg{snapshot: c.at(5, liveStatus())})
	if n := len(table.Highlights.Till); n > 0 {
		t.Errorf("%d cells have changed while nobody looked", n)
	}
}

func TestAVerdictThatComesInHasNotChanged(t *testing.T) {
	app := newTestApp(t, 80, 24, newProdEU().snapshot())
	if n := len(app.pages.pending.Table.Highlights.Till); n > 0 {
		t.Errorf("%d cells have changed at the start", n)
	}
}

func BenchmarkComparingCells(b *testing.B) {
	app := newTestApp(b, 200, 60, newProdEU().snapshot())
	press(b, app, "2")
	b.ReportAllocs()
	for b.Loop() {
		app.pages.pods.CompareCells(now)
	}
}
