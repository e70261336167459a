package page

import (
	"fmt"
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
	recorded  []map[string]int
	namespace string
}

// Record takes in how many pods of each namespace were pending at steps of a recording, spread over all of them; nil
// where that cannot be read.
func (w *Waiting) Record(steps []map[string]int) { w.recorded = steps }

// Take takes in the newest snapshot. A file is not lived through: it has no trend, and a recording that of its steps.
func (w *Waiting) Take(o *Observed, namespace string) {
	if o.IsReading() {
		return
	}
	if w.namespace != namespace {
		*w = Waiting{namespace: namespace, recorded: w.recorded}
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

// Trends are how the number has changed lately, with a sparkline, "+3 in 5m ▁▁▂▂▄▅█", or over the steps of a recording,
// "steps 1–60 ▁▁▂▂▄▅█▃": the longest first. There are none while that is too early to tell.
func (w *Waiting) Trends(o *Observed) (all []string) {
	if o.IsSnapshot() {
		return w.overSteps(o.Snapshot.Status.Steps)
	}
	words := w.trend.Words(o.At)
	if words == "" {
		return nil
	}
	for _, width := range sparks {
		all = append(all, words+" "+w.trend.Spark(width, o.At))
	}
	return append(all, words)
}

// overSteps are the sparkline over all steps of a recording, with words and without. A step that cannot be read is ?.
func (w *Waiting) overSteps(all int) []string {
	if len(w.recorded) < 2 {
		return nil
	}
	var counts []int
	for _, pods := range w.recorded {
		count := 0
		for name, n := range pods {
			if w.namespace == "" || name == w.namespace {
				count += n
			}
		}
		if pods == nil {
			count = gauge.Unmeasured
		}
		counts = append(counts, count)
	}
	spark := gauge.Sparkline(counts)
	return []string{fmt.Sprintf("steps 1–%s ", model.FormatCount(all)) + spark, spark}
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
