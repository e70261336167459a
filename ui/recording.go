package ui

import (
	"context"
	"fmt"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/kubectl-fathom/kubectl-fathom/ui/keymap"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page/difference"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page/object"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page/pending"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page/podhistory"
)

// Recording is a recorded cluster. Its methods are called from Cmds, never from
// Update or View. The Status of a snapshot says which step it is of.
type Recording interface {
	difference.Recording
	podhistory.Recording
	pending.Recording
	// Go goes to a step, counted from 1: its snapshot comes out of Next soon after.
	// On an error the step that was shown stays.
	Go(ctx context.Context, step int) error
}

// stepping is the state of going to a step of a recording.
type stepping struct {
	app  *App
	to   int  // the step that was asked for last; 0: none was
	busy bool // one is being read
	slow bool // and that takes long
	nth  int
}

type (
	// steppedMsg says that a step was read, or why it could not be.
	steppedMsg struct {
		opened, to int
		err        error
	}
	// stepSlowMsg says that reading a step takes long.
	stepSlowMsg struct{ nth int }
)

// placesOf are where in the key map a page is: in a recording there are more keys.
func (k *keyboard) placesOf(v page.View) keymap.Place {
	in := v.Places()
	if k.app.Recording != nil {
		in |= keymap.InRecording
		if in&keymap.OnPod != 0 {
			in |= keymap.OnRecorded
		}
	}
	return in
}

// towards is the step that was asked for last, else the one that is shown.
func (s *stepping) towards() int {
	if s.to != 0 {
		return s.to
	}
	return s.app.observed.Snapshot.Status.Step
}

// offStep says why there is no step to go to; "" if there is.
func (s *stepping) offStep(do keymap.Action) string {
	to, all := s.towards(), s.app.observed.Snapshot.Status.Steps
	switch {
	case all == 0:
		return "the recording is being read."
	case do == keymap.StepBack && to <= 1:
		return "this is the first step."
	case do == keymap.StepOn && to >= all:
		return "this is the last step."
	}
	return ""
}

// step goes one step back or on. Keys that come while one is being read add up.
func (s *stepping) step(do keymap.Action) tea.Cmd {
	by := 1
	if do == keymap.StepBack {
		by = -1
	}
	s.to = s.towards() + by
	return s.readStep()
}

// readStep reads the step that was asked for last, off the event loop.
func (s *stepping) readStep() tea.Cmd {
	if s.busy {
		return nil
	}
	s.busy, s.slow = true, false
	s.nth++
	ctx, recording, opened, to, nth := s.app.ctx, s.app.Recording, s.app.opened, s.to, s.nth
	return tea.Batch(
		func() tea.Msg { return steppedMsg{opened, to, recording.Go(ctx, to)} },
		s.app.after(page.SlowAfter, func(time.Time) tea.Msg { return stepSlowMsg{nth} }),
	)
}

// onStepped reads the step that was asked for meanwhile, or says why this one cannot
// be shown.
func (s *stepping) onStepped(msg steppedMsg) tea.Cmd {
	if msg.opened != s.app.opened {
		return nil
	}
	s.busy, s.slow = false, false
	switch {
	case s.to != msg.to:
		return s.readStep()
	case msg.err != nil:
		return s.app.said.sayError(fmt.Errorf("step %d cannot be read, still showing step %d: %w", msg.to, s.app.observed.Snapshot.Status.Step, msg.err))
	}
	return nil
}

// onStep starts with another step: verdicts of the previous one do not hold for it,
// so none stays on screen.
func (s *stepping) onStep() {
	s.app.verdicts.Restart(s.app.observed.Snapshot.Revision)
	s.app.history.leave()
	s.app.Context = s.app.observed.Snapshot.Status.Context // snapshots that were taken one by one may be of several
	s.app.head.short = s.app.head.shortContext()
	for _, v := range s.app.history.trail {
		if p, ok := v.(*object.Page); ok {
			p.Again()
		}
	}
}

// steppingWords say that a step is being read; "" unless that takes long.
func (s *stepping) steppingWords() string {
	if !s.slow {
		return ""
	}
	return fmt.Sprintf("Reading step %d of %d.", s.to, s.app.observed.Snapshot.Status.Steps)
}

// stepWords are the header's; "" where there are no steps.
func (s *stepping) stepWords() string {
	status := s.app.observed.Snapshot.Status
	if status.Steps == 0 {
		return ""
	}
	return fmt.Sprintf("step %d of %d", status.Step, status.Steps)
}

// openChanges shows the changes since the previous step.
func (s *stepping) openChanges() tea.Cmd {
	if _, open := s.app.history.top().(*difference.Page); open {
		return nil
	}
	return s.app.history.open(difference.New(&s.app.host, s.app.Recording))
}

// withSteps is a footer with the keys of a recording before all others.
func (s *stepping) withSteps(footer []page.Key) []page.Key {
	if s.app.Recording == nil {
		return footer
	}
	do := keymap.StepOn
	if s.offStep(do) != "" {
		do = keymap.StepBack // one of the two acts, unless there is only one step
	}
	steps := []page.Key{{Do: do, Label: ", ."}}
	if _, open := s.app.history.top().(*difference.Page); !open {
		steps = append(steps, page.Key{Do: keymap.Changes})
	}
	if s.app.keyboard.placesOf(s.app.history.top())&keymap.OnRecorded != 0 {
		steps = append(steps, page.Key{Do: keymap.History})
	}
	return append(steps, footer...)
}

// offPodHistory says why there is no look back for the selected pod; "" if there is.
func (s *stepping) offPodHistory(v page.View) string {
	on := v.Selected()
	if on.Pod == nil {
		return "no pod is selected."
	}
	if _, waits := s.app.observed.Snapshot.ClassOf(on.Pod.Object.UID); !waits {
		if _, gone := page.PodIn(s.app.observed.Snapshot, on.Pod); gone {
			return page.AbsentPod(&s.app.observed, on.Pod, on.Copy)
		}
	}
	if on.Pod.Object.Spec.NodeName != "" {
		return on.Copy + " has a node already."
	}
	return ""
}
