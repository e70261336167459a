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
		keys  []string
		told  bool
	}{{80, []string{"3", "w"}, false}, {120, []string{"3"}, true}} {
		app := newTestApp(t, c.width, 40, newProdEU().at(1, status))
		press(t, app, c.keys...)
		got := screenRow(app, header+1)
		if !strings.Contains(got, "1 NotReady.") || !strings.Contains(got, "used: ?") {
			t.Errorf("at %d: %q has lost the answer or the mark", c.width, got)
		}
		if strings.Contains(got, "no one serves") != c.told {
			t.Errorf("at %d: %q", c.width, got)
		}
	}
}
