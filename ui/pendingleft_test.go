package ui

import (
	"slices"
	"strings"
	"testing"
)

func TestARowWhosePodGotItsNodeSaysWhatItDoesNow(t *testing.T) {
	c := newProdEU()
	app := newTestApp(t, 80, 24, c.snapshot())
	for i, p := range c.pods {
		switch p.Name {
		case "etl-m2k9q":
			c.pods[i] = ran(p.DeepCopy(), "std-a-01")
		case "nightly-29xk1":
			c.pods[i] = pod("batch", "another", "1", "2Gi", 0)
		}
	}
	send(t, app, snapshotMsg{snapshot: c.at(2, liveStatus())})
	for name, want := range map[string]string{"data/etl-m2k9q": "running", "batch/nightly-29xk1": "gone"} {
		at := slices.IndexFunc(strings.Split(screen(app), "\n"), func(row string) bool { return strings.Contains(row, name) })
		requireRow(t, app, at+1, want)
	}
}
