package ui

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-fathom/kubectl-fathom/explain/podhistory"
	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// hostileHistory is a look back whose texts try to break the screen.
func hostileHistory() *podhistory.History {
	const evil = "世界\x1b[31m\r\n\x07\x1b]0;title\x07 容器-容器 e\u0301\u0301"
	h := &podhistory.History{Step: 3, Done: true}
	h.Add(3, now, true, report.Unschedulable, evil)
	h.Add(2, now, false, "", evil)
	h.Add(1, now, false, report.Schedulable, evil)
	h.Fitted = &podhistory.Fitted{Step: 1, Next: 3, Taken: now, Later: now.Add(time.Hour), Nodes: []podhistory.FittedNode{
		{Name: evil, Changes: []string{evil}},
		{Name: "b", Untold: evil},
		{Name: "c", Takers: []podhistory.Taker{{Namespace: evil, Name: evil, Node: evil, Holds: evil}}},
	}}
	return h
}

// TestAnyKeysLeaveAWholeScreenOfARecording presses random keys while the steps of
// a recording come, some with hostile pods, some without what was selected.
func TestAnyKeysLeaveAWholeScreenOfARecording(t *testing.T) {
	for seed := range uint64(8) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			random := rand.New(rand.NewPCG(seed, 11))
			app, r := newRecordingApp(t, 80, 24, 14)
			r.broken = 15
			was, is := newProdEU(), newProdEU()
			is.pods = append(is.pods, hostile()...)
			was.keep(func(*corev1.Pod) bool { return random.IntN(2) == 0 })
			r.found = model.Differ(was.snapshot(), is.snapshot())
			for range 400 {
				r.looks = append(r.looks, hostileHistory())
			}
			keys := append([]string{",", ".", "D", "H", "H", "D"}, anyKeys...)
			var done []string
			for step := range 200 {
				switch random.IntN(8) {
				case 0:
					width, height := 20+random.IntN(181), 5+random.IntN(56)
					send(t, app, tea.WindowSizeMsg{Width: width, Height: height})
					done = append(done, fmt.Sprintf("%d×%d", width, height))
				case 1:
					is.keep(func(*corev1.Pod) bool { return random.IntN(9) > 0 })
					status := liveStatus()
					status.Taken, status.Step, status.Steps = now, 1+random.IntN(60), 60
					send(t, app, snapshotMsg{snapshot: is.at(int64(2000+step), status)})
					done = append(done, fmt.Sprint("step ", status.Step))
				default:
					key := keys[random.IntN(len(keys))]
					if random.IntN(3) == 0 {
						key = keys[random.IntN(6)]
					}
					press(t, app, key)
					done = append(done, key)
				}
				requireWhole(t, app, done)
			}
		})
	}
}
