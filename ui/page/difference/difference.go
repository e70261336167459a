// Package difference is the page of the changes since the previous step of a recording.
package difference

import (
	"context"
	"fmt"

	tea "charm.land/bubbletea/v2"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/ui/cells"
	"github.com/kubectl-fathom/kubectl-fathom/ui/figures"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page"
)

// Page is the page. It follows the steps.
type Page struct {
	page.Text
	recording Recording
	asks      page.Question[answer]
	step      int               // the one compared with the step before it; 0: none yet
	changes   *model.Difference // nil: it is asked for, or there is none
	trouble   error
}

// Recording has the changes between its steps. It is called off the event loop.
type Recording interface {
	// Changes are the changes from the previous step to a step.
	Changes(ctx context.Context, step int) (*model.Difference, error)
}

// answer is what changed from the previous step to a step.
type answer struct {
	step    int
	changes *model.Difference
	trouble error
}

// New makes the page.
func New(h page.Host, recording Recording) *Page {
	return &Page{Text: page.Text{Base: page.Base{Host: h}}, recording: recording}
}

// Crumbs implements page.View.
func (d *Page) Crumbs() []string { return []string{"changes"} }

// Answer implements page.View: it sums the changes up in a sentence.
func (d *Page) Answer(width int) string {
	step := d.Host.Observed().Snapshot.Status.Step
	switch {
	case step == 1:
		return "This is the first step. There is nothing to compare it with."
	case d.step != step:
		return fmt.Sprintf("Comparing step %d with step %d.", step, step-1)
	case d.trouble != nil:
		return "Unknown: " + model.Clean(d.trouble.Error())
	}
	words := differenceWords(d.changes)
	if whole := fmt.Sprintf("Since step %d, %s earlier: %s", step-1, figures.Clock(d.changes.Apart), words); cells.Width(whole) <= width {
		return whole
	}
	return fmt.Sprintf("Since step %d: %s", step-1, words)
}

// Resize implements page.View.
func (d *Page) Resize(width, height int) {
	d.Text.Resize(width, height)
	d.compose()
}

// compose lays the changes out for the page's width.
func (d *Page) compose() {
	if d.step != d.Host.Observed().Snapshot.Status.Step || d.changes == nil {
		d.Content.SetLines(nil)
		return
	}
	d.Content.SetLines(differenceLines(d.changes, d.Host.Observed().Domain, max(1, d.Width-2)))
}

// Update implements page.View.
func (d *Page) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case page.SnapshotMsg:
		d.compose()
		return d.ask()
	case page.Answer[answer]:
		d.onDiffered(msg)
		return nil
	}
	return d.Text.Update(msg)
}

// ask compares the step that is shown with the one before it, off the event loop.
func (d *Page) ask() tea.Cmd {
	step := d.Host.Observed().Snapshot.Status.Step
	if step <= 1 || d.step == step || d.Host.Observed().IsReading() {
		return nil
	}
	recording := d.recording
	return d.asks.Put(d.Host, d, func(ctx context.Context) (answer, error) {
		changes, err := recording.Changes(ctx, step)
		return answer{step, changes, err}, nil
	})
}

func (d *Page) onDiffered(msg page.Answer[answer]) {
	if !d.asks.Takes(msg) {
		return
	}
	d.step, d.changes, d.trouble = msg.Value.step, msg.Value.changes, msg.Value.trouble
	d.Content.Top()
	d.compose()
}

// Leave cancels what nobody will look at.
func (d *Page) Leave() { d.asks.End() }
