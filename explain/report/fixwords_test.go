package report

import "testing"

func TestFixesThatCouldNotBeEvaluatedDoNotCountAsNotWorking(t *testing.T) {
	unknown := Fix{Open: true, Remaining: []string{"unknown: required objects could not be read"}}
	may := Fix{NodesGained: 1, Unless: []Unless{{Who: "a pending api pod", How: "may be scheduled there first", Simulations: 1, Of: 8}}}
	not, works := Fix{Remaining: []string{"needs cpu 1 more"}}, Fix{Verified: true}
	for _, c := range []struct {
		tried            []Fix
		counts, sentence string
	}{
		{[]Fix{unknown, unknown}, "2 are unknown", "No fix is known to work: 2 are unknown."},
		{[]Fix{not, unknown}, "1 does not, 1 is unknown", "No fix is known to work: 1 does not, 1 is unknown."},
		{[]Fix{not, not}, "2 do not work", "No fix works: 2 simulated, none is enough."},
		{[]Fix{works, not, unknown}, "1 works, 1 does not, 1 is unknown", "1 fix works, 1 does not, 1 is unknown."},
		{[]Fix{may, not, unknown}, "1 may work, 1 does not, 1 is unknown", "No fix is certain to work: 1 may work, 1 does not, 1 is unknown."},
		{[]Fix{works, may, not}, "1 works, 1 may work, 1 does not", "1 fix works, 1 may work, 1 does not."},
	} {
		fixes := &Fixes{Tried: c.tried}
		if got := fixes.Counts(); got != c.counts {
			t.Errorf("counts %q, want %q", got, c.counts)
		}
		if got := fixes.Sentence(); got != c.sentence {
			t.Errorf("sentence %q, want %q", got, c.sentence)
		}
	}
}
