package pending

import (
	"context"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/query"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page/fixes"
)

const (
	// restMoved is in place of page.RestLeast while a row in view is outdated.
	restMoved = 10 * time.Millisecond
	// lookAgain is after how long a verdict that shows is renewed where no change bears on it: it also
	// tells of events, Leases and quotas.
	lookAgain = 15 * time.Second
	// lookAgainOutside is the same for one out of view, by which rows are neither filtered nor sorted. Once it comes
	// into view it is renewed with the next snapshot.
	lookAgainOutside = time.Minute
)

// Verdicts keeps the newest explanation of each pending kind.
type Verdicts struct {
	Known  map[string]Verdict // by a kind's key
	Asking bool               // one is under way
	Stop   context.CancelFunc // ends it
	Hidden bool               // until a prediction of a lesson is answered

	host    page.Host
	about   string    // the key of the kind that is asked about
	resting bool      // none is renewed until RestedMsg
	outside bool      // the next renewal is of a kind out of view
	since   int64     // of a recording: answers of an earlier revision are of another step
	due     bool      // verdicts arrived by which rows are not yet filtered and sorted
	applied time.Time // when they last were
	below   *preview  // of the selected row; nil: there is no page of them
}

// Verdict is one explanation, and the state that it was made for.
type Verdict struct {
	Report   *report.Report // nil where there was an error
	Revision int64

	of *model.EquivalenceClass // the kind as it was
	at time.Time               // when it was asked for
}

// NewVerdicts knows nothing yet.
func NewVerdicts(h page.Host) Verdicts { return Verdicts{host: h, Known: map[string]Verdict{}} }

// Restart forgets all: they do not hold for a revision, nor for those after it.
func (v *Verdicts) Restart(revision int64) {
	*v = Verdicts{host: v.host, Known: map[string]Verdict{}, Asking: v.Asking, about: v.about, Stop: v.Stop, since: revision, below: v.below}
}

// Of is the newest explanation of the kind, nil if there is none yet or it is hidden.
func (v *Verdicts) Of(kind *model.EquivalenceClass) *report.Report {
	if v.Hidden {
		return nil
	}
	return v.Known[kind.Key].Report
}

// Tried are the fixes of a pod that were simulated for the preview, if they are of the present
// state.
func (v *Verdicts) Tried(pod types.UID) fixes.Poll {
	if v.Hidden || v.below == nil || v.below.of != pod {
		return fixes.Poll{}
	}
	return page.Lent(&v.below.tries, v.host.Observed())
}

// answered says whether a kind was asked about already; it may still have no
// explanation.
func (v *Verdicts) answered(row query.PendingRow) bool {
	_, ok := v.Known[row.Kind.Key]
	return ok
}

// outdated reports whether the cluster changed since the kind was explained, so that
// its verdict may be different now.
func (v *Verdicts) outdated(kind *model.EquivalenceClass) bool {
	known := v.Known[kind.Key]
	return known.Report != nil && max(known.Revision, known.Report.Revision) < v.host.Observed().Snapshot.Moved && !v.host.Observed().IsReading()
}

// isDue reports whether a kind with a verdict of an older revision is to be explained
// again: a change bears on which nodes fit, or a pod of the kind changed, or it was
// long ago. One shows that is in view, or by which rows are filtered or sorted.
func (v *Verdicts) isDue(kind *model.EquivalenceClass, shows bool) bool {
	after := lookAgainOutside
	if shows {
		after = lookAgain
	}
	o, known := v.host.Observed(), v.Known[kind.Key]
	isMoved := o.Snapshot.Moved == 0 || known.Revision < o.Snapshot.Moved
	return isMoved || known.of != kind || o.At.Sub(known.at) >= after
}

type (
	// ExplainedMsg is the explanation of a kind.
	ExplainedMsg struct {
		Key     string
		Verdict Verdict
		Took    time.Duration
		Stopped bool // nothing waited for it any more
	}
	// RestedMsg says that verdicts may be renewed again.
	RestedMsg struct{}
)
