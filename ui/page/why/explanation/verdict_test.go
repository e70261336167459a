package explanation

import (
	"strings"
	"testing"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/ui/cells"
)

func TestTheEndOfALongTextBeginsWithAWord(t *testing.T) {
	for _, c := range []struct {
		Text  string
		width int
		want  string
	}{
		{"no node fits", 12, "no node fits"},
		{"no node fits the pod", 12, "… the pod"},
		{"no node fits the pod", 19, "… node fits the pod"},
		{"averylongname", 8, "… ngname"},
	} {
		if got := endOf(c.Text, c.width); got != c.want || cells.Width(got) > c.width {
			t.Errorf("%q in %d cells: %q, want %q", c.Text, c.width, got, c.want)
		}
	}
}

// Until the answers for single nodes are in, no node is told what holds for others of its group.
func TestANodeIsNotToldWhatHoldsForItsGroup(t *testing.T) {
	group := &report.Group{Count: 2, Nodes: []string{"a", "b"}, Rejections: []report.Rejection{
		{Plugin: "PodTopologySpread", What: "a, b: the node has no label rack"},
		{Plugin: "VolumeBinding", PreFilter: true, What: "claim data does not exist"},
	}}
	page := &Drawing{}
	if got, want := page.nodesOf(group).sentencesOn("a"), "claim data does not exist"; got != want {
		t.Errorf("before the answers: %q, want %q", got, want)
	}
	page.Nodes = map[string]*report.NodeResult{"a": {Name: "a", Rejections: []report.Rejection{{What: "a: the node has no label rack"}}}}
	if got, want := page.nodesOf(group).sentencesOn("a"), "the node has no label rack"; got != want {
		t.Errorf("with the answers: %q, want %q", got, want)
	}
}

func TestWhatRowTwoCutsGoesOnWithItsLastWord(t *testing.T) {
	const verdict = "Node a lacks only nvidia.com/gpu, of which 0 is allocatable: check the device plugin."
	for _, c := range []struct {
		further string
		width   int
		want    string
	}{
		{"", 100, ""},
		{"", 60, "… allocatable: check the device plugin."},
		{"3 nodes with enough capacity: cordoned.", 90, ""}, // the message row has it
		{"3 nodes with enough capacity: " + strings.Repeat("cordoned, ", 9) + "cordoned.", 90, "3 nodes with enough capacity: " + strings.Repeat("cordoned, ", 9) + "cordoned."},
	} {
		r := &report.Report{Verdict: report.Unschedulable, Summary: strings.TrimSpace(verdict + " " + c.further), Further: c.further}
		if got := afterVerdict(&Drawing{Report: r, Width: c.width}); got != c.want {
			t.Errorf("in %d cells with %q: %q, want %q", c.width, c.further, got, c.want)
		}
	}
}

func TestASentenceInPlaceOfFixesIsWholeBelowItsHeadWhereThatIsTooNarrow(t *testing.T) {
	const sentence = "Pod devtools/forgejo-0 is Terminating on node-4, which is NotReady, and keeps the claim."
	wide, narrow := saidOfFixes(&Drawing{Width: 120}, sentence), saidOfFixes(&Drawing{Width: 60}, sentence)
	if wide.head != "FIXES: "+sentence || wide.rows != 0 {
		t.Errorf("wide: %+v", wide)
	}
	if got := strings.Join(narrow.said, "|"); narrow.rows != 2 || got != "   Pod devtools/forgejo-0 is Terminating on node-4, which|   is NotReady, and keeps the claim." {
		t.Errorf("narrow: %d rows, %q", narrow.rows, got)
	}
}
