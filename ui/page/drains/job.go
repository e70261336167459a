package drains

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
	"github.com/kubectl-fathom/kubectl-fathom/model/plan"
	"github.com/kubectl-fathom/kubectl-fathom/ui/figures"
	"github.com/kubectl-fathom/kubectl-fathom/ui/keymap"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page"
	"github.com/kubectl-fathom/kubectl-fathom/ui/table"
)

// Page is the page of one job: its pods, the state of each, and the API
// server's message about the selected one.
type Page struct {
	page.Rows[plan.PodProgress]
	jobs Jobs
	job  *plan.Progress
}

// New makes the page of a job.
func New(h page.Host, jobs Jobs, job *plan.Progress) *Page {
	p := &Page{jobs: jobs, job: job}
	p.Host, p.Self = h, p
	p.Table = table.New(
		func(pod plan.PodProgress) string { return string(pod.Pod.UID) },
		table.Column[plan.PodProgress]{Head: "POD", Min: 25, Max: 40, Names: true, Text: func(pod plan.PodProgress) table.Cell { return table.Cell{Text: pod.Pod.Words()} }},
		table.Column[plan.PodProgress]{Head: "STATE", Min: 20, Text: p.state},
		table.Column[plan.PodProgress]{Head: "FOR", Min: 3, Right: true, Ticks: true, Text: func(pod plan.PodProgress) table.Cell { return table.Cell{Text: h.Observed().Since(pod.Since)} }},
		table.Column[plan.PodProgress]{Head: "DETAIL", Flex: true, Min: 21, Text: p.now},
	)
	return p
}

// Crumbs name the drained node: "std-a-02"; other jobs by their whole name.
func (p *Page) Crumbs() []string {
	return []string{"drains", p.Host.Observed().NodeName(strings.TrimPrefix(p.job.Name, "drain "))}
}

// Answer counts the pods by state.
func (p *Page) Answer(int) string {
	job := p.job
	state := map[plan.JobState]string{
		plan.JobPaused: "Paused (P resumes), began %s ago", plan.JobStopped: "Stopped after %s", plan.JobDone: "Done after %s",
	}[job.State]
	words := fmt.Sprintf(cmp.Or(state, "Running for %s"), figures.Clock(elapsed(p.Host.Observed(), job))) + ": " + jobTally(job)
	if job.Why != "" {
		words += "; " + model.Clean(job.Why)
	}
	return strings.TrimSuffix(words, ".") + "."
}

// jobTally counts a job's pods by state; one whose eviction was accepted counts as
// terminating.
func jobTally(job *plan.Progress) string {
	var words strings.Builder
	_, _ = fmt.Fprintf(&words, "%d of %d %s%s", job.Evicted(), len(job.Pods), job.Word(plan.PodGone), job.AlreadyWords())
	blocked := job.Count(plan.PodBlocked)
	for _, part := range []struct {
		n    int
		word string
	}{
		{job.Count(plan.PodTerminating) + job.Count(plan.PodAsked), job.Word(plan.PodTerminating)},
		{job.Count(plan.PodWaits), job.Word(plan.PodWaits)},
		{blocked, "blocked by " + grammar.Agree(blocked, "PDB", "PDBs")},
		{job.Count(plan.PodFailed), job.Word(plan.PodFailed)},
		{job.Count(plan.PodUnknown), job.Word(plan.PodUnknown)},
		{job.Count(plan.PodLeft), job.Word(plan.PodLeft)},
	} {
		if part.n > 0 {
			_, _ = fmt.Fprintf(&words, ", %d %s", part.n, part.word)
		}
	}
	return words.String()
}

// ShowJobs shows the newest progress of the jobs.
func (p *Page) ShowJobs() {
	if job := Find(p.jobs.All(), p.job.ID); job != nil {
		p.job = job
	}
	p.Below = p.saidRows() - 1
	p.Resize(p.Width, p.Height)
	p.Table.Reset(inOrder(p.job.Pods))
}

// ShowsYoung reports whether an age on the page ticks by the second.
func (p *Page) ShowsYoung() bool {
	return p.job.Live() || slices.ContainsFunc(p.Table.InView(), func(pod plan.PodProgress) bool {
		return p.Host.Observed().At.Sub(pod.Since) < page.Young
	})
}

// Update implements page.View.
func (p *Page) Update(msg tea.Msg) tea.Cmd {
	if _, ok := msg.(page.SnapshotMsg); ok {
		p.ShowJobs()
	}
	return p.Mouse(msg)
}

// Selected is the pod, or its replacement.
func (p *Page) Selected() page.Selection {
	row, ok := p.Table.Selected()
	if !ok {
		return page.Selection{}
	}
	on := page.Selection{Ref: row.Pod, Copy: row.Pod.Words()}
	if row.Back.Name != "" {
		on = page.Selection{Ref: row.Back, Copy: row.Back.Words()}
	}
	if pod, ok := p.Host.Observed().Snapshot.PodNamed(on.Ref.Namespace, on.Ref.Name); ok && pod.Object.UID == on.Ref.UID {
		on.Pod = pod
	}
	return on
}

// Places implements page.View.
func (p *Page) Places() keymap.Place {
	return keymap.Everywhere | keymap.Lists | keymap.OnPod | keymap.OnJob
}

// Footer implements page.View.
func (p *Page) Footer() []page.Key {
	pause, stop, leave := "pause", "stop the drain", "back"
	switch p.job.State {
	case plan.JobRuns:
		leave = "leave it running"
	case plan.JobPaused:
		pause = resumes
	}
	if !EmptiesNodes(p.job) {
		stop = "stop"
	}
	return []page.Key{
		{Do: keymap.Pause, Word: pause},
		{Do: keymap.Stop, Word: stop},
		{Do: keymap.Undo},
		{Do: keymap.Explain},
		{Do: keymap.GoNode},
		{Do: keymap.Close, Word: leave},
		{Do: keymap.Describe},
	}
}

// Tight says that the help key does not fit in the footer.
func (p *Page) Tight() bool { return p.Width < 90 }

// Off implements page.View.
func (p *Page) Off(do keymap.Action) string {
	on := p.Selected()
	switch do {
	case keymap.Pause, keymap.Stop:
		return over(p.job)
	case keymap.Undo:
		return OffUndo(p.Host, p.jobs.UndoOf(p.job))
	case keymap.Open, keymap.Explain, keymap.GoNode, keymap.Describe, keymap.YAML:
		if on.Pod == nil && on.Copy != "" {
			return page.AbsentPod(p.Host.Observed(), nil, on.Copy)
		}
		return page.OffPod(p.Host.Observed(), do, false, on)
	}
	return p.Rows.Off(do)
}

// Act implements page.View.
func (p *Page) Act(do keymap.Action) tea.Cmd {
	switch {
	case p.Table.Act(do):
		return nil
	case do == keymap.Pause || do == keymap.Stop || do == keymap.Undo:
		return p.jobs.Order(do, p.job)
	}
	return p.Host.ActOn(do, p.Selected())
}
