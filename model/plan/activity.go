package plan

import "time"

// Entry is one change in the activity log. It never holds secrets: neither objects
// nor values of annotations are in it.
type Entry struct {
	At      time.Time `json:"at"`
	User    string    `json:"user"`    // as the kubeconfig names them
	Context string    `json:"context"` // which cluster
	Did     string    `json:"action"`  // "cordon std-b-02"
	Result  string    `json:"result"`  // "done", "11 of 11 evicted", or the API server's message
	OK      bool      `json:"ok"`
	// Then is what became of the pod that it was a fix for: "cart-0 on std-b-02"; "" where
	// it was none, or that is not known yet.
	Then string `json:"outcome,omitempty"`

	ID   int    `json:"-"` // 0: of an earlier session
	Undo Action `json:"-"` // nil: it cannot be undone, or was undone
	Job  int    `json:"-"` // the job that it began; 0 without one
	// Final says why it cannot be undone; "" if it could be.
	Final string `json:"-"`
}

// Came is the result, with what became of the pod that the change was a fix for.
func (e Entry) Came() string {
	if e.Then == "" {
		return e.Result
	}
	return e.Result + " → " + e.Then
}

// Ran is the result of running a plan.
type Ran struct {
	Stopped []string // jobs that were stopped first: "drain std-a-02"
	Changed []Change // that were made
	Entry   Entry
	Job     int // the job that terminates the plan's pods; 0 without one
}
