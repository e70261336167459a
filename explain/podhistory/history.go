// Package podhistory holds what the steps of a recording tell of a pending pod, and words it.
package podhistory

import (
	"time"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
)

// History is what the steps of a recording tell of a pod that waits: since when,
// and who came to the nodes that would have taken it. Steps count from 1.
type History struct {
	Step   int     // at which it is asked
	Spans  []Span  // from there back, the newest first
	Fitted *Fitted // the last step at which a node would have taken it; nil: none was found
	Done   bool    // all was looked at that there is to look at
}

// Span is steps that follow each other and give the same answer.
type Span struct {
	First, Last  int
	Began, Ended time.Time      // when these two were taken
	There        bool           // the pod was there; where it was not, the answer is what would have become of it
	Verdict      report.Verdict // "" where a step could not be read
	Words        string         // the summary of the last of them, or why it could not be read
}

// Fitted is the last step at which some node would have taken the pod, and what
// happened to these nodes until the next.
type Fitted struct {
	Step, Next   int // Next is the first after it that could be read: no node fits there
	Taken, Later time.Time
	Nodes        []FittedNode // those first that something is known of
}

// FittedNode is a node that would have taken the pod.
type FittedNode struct {
	Name    string
	Changes []string // of the node itself
	Takers  []Taker  // pods that got a node meanwhile, without which the pod would fit here
	Alone   bool     // each of the takers keeps the pod away by itself; else it is all of them together
	Untold  string   // why no takers are told; "" where some are, or none is to blame
}

// Taker is a pod that took room.
type Taker struct {
	Namespace, Name string
	Node            string
	Holds           string // "cpu 4, memory 8Gi"
}

// Add puts the answer of the step before in front of what is known.
func (h *History) Add(step int, taken time.Time, there bool, verdict report.Verdict, words string) {
	if n := len(h.Spans); n > 0 {
		last := &h.Spans[n-1]
		if last.Verdict == verdict && last.There == there && (verdict != "" || last.Words == words) {
			last.First, last.Began = step, taken
			return
		}
	}
	h.Spans = append(h.Spans, Span{First: step, Last: step, Began: taken, Ended: taken, There: there, Verdict: verdict, Words: words})
}

// Since is the first of the steps, back from the one that is asked of, at which
// the answer is the present one: steps that could not be read do not count, nor
// whether the pod was there yet.
func (h *History) Since() (step int, taken time.Time) {
	for _, s := range h.Spans {
		if s.Verdict == "" {
			continue
		}
		if s.Verdict != h.Spans[0].Verdict {
			break
		}
		step, taken = s.First, s.Began
	}
	return step, taken
}

// Came is the first step at which the pod is there, if it is known that it was not
// there before.
func (h *History) Came() (step int, known bool) {
	for _, s := range h.Spans {
		switch {
		case s.Verdict == "":
		case s.There:
			step = s.First
		default:
			return step, step > 0
		}
	}
	return step, step == 1
}
