package gauge

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// Trend is how a count has developed since it was first seen. The zero value has seen
// nothing.
type Trend struct {
	samples []sample
	step    time.Duration // between two samples
}

// sample is the count from a time on.
type sample struct {
	at    time.Time
	count int
}

const (
	firstStep   = 5 * time.Second
	mostSamples = 240
	// recent is how far back a change is told of; a younger Trend tells of its whole time.
	recent = 5 * time.Minute
	// young is the age from which a Trend tells anything.
	young = time.Minute
)

// Add notes the count at a time. Times do not go back.
func (t *Trend) Add(at time.Time, count int) {
	last := len(t.samples) - 1
	switch {
	case last < 0:
		t.step = firstStep
	case at.Sub(t.samples[last].at) < t.step && last > 0:
		t.samples[last].count = count
		return
	}
	t.samples = append(t.samples, sample{at, count})
	if len(t.samples) <= mostSamples {
		return
	}
	t.step *= 2
	kept := t.samples[:1]
	for _, s := range t.samples[1:] {
		if s.at.Sub(kept[len(kept)-1].at) >= t.step {
			kept = append(kept, s)
		}
	}
	t.samples = append(kept, t.samples[len(t.samples)-1])
	t.samples = slices.Compact(t.samples)
}

// at is the count at a time that the Trend has seen.
func (t *Trend) at(when time.Time) int {
	count := t.samples[0].count
	for _, s := range t.samples {
		if s.at.After(when) {
			break
		}
		count = s.count
	}
	return count
}

// Words are how the count has changed lately: "+3 in 5m", "±0 in 2m"; "" while that is
// too early to tell.
func (t *Trend) Words(now time.Time) string {
	if len(t.samples) == 0 || now.Sub(t.samples[0].at) < young {
		return ""
	}
	from := now.Add(-recent)
	if from.Before(t.samples[0].at) {
		from = t.samples[0].at
	}
	change := t.at(now) - t.at(from)
	if change == 0 {
		return "±0 in " + model.FormatAge(from, now)
	}
	return fmt.Sprintf("%+d in %s", change, model.FormatAge(from, now))
}

// levels are the heights of a sparkline.
var levels = []rune("▁▂▃▄▅▆▇█")

// Spark draws the counts since the beginning in so many cells, as Sparkline; "" while that is too
// early to tell.
func (t *Trend) Spark(width int, now time.Time) string {
	if t.Words(now) == "" {
		return ""
	}
	counts := make([]int, width)
	since := now.Sub(t.samples[0].at)
	for i := range counts {
		counts[i] = t.at(t.samples[0].at.Add(since * time.Duration(i+1) / time.Duration(width)))
	}
	return Sparkline(counts)
}

// leastSpan is the difference of two counts that a sparkline draws from its bottom to its top at
// least, so that one pod more is a small step.
const leastSpan = 8

// Sparkline draws counts in a cell each, on a scale that begins with the least of them and has room
// for half of the greatest and for leastSpan: what changes little looks so. One that is Unmeasured
// is ?.
func Sparkline(counts []int) string {
	known := slices.DeleteFunc(slices.Clone(counts), func(count int) bool { return count == Unmeasured })
	if len(known) == 0 {
		return strings.Repeat(model.UnknownFigure, len(counts))
	}
	least, most := slices.Min(known), slices.Max(known)
	span := max(most-least, most/2, leastSpan)
	var drawn strings.Builder
	for _, count := range counts {
		if count == Unmeasured {
			drawn.WriteString(model.UnknownFigure)
			continue
		}
		drawn.WriteRune(levels[((count-least)*(len(levels)-1)+span/2)/span])
	}
	return drawn.String()
}
