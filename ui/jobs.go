package ui

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
	"github.com/kubectl-fathom/kubectl-fathom/model/plan"
	"github.com/kubectl-fathom/kubectl-fathom/ui/figures"
)

// jobs follows what ends pods.
type jobs struct {
	app      *App
	all      []*plan.Progress // the newest first
	revision int
	leaving  bool // ctrl-c was pressed while a job runs, and no other key since
}

// jobsMsg brings how far the jobs are that end pods.
type jobsMsg struct {
	opened   int
	jobs     []*plan.Progress
	revision int
}

// nextJobs waits, off the event loop, for the next news of a job.
func (j *jobs) nextJobs() tea.Cmd {
	actor := j.app.actor()
	if actor == nil {
		return nil
	}
	ctx, opened, revision := j.app.ctx, j.app.opened, j.revision
	return func() tea.Msg {
		jobs, revision, err := actor.NextJobs(ctx, revision)
		switch {
		case errors.Is(err, context.Canceled):
			return nil // nobody waits for it any more
		case err != nil:
			return endedMsg{opened, fmt.Errorf("watch jobs: %w", err)}
		}
		return jobsMsg{opened, jobs, revision}
	}
}

// jobViewer is a view that shows jobs.
type jobViewer interface{ showJobs() }

// onJobs takes what is new; a job that came to its end is told.
func (j *jobs) onJobs(msg jobsMsg) tea.Cmd {
	if msg.opened != j.app.opened {
		return nil
	}
	before := j.all
	j.all, j.revision = msg.jobs, msg.revision
	v, shown := j.app.history.top().(jobViewer)
	if shown {
		v.showJobs()
	}
	cmd := j.nextJobs()
	for _, job := range msg.jobs {
		was := jobOf(before, job.ID)
		if !shown && !job.Live() && (was == nil || was.Live()) {
			cmd = tea.Batch(cmd, j.app.said.say(j.app.observed.brief(jobWords(job))))
		}
	}
	return cmd
}

// jobOf finds a job; nil where there is none of that number.
func jobOf(jobs []*plan.Progress, id int) *plan.Progress {
	at := slices.IndexFunc(jobs, func(job *plan.Progress) bool { return job.ID == id })
	if at < 0 {
		return nil
	}
	return jobs[at]
}

// undoOf is the entry of what was done that began the job; the zero Entry where
// nothing undoes that.
func (j *jobs) undoOf(job *plan.Progress) plan.Entry {
	if actor := j.app.actor(); actor != nil {
		for _, entry := range actor.Activity() {
			if entry.ID != 0 && entry.Job == job.ID {
				return entry
			}
		}
	}
	return plan.Entry{ID: -1}
}

// draining are the jobs that drain the nodes now, the newest first; nil where one
// of the nodes is not drained.
func (j *jobs) draining(nodes []*model.Node) []*plan.Progress {
	var found []*plan.Progress
	for _, node := range nodes {
		jobs := plan.Draining(j.all, node.Name)
		if len(jobs) == 0 {
			return nil
		}
		for _, job := range jobs {
			if !slices.Contains(found, job) {
				found = append(found, job)
			}
		}
	}
	return found
}

// openDraining shows jobs that run: the page of the one, or the list of all.
func (j *jobs) openDraining(jobs []*plan.Progress) tea.Cmd {
	if len(jobs) == 1 {
		return j.app.history.open(newDrainPage(j.app, jobs[0]))
	}
	return j.app.history.open(newDrains(j.app))
}

// live are the jobs that may still send something, the newest first.
func (j *jobs) live() []*plan.Progress {
	var live []*plan.Progress
	for _, job := range j.all {
		if job.Live() {
			live = append(live, job)
		}
	}
	return live
}

// jobWords say how far a job is: "drain std-a-02: 7 of 11 gone".
func jobWords(job *plan.Progress) string {
	var words strings.Builder
	_, _ = fmt.Fprintf(&words, "%s: %d of %d gone", job.Name, job.Count(plan.PodGone), len(job.Pods))
	for _, state := range []plan.PodState{plan.PodFailed, plan.PodLeft} {
		if n := job.Count(state); n > 0 {
			_, _ = fmt.Fprintf(&words, ", %d %s", n, state)
		}
	}
	if job.State == plan.JobPaused || job.State == plan.JobStopped {
		words.WriteString(", " + string(job.State))
	}
	return words.String()
}

// jobsWords are the message row's about jobs; "" while none runs, or where they
// are on the screen.
func (j *jobs) jobsWords() string {
	live := j.live()
	if _, shown := j.app.history.top().(jobViewer); shown || len(live) == 0 {
		return ""
	}
	words := jobWords(live[0])
	if n := len(live) - 1; n > 0 {
		words += "; " + figures.Count(n, "more job runs", "more jobs run")
	}
	return words
}

// quit leaves fathom. While a job runs it asks once.
func (j *jobs) quit(asked bool) tea.Cmd {
	live := j.live()
	if len(live) == 0 || asked {
		return tea.Quit
	}
	j.leaving = true
	noun, nouns := "drain is", "drains are"
	if slices.ContainsFunc(live, func(job *plan.Progress) bool { return !drains(job) }) {
		noun, nouns = "job is", "jobs are"
	}
	return j.app.said.say(figures.Count(len(live), noun, nouns) + " running; ctrl-c again stops " + grammar.Agree(len(live), "it", "them") + " and quits")
}

// drains says whether a job empties nodes.
func drains(job *plan.Progress) bool {
	if job.Plan == nil {
		return false
	}
	_, ok := job.Plan.Action.(plan.Drains)
	return ok
}
