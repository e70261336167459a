package ui

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
)

// newSnapshotApp is the dashboard on a file of prod-eu that is 18 hours old.
func newSnapshotApp(t *testing.T, width, height int) *App {
	t.Helper()
	c := newProdEU()
	c.refused = nil
	status := liveStatus()
	status.Taken = now
	s := c.at(1, status)
	cluster := &fakeCluster{reports: verdictsOf(s)}
	return newTestAppWith(t, width, height, s, cluster, func(o *Options) {
		o.Now = func() time.Time { return now.Add(18 * time.Hour) }
		o.Production, o.Session = "", nil
	})
}

func TestASnapshotIsDrawnAsDesigned(t *testing.T) {
	for _, size := range []struct {
		name          string
		width, height int
	}{{"80x24", 80, 24}, {"120x40", 120, 40}} {
		t.Run(size.name, func(t *testing.T) {
			requireScreen(t, newSnapshotApp(t, size.width, size.height))
		})
	}
}

func TestNothingCanBeChangedInASnapshot(t *testing.T) {
	// The places, and the keys that change something there.
	for view, keys := range map[string][]string{"1": {"e", "l"}, "2": {"e", "l"}, "3": {"c", "u", "r", "t", "l"}} {
		for _, key := range keys {
			app := newSnapshotApp(t, 80, 24)
			press(t, app, view, "j", key)
			screen := strings.Split(ansi.Strip(app.View().Content), "\n")
			if want := "this is a snapshot, taken 18h ago. It cannot be changed."; !slices.ContainsFunc(screen, func(row string) bool {
				return strings.HasPrefix(row, " "+key+" ") && strings.Contains(row, want)
			}) {
				t.Errorf("view %s, key %s: no row says %q:\n%s", view, key, want, strings.Join(screen, "\n"))
			}
		}
	}
}

func TestTheYAMLOfASnapshotIsNotThatOfALiveObject(t *testing.T) {
	app := newSnapshotApp(t, 80, 24)
	press(t, app, "3", "y")
	if row := strings.Split(ansi.Strip(app.View().Content), "\n")[1]; !strings.Contains(row, "The object in the snapshot") {
		t.Errorf("row 2 says %q", row)
	}
}
