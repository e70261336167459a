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
func (a *App) askReset() tea.Cmd {
	lines := []string{"The cluster begins anew, as it was. What was done in it is lost."}
	if a.lesson.taken != nil {
		lines = append(lines, "The lesson begins with its first step.")
	}
	return a.openYesNo(&yesNo{app: a, title: "Reset", does: "reset", lines: lines, run: func() tea.Cmd { return a.again(1) }})
}

// openSteps lists the steps of the lesson.
func (a *App) openSteps() tea.Cmd {
	state := a.lesson.state
	menu := &choice{app: a, title: "Go to a step", does: "goes there, and asks first"}
	for i, says := range state.Outline {
		word := strconv.Itoa(i + 1)
		if i+1 == state.Step {
			word += " now"
			menu.at = i
		}
		menu.add(word, strings.Join(strings.Fields(says), " "), "", func() tea.Cmd { return a.askStep(i + 1) })
	}
	return menu.open()
}

// askStep asks whether the lesson is to begin anew at a step.
func (a *App) askStep(step int) tea.Cmd {
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
	return a.openYesNo(&yesNo{
		app: a, title: fmt.Sprintf("Go to step %d of %d", step, a.lesson.state.Steps), does: "go there", lines: lines,
		run: func() tea.Cmd { return a.again(step) },
	})
}

// again opens the cluster anew, while the old one is still shown.
func (a *App) again(step int) tea.Cmd {
	if a.anew {
		return a.say("It begins anew already.")
	}
	a.anew = true
	trainer, opened := a.trainer(), a.opened
	return tea.Batch(a.say("The cluster begins anew …"), func() tea.Msg {
		cluster, err := trainer.Again(context.Background(), step) // that of the old cluster ends on the way
		return againOpenedMsg{opened, step, cluster, err}
	})
}

// onAgainOpened shows the cluster that was begun anew, on the page that was shown.
func (a *App) onAgainOpened(msg againOpenedMsg) tea.Cmd {
	a.anew = false
	switch {
	case msg.err != nil:
		return a.sayError(fmt.Errorf("begin anew: %w", msg.err))
	case msg.opened != a.opened: // another lesson was opened meanwhile
		return func() tea.Msg { msg.cluster.Close(); return nil }
	}
	before, top, entered := a.pages, a.top(), a.lesson.entered
	cmd := a.swap(msg.cluster)
	a.lesson.entered, a.lesson.begun = entered, msg.step > 1
	a.resume(before, top)
	a.showLesson()
	return tea.Batch(cmd, a.say("It began anew."))
}

// resume gives the pages the filters and orders that they had, and shows the one
// that was on top; those about an object that is no more give way to Pending.
func (a *App) resume(before pages, top view) {
	a.pages.pending.as(&before.pending.list)
	a.pages.pods.as(&before.pods.list)
	a.pages.nodes.as(&before.nodes.list)
	switch top.(type) {
	case *pods:
		a.trail[0] = a.pages.pods
	case *nodes:
		a.trail[0] = a.pages.nodes
	}
	a.fit()
}
