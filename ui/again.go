package ui

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"
)

// againOpenedMsg is the cluster that was begun anew.
type againOpenedMsg struct {
	opened  int
	step    int
	cluster Cluster
	err     error
}

// askReset asks whether all is to begin anew.
func (t *training) askReset() tea.Cmd {
	lines := []string{"The cluster begins anew, as it was. What was done in it is lost."}
	if t.app.lesson.taken != nil {
		lines = append(lines, "The lesson begins with its first step.")
	}
	return t.app.boxes.openYesNo(&yesNo{app: t.app, title: "Reset", does: "reset", lines: lines, run: func() tea.Cmd { return t.again(1) }})
}

// openSteps lists the steps of the lesson.
func (t *training) openSteps() tea.Cmd {
	state := t.app.lesson.state
	menu := &choice{app: t.app, title: "Go to a step", does: "goes there, and asks first"}
	for i, says := range state.Outline {
		word := strconv.Itoa(i + 1)
		if i+1 == state.Step {
			word += " now"
			menu.at = i
		}
		menu.add(word, strings.Join(strings.Fields(says), " "), "", func() tea.Cmd { return t.askStep(i + 1) })
	}
	return menu.open()
}

// askStep asks whether the lesson is to begin anew at a step.
func (t *training) askStep(step int) tea.Cmd {
	lines := []string{"The cluster begins anew. What was done in it is lost."}
	switch step {
	case 1:
	case 2:
		lines = append(lines, "Step 1 is taken for the class as the lesson has it.")
	case 3:
		lines = append(lines, "Steps 1 and 2 are taken for the class as the lesson has them.")
	default:
		lines = append(lines, fmt.Sprintf("Steps 1 to %d are taken for the class as the lesson has them.", step-1))
	}
	if step > 1 {
		lines = append(lines, "To reach the goal is not counted as passed then.")
	}
	return t.app.boxes.openYesNo(&yesNo{
		app: t.app, title: fmt.Sprintf("Go to step %d of %d", step, t.app.lesson.state.Steps), does: "go there", lines: lines,
		run: func() tea.Cmd { return t.again(step) },
	})
}

// again opens the cluster anew, while the old one is still shown.
func (t *training) again(step int) tea.Cmd {
	if t.anew {
		return t.app.said.say("It begins anew already.")
	}
	t.anew = true
	trainer, opened := t.trainer(), t.app.opened
	return tea.Batch(t.app.said.say("The cluster begins anew …"), func() tea.Msg {
		cluster, err := trainer.Again(context.Background(), step) // that of the old cluster ends on the way
		return againOpenedMsg{opened, step, cluster, err}
	})
}

// onAgainOpened shows the cluster that was begun anew, on the page that was shown.
func (t *training) onAgainOpened(msg againOpenedMsg) tea.Cmd {
	t.anew = false
	switch {
	case msg.err != nil:
		return t.app.said.sayError(fmt.Errorf("begin anew: %w", msg.err))
	case msg.opened != t.app.opened: // another lesson was opened meanwhile
		return func() tea.Msg { msg.cluster.Close(); return nil }
	}
	before, top, entered := t.app.pages, t.app.history.top(), t.app.lesson.entered
	cmd := t.app.contexts.swap(msg.cluster)
	t.app.lesson.entered, t.app.lesson.begun = entered, msg.step > 1
	t.resume(before, top)
	t.app.layout.showLesson()
	return tea.Batch(cmd, t.app.said.say("It began anew."))
}

// resume gives the pages the filters and orders that they had, and shows the one
// that was on top; those about an object that is no more give way to Pending.
func (t *training) resume(before pages, top view) {
	t.app.pages.pending.as(&before.pending.list)
	t.app.pages.pods.as(&before.pods.list)
	t.app.pages.nodes.as(&before.nodes.list)
	switch top.(type) {
	case *pods:
		t.app.history.trail[0] = t.app.pages.pods
	case *nodes:
		t.app.history.trail[0] = t.app.pages.nodes
	}
	t.app.history.fit()
}
