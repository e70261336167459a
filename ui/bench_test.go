package ui

import (
	"fmt"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// crowd is a cluster of 50,000 running pods on 5,000 nodes.
func crowd() *model.Snapshot {
	b := model.NewBuilder()
	for i := range 5000 {
		m := machine{fmt.Sprintf("ip-10-0-%d-%d.eu-west-1.compute.internal", i/250, i%250), "eu-1a", "15.9", "60Gi", "0", "0", 110, 0, day}
		b.Node(nil, m.object())
		for n := range 10 {
			p := pod(fmt.Sprintf("team-%02d", i%40), fmt.Sprintf("service-%d-6c9d8b7f4-%05d", i%300, i*10+n), "500m", "1Gi", time.Hour)
			b.Pod(nil, ran(p, m.name))
		}
	}
	return b.Build(1, liveStatus(), nil)
}

// pressed is the time until a key's frame is there; commands run apart.
func pressed(b *testing.B, app *App, key tea.Msg) tea.Cmd {
	b.Helper()
	_, cmd := app.Update(key)
	if app.View().Content == "" {
		b.Fatal("nothing was drawn")
	}
	return cmd
}

func BenchmarkFrameOf50000Pods(b *testing.B) {
	app := newTestApp(b, 200, 60, crowd())
	press(b, app, "2")
	keys := []tea.Msg{keyPress("j"), keyPress("pgdown"), keyPress("G"), keyPress("g")}
	i := 0
	for b.Loop() {
		pressed(b, app, keys[i%len(keys)])
		i++
	}
}

func BenchmarkSnapshotToFrameOf50000Pods(b *testing.B) {
	s := crowd()
	app := newTestApp(b, 200, 60, s)
	press(b, app, "2", "G")
	for b.Loop() {
		pressed(b, app, snapshotMsg{snapshot: s})
	}
}

// BenchmarkFilterKeyOf50000Pods is from a key of the filter to the frame with
// its result; the frame of the key itself is there before.
func BenchmarkFilterKeyOf50000Pods(b *testing.B) {
	app := newTestApp(b, 200, 60, crowd())
	press(b, app, "2", "/")
	const typed = "service-12"
	i := 0
	for b.Loop() {
		if i%len(typed) == 0 {
			b.StopTimer()
			press(b, app, "esc", "/")
			b.StartTimer()
		}
		run(b, app, pressed(b, app, keyPress(typed[i%len(typed):i%len(typed)+1])), 0)
		i++
	}
}

// BenchmarkFrameOf5000NodesByLabel is a key to its frame on Pools with a row for each node.
func BenchmarkFrameOf5000NodesByLabel(b *testing.B) {
	s := crowd()
	app := newTestApp(b, 200, 60, s)
	press(b, app, "4")
	run(b, app, app.pages.pools.By("kubernetes.io/hostname"), 0)
	keys := []tea.Msg{keyPress("j"), keyPress("pgdown"), keyPress("G"), keyPress("g")}
	i := 0
	for b.Loop() {
		pressed(b, app, keys[i%len(keys)])
		i++
	}
	b.ReportMetric(float64(len(s.Nodes)), "nodes")
}

// BenchmarkPaletteKeyOf50000Pods is a key of a pod's name in the palette to its frame.
func BenchmarkPaletteKeyOf50000Pods(b *testing.B) {
	app := newTestApp(b, 200, 60, crowd())
	const typed = "service-12"
	i := 0
	for b.Loop() {
		if i%len(typed) == 0 {
			b.StopTimer()
			press(b, app, "esc", ":", "p", "o", "space")
			b.StartTimer()
		}
		pressed(b, app, keyPress(typed[i%len(typed):i%len(typed)+1]))
		i++
	}
}
