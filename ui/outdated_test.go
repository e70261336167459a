package ui

import (
	"strings"
	"testing"

	"github.com/kubectl-fathom/kubectl-fathom/ui/page/pending"
)

func TestARowWhoseVerdictIsOlderThanAChangeIsMarked(t *testing.T) {
	for _, width := range []int{80, 120} {
		c := newProdEU()
		app := newTestApp(t, width, 24, c.snapshot())
		before := screen(app)
		marked := func() (n int) {
			for _, row := range strings.Split(screen(app), "\n")[firstPending-1 : firstPending+15] {
				if strings.HasPrefix(row, "▸ …") || strings.HasPrefix(row, "  …") {
					n++
				}
			}
			return n
		}
		rested := func() { send(t, app, resultMsg{app.opened, app.history.top(), pending.RestedMsg{}}) }

		beat := c.at(2, liveStatus()) // as heartbeats do
		send(t, app, snapshotMsg{snapshot: beat})
		if got := marked(); got != 0 {
			t.Errorf("at %d cells %d rows are marked although nothing changed:\n%s", width, got, screen(app))
		}
		changed := c.at(3, liveStatus())
		changed.Moved = 3
		send(t, app, snapshotMsg{snapshot: changed})
		kinds := len(changed.Pending)
		if got := marked(); got != kinds {
			t.Errorf("at %d cells %d of %d rows are marked:\n%s", width, got, kinds, screen(app))
		}
		if got := strings.NewReplacer("▸ …", "▸  ", "\n  …", "\n   ").Replace(screen(app)); got != before {
			t.Errorf("at %d cells the mark moves the screen:\n%s", width, screen(app))
		}
		rested()
		if got := marked(); got != kinds-1 {
			t.Errorf("at %d cells %d rows are marked after one was explained again:\n%s", width, got, screen(app))
		}
		for range kinds {
			rested()
		}
		if screen(app) != before {
			t.Errorf("at %d cells all were explained again:\n%s", width, screen(app))
		}
	}
}
