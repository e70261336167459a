package report

import "slices"

// NodeScore is what one plugin gives one node.
type NodeScore struct {
	Node   string `json:"node"`
	Score  int64  `json:"score"`  // 0 to 100, normalised over the nodes that fit
	Weight int64  `json:"weight"` // the profile's, by which the score is multiplied

	Plugin string `json:"-"`
	Raw    int64  `json:"-"` // before it was normalised
}

// The stages of the scheduler's way, in their order. PreScore is told with Score.
const (
	StageQueue      = "PreEnqueue"
	StagePreFilter  = "PreFilter"
	StageFilter     = "Filter"
	StagePostFilter = "PostFilter"
	StagePreScore   = "PreScore"
	StageScore      = "Score"
	StageBind       = "Bind"
)

// Outcome is what a stage, or a plugin in it, comes to.
type Outcome string

// The outcomes of a stage or a step.
const (
	Passed    Outcome = "passed"
	Rejected  Outcome = "rejected"
	Skipped   Outcome = "skipped"     // the plugin has nothing to say about this pod
	Unreached Outcome = "not reached" // the cycle ends before
	Open      Outcome = "unknown"     // what decides could not be read
)

// SchedulingCycle is the scheduler's way for one pod, stage by stage, in the present state:
// not that of its last attempt.
type SchedulingCycle struct {
	Stages  []Stage      // in their order
	Ranked  []RankedNode // those that fit, best first
	Sample  int          // how many nodes that fit the scheduler looks for
	Likely  bool         // it does not look at all that fit: the first is likely, not sure
	Running string       // the node that the pod is on; the way is that of the same pod, taken off it
	Where   string       // where it would go and by how much, or why there; a sentence, "" where no node fits
}

// Stage is one extension point, or the queue before them.
type Stage struct {
	Name    string
	Outcome Outcome
	From    int    // nodes before it
	To      int    // nodes after it
	Words   string // what it does, or why the way does not come there: a sentence
	Steps   []Step // its plugins, in their order
}

// Step is what one plugin did in a stage. Its JSON is a contract; what JSON
// leaves out is for the screens.
type Step struct {
	Stage    string      `json:"stage"`
	Plugin   string      `json:"plugin"`
	Asked    int         `json:"checked"`  // nodes; the queue and PreFilter count all of them
	Rejected *int        `json:"rejected"` // of those; null: unknown
	Left     int         `json:"left"`     // that nothing has refused so far
	Scores   []NodeScore `json:"scores"`   // of Score, best node first

	Outcome Outcome  `json:"-"`
	What    string   `json:"-"` // what it refused, or why it says nothing: a clause
	Detail  string   `json:"-"` // the same with the nodes' names: a sentence
	Nodes   []string `json:"-"` // that it refused, nearest first
}

// RankedNode is one node that fits, with what the plugins give it.
type RankedNode struct {
	Node   string
	Total  int64 // of score × weight
	First  bool  // no node has more
	Scores []NodeScore
}

// Stage is the one of that name.
func (w *SchedulingCycle) Stage(name string) *Stage {
	at := slices.IndexFunc(w.Stages, func(s Stage) bool { return s.Name == name })
	return &w.Stages[at]
}

// Silent makes the step one that no node was asked in.
func (s Step) Silent(outcome Outcome, what string) Step {
	s.Asked, s.Outcome, s.What = 0, outcome, what
	if outcome == Open {
		s.Rejected = nil
	}
	return s
}

// Firsts are the nodes that no other outranks.
func (w *SchedulingCycle) Firsts() []string {
	var tie []string
	for _, node := range w.Ranked {
		if node.First {
			tie = append(tie, node.Node)
		}
	}
	return tie
}
