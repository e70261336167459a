package ui

import (
	"strconv"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
	"github.com/kubectl-fathom/kubectl-fathom/model/plan"
	"github.com/kubectl-fathom/kubectl-fathom/ui/figures"
	"github.com/kubectl-fathom/kubectl-fathom/ui/keymap"
	"github.com/kubectl-fathom/kubectl-fathom/ui/table"
	"github.com/kubectl-fathom/kubectl-fathom/ui/tone"
)

// drainsPage lists the jobs of this run that end pods, the newest first.
type drainsPage struct {
	rows[*plan.Progress]
}

func newDrains(a *App) *drainsPage {
	p := &drainsPage{}
	p.app, p.self = a, p
	text := func(text func(*plan.Progress) string) func(*plan.Progress) table.Cell {
		return func(job *plan.Progress) table.Cell { return table.Cell{Text: text(job)} }
	}
	p.table = table.New(func(job *plan.Progress) string { return strconv.Itoa(job.ID) },
		table.Column[*plan.Progress]{Head: "JOB", Min: 24, Max: 50, Names: true, Text: text(func(job *plan.Progress) string { return a.observed.brief(job.Name) })},
		table.Column[*plan.Progress]{Head: "STATE", Min: 8, Text: func(job *plan.Progress) table.Cell { return table.Cell{Text: string(job.State), Tone: jobTone(job)} }},
		table.Column[*plan.Progress]{Head: "GONE", Min: 8, Right: true, Text: text(func(job *plan.Progress) string {
			return strconv.Itoa(job.Count(plan.PodGone)) + "/" + strconv.Itoa(len(job.Pods))
		})},
		table.Column[*plan.Progress]{Head: "FOR", Min: 4, Right: true, Ticks: true, Text: text(func(job *plan.Progress) string { return a.observed.ranFor(job) })},
		table.Column[*plan.Progress]{Head: "NOW", Flex: true, Text: text(jobTally)},
	)
	return p
}

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

func (p *drainsPage) crumbs() []string { return []string{"drains"} }

func (p *drainsPage) answer(int) string {
	all, live := len(p.app.jobs.all), len(p.app.jobs.live())
	switch {
	case all == 0:
		return "Nothing was drained or evicted in this run."
	case live == 0:
		return figures.Count(all, "job", "jobs") + ", none runs."
	}
	return figures.Count(all, "job", "jobs") + ", " + figures.Count(live, "runs.", "run.")
}

func (p *drainsPage) showJobs() { p.table.Reset(p.app.jobs.all) }

func (p *drainsPage) showsYoung() bool { return len(p.app.jobs.live()) > 0 }

func (p *drainsPage) update(msg tea.Msg) tea.Cmd {
	if _, ok := msg.(snapshotMsg); ok {
		p.showJobs()
	}
	return p.mouse(msg)
}

func (p *drainsPage) selected() selection {
	job, ok := p.table.Selected()
	if !ok {
		return selection{}
	}
	return selection{copy: job.Name}
}

func (p *drainsPage) places() keymap.Place { return keymap.Everywhere | keymap.Lists | keymap.OnJob }

func (p *drainsPage) footer() []footKey {
	return keys(keymap.Open, keymap.Pause, keymap.Stop, keymap.Undo, keymap.Activity, keymap.Close)
}

func (p *drainsPage) off(do keymap.Action) string {
	job, ok := p.table.Selected()
	switch {
	case ok && (do == keymap.Pause || do == keymap.Stop):
		return over(job)
	case ok && do == keymap.Undo:
		return p.app.opener.offUndo(p.app.jobs.undoOf(job))
	}
	switch do {
	case keymap.Open, keymap.Pause, keymap.Stop, keymap.Undo, keymap.Copy:
		if !ok {
			return "no job is selected."
		}
	case keymap.Describe, keymap.YAML:
		return "a job of fathom is no object."
	}
	return p.rows.off(do)
}

// over says why a job takes no orders; "" if it does.
func over(job *plan.Progress) string {
	if job.Live() {
		return ""
	}
	return job.Name + " is " + string(job.State) + "."
}

func (p *drainsPage) act(do keymap.Action) tea.Cmd {
	job, ok := p.table.Selected()
	switch {
	case p.table.Act(do) || !ok:
		return nil
	case do == keymap.Open:
		return p.app.history.open(newDrainPage(p.app, job))
	}
	return p.app.jobs.order(do, job)
}

// order pauses a job, lets it go on, asks whether to stop it, or plans what undoes it.
func (j *jobs) order(do keymap.Action, job *plan.Progress) tea.Cmd {
	actor := j.app.actor()
	switch do {
	case keymap.Undo:
		return j.app.acts.plan(j.undoOf(job).Undo)
	case keymap.Pause:
		on := job.State != plan.JobPaused
		return func() tea.Msg { actor.Pause(job.ID, on); return nil }
	case keymap.Stop:
		return j.app.boxes.openYesNo(&yesNo{
			app: j.app, title: "Stop " + job.Name, lines: stopWords(job), does: "stop it",
			run: func() tea.Cmd { return func() tea.Msg { actor.Stop(job.ID); return nil } },
		})
	}
	return nil
}

// stopWords say what stopping a job leaves.
func stopWords(job *plan.Progress) []string {
	var lines []string
	rest := job.Count(plan.PodWaits) + job.Count(plan.PodRefused)
	if rest > 0 {
		lines = append(lines, figures.Count(rest, "pod stays", "pods stay")+" where "+grammar.Agree(rest, "it is", "they are")+".")
	}
	if n := job.Count(plan.PodAsked) + job.Count(plan.PodTerminating); n > 0 {
		lines = append(lines, figures.Count(n, "pod ends", "pods end")+" all the same: "+grammar.Agree(n, "its", "their")+" eviction was accepted.")
	}
	if drains(job) {
		lines = append(lines, "What it cordoned stays so; z undoes that.")
	}
	return lines
}

// ranFor is how long a job has been running, or did, as ages are written.
func (o *observed) ranFor(job *plan.Progress) string {
	if job.Over.IsZero() {
		return o.since(job.Began)
	}
	return model.FormatAge(job.Began, job.Over)
}

// elapsed is how long a job has been running, or did.
func (o *observed) elapsed(job *plan.Progress) time.Duration {
	if job.Over.IsZero() {
		return o.at.Sub(job.Began)
	}
	return job.Over.Sub(job.Began)
}
