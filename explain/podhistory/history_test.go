package podhistory

import (
	"testing"
	"time"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
)

// lookedAt is a history of verdicts from step 9 back; "?" is a step that could not
// be read, and a verdict with a ! one of a pod that was not there.
func lookedAt(verdicts ...string) *History {
	h := &History{Step: 9}
	for i, v := range verdicts {
		step := 9 - i
		taken := time.Unix(int64(step), 0)
		switch {
		case v == "?":
			h.Add(step, taken, false, "", "it is empty")
		case v[len(v)-1] == '!':
			h.Add(step, taken, false, report.Verdict(v[:len(v)-1]), "told")
		default:
			h.Add(step, taken, true, report.Verdict(v), "told")
		}
	}
	return h
}

func TestAHistoryIsToldInASentence(t *testing.T) {
	no, yes := string(report.Unschedulable), string(report.Schedulable)
	node := func(name string, takers ...string) FittedNode {
		n := FittedNode{Name: name}
		for _, t := range takers {
			n.Takers = append(n.Takers, Taker{Name: t, Node: name})
		}
		return n
	}
	for name, test := range map[string]struct {
		history *History
		fitted  *Fitted
		going   bool
		want    string
		since   int
		came    int
		known   bool
	}{
		"nothing yet":            {history: lookedAt(), going: true, want: "Searching the steps before."},
		"on the way":             {history: lookedAt(no, no), going: true, want: "Searching: no node fits from step 8 on; step 7 is next.", since: 8, came: 8},
		"past a step not read":   {history: lookedAt(no, "?"), going: true, want: "Searching: no node fits from step 9 on; step 7 is next.", since: 9, came: 9},
		"never":                  {history: lookedAt(no, no, no, no, no, no, no, no, no), want: "No node fit at any step.", since: 1, came: 1, known: true},
		"never, and came late":   {history: lookedAt(no, no, no+"!", no+"!", no+"!", no+"!", no+"!", no+"!", no+"!"), want: "No node fit at any step.", since: 1, came: 8, known: true},
		"gated until the end":    {history: lookedAt(string(report.Gated), string(report.Gated), no), want: "From step 8 on, the pod is gated.", since: 8, came: 7},
		"gated from the first":   {history: lookedAt(string(report.Gated), string(report.Gated), "?", "?", "?", "?", "?", "?", string(report.Gated)), want: "From the first step on, the pod is gated.", since: 1, came: 1, known: true},
		"it fits":                {history: lookedAt(yes, "?", no), want: "From step 9 on, a node fits.", since: 9, came: 7},
		"one took it":            {history: lookedAt(no, no, yes), fitted: &Fitted{Step: 7, Next: 8, Nodes: []FittedNode{node("a", "x"), node("b")}}, want: "No node has fit since step 8: x took the capacity on a.", since: 8, came: 7},
		"three took it":          {history: lookedAt(no, yes), fitted: &Fitted{Step: 8, Next: 9, Nodes: []FittedNode{node("a", "x", "y"), node("b", "z")}}, want: "No node has fit since step 9: x and 2 more took the capacity.", since: 9, came: 8},
		"a node is another":      {history: lookedAt(no, yes), fitted: &Fitted{Step: 8, Next: 9, Nodes: []FittedNode{{Name: "a"}, {Name: "b", Changes: []string{"cordoned", "x"}}}}, want: "No node has fit since step 9: b cordoned.", since: 9, came: 8},
		"nobody knows":           {history: lookedAt(no, yes), fitted: &Fitted{Step: 8, Next: 9, Nodes: []FittedNode{node("a"), node("b"), node("c"), node("d")}}, want: "No node has fit since step 9: what changed on a, b, c and 1 more is unknown.", since: 9, came: 8},
		"not decided":            {history: lookedAt(string(report.Unknown), yes), want: "From step 9 on, it is unknown.", since: 9, came: 8},
		"nobody looks after it":  {history: lookedAt(string(report.NotConsidered), no), want: "From step 9 on, no scheduler considers it.", since: 9, came: 8},
		"it was refused":         {history: lookedAt(string(report.NotCreated), no+"!"), want: "From step 9 on, the pod is not created.", since: 9, came: 9, known: true},
		"its victims are ending": {history: lookedAt(string(report.Preempting), no), want: "From step 9 on, its victims are terminating.", since: 9, came: 8},
	} {
		test.history.Fitted, test.history.Done = test.fitted, !test.going
		since, _ := test.history.Since()
		came, known := test.history.Came()
		if got := test.history.Sentence(); got != test.want || since != test.since || came != test.came || known != test.known {
			t.Errorf("%s: %q since step %d, came at %d (%t), want %q since %d, at %d (%t)", name, got, since, came, known, test.want, test.since, test.came, test.known)
		}
	}
}

func TestStepsOfOneAnswerAreOneSpan(t *testing.T) {
	h := lookedAt(string(report.Unschedulable), string(report.Unschedulable), "?", "?", string(report.Unschedulable)+"!", string(report.Unschedulable))
	want := [][2]int{{8, 9}, {6, 7}, {5, 5}, {4, 4}}
	for i, s := range h.Spans {
		if i >= len(want) || [2]int{s.First, s.Last} != want[i] || s.Began.Unix() != int64(s.First) || s.Ended.Unix() != int64(s.Last) {
			t.Errorf("span %d is %+v", i, s)
		}
	}
	if len(h.Spans) != len(want) {
		t.Errorf("%d spans, want %d", len(h.Spans), len(want))
	}
}
