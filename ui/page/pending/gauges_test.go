package pending

import (
	"testing"
	"time"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/ui/cells"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page"
)

func TestTheTrendIsShownFromAScreenThatIsWide(t *testing.T) {
	var pending trend
	at := time.Unix(0, 0)
	for i := range 6 {
		pending.Add(at.Add(time.Duration(i)*time.Minute), i)
	}
	o := &page.Observed{Snapshot: &model.Snapshot{}, At: at.Add(5 * time.Minute)}
	for screen, shown := range map[int]bool{cells.WideFrom - 1: false, cells.WideFrom: true} {
		if got := pending.words(o, screen-1); (got != "") != shown {
			t.Errorf("on a screen of %d cells: %q", screen, got)
		}
	}
}
