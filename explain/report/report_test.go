package report

import (
	"strings"
	"testing"
)

func TestTheBlockingPluginIsThatOfTheClosestCause(t *testing.T) {
	taint := Rejection{Plugin: "TaintToleration", Cause: "taint"}
	cpu := Rejection{Plugin: "NodeResourcesFit", Cause: "cpu", Numbers: []Number{{Resource: "cpu"}}}
	groups := []Group{{Rejections: []Rejection{taint}}, {Rejections: []Rejection{taint, cpu}}}
	for name, c := range map[string]struct {
		report Report
		want   string
	}{
		"that of the closest group":       {Report{Verdict: Unschedulable, BlockedBy: "taint", Groups: groups}, "TaintToleration"},
		"that of a later group":           {Report{Verdict: Unschedulable, BlockedBy: "cpu", Groups: groups}, "NodeResourcesFit"},
		"too large is about what is free": {Report{Verdict: Unschedulable, BlockedBy: TooLarge, Groups: groups}, "NodeResourcesFit"},
		"another resource than the first": {Report{Verdict: Unschedulable, BlockedBy: "gpu", Groups: []Group{{Rejections: []Rejection{
			{Plugin: "NodeResourcesFit", Cause: "cpu", Numbers: []Number{{Resource: "cpu"}, {Resource: "nvidia.com/gpu"}}},
		}}}}, "NodeResourcesFit"},
		"what is not known is in the way": {Report{Verdict: Unknown, BlockedBy: "taint", Groups: groups}, "TaintToleration"},
		"its group waits, not the pod":    {Report{Verdict: Unschedulable, BlockedBy: "gang", Groups: groups}, ""},
		"a gate, whatever nodes say":      {Report{Verdict: Gated, BlockedBy: "gate", Groups: groups}, ""},
		"no scheduler takes it":           {Report{Verdict: NotConsidered, BlockedBy: "no scheduler", Groups: groups}, ""},
	} {
		if got := BlockingPlugin(&c.report); got != c.want {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
}

func TestTheNumberThatFitsVariesOnlyWhereItCan(t *testing.T) {
	for _, test := range []struct {
		placed, asked int
		other         string
	}{{0, 5, ""}, {1, 1, ""}, {1, 5, "more"}, {12, 12, "fewer"}, {3, 12, "more or fewer"}} {
		if got := FitChance(test.placed, test.asked); got != "" && !strings.HasSuffix(got, " so it may be "+test.other) || (got == "") != (test.other == "") {
			t.Errorf("%d of %d: %q, want %q", test.placed, test.asked, got, test.other)
		}
	}
}
