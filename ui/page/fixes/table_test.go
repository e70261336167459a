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

func TestAFixThatFathomDoesNotCarryOutIsMarked(t *testing.T) {
	uncordon := report.Remedy{Kind: report.FixUncordon, Nodes: []string{"n1"}}
	for _, test := range []struct {
		fix  report.Fix
		want string
	}{
		{report.Fix{Title: "uncordon n1", Verified: true, Steps: 1, Actions: []report.Remedy{uncordon}, Command: "kubectl uncordon n1"}, "   ✓ uncordon n1"},
		{report.Fix{Title: "uncordon n1 and request cpu 2", Verified: true, Steps: 2, Actions: []report.Remedy{uncordon}, Command: "kubectl …"}, " $ ✓ uncordon n1"},
		{report.Fix{Title: "request cpu 2", Verified: true, Steps: 1, Command: "kubectl …"}, " $ ✓ request cpu 2"},
		{report.Fix{Title: "add a node like n1", Kind: report.FixNode, Simulated: true, Steps: 1}, " · ✓ add a node"},
		{report.Fix{Title: "request cpu 3", Steps: 1, Command: "kubectl …", Remaining: []string{"still needs cpu 1 more"}}, "   ✗ request cpu 3"},
	} {
		table := NewTable([]report.Fix{test.fix}, 80, "", &themes.Styles{})
		if got := ansi.Strip(table.Row(&test.fix)); !strings.HasPrefix(got, test.want) {
			t.Errorf("got %q, want %q", got, test.want)
		}
	}
}

func TestHowManyReplicasAFixPlacesIsSaidOn80Columns(t *testing.T) {
	fix := report.Fix{Title: "request cpu 2", Verified: true, NodesGained: 2, PodsPlaced: 1, Alike: 3, Brief: "rolling update of 5 pods"}
	for width, want := range map[int][2]string{
		80:  {"PODS  SIDE", "2 nodes   1/3  rolling"},
		120: {"PLACES  SIDE", "2 nodes  1 of 3  rolling"},
	} {
		table := NewTable([]report.Fix{fix}, width, "", &themes.Styles{})
		if head, row := ansi.Strip(table.Head("FIX")), ansi.Strip(table.Row(&fix)); !strings.Contains(head, want[0]) || !strings.Contains(row, want[1]) {
			t.Errorf("at %d cells: %q, %q", width, head, row)
		}
	}
	alone := fix
	alone.Alike = 1
	if head := ansi.Strip(NewTable([]report.Fix{alone}, 80, "", &themes.Styles{}).Head("FIX")); strings.Contains(head, "PODS") {
		t.Errorf("of a pod that is none of several it is %q", head)
	}
}
