package fixes

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/themes"
)

// Words that are right before FITS would read on into it: "9 do not FITS".
func TestTheHeadOfFixesDoesNotRunIntoTheColumns(t *testing.T) {
	fixes := []report.Fix{{Title: "tolerate dedicated=gpu:NoSchedule", NodesGained: 1}}
	for width := 60; width <= 120; width++ {
		table := NewTable(fixes, width, "", &themes.Styles{})
		for length := range 50 {
			long := strings.Repeat("x", length+1)
			got := ansi.Strip(table.Ruled([]string{long, "y"}, width))
			if !strings.Contains(got, "x ─") && !strings.Contains(got, "y ─") {
				t.Fatalf("at %d cells: %q", width, got)
			}
		}
	}
}
