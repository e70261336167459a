package ui

import (
	"context"
	"fmt"
	"time"

	tea "charm.land/bubbletea/v2"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/ui/keymap"
)

// Recording is a cluster that was recorded. Its methods are called from Cmds,
// never from Update or View. Which step a snapshot is of stands in its Status.
type Recording interface {
	// Go goes to a step, counted from 1: its snapshot comes out of Next soon after.
	// On an error the step that was shown stays.
	Go(ctx context.Context, step int) error
	// Changes are what changed to a step from the one before it.
	Changes(ctx context.Context, step int) (*model.Difference, error)
	// Past looks back from a step for a pod that waits. Each call of what it gives
	// goes on for a moment, until History.Done.
	Past(step int, uid types.UID) func(context.Context) (*report.History, error)
}

// stepping is where in a recording one is going.
type stepping struct {
	app  *App
	to   int  // the step that was asked for last; 0: none was
	busy bool // one is being read
	slow bool // and takes its time
	nth  int
}

type (
	// steppedMsg says that a step was read, or why it could not be.
	steppedMsg struct {
		opened, to int
		err        error
	}
	// stepSlowMsg says that reading a step takes its time.
	stepSlowMsg struct{ nth int }
)

// placesOf are where in the key map a page is: in a recording there are more keys.
func (k *keyboard) placesOf(v view) keymap.Place {
	in := v.places()
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
	return s.app.observed.snapshot.Status.Step
}

// offStep tells why there is no step to go to; "" if there is.
func (s *stepping) offStep(do keymap.Action) string {
	to, all := s.towards(), s.app.observed.snapshot.Status.Steps
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
		s.app.after(slowAfter, func(time.Time) tea.Msg { return stepSlowMsg{nth} }),
	)
}

// onStepped goes on to the step that was asked for meanwhile, or says why this one
// cannot be shown.
func (s *stepping) onStepped(msg steppedMsg) tea.Cmd {
	if msg.opened != s.app.opened {
		return nil
	}
	s.busy, s.slow = false, false
	switch {
	case s.to != msg.to:
		return s.readStep()
	case msg.err != nil:
		return s.app.said.sayError(fmt.Errorf("step %d cannot be read, step %d stays on screen: %w", msg.to, s.app.observed.snapshot.Status.Step, msg.err))
	}
	return nil
}

// onStep makes room for another step: what was found out of the one before does
// not hold of it, so nothing of that stays on screen until it is asked again.
func (s *stepping) onStep() {
	v := &s.app.verdicts
	*v = verdicts{app: s.app, known: map[string]verdict{}, asking: v.asking, about: v.about, stop: v.stop, since: s.app.observed.snapshot.Revision}
	s.app.history.leave()
	s.app.Context = s.app.observed.snapshot.Status.Context // snapshots that were taken one by one may be of several
	s.app.head.short = s.app.head.shortContext()
	for _, v := range s.app.history.trail {
		if p, ok := v.(*textPage); ok {
			p.again()
		}
	}
}

// steppingWords say that a step is being read; "" while none takes its time.
func (s *stepping) steppingWords() string {
	if !s.slow {
		return ""
	}
	return fmt.Sprintf("Reading step %d of %d.", s.to, s.app.observed.snapshot.Status.Steps)
}

// stepWords are the header's; "" where there are no steps.
func (s *stepping) stepWords() string {
	status := s.app.observed.snapshot.Status
	if status.Steps == 0 {
		return ""
	}
	return fmt.Sprintf("step %d of %d", status.Step, status.Steps)
}

// openChanges shows what changed since the step before.
func (s *stepping) openChanges() tea.Cmd {
	if _, open := s.app.history.top().(*difference); open {
		return nil
	}
	return s.app.history.open(newDifference(s.app))
}

// withSteps is a footer with the keys of a recording before all others.
func (s *stepping) withSteps(footer []footKey) []footKey {
	if s.app.Recording == nil {
		return footer
	}
	do := keymap.StepOn
	if s.offStep(do) != "" {
		do = keymap.StepBack // one of the two acts, unless there is only one step
	}
	steps := []footKey{{do: do, label: ", ."}}
	if _, open := s.app.history.top().(*difference); !open {
		steps = append(steps, footKey{do: keymap.Changes})
	}
	if s.app.keyboard.placesOf(s.app.history.top())&keymap.OnRecorded != 0 {
		steps = append(steps, footKey{do: keymap.Past})
	}
	return append(steps, footer...)
}
