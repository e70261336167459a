package ui

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/kubectl-fathom/kubectl-fathom/ui/dialog"
	"github.com/kubectl-fathom/kubectl-fathom/ui/lesson"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page/nodes"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page/pods"
)

// training is a trainer's control of the embedded cluster: faults, steps and reset.
type training struct {
	app     *App
	opening bool // a cluster is being opened
}

// Trainer controls the embedded cluster for a class. Only that cluster has one: what a
// trainer does takes effect at once, and it must never reach a real cluster.
type Trainer interface {
	lesson.Faults
	// Reset opens the same cluster from its start, with its lesson at a step, counted from 1.
	Reset(ctx context.Context, step int) (Cluster, error)
}

// led is a cluster that has a trainer.
type led interface{ Trainer() Trainer }

// trainer is that of the cluster; nil where it has none.
func (t *training) trainer() Trainer {
	if c, ok := t.app.Cluster.(led); ok {
		return c.Trainer()
	}
	return nil
}

// faultMsg is the result of injecting or removing a fault.
type faultMsg struct {
	opened int
	says   string
	err    error
}

func (t *training) onFault(msg faultMsg) tea.Cmd {
	switch {
	case msg.opened != t.app.opened:
		return nil
	case msg.err != nil:
		return t.app.said.sayError(msg.err)
	}
	return t.app.said.say(msg.says)
}

// openTrainer opens the trainer's menu.
func (t *training) openTrainer() tea.Cmd {
	trainer := t.trainer()
	if trainer == nil {
		return t.app.said.say("i fault: only the embedded cluster has faults (fathom demo).")
	}
	on := lesson.TargetOf(&t.app.observed, t.app.history.top().Selected())
	menu := &dialog.Choice{Host: &t.app.boxes, Title: "Faults and reset", Does: "injects or removes the fault; reset asks first", Column: 10}
	if t.app.lesson.Taken != nil {
		menu.Title, menu.Does = "Faults, reset, steps", "injects or removes the fault; reset, step ask first"
	}
	for _, active := range trainer.Active() {
		menu.Add("remove", active.Says, t.faultsOff(), func() tea.Cmd { return t.remove(trainer, active) })
	}
	for _, fault := range trainer.Faults(on) {
		menu.Add(fault.Name, fault.Says, t.faultsOff(), func() tea.Cmd { return t.inject(trainer, fault, on) })
	}
	menu.Add("reset", "reset the cluster to its initial state", "", t.askReset)
	if t.app.lesson.Taken != nil {
		menu.Add("step", "go to a step of the lesson", "", t.openSteps)
	}
	return menu.Open()
}

// faultsOff says why faults cannot be injected or removed; "" if they can.
func (t *training) faultsOff() string {
	if t.app.ReadOnly {
		return "read-only, set by --readonly for this session."
	}
	return ""
}

// inject injects a fault into the target, or asks for one if the target does not fit.
func (t *training) inject(trainer Trainer, fault lesson.Fault, on lesson.FaultTarget) tea.Cmd {
	if !fault.Has {
		return t.openTargets(trainer, fault)
	}
	ctx, opened := t.app.ctx, t.app.opened
	return func() tea.Msg {
		return faultMsg{opened, "Injected: " + fault.Says + ".", trainer.Inject(ctx, fault.Name, on)}
	}
}

func (t *training) remove(trainer Trainer, active lesson.ActiveFault) tea.Cmd {
	ctx, opened := t.app.ctx, t.app.opened
	return func() tea.Msg {
		return faultMsg{opened, "Removed: " + strings.TrimSuffix(active.Says, ".") + ".", trainer.Remove(ctx, active.ID)}
	}
}

// openTargets asks for the target of a fault.
func (t *training) openTargets(trainer Trainer, fault lesson.Fault) tea.Cmd {
	menu := &dialog.Choice{Host: &t.app.boxes, Title: fault.Name + ": on which " + fault.Takes, Does: "injects it"}
	for _, place := range lesson.Places(&t.app.observed, fault.Takes) {
		faults := trainer.Faults(place.On)
		at := slices.IndexFunc(faults, func(f lesson.Fault) bool { return f.Name == fault.Name && f.Has })
		if at >= 0 {
			menu.Add(place.Name, place.What, "", func() tea.Cmd { return t.inject(trainer, faults[at], place.On) })
		}
	}
	if menu.IsEmpty() {
		return t.app.said.say(fault.Name + ": there is no " + fault.Takes + " for it.")
	}
	return menu.Open()
}

// resetMsg is the cluster that was opened by a reset.
type resetMsg struct {
	opened  int
	step    int
	cluster Cluster
	err     error
}

// askReset asks whether the cluster, and the lesson, are to be reset.
func (t *training) askReset() tea.Cmd {
	lines := []string{"The cluster is reset to its initial state. All changes are lost."}
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
	lines := []string{"The cluster is reset to its initial state. All changes are lost."}
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

// enlarge draws large and plain, or as before.
func (t *training) enlarge() tea.Cmd {
	t.app.Large = !t.app.Large
	t.app.lesson.Large = t.app.Large
	t.app.dress()
	t.app.layout.showLesson()
	return t.app.history.show()
}
