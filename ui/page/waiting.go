package page

import (
	"time"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/ui/gauge"
	"github.com/kubectl-fathom/kubectl-fathom/ui/tone"
)

// Waiting is how many pods of a namespace are pending, since when the oldest of them is, and how their number has
// changed. The zero value has seen nothing.
type Waiting struct {
	Pods      int       // that exist
	Oldest    time.Time // zero where none is pending
	trend     gauge.Trend
	namespace string
}

// Take takes in the newest snapshot. A file and a recording are not lived through: they have no trend.
func (w *Waiting) Take(o *Observed, namespace string) {
	if o.IsReading() {
		return
	}
	if w.namespace != namespace {
		*w = Waiting{namespace: namespace}
	}
	w.Pods, w.Oldest = 0, time.Time{}
	for _, kind := range o.Snapshot.Pending {
		if namespace != "" && kind.Namespace() != namespace || kind.NotCreated != nil {
			continue
		}
		w.Pods += kind.Count()
		if since := kind.Since(); w.Oldest.IsZero() || since.Before(w.Oldest) {
			w.Oldest = since
		}
	}
	if !o.IsSnapshot() {
		w.trend.Add(o.At, w.Pods)
	}
}

// sparks are the cells of the sparkline, the most first.
var sparks = []int{8, 4}

// Trends are how the number has changed lately, with a sparkline, "+3 in 5m ▁▁▂▂▄▅█": the longest first. There are
// none while that is too early to tell.
func (w *Waiting) Trends(o *Observed) (all []string) {
	words := w.trend.Words(o.At)
	if words == "" || o.IsSnapshot() {
		return nil
	}
	for _, width := range sparks {
		all = append(all, words+" "+w.trend.Spark(width, o.At))
	}
	return append(all, words)
}

// Endings say at the end of a row of gauges how many pods are pending, for how long the oldest is, and how their number
// has changed: the longest first.
func (w *Waiting) Endings(o *Observed) (all []gauge.Ending) {
	count := model.FormatCount(w.Pods) + " pending"
	whole := count
	if !w.Oldest.IsZero() {
		whole += ", oldest " + o.Since(w.Oldest)
	}
	for _, trend := range w.Trends(o) {
		all = append(all, gauge.Ending{Words: []gauge.Word{{Text: whole}, {Text: trend, Tone: tone.Dim}}})
	}
	return append(all, gauge.Ending{Words: []gauge.Word{{Text: whole}}, Narrow: true}, gauge.Ending{Words: []gauge.Word{{Text: count}}, Narrow: true})
}
