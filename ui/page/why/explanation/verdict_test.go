package explanation

import (
	"slices"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/themes"
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

func TestWhatRowTwoCutsGoesOnWithItsLastClause(t *testing.T) {
	const verdict = "Node a lacks only nvidia.com/gpu, of which 0 is allocatable: check the device plugin."
	for _, c := range []struct {
		further string
		width   int
		want    string
	}{
		{"", 100, ""},
		{"", 60, "… of which 0 is allocatable: check the device plugin."},
		{"", 40, "… of which 0 is allocatable: check the device plugin."},
		{"", 29, "… nvidia.com/gpu, of which 0 is allocatable: check the device plugin."},
		{"3 nodes with enough capacity: cordoned.", 90, ""}, // the message row has it
		{"3 nodes with enough capacity: " + strings.Repeat("cordoned, ", 9) + "cordoned.", 90, "3 nodes with enough capacity: " + strings.Repeat("cordoned, ", 9) + "cordoned."},
	} {
		r := &report.Report{Verdict: report.Unschedulable, Summary: strings.TrimSpace(verdict + " " + c.further), Further: c.further}
		if got := afterVerdict(&Drawing{Report: r, Width: c.width}); got != c.want {
			t.Errorf("in %d cells with %q: %q, want %q", c.width, c.further, got, c.want)
		}
	}
}

func TestTheRestOfACutTextBeginsWhereItReadsBest(t *testing.T) {
	for _, c := range []struct{ whole, fits, want string }{
		{"Too large: cpu 48; the largest node has 47.81 allocatable.", "Too large: cpu 48; the largest node has 47.81 all", "… the largest node has 47.81 allocatable."},
		{"0 of 6 nodes fit. It needs a volume.", "0 of 6 nodes fit. It needs a vol", "It needs a volume."},
		{"no clause in this one", "no clause in this o", "… one"},
		{"the clause, which would take two lines of the page, not one.", "the clause, which would take two lines of the p", "… page, not one."},
	} {
		if got := restFrom(c.whole, c.fits, 42); got != c.want {
			t.Errorf("%q after %q: %q, want %q", c.whole, c.fits, got, c.want)
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

// TestAFewLinesTellOfPreemptedPods in two lines, or in one beside what a rollout changed, and leave rows for what else there is.
func TestAFewLinesTellOfPreemptedPods(t *testing.T) {
	now := time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)
	preempted := &report.Preempted{
		Names: "api-6c9-…", Count: 8, Last: new(metav1.NewTime(now.Add(-4 * time.Minute))),
		By: []report.Preemptor{{Kind: "DaemonSet", Namespace: "observability", Name: "agent", Count: 8, Priority: new(int32(900000000))}},
	}
	rollout := &report.Rollout{Workload: report.OwnerRef{Kind: "Deployment", Name: "api"}, Changes: []report.TemplateChange{{Field: "request", Key: "cpu", Before: "1", After: "2"}}, Running: 1}
	ending := &report.Terminating{Node: "a", Pods: []report.TerminatingPod{{Namespace: "s", Name: "old"}}, Until: metav1.NewTime(now.Add(3 * time.Minute))}
	group := report.Group{Count: 1, Nodes: []string{"a"}, Rejections: []report.Rejection{{Plugin: "NodeResourcesFit", What: "needs cpu 1 more"}}}
	for name, c := range map[string]struct {
		report *report.Report
		want   []string
	}{
		"alone": {
			&report.Report{Preempted: preempted},
			[]string{"   8 pods named api-6c9-… were preempted, the last 4m ago, by", "   daemonset/agent in observability (priority 900000000)."},
		},
		"beside a rollout": {
			&report.Report{Preempted: preempted, Rollout: rollout},
			[]string{"   deployment/api changed: cpu request 2 instead of 1; 1 old pod runs.", "   8 pods named like it were preempted by daemonset/agent in …"},
		},
		"by what was changed": {
			&report.Report{Preempted: &report.Preempted{Names: "api-6c9-…", Count: 8, Last: preempted.Last, By: []report.Preemptor{{
				Kind: "DaemonSet", Namespace: "observability", Name: "agent", Count: 8, Priority: new(int32(900000000)), Rollout: rollout,
			}}}},
			[]string{"   8 pods named like it were preempted by daemonset/agent in", "   observability, which changed: cpu request 2 instead of 1."},
		},
		"beside terminating pods": {
			&report.Report{Preempted: preempted, Terminating: ending},
			[]string{"   It fits a once s/old has terminated, 3m of grace left.", "   8 pods named like it were preempted by daemonset/agent in …"},
		},
		"beside both": {
			&report.Report{Preempted: preempted, Terminating: ending, Rollout: rollout},
			[]string{"   It fits a once s/old has terminated, 3m of grace left.", "   deployment/api changed: cpu request 2 instead of 1; 1 old pod runs."},
		},
		"neither": {&report.Report{}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			r := c.report
			r.Verdict, r.Total, r.Groups = report.Unschedulable, 1, []report.Group{group}
			r.Plugins = []report.PluginResult{{Name: "NodeResourcesFit", Rejects: 1}}
			drawn := &Drawing{Width: 72, Now: now, Fixes: &report.Fixes{None: "No known change would help."}}
			drawn.Take(r, nil)
			want := slices.Concat([]string{"   0 of 1 node fits: resources 1"}, c.want, []string{"   No known change would help."})
			if lines := Short(drawn, 5); !slices.Equal(lines, want) {
				t.Errorf("want %q, got %q", want, lines)
			}
		})
	}
}

// TestAFewLinesKeepOneForTheAutoscaler whatever else there is to tell, and are one more than asked for at most.
func TestAFewLinesKeepOneForTheAutoscaler(t *testing.T) {
	now := time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)
	fixes := &report.Fixes{}
	for range 5 {
		fixes.Tried = append(fixes.Tried, report.Fix{Title: "uncordon a", Verified: true, NodesGained: 1})
	}
	r := &report.Report{
		Verdict: report.Unschedulable, Total: 1, Groups: []report.Group{{Count: 1, Nodes: []string{"a"}, Rejections: []report.Rejection{{Plugin: "NodeResourcesFit", What: "needs cpu 1 more"}}}},
		Plugins:    []report.PluginResult{{Name: "NodeResourcesFit", Rejects: 1}},
		Preempted:  &report.Preempted{Names: "api-6c9-…", Count: 8, By: []report.Preemptor{{Kind: "DaemonSet", Namespace: "observability", Name: "a-long-name-that-needs-a-line", Count: 8}}},
		Autoscaler: []report.AutoscalerWord{{Component: "karpenter", Message: "no instance type", LastSeen: metav1.NewTime(now.Add(-time.Minute))}},
	}
	for rows := 3; rows < 9; rows++ {
		drawn := &Drawing{Width: 72, Now: now, Fixes: fixes, Styles: &themes.Styles{}}
		drawn.Take(r, nil)
		lines := Short(drawn, rows)
		if len(lines) > rows+1 || rows > 3 && lines[len(lines)-1] != "   AUTOSCALER 1m ago: no instance type" {
			t.Errorf("in %d rows: %d lines, %q", rows, len(lines), lines)
		}
	}
}
