package ui

import (
	"context"
	"fmt"
	"strconv"

	tea "charm.land/bubbletea/v2"

	"github.com/kubectl-fathom/kubectl-fathom/ui/dialog"
	"github.com/kubectl-fathom/kubectl-fathom/ui/lesson"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page/nodes"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page/pods"
)

// resetMsg is the cluster that was opened by a reset.
type resetMsg struct {
	opened  int
	step    int
	cluster Cluster
	err     error
}

// askReset asks whether the cluster, and the lesson, are to be reset.
func (t *training) askReset() tea.Cmd {
	lines := []string{"The cluster is reset to its start. All changes are lost."}
	if t.app.lesson.Taken != nil {
		lines = append(lines, "The lesson starts at step 1.")
	}
	return dialog.Ask(&dialog.YesNo{Host: &t.app.boxes, Title: "Reset", Does: "reset", Lines: lines, Run: func() tea.Cmd { return t.reset(1) }})
}

// openSteps lists the steps of the lesson.
func (t *training) openSteps() tea.Cmd {
	state := t.app.lesson.State
	menu := &dialog.Choice{Host: &t.app.boxes, Title: "Go to a step", Does: "goes there; it asks first"}
	for i, says := range state.Outline {
		word := strconv.Itoa(i + 1)
		if i+1 == state.Step {
			word += " now"
			menu.At = i
		}
		menu.Add(word, lesson.Unquoted(says), "", func() tea.Cmd { return t.askStep(i + 1) })
	}
	return menu.Open()
}

// askStep asks whether the lesson is to be reset and continued at a step.
func (t *training) askStep(step int) tea.Cmd {
	lines := []string{"The cluster is reset to its start. All changes are lost."}
	switch step {
	case 1:
	case 2:
		lines = append(lines, "Step 1 is done for you.")
	case 3:
		lines = append(lines, "Steps 1 and 2 are done for you.")
	default:
		lines = append(lines, fmt.Sprintf("Steps 1 to %d are done for you.", step-1))
	}
	if step > 1 {
		lines = append(lines, "The lesson then does not count as passed.")
	}
	return dialog.Ask(&dialog.YesNo{
		Host: &t.app.boxes, Title: fmt.Sprintf("Go to step %d of %d", step, t.app.lesson.State.Steps), Does: "go there", Lines: lines,
		Run: func() tea.Cmd { return t.reset(step) },
	})
}

// reset opens the cluster again from its start, while the old one is still shown.
func (t *training) reset(step int) tea.Cmd {
	if t.opening {
		return t.app.said.say("A reset is running already.")
	}
	t.opening = true
	trainer, opened := t.trainer(), t.app.opened
	return tea.Batch(t.app.said.say("Resetting the cluster …"), func() tea.Msg {
		cluster, err := trainer.Reset(context.Background(), step) // that of the old cluster ends on the way
		return resetMsg{opened, step, cluster, err}
	})
}

// onReset shows the cluster that was reset, on the page that was shown before.
func (t *training) onReset(msg resetMsg) tea.Cmd {
	t.opening = false
	switch {
	case msg.err != nil:
		return t.app.said.sayError(fmt.Errorf("reset cluster: %w", msg.err))
	case msg.opened != t.app.opened: // another lesson was opened meanwhile
		return func() tea.Msg { msg.cluster.Close(); return nil }
	}
	before, top, entered := t.app.pages, t.app.history.top(), t.app.lesson.Entered
	cmd := t.app.contexts.swap(msg.cluster)
	t.app.lesson.Entered, t.app.lesson.Begun = entered, msg.step > 1
	t.resume(before, top)
	t.app.layout.showLesson()
	return tea.Batch(cmd, t.app.said.say("The cluster was reset."))
}

// resume gives the pages the filters and orders that they had, and shows the one
// that was on top; those about an object that is no more give way to Pending.
func (t *training) resume(before pages, top page.View) {
	t.app.pages.pending.Query().As(&before.pending.Page)
	t.app.pages.pods.Query().As(&before.pods.Page)
	t.app.pages.nodes.Query().As(&before.nodes.Page)
	switch top.(type) {
	case *pods.Page:
		t.app.history.trail[0] = t.app.pages.pods
	case *nodes.Page:
		t.app.history.trail[0] = t.app.pages.nodes
	}
	t.app.history.fit()
}
