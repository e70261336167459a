package fixes

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/themes"
	"github.com/kubectl-fathom/kubectl-fathom/ui/cells"
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

func TestTheLastStepOfAFixIsInView(t *testing.T) {
	for _, test := range []struct {
		title string
		steps int
		want  string
	}{
		{"uncordon ip-10-0-3-204.eu.internal and request cpu 2", 2, "uncordon ip-10-0-3-204 and request cpu 2"},
		{"uncordon ip-10-0-3-204.eu.internal and request cpu 7.81 instead of 14", 2, "uncordon ip-1…-204 and request cpu 7.81 ins…"},
		{"tolerate dedicated=special-hardware:NoSchedule and request cpu 7.81", 2, "tolerate dedicated=special-hardware… +1 step"},
		{"uncordon ip-10-0-3-204.eu.internal, which is one step", 1, "uncordon ip-10-0-3-204.eu.internal, which i…"},
	} {
		table := Table{Title: 44, styles: &themes.Styles{}}
		fix := report.Fix{Title: test.title, Steps: test.steps}
		if got := strings.TrimRight(cells.Left(table.title(&fix), table.Title), " "); got != test.want {
			t.Errorf("%q is drawn as %q, not %q", test.title, got, test.want)
		}
	}
}
