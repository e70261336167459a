// Package lesson draws a lesson that is being taken on the embedded cluster, in a panel
// beside the page, and lists what a trainer can inject faults into.
package lesson

import "context"

// Lesson is a lesson that is being taken on the embedded cluster.
type Lesson interface {
	// State is its current state.
	State() State
	// Changed waits until the state differs from that of a revision.
	Changed(ctx context.Context, revision int) error
	// Answer answers the open prediction, counted from 1.
	Answer(n int)
	// Skip leaves the open prediction without an answer. It counts as not correct.
	Skip()
	// Hint gives one more hint for the step, if there is one.
	Hint()
	// Next starts the next step, if it may start.
	Next(ctx context.Context) error
}

// State is the state of a lesson at one instant.
type State struct {
	Revision   int // grows with each change
	Number, Of int // of the built-in lessons; 0 for one of a file
	Title      string
	Story      string
	Step       int // counted from 1
	Steps      int
	Say        string // the step's text
	Question   string // of the step's prediction; "" if there is none
	Answers    []string
	Answered   int      // counted from 1; 0 while the question is open, below 0 if it was skipped
	Right      int      // the right answer; 0 while the question is open
	Because    string   // the reason; "" while the question is open
	Foretold   bool     // the cluster will show the right answer: Ready says when it does
	Faults     []string // the effects of faults so far
	Goal       string
	Now        string   // the progress towards the goal
	Hints      []string // given for the step
	HintsLeft  int
	Ready      bool // the next step may start
	Reached    bool
	Failed     string // why it must be reset; "" if it need not
	Learned    string // the explanation at the end; "" before
	Link       string
	Next       string // the name of the next lesson; "" if there is none
	NextTitle  string
	RightSoFar int      // predictions that were correct
	AskedSoFar int      // of how many
	Outline    []string // the text of each step
	GoingTo    int      // the step to go to, counted from 1; 0 is none
	Unfinished []int    // steps before it that did not finish
	Led        bool     // an instructor helped: it does not count as passed
	Trouble    string
}

// IsOpen says whether the step's prediction waits for an answer.
func (s *State) IsOpen() bool { return s.Question != "" && s.Answered == 0 }

// Panel shows a lesson beside the dashboard.
type Panel struct {
	Taken   Lesson // nil if there is none
	State   State
	Begun   bool // the story was read
	Entered bool // the panel has the keys
	Large   bool // with blank lines between its parts, and one answer per line

	needs int // lines of its text when it was last shown
	top   int // first line shown
}

// Hides says whether explanations are hidden: a prediction waits for its answer.
func (p *Panel) Hides() bool {
	s := &p.State
	return p.Taken != nil && s.IsOpen() && s.GoingTo == 0 && !s.Reached && s.Failed == ""
}
