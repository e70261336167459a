package ui

import (
	"context"

	tea "charm.land/bubbletea/v2"
)

// training is what a trainer does in the embedded cluster: faults, steps, and to begin anew.
type training struct {
	app  *App
	anew bool // the cluster is being begun anew
}

// Trainer leads a class on the embedded cluster. Only that one has a trainer: what
// it does is done at once, and no cluster that is connected to can be meant.
type Trainer interface {
	// Faults are those that can be put on a target. It answers at once.
	Faults(on FaultTarget) []Fault
	// Troubles are the faults that are on, the oldest first. It answers at once.
	Troubles() []Trouble
	// Strike puts a fault on a target.
	Strike(ctx context.Context, name string, on FaultTarget) error
	// TakeBack ends a trouble.
	TakeBack(ctx context.Context, id int) error
	// Again opens the same cluster anew, of a lesson at a step, counted from 1.
	Again(ctx context.Context, step int) (Cluster, error)
}

// FaultTarget is a place of the cluster. What is "" is not known.
type FaultTarget struct {
	Node, Zone            string
	Namespace, Kind, Name string // of a workload
}

// Fault is something that can be put into the embedded cluster.
type Fault struct {
	Name  string // a word
	Says  string // what it does to the target, or to any
	Takes string // what it is put on: a key of targetChoices; "" is nothing
	Has   bool   // the target has that
}

// Trouble is a fault that is on.
type Trouble struct {
	ID   int
	Says string
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

// faultMsg says what came of a fault that was put or taken back.
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

// openTrainer opens the menu of what a trainer does.
func (t *training) openTrainer() tea.Cmd {
	trainer := t.trainer()
	if trainer == nil {
		return t.app.said.say("i fault: faults are put into the embedded cluster alone (fathom demo).")
	}
	on := t.faultTarget()
	menu := &choice{app: t.app, title: "Faults and reset", does: "does it at once; reset asks first", column: 10}
	if t.app.lesson.taken != nil {
		menu.title, menu.does = "Faults, reset, steps", "does it at once; reset and step ask first"
	}
	for _, trouble := range trainer.Troubles() {
		menu.add("take back", trouble.Says, t.faultsOff(), func() tea.Cmd { return t.takeBack(trainer, trouble) })
	}
	for _, fault := range trainer.Faults(on) {
		menu.add(fault.Name, fault.Says, t.faultsOff(), func() tea.Cmd { return t.strikeOn(trainer, fault, on) })
	}
	menu.add("reset", "begin anew: the same cluster, as it was", "", t.askReset)
	if t.app.lesson.taken != nil {
		menu.add("step", "go to a step of the lesson", "", t.openSteps)
	}
	return menu.open()
}

// faultsOff tells why no fault can be put or taken back; "" if it can.
func (t *training) faultsOff() string {
	if t.app.ReadOnly {
		return "read-only, set by --readonly for this run."
	}
	return ""
}

// faultTarget is what faults are put on: what is selected.
func (t *training) faultTarget() FaultTarget {
	on := t.app.history.top().selected()
	node := ""
	switch {
	case on.node != nil:
		node = on.node.Name
	case on.pod != nil:
		node = nodeOf(on.pod)
	}
	var target FaultTarget
	if n, ok := t.app.observed.snapshot.Node(node); ok {
		target.Node, target.Zone = n.Name, n.Zone
	}
	if on.pod != nil {
		target.Namespace, target.Kind, target.Name = on.pod.Object.Namespace, on.pod.Owner.Kind, on.pod.Owner.Name
	}
	return target
}

// strikeOn puts a fault on what is selected; where that will not do, it asks on what.
func (t *training) strikeOn(trainer Trainer, fault Fault, on FaultTarget) tea.Cmd {
	if !fault.Has {
		return t.openTargets(trainer, fault)
	}
	ctx, opened := t.app.ctx, t.app.opened
	return func() tea.Msg {
		return faultMsg{opened, "Done: " + fault.Says + ".", trainer.Strike(ctx, fault.Name, on)}
	}
}

func (t *training) takeBack(trainer Trainer, trouble Trouble) tea.Cmd {
	ctx, opened := t.app.ctx, t.app.opened
	return func() tea.Msg {
		return faultMsg{opened, "Taken back: " + trouble.Says + ".", trainer.TakeBack(ctx, trouble.ID)}
	}
}
