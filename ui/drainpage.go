package ui

import (
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
	"github.com/kubectl-fathom/kubectl-fathom/model/plan"
	"github.com/kubectl-fathom/kubectl-fathom/ui/figures"
	"github.com/kubectl-fathom/kubectl-fathom/ui/keymap"
	"github.com/kubectl-fathom/kubectl-fathom/ui/table"
)

// drainPage is the page of one job: its pods, what each is at, and what the API
// server says of the selected one.
type drainPage struct {
	rows[plan.PodProgress]
	job *plan.Progress
}

func newDrainPage(a *App, job *plan.Progress) *drainPage {
	p := &drainPage{job: job}
	p.app, p.self = a, p
	p.table = table.New(
		func(pod plan.PodProgress) string { return string(pod.Pod.UID) },
		table.Column[plan.PodProgress]{Head: "POD", Min: 25, Max: 40, Names: true, Text: func(pod plan.PodProgress) table.Cell { return table.Cell{Text: pod.Pod.Words()} }},
		table.Column[plan.PodProgress]{Head: "STATE", Min: 20, Text: p.state},
		table.Column[plan.PodProgress]{Head: "FOR", Min: 3, Right: true, Ticks: true, Text: func(pod plan.PodProgress) table.Cell { return table.Cell{Text: a.observed.since(pod.Since)} }},
		table.Column[plan.PodProgress]{Head: "NOW", Flex: true, Min: 21, Text: p.now},
	)
	return p
}

// crumbs name what is drained: "std-a-02"; other jobs by their whole name.
func (p *drainPage) crumbs() []string {
	return []string{"drains", p.app.observed.nodeName(strings.TrimPrefix(p.job.Name, "drain "))}
}

// answer counts the pods by what they are at.
func (p *drainPage) answer(int) string {
	job := p.job
	words := figures.Clock(p.app.observed.elapsed(job)) + ": " + jobTally(job)
	moving := job.Count(plan.PodAsked) + job.Count(plan.PodTerminating) + job.Count(plan.PodWaits)
	switch {
	case job.Why != "":
		words += "; " + model.Clean(job.Why)
	case job.State == plan.JobPaused:
		words += "; paused: P goes on"
	case job.State == plan.JobStopped:
		words += "; stopped"
	case job.State == plan.JobDone:
		words += "; done"
	case job.Count(plan.PodRefused) > 0 && moving > 0:
		words += "; the rest go on"
	}
	return strings.TrimSuffix(words, ".") + "."
}

// jobTally counts a job's pods by what they are at.
func jobTally(job *plan.Progress) string {
	var words strings.Builder
	_, _ = fmt.Fprintf(&words, "%d of %d gone", job.Count(plan.PodGone), len(job.Pods))
	for _, part := range []struct {
		state plan.PodState
		word  string
	}{
		{plan.PodTerminating, "ending"},
		{plan.PodAsked, "asked"},
		{plan.PodWaits, "waiting"},
		{plan.PodRefused, "refused by " + grammar.Agree(job.Count(plan.PodRefused), "its PDB", "their PDBs")},
		{plan.PodFailed, "not gone"},
		{plan.PodLeft, "left"},
	} {
		if n := job.Count(part.state); n > 0 {
			_, _ = fmt.Fprintf(&words, ", %d %s", n, part.word)
		}
	}
	return words.String()
}

// showJobs takes the newest of the job.
func (p *drainPage) showJobs() {
	if job := jobOf(p.app.jobs.all, p.job.ID); job != nil {
		p.job = job
	}
	p.below = p.saidRows() - 1
	p.resize(p.width, p.height)
	p.table.Reset(inOrder(p.job.Pods))
}

func (p *drainPage) showsYoung() bool {
	return p.job.Live() || slices.ContainsFunc(p.table.InView(), func(pod plan.PodProgress) bool {
		return p.app.observed.at.Sub(pod.Since) < young
	})
}

func (p *drainPage) update(msg tea.Msg) tea.Cmd {
	if _, ok := msg.(snapshotMsg); ok {
		p.showJobs()
	}
	return p.mouse(msg)
}

// selected is the pod, or the one that its controller made in its place.
func (p *drainPage) selected() selection {
	row, ok := p.table.Selected()
	if !ok {
		return selection{}
	}
	on := selection{ref: row.Pod, copy: row.Pod.Words()}
	if row.Back.Name != "" {
		on = selection{ref: row.Back, copy: row.Back.Words()}
	}
	if pod, ok := p.app.observed.snapshot.PodNamed(on.ref.Namespace, on.ref.Name); ok && pod.Object.UID == on.ref.UID {
		on.pod = pod
	}
	return on
}

func (p *drainPage) places() keymap.Place {
	return keymap.Everywhere | keymap.Lists | keymap.OnPod | keymap.OnJob
}

func (p *drainPage) footer() []footKey {
	pause, stop := "pause", "stop the drain"
	if p.job.State == plan.JobPaused {
		pause = "go on"
	}
	if !drains(p.job) {
		stop = "stop it"
	}
	leave := "back"
	if p.job.Live() {
		leave = "leave it running"
	}
	return []footKey{
		{do: keymap.Pause, word: pause},
		{do: keymap.Stop, word: stop},
		{do: keymap.Undo},
		{do: keymap.Explain},
		{do: keymap.GoNode},
		{do: keymap.Close, word: leave},
		{do: keymap.Describe},
	}
}

// tight says that the footer has no room for the help.
func (p *drainPage) tight() bool { return p.width < 90 }

func (p *drainPage) off(do keymap.Action) string {
	on := p.selected()
	switch do {
	case keymap.Pause, keymap.Stop:
		return over(p.job)
	case keymap.Undo:
		return p.app.opener.offUndo(p.app.jobs.undoOf(p.job))
	case keymap.Open, keymap.Explain, keymap.GoNode, keymap.Describe, keymap.YAML:
		if on.pod == nil && on.copy != "" {
			return on.copy + " is gone."
		}
		return p.app.opener.offPod(do, false, on)
	}
	return p.rows.off(do)
}

func (p *drainPage) act(do keymap.Action) tea.Cmd {
	switch {
	case p.table.Act(do):
		return nil
	case do == keymap.Pause || do == keymap.Stop || do == keymap.Undo:
		return p.app.jobs.order(do, p.job)
	}
	return p.app.opener.actOn(do, p.selected())
}
