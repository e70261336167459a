package lessons

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"slices"
	"sync"
)

//go:embed faults/faults.yaml
var faultFiles embed.FS

// TargetKind is the kind of object that a fault is injected into.
type TargetKind string

// The kinds of targets. A workload is a controller with replicas.
const (
	OnCluster    TargetKind = ""
	OnNode       TargetKind = "node"
	OnNamespace  TargetKind = "namespace"
	OnWorkload   TargetKind = "workload"
	OnDeployment TargetKind = "deployment"
)

// Target is what a fault is injected into. "" is unknown.
type Target struct {
	Node, Zone            string
	Namespace, Kind, Name string // of a workload
}

// AvailableFault is a fault that an instructor can inject.
type AvailableFault struct {
	Name  string
	Says  string // its effect on the target, or on any
	Takes TargetKind
	Has   bool // the target is of that kind
}

// ActiveFault is a fault that was injected and not removed.
type ActiveFault struct {
	ID   int
	Says string
}

// Trainer injects faults into the cluster of a class and removes them.
type Trainer struct {
	cluster   Cluster
	run       *Run // nil without a lesson
	templates []faultTemplate

	mu sync.Mutex
	on []injected
	id int // the last one
}

type injected struct {
	ActiveFault
	undos []undo
}

// NewTrainer makes a trainer of a cluster. run is its lesson, or nil.
func NewTrainer(cluster Cluster, run *Run) (*Trainer, error) {
	templates, err := readTemplates()
	if err != nil {
		return nil, err
	}
	return &Trainer{cluster: cluster, run: run, templates: templates}, nil
}

// Available are the faults for a target, the lesson's own first.
func (t *Trainer) Available(on Target) []AvailableFault {
	var all []AvailableFault
	if t.run != nil {
		all = t.run.available()
	}
	for i := range t.templates {
		f := &t.templates[i]
		all = append(all, AvailableFault{Name: f.Name, Says: f.describe(on), Takes: f.Takes, Has: f.Takes.matches(on)})
	}
	return all
}

// Active are the active faults that can be removed, the oldest first.
func (t *Trainer) Active() []ActiveFault {
	var all []ActiveFault
	if t.run != nil {
		all = t.run.active()
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, one := range t.on {
		all = append(all, one.ActiveFault)
	}
	return all
}

// Inject injects a fault at once.
func (t *Trainer) Inject(ctx context.Context, name string, on Target) error {
	if i, ok := lessonFault(name); ok && t.run != nil {
		return t.run.injectNow(ctx, i)
	}
	at := slices.IndexFunc(t.templates, func(f faultTemplate) bool { return f.Name == name })
	if at < 0 {
		return fmt.Errorf("inject fault %s: no such fault", name)
	}
	f := &t.templates[at]
	effect, err := f.expand(ctx, t.cluster, on)
	if err != nil {
		return fmt.Errorf("inject fault %s: %w", name, err)
	}
	undos, err := effect.apply(ctx, t.cluster)
	if err != nil {
		return fmt.Errorf("inject fault %s: %w", name, err)
	}
	t.note(f.describe(on), undos)
	if t.run != nil {
		t.run.markLed()
	}
	return nil
}

// note records an active fault. It holds the lock only briefly, because the menu needs it.
func (t *Trainer) note(says string, undos []undo) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.id++
	t.on = append(t.on, injected{ActiveFault{t.id, says}, undos})
}

// errNotOn says that a fault is not active.
var errNotOn = errors.New("it is no longer active")

// Remove reverts an active fault.
func (t *Trainer) Remove(ctx context.Context, id int) error {
	if id < 0 && t.run != nil {
		return t.run.remove(ctx, -id-1)
	}
	undos, ok := t.forget(id)
	if !ok {
		return fmt.Errorf("remove fault: %w", errNotOn)
	}
	if err := revert(ctx, undos); err != nil {
		return fmt.Errorf("remove fault: %w", err)
	}
	return nil
}

// forget drops an active fault and returns how to revert it.
func (t *Trainer) forget(id int) (undos []undo, ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	at := slices.IndexFunc(t.on, func(one injected) bool { return one.ID == id })
	if at < 0 {
		return nil, false
	}
	undos = t.on[at].undos
	t.on = slices.Delete(t.on, at, at+1)
	return undos, true
}
