package plan

import (
	"fmt"
	"time"

	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// Progress is how far a job is that evicts or deletes pods, at one instant. It is
// shared freely and never changed.
type Progress struct {
	ID       int
	Plan     *Plan
	Name     string // "drain std-a-02"
	State    JobState
	Began    time.Time
	Over     time.Time // when it ended; zero before
	Pods     []PodProgress
	Why      string // why it cannot continue, was stopped, or is incomplete; "" while all is well
	Revision int    // grows with each change
}

// JobState is the state of a job.
type JobState string

// The states of a job.
const (
	JobRuns    JobState = "running"
	JobPaused  JobState = "paused" // accepted evictions continue; no more are sent
	JobStopped JobState = "stopped"
	JobDone    JobState = "done" // each pod was evicted or deleted, or will not be: see Pods
)

// PodProgress is how far one pod of a job is.
type PodProgress struct {
	Pod    model.Ref // this very pod
	State  PodState
	Since  time.Time     // since when it is in that state; of PodLeft, in the state before
	Again  time.Time     // when it is tried again, of PodBlocked, and of PodWaits where there was no answer
	Grace  time.Duration // its grace period
	Budget string        // of PodBlocked, and of PodLeft after it: the budget that blocks it, where it is known
	Said   string        // the API server's message, or why there was no answer; "" where all is well
	Help   string        // what to do about it, of PodFailed; of PodTerminating what keeps it beyond Grace
	// Back is the replacement that its controller created; zero before, and where
	// no controller creates one.
	Back     model.Ref
	BackNode string // where Back is; "" while it is Pending
}

// PodState is the state of a pod of a job.
type PodState string

// The states of a pod of a job.
const (
	PodWaits       PodState = "waiting"  // nothing was sent yet
	PodAsked       PodState = "accepted" // by the server; the pod is not terminating yet
	PodBlocked     PodState = "blocked"  // by a PodDisruptionBudget: it is tried again
	PodTerminating PodState = "terminating"
	PodGone        PodState = "gone"
	PodFailed      PodState = "failed" // it is not tried again: Said says why
	PodLeft        PodState = "left"   // the job was stopped before the server accepted anything
	// PodUnknown says that the job was stopped before it was clear whether the server had done what was requested of it.
	PodUnknown PodState = "unknown"
)

// Word words the state of a pod of the job: "evicted", and "deleted" where the job
// deletes pods.
func (p *Progress) Word(state PodState) string {
	done := "evicted"
	if p.Plan != nil && p.Plan.Action != nil {
		if _, deletes := p.Plan.Action.(Delete); deletes {
			done = "deleted"
		}
	}
	switch state {
	case PodGone:
		return done
	case PodLeft:
		return "not " + done
	case PodAsked:
		return map[string]string{"evicted": "eviction", "deleted": "deletion"}[done] + " accepted"
	}
	return string(state)
}

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

// Live says whether the job may still send requests.
func (p *Progress) Live() bool { return p.State == JobRuns || p.State == JobPaused }

// GoneAlready is the Help of a pod in the state PodGone that its job neither evicted nor
// deleted.
const GoneAlready = "gone already, not by fathom"

// GoneAlready reports whether the pod is gone without anything that the job requested.
func (p *PodProgress) GoneAlready() bool { return p.State == PodGone && p.Help == GoneAlready }

// CountGoneAlready counts the pods of the state PodGone that the job neither evicted nor
// deleted.
func (p *Progress) CountGoneAlready() int {
	n := 0
	for i := range p.Pods {
		if p.Pods[i].GoneAlready() {
			n++
		}
	}
	return n
}

// Evicted counts the pods that are gone because of the job.
func (p *Progress) Evicted() int { return p.Count(PodGone) - p.CountGoneAlready() }

// AlreadyWords follow the number of evicted pods: ", 1 gone already"; "" where none was.
func (p *Progress) AlreadyWords() string {
	if n := p.CountGoneAlready(); n > 0 {
		return fmt.Sprintf(", %d gone already", n)
	}
	return ""
}
