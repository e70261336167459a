package ui

import (
	"context"
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/kubectl-fathom/kubectl-fathom/ui/dialog"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page"
)

// training is a trainer's control of the embedded cluster: faults, steps and reset.
type training struct {
	app     *App
	opening bool // a cluster is being opened
}

// Trainer controls the embedded cluster for a class. Only that cluster has one: what a
// trainer does takes effect at once, and it must never reach a real cluster.
type Trainer interface {
	// Faults are the faults that can be injected into a target. It returns at once.
	Faults(on FaultTarget) []Fault
	// Active are the active faults, the oldest first. It returns at once.
	Active() []ActiveFault
	// Inject injects a fault into a target.
	Inject(ctx context.Context, name string, on FaultTarget) error
	// Remove removes an active fault.
	Remove(ctx context.Context, id int) error
	// Reset opens the same cluster from its start, with its lesson at a step, counted from 1.
	Reset(ctx context.Context, step int) (Cluster, error)
}

// FaultTarget is what a fault is injected into. "" is unknown.
type FaultTarget struct {
	Node, Zone            string
	Namespace, Kind, Name string // of a workload
}

// Fault is a fault that can be injected into the embedded cluster.
type Fault struct {
	Name  string // one word
	Says  string // its effect on the target, or on any
	Takes string // the kind of target: a key of targetChoices; "" is none
	Has   bool   // the target is of that kind
}

// ActiveFault is a fault that was injected and not removed.
type ActiveFault struct {
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
	on := t.faultTarget()
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
	menu.Add("reset", "reset the cluster to its start", "", t.askReset)
	if t.app.lesson.Taken != nil {
		menu.Add("step", "go to a step of the lesson", "", t.openSteps)
	}
	return menu.Open()
}

// faultsOff says why faults cannot be injected or removed; "" if they can.
func (t *training) faultsOff() string {
	if t.app.ReadOnly {
		return "read-only, set by --readonly for this run."
	}
	return ""
}

// faultTarget is what faults are injected into: the selected object.
func (t *training) faultTarget() FaultTarget {
	on := t.app.history.top().Selected()
	node := ""
	switch {
	case on.Node != nil:
		node = on.Node.Name
	case on.Pod != nil:
		node = page.NodeOf(on.Pod)
	}
	var target FaultTarget
	if n, ok := t.app.observed.Snapshot.Node(node); ok {
		target.Node, target.Zone = n.Name, n.Zone
	}
	if on.Pod != nil {
		target.Namespace, target.Kind, target.Name = on.Pod.Object.Namespace, on.Pod.Owner.Kind, on.Pod.Owner.Name
	}
	return target
}

// inject injects a fault into the target, or asks for one if the target does not fit.
func (t *training) inject(trainer Trainer, fault Fault, on FaultTarget) tea.Cmd {
	if !fault.Has {
		return t.openTargets(trainer, fault)
	}
	ctx, opened := t.app.ctx, t.app.opened
	return func() tea.Msg {
		return faultMsg{opened, "Injected: " + fault.Says + ".", trainer.Inject(ctx, fault.Name, on)}
	}
}

func (t *training) remove(trainer Trainer, active ActiveFault) tea.Cmd {
	ctx, opened := t.app.ctx, t.app.opened
	return func() tea.Msg {
		return faultMsg{opened, "Removed: " + active.Says + ".", trainer.Remove(ctx, active.ID)}
	}
}

// faultPlace is one of the targets of a fault, as the menu lists it.
type faultPlace struct {
	name, what string
	on         FaultTarget
}

// targetChoices list the possible targets of faults, by what they take.
var targetChoices = map[string]func(*training) []faultPlace{
	"node": (*training).faultNodes, "namespace": (*training).faultNamespaces, "workload": (*training).faultWorkloads, "deployment": (*training).faultWorkloads,
}

// openTargets asks for the target of a fault.
func (t *training) openTargets(trainer Trainer, fault Fault) tea.Cmd {
	menu := &dialog.Choice{Host: &t.app.boxes, Title: fault.Name + ": on which " + fault.Takes, Does: "injects it"}
	if list, ok := targetChoices[fault.Takes]; ok {
		for _, place := range list(t) {
			faults := trainer.Faults(place.on)
			at := slices.IndexFunc(faults, func(f Fault) bool { return f.Name == fault.Name && f.Has })
			if at >= 0 {
				menu.Add(place.name, place.what, "", func() tea.Cmd { return t.inject(trainer, faults[at], place.on) })
			}
		}
	}
	if menu.IsEmpty() {
		return t.app.said.say(fault.Name + ": there is no " + fault.Takes + " for it.")
	}
	return menu.Open()
}

func (t *training) faultNodes() (all []faultPlace) {
	for _, n := range t.app.observed.Snapshot.Nodes {
		all = append(all, faultPlace{t.app.observed.NodeName(n.Name), n.Zone + "  " + n.Status, FaultTarget{Node: n.Name, Zone: n.Zone}})
	}
	return all
}

func (t *training) faultNamespaces() (all []faultPlace) {
	for _, name := range t.app.observed.Namespaces() {
		all = append(all, faultPlace{name: name, on: FaultTarget{Namespace: name}})
	}
	return all
}

// faultWorkloads are the owners of the pods, each once.
func (t *training) faultWorkloads() (all []faultPlace) {
	known := map[FaultTarget]bool{}
	for _, pod := range t.app.observed.Snapshot.Pods {
		on := FaultTarget{Namespace: pod.Object.Namespace, Kind: pod.Owner.Kind, Name: pod.Owner.Name}
		if on.Name != "" && !known[on] {
			known[on] = true
			all = append(all, faultPlace{on.Namespace + "/" + on.Name, on.Kind, on})
		}
	}
	return all
}
