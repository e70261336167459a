package plan

import (
	"time"

	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// Progress is how far a job is that ends pods, at one instant. It is shared
// freely and never changed.
type Progress struct {
	ID       int
	Plan     *Plan
	Name     string // "drain std-a-02"
	State    JobState
	Began    time.Time
	Over     time.Time // when it came to its end; zero before
	Pods     []PodProgress
	Why      string // why it cannot go on, was stopped, or was not all there was to do; "" while all is well
	Revision int    // grows with each change
}

// JobState is what a job is at.
type JobState string

// The states of a job.
const (
	JobRuns    JobState = "running"
	JobPaused  JobState = "paused" // what was asked goes on; nothing more is
	JobStopped JobState = "stopped"
	JobDone    JobState = "done" // every pod is gone, or will not go: see Pods
)

// PodProgress is how far one pod of a job is.
type PodProgress struct {
	Pod    model.Ref // this very pod
	State  PodState
	Since  time.Time     // when it came into that state; of PodLeft, into the one in which it was left
	Again  time.Time     // when it is asked again, of PodRefused, and of PodWaits where there was no answer
	Grace  time.Duration // what its containers get to end
	Budget string        // of PodRefused, and of PodLeft after it: the budget that refused, where it is known
	Said   string        // the API server's words, or why there was no answer; "" where all is well
	Help   string        // what to do about it, of PodFailed; of PodTerminating what holds it beyond Grace
	// Back is the pod that its controller made in its place; zero before, and
	// where nobody makes one.
	Back     model.Ref
	BackNode string // where Back is; "" while it is Pending
}

// PodState is what a pod of a job is at.
type PodState string

// The states of a pod of a job.
const (
	PodWaits       PodState = "waiting" // nothing was asked yet
	PodAsked       PodState = "asked"   // the server accepted, nothing is seen of it yet
	PodRefused     PodState = "refused" // by a PodDisruptionBudget: it is asked again
	PodTerminating PodState = "terminating"
	PodGone        PodState = "gone"
	PodFailed      PodState = "failed" // it is not asked again: Said tells why
	PodLeft        PodState = "left"   // the job was stopped before it was asked
)

// Count counts the pods in a state.
func (p *Progress) Count(state PodState) int {
	n := 0
	for i := range p.Pods {
		if p.Pods[i].State == state {
			n++
		}
	}
	return n
}

// Live says whether the job may still send something.
func (p *Progress) Live() bool { return p.State == JobRuns || p.State == JobPaused }
