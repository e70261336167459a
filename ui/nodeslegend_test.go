package ui

import (
	"strings"
	"testing"
)

func TestTheAnswerOfNodesComesBeforeWhyUsageIsUnknown(t *testing.T) {
	status := liveStatus()
	status.MetricsNote = "no one serves metrics.k8s.io"
	for _, c := range []struct {
		width int
		told  bool
	}{{120, false}, {200, true}} {
		app := newTestApp(t, c.width, 40, newProdEU().at(1, status))
		press(t, app, "3")
		got := screenRow(app, header+1)
		if !strings.Contains(got, "memory 376Gi.") || !strings.Contains(got, "used: ?") {
			t.Errorf("at %d: %q has lost the answer or the mark", c.width, got)
		}
		if strings.Contains(got, "no one serves") != c.told {
			t.Errorf("at %d: %q", c.width, got)
		}
	}
}
