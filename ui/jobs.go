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
	"github.com/kubectl-fathom/kubectl-fathom/ui/dialog"
	"github.com/kubectl-fathom/kubectl-fathom/ui/figures"
	"github.com/kubectl-fathom/kubectl-fathom/ui/keymap"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page/drains"
)

// jobs follows the jobs that evict or delete pods.
type jobs struct {
	app      *App
	all      []*plan.Progress // the newest first
	revision int
	leaving  bool // ctrl-c was pressed while a job runs, and no other key since
}

// jobsMsg brings the progress of the jobs.
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
type jobViewer interface{ ShowJobs() }

// onJobs takes new progress; the message row names a job that has ended.
func (j *jobs) onJobs(msg jobsMsg) tea.Cmd {
	if msg.opened != j.app.opened {
		return nil
	}
	before := j.all
	j.all, j.revision = msg.jobs, msg.revision
	v, shown := j.app.history.top().(jobViewer)
	if shown {
		v.ShowJobs()
	}
	cmd := j.nextJobs()
	for _, job := range msg.jobs {
		was := drains.Find(before, job.ID)
		if !shown && !job.Live() && (was == nil || was.Live()) {
			cmd = tea.Batch(cmd, j.app.said.say(j.app.observed.Brief(jobWords(job))))
		}
	}
	return tea.Batch(cmd, j.app.follows.onJobs())
}

// UndoOf implements drains.Jobs: it is the activity entry that began the job. Without one it has no Undo.
func (j *jobs) UndoOf(job *plan.Progress) plan.Entry {
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

// openDraining shows jobs that Run: the page of the one, or the list of all.
func (j *jobs) openDraining(jobs []*plan.Progress) tea.Cmd {
	if len(jobs) == 1 {
		return j.app.history.open(drains.New(&j.app.host, j, jobs[0]))
	}
	return j.app.history.open(drains.NewList(&j.app.host, j))
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

// jobWords say how far a job is: "drain std-a-02: 7 of 11 evicted".
func jobWords(job *plan.Progress) string {
	var words strings.Builder
	_, _ = fmt.Fprintf(&words, "%s: %d of %d %s%s", job.Name, job.Evicted(), len(job.Pods), job.Word(plan.PodGone), job.AlreadyWords())
	for _, state := range []plan.PodState{plan.PodFailed, plan.PodUnknown, plan.PodLeft} {
		if n := job.Count(state); n > 0 {
			_, _ = fmt.Fprintf(&words, ", %d %s", n, job.Word(state))
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
		words += "; " + figures.Count(n, "more running", "more running")
	}
	return words
}

// quit ends fathom. While a job runs, or a change has no answer yet, it asks once.
func (j *jobs) quit(asked bool) tea.Cmd {
	live, sent := j.live(), j.app.acts.running
	if len(live)+len(sent) == 0 || asked {
		return tea.Quit
	}
	j.leaving = true
	if len(live) == 0 {
		return j.app.said.say(sent[0] + " has no answer yet; ctrl-c again quits, and it may still be made")
	}
	stays := ""
	if slices.ContainsFunc(live, drains.EmptiesNodes) {
		stays = " (nodes stay cordoned)"
	}
	return j.app.said.say(runningWords(live) + "; ctrl-c again stops " + grammar.Agree(len(live), "it", "them") + stays + " and quits")
}

// beforeSwitch asks whether to switch to another context, which stops the jobs that run, and does not wait for changes
// that have no answer yet.
func (j *jobs) beforeSwitch(to string, run func() tea.Cmd) tea.Cmd {
	var lines []string
	if live := j.live(); len(live) > 0 {
		lines = append(lines, runningWords(live)+grammar.Agree(len(live), ". Switching stops it", ". Switching stops them")+": no more evictions are requested.")
		if slices.ContainsFunc(live, drains.EmptiesNodes) {
			lines = append(lines, "The nodes stay cordoned.")
		}
	}
	for _, name := range j.app.acts.running {
		lines = append(lines, name+" has no answer yet. It may still be made.")
	}
	if len(lines) == 0 {
		return run()
	}
	return dialog.Ask(&dialog.YesNo{Host: &j.app.boxes, Title: "Switch to " + to, Lines: lines, Does: "switch", Run: run})
}

// runningWords count jobs: "2 drains are running".
func runningWords(live []*plan.Progress) string {
	noun, nouns := "drain", "drains"
	if slices.ContainsFunc(live, func(job *plan.Progress) bool { return !drains.EmptiesNodes(job) }) {
		noun, nouns = "action", "actions"
	}
	return figures.Count(len(live), noun, nouns) + grammar.Agree(len(live), " is ", " are ") + liveWords(live)
}

// liveWords say what the jobs do that may still send something.
func liveWords(live []*plan.Progress) string {
	paused := func(job *plan.Progress) bool { return job.State == plan.JobPaused }
	runs := func(job *plan.Progress) bool { return !paused(job) }
	switch {
	case !slices.ContainsFunc(live, runs):
		return "paused"
	case !slices.ContainsFunc(live, paused):
		return "running"
	}
	return "running or paused"
}

// Order implements drains.Jobs: it pauses or resumes a job, asks whether to stop it, or plans its undo.
func (j *jobs) Order(do keymap.Action, job *plan.Progress) tea.Cmd {
	actor := j.app.actor()
	switch do {
	case keymap.Undo:
		return j.app.acts.plan(j.UndoOf(job).Undo)
	case keymap.Pause:
		on := job.State != plan.JobPaused
		return func() tea.Msg { actor.Pause(job.ID, on); return nil }
	case keymap.Stop:
		return dialog.Ask(&dialog.YesNo{
			Host: &j.app.boxes, Title: "Stop " + job.Name, Lines: stopWords(job), Does: "stop",
			Run: func() tea.Cmd { return func() tea.Msg { actor.Stop(job.ID); return nil } },
		})
	}
	return nil
}

// stopWords say what stopping a job does.
func stopWords(job *plan.Progress) []string {
	var lines []string
	rest := job.Count(plan.PodWaits) + job.Count(plan.PodBlocked)
	if rest > 0 {
		lines = append(lines, figures.Count(rest, "pod", "pods")+" will not be evicted.")
	}
	if n := job.Count(plan.PodAsked) + job.Count(plan.PodTerminating); n > 0 {
		lines = append(lines, figures.Count(n, "pod is already terminating: its eviction", "pods are already terminating: their evictions")+grammar.Agree(n, " continues.", " continue."))
	}
	if drains.EmptiesNodes(job) {
		words := "The nodes stay cordoned"
		if nodes := job.Nodes(); len(nodes) == 1 {
			words = nodes[0] + " stays cordoned"
		}
		if job.Plan.Undo != nil {
			words += "; undo that in Activity (z)"
		}
		lines = append(lines, words+".")
	}
	return lines
}

// All implements drains.Jobs.
func (j *jobs) All() []*plan.Progress { return j.all }

// activity are the changes of this session and earlier ones, the newest first.
func (j *jobs) activity() []plan.Entry {
	if actor := j.app.actor(); actor != nil {
		return actor.Activity()
	}
	return nil
}
