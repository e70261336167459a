package ui

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/ui/cells"
)

// anyKeys are the keys that a random user presses; letters also end up in inputs.
var anyKeys = strings.Fields(
	"enter esc q j k g G up down left right home end pgup pgdown tab shift+tab space ctrl+space M w s S n N 0 1 2 3 " +
		"/ : ? ! W d y x + - [ ] C ctrl+d ctrl+u ctrl+f ctrl+b ctrl+k ctrl+l ctrl+r a b c p u > < = 5 ~ ( \" | é 世 backspace u r t l e z P Q",
)

// TestAnyKeysLeaveAWholeScreen presses random keys on random sizes, while the
// cluster changes, and looks at each screen.
func TestAnyKeysLeaveAWholeScreen(t *testing.T) {
	for seed := range uint64(12) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			random := rand.New(rand.NewPCG(seed, 7))
			c := newProdEU()
			c.pods = append(c.pods, hostile()...)
			s := c.snapshot()
			app := newTestAppWith(t, 80, 24, s, &fakeCluster{reports: verdictsOf(s), text: "a\x1b[31m\nb\tc"}, func(o *Options) {
				o.ASCII = seed%3 == 0
				o.Session = fakeSession{}
			})
			var done []string
			for step := range 150 {
				done = append(done, anyStep(t, random, app, c, int64(step+2)))
				requireWhole(t, app, done)
			}
		})
	}
}

// anyStep changes the size, the cluster, the mouse's place or presses a key.
func anyStep(t *testing.T, random *rand.Rand, app *App, c *prodEU, revision int64) string {
	switch random.IntN(12) {
	case 0:
		width, height := 20+random.IntN(181), 5+random.IntN(56)
		send(t, app, tea.WindowSizeMsg{Width: width, Height: height})
		return fmt.Sprintf("%d×%d", width, height)
	case 1:
		gone := random.IntN(len(c.pods))
		c.pods = append(c.pods[:gone:gone], c.pods[gone+1:]...)
		send(t, app, snapshotMsg{snapshot: c.at(revision, anyStatus(random))})
		return "snapshot"
	case 2:
		x, y := random.IntN(app.width), random.IntN(app.height)
		send(t, app, tea.MouseClickMsg{X: x, Y: y, Button: tea.MouseLeft})
		return fmt.Sprintf("click %d,%d", x, y)
	case 3:
		send(t, app, tea.MouseWheelMsg{Button: []tea.MouseButton{tea.MouseWheelUp, tea.MouseWheelDown}[random.IntN(2)]})
		return "wheel"
	}
	key := anyKeys[random.IntN(len(anyKeys))]
	press(t, app, key)
	return key
}

func anyStatus(random *rand.Rand) model.Status {
	status := liveStatus()
	switch random.IntN(6) {
	case 0:
		status.Reading = map[string]int{"pods": 7}
	case 1:
		status.Connection = model.Connection{Heard: now, Err: "no route to host", Tries: 1, Retry: now}
	case 2:
		status.Unread = []model.Unread{{Resource: "nodes", Why: "not allowed to list nodes"}}
	}
	return status
}

// requireWhole fails unless the screen has each of its rows, none too wide.
func requireWhole(t *testing.T, app *App, done []string) {
	t.Helper()
	rows := strings.Split(app.View().Content, "\n")
	if len(rows) != app.height {
		t.Fatalf("%d rows on %d×%d after %q", len(rows), app.width, app.height, done)
	}
	for i, row := range rows {
		if cells.Width(row) > app.width {
			t.Fatalf("row %d is %d wide on %d×%d after %q:\n%s", i, cells.Width(row), app.width, app.height, done, row)
		}
		if strings.ContainsAny(row, "\r\t\a") {
			t.Fatalf("row %d has control characters after %q: %q", i, done, row)
		}
	}
}

// hostile are pods whose texts try to break the screen.
func hostile() []*corev1.Pod {
	wide := pod("世界", "容器-容器-容器", "1", "1Gi", 0)
	combined := pod("zz", "e\u0301\u0301\u0301-👩‍👩‍👧‍👦-\u200b", "1", "1Gi", 0)
	red := pod("zz", "red\x1b[31m\r\n\x07\x1b]0;title\x07", "1", "1Gi", 0)
	red.Status.Reason = "\x1b[2J gone"
	return []*corev1.Pod{wide, combined, red}
}

// fakeSession has two contexts whose short names are the same, and one other.
type fakeSession struct{ cluster *fakeCluster }
