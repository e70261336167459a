package plan

import "time"

// Entry is one thing that was done, for the activity log. It never holds secrets:
// neither objects nor values of annotations are in it.
type Entry struct {
	At      time.Time `json:"at"`
	User    string    `json:"user"`    // who, as far as the kubeconfig tells
	Context string    `json:"context"` // which cluster
	Did     string    `json:"did"`     // "cordon std-b-02"
	Result  string    `json:"result"`  // "done", "11 of 11 gone", or the API server's words
	OK      bool      `json:"ok"`

	ID   int    `json:"-"` // 0: of an earlier run
	Undo Action `json:"-"` // nil: nothing takes it back, or that was done
	Job  int    `json:"-"` // the job that it began; 0 without one
}

// Ran is what came of a run.
type Ran struct {
	Stopped []string // jobs that were stopped before: "drain std-a-02"
	Changed []Change // those that were made
	Entry   Entry
	Job     int // the job that ends the plan's pods; 0 where none has to end
}
