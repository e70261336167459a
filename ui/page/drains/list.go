// Package drains is the pages of jobs that evict or delete pods: the list of all, and
// one with its pods.
package drains

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
	"github.com/kubectl-fathom/kubectl-fathom/model/plan"
	"github.com/kubectl-fathom/kubectl-fathom/ui/figures"
	"github.com/kubectl-fathom/kubectl-fathom/ui/keymap"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page"
	"github.com/kubectl-fathom/kubectl-fathom/ui/table"
	"github.com/kubectl-fathom/kubectl-fathom/ui/tone"
)

// List is the page that lists the jobs of this session that evict or delete pods, the newest
// first.
type List struct {
	page.Rows[*plan.Progress]
	jobs Jobs
}

// Jobs are the jobs of this session.
type Jobs interface {
	// All are the jobs, the newest first.
	All() []*plan.Progress
	// UndoOf is the activity entry that began the job. Without one it has no Undo.
	UndoOf(job *plan.Progress) plan.Entry
	// Order pauses or resumes a job, asks whether to stop it, or plans its undo.
	Order(do keymap.Action, job *plan.Progress) tea.Cmd
}

// NewList makes the list.
func NewList(h page.Host, jobs Jobs) *List {
	p := &List{jobs: jobs}
	p.Host, p.Self = h, p
	text := func(text func(*plan.Progress) string) func(*plan.Progress) table.Cell {
		return func(job *plan.Progress) table.Cell { return table.Cell{Text: text(job)} }
	}
	p.Table = table.New(func(job *plan.Progress) string { return strconv.Itoa(job.ID) },
		table.Column[*plan.Progress]{Head: "ACTION", Min: 24, Max: 50, Names: true, Text: text(func(job *plan.Progress) string { return h.Observed().Brief(job.Name) })},
		table.Column[*plan.Progress]{Head: "STATE", Min: 8, Text: func(job *plan.Progress) table.Cell { return table.Cell{Text: string(job.State), Tone: jobTone(job)} }},
		table.Column[*plan.Progress]{Head: "PODS", Min: 8, Right: true, Text: text(func(job *plan.Progress) string {
			return strconv.Itoa(job.Count(plan.PodGone)) + "/" + strconv.Itoa(len(job.Pods))
		})},
		table.Column[*plan.Progress]{Head: "FOR", Min: 4, Right: true, Ticks: true, Text: text(func(job *plan.Progress) string { return ranFor(h.Observed(), job) })},
		table.Column[*plan.Progress]{Head: "PROGRESS", Flex: true, Text: text(jobTally)},
	)
	return p
}

// resumes is the word of the key that pauses a job, where the job is paused.
const resumes = "resume"

// jobTone is the role of a job's state.
func jobTone(job *plan.Progress) tone.Tone {
	switch {
	case job.State == plan.JobDone && job.Count(plan.PodGone) == len(job.Pods):
		return tone.Good
	case job.State == plan.JobRuns:
		return tone.Plain
	}
	return tone.Warning
}

// Crumbs implements page.View.
func (p *List) Crumbs() []string { return []string{"drains"} }

// Answer implements page.View.
func (p *List) Answer(int) string {
	all, live := len(p.jobs.All()), live(p.jobs.All())
	switch {
	case all == 0:
		return "No drains, evictions or deletions in this session."
	case live == 0:
		return countOf(p.jobs.All()) + ", none running."
	}
	words := []string{countOf(p.jobs.All())}
	for _, state := range []plan.JobState{plan.JobRuns, plan.JobPaused} {
		if n := inState(p.jobs.All(), state); n > 0 {
			words = append(words, fmt.Sprintf("%d %s", n, state))
		}
	}
	return strings.Join(words, ", ") + "."
}

// ShowJobs shows the newest progress of the jobs.
func (p *List) ShowJobs() { p.Table.Reset(p.jobs.All()) }

// ShowsYoung reports whether an age on the page ticks by the second.
func (p *List) ShowsYoung() bool { return live(p.jobs.All()) > 0 }

// Update implements page.View.
func (p *List) Update(msg tea.Msg) tea.Cmd {
	if _, ok := msg.(page.SnapshotMsg); ok {
		p.ShowJobs()
	}
	return p.Mouse(msg)
}

