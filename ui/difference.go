package ui

import (
	"context"
	"fmt"

	tea "charm.land/bubbletea/v2"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/ui/cells"
	"github.com/kubectl-fathom/kubectl-fathom/ui/figures"
)

// difference is the page of what changed since the step before. It goes along
// when one steps.
type difference struct {
	textPage
	step    int               // that the rest is of; 0: none yet
	told    *model.Difference // nil: it is asked for, or there is none
	trouble error
}

// differedMsg brings what changed.
type differedMsg struct {
	nth, step int
	told      *model.Difference
	err       error
}

func newDifference(a *App) *difference {
	return &difference{textPage: textPage{page: page{app: a}}}
}

func (d *difference) crumbs() []string { return []string{"changes"} }

// answer says in a sentence what changed.
func (d *difference) answer(width int) string {
	step := d.app.observed.snapshot.Status.Step
	switch {
	case step == 1:
		return "This is the first step: there is none before it to compare with."
	case d.step != step:
		return fmt.Sprintf("Comparing step %d with step %d.", step, step-1)
	case d.trouble != nil:
		return "Not known: " + model.Clean(d.trouble.Error())
	}
	words := differenceWords(d.told)
	if whole := fmt.Sprintf("Since step %d, %s before: %s", step-1, figures.Clock(d.told.Apart), words); cells.Width(whole) <= width {
		return whole
	}
	return fmt.Sprintf("Since step %d: %s", step-1, words)
}

func (d *difference) resize(width, height int) {
	d.textPage.resize(width, height)
	d.compose()
}

// compose draws what is known for the page's width.
func (d *difference) compose() {
	if d.step != d.app.observed.snapshot.Status.Step || d.told == nil {
		d.show(nil)
		return
	}
	d.show(differenceLines(d.told, d.app.observed.domain, max(1, d.width-2)))
}

func (d *difference) update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case snapshotMsg:
		d.compose()
		return d.ask()
	case differedMsg:
		d.onDiffered(msg)
		return nil
	}
	return d.textPage.update(msg)
}

// ask compares the step that is shown with the one before it, off the event loop.
func (d *difference) ask() tea.Cmd {
	step := d.app.observed.snapshot.Status.Step
	if step <= 1 || d.step == step || d.app.observed.isReading() {
		return nil
	}
	recording := d.app.Recording
	ctx, nth := d.asks.begin(d.app.ctx)
	return d.app.ask(d, func(context.Context) tea.Msg {
		told, err := recording.Changes(ctx, step)
		return differedMsg{nth, step, told, err}
	})
}

func (d *difference) onDiffered(msg differedMsg) {
	if !d.asks.open(msg.nth) {
		return
	}
	d.asks.end()
	d.step, d.told, d.trouble = msg.step, msg.told, msg.err
	d.top = 0
	d.compose()
}
