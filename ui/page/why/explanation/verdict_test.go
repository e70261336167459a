package explanation

import (
	"testing"

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