// Selected implements page.View.
func (p *List) Selected() page.Selection {
	job, ok := p.Table.Selected()
	if !ok {
		return page.Selection{}
	}
	return page.Selection{Copy: job.Name}
}

// Places implements page.View.
func (p *List) Places() keymap.Place { return keymap.Everywhere | keymap.Lists | keymap.OnJob }

// Footer implements page.View.
func (p *List) Footer() []page.Key {
	keys := page.Keys(keymap.Open, keymap.Pause, keymap.Stop, keymap.Undo, keymap.Activity, keymap.Close)
	if job, ok := p.Table.Selected(); ok && job.State == plan.JobPaused {
		keys[1].Word = resumes
	}
	return keys
}

// Off implements page.View.
func (p *List) Off(do keymap.Action) string {
	job, ok := p.Table.Selected()
	switch {
	case ok && (do == keymap.Pause || do == keymap.Stop):
		return over(job)
	case ok && do == keymap.Undo:
		return OffUndo(p.Host, p.jobs.UndoOf(job))
	}
	switch do {
	case keymap.Open, keymap.Pause, keymap.Stop, keymap.Undo, keymap.Copy:
		if !ok {
			return "nothing is selected."
		}
	case keymap.Describe, keymap.YAML:
		return "this is an action of fathom, not a Kubernetes object."
	}
	return p.Rows.Off(do)
}

// over says why a job can no longer be paused or stopped; "" if it can.
func over(job *plan.Progress) string {
	if job.Live() {
		return ""
	}
	return job.Name + " is " + string(job.State) + "."
}

// Act implements page.View.
func (p *List) Act(do keymap.Action) tea.Cmd {
	job, ok := p.Table.Selected()
	switch {
	case p.Table.Act(do) || !ok:
		return nil
	case do == keymap.Open:
		return p.Host.Open(New(p.Host, p.jobs, job))
	}
	return p.jobs.Order(do, job)
}

// ranFor is how long a job has been running, or did, as ages are written.
func ranFor(o *page.Observed, job *plan.Progress) string {
	if job.Over.IsZero() {
		return o.Since(job.Began)
	}
	return model.FormatAge(job.Began, job.Over)
}

// elapsed is how long a job has been running, or did.
func elapsed(o *page.Observed, job *plan.Progress) time.Duration {
	if job.Over.IsZero() {
		return o.At.Sub(job.Began)
	}
	return job.Over.Sub(job.Began)
}

// Find finds a job; nil where there is none of that number.
func Find(jobs []*plan.Progress, id int) *plan.Progress {
	at := slices.IndexFunc(jobs, func(job *plan.Progress) bool { return job.ID == id })
	if at < 0 {
		return nil
	}
	return jobs[at]
}

// EmptiesNodes says whether a job empties nodes.
func EmptiesNodes(job *plan.Progress) bool {
	if job.Plan == nil {
		return false
	}
	_, ok := job.Plan.Action.(plan.Drains)
	return ok
}

// countOf counts the jobs: "2 drains".
func countOf(jobs []*plan.Progress) string {
	if slices.ContainsFunc(jobs, func(job *plan.Progress) bool { return !EmptiesNodes(job) }) {
		return figures.Count(len(jobs), "action", "actions")
	}
	return figures.Count(len(jobs), "drain", "drains")
}

// live counts the jobs that may still send something.
func live(jobs []*plan.Progress) int {
	n := 0
	for _, job := range jobs {
		if job.Live() {
			n++
		}
	}
	return n
}

// inState counts the jobs in a state.
func inState(jobs []*plan.Progress, state plan.JobState) int {
	n := 0
	for _, job := range jobs {
		if job.State == state {
			n++
		}
	}
	return n
}

// OffUndo tells why an entry cannot be undone; "" if it can.
func OffUndo(h page.Operator, entry plan.Entry) string {
	switch {
	case entry.Undo == nil && entry.ID == 0:
		return "it was made in an earlier session and cannot be undone here."
	case entry.Undo == nil:
		return cmp.Or(grammar.Small(model.Clean(entry.Final)), "it cannot be undone.")
	}
	return h.LookOnly()
}
