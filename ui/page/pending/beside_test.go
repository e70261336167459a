package pending

import (
	"testing"

	"github.com/kubectl-fathom/kubectl-fathom/ui/cells"
)

func TestTheAgeOfTheOldestAndTheTrendStandBesideAnAnswerAsFarAsThereIsRoom(t *testing.T) {
	for _, c := range []struct {
		answer, screen int
		want           beside
	}{
		{30, 120, beside{" Oldest pending 60m.", "±0 in 2m ▁▁▁▁▁▁▁▁"}},
		{80, 120, beside{" Oldest pending 60m.", "±0 in 2m ▁▁▁▁▁▁▁▁"}},
		{84, 120, beside{" Oldest 60m.", "±0 in 2m ▁▁▁▁▁▁▁▁"}},
		{90, 120, beside{" Oldest 60m.", "±0 in 2m ▁▁▁▁"}},
		{96, 120, beside{" Oldest 60m.", "±0 in 2m"}},
		{99, 120, beside{oldest: " Oldest 60m."}},
		{110, 120, beside{}},
		{60, cells.WideFrom - 1, beside{oldest: " Oldest pending 60m."}},
		{70, 85, beside{oldest: " Oldest 60m."}},
	} {
		if got := besideOf(c.answer, c.screen-1, "60m", []string{"±0 in 2m ▁▁▁▁▁▁▁▁", "±0 in 2m ▁▁▁▁", "±0 in 2m"}); got != c.want {
			t.Errorf("beside %d of %d cells: %q, want %q", c.answer, c.screen, got, c.want)
		}
	}
}
