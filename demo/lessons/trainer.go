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

// On is what a fault can be put on.
type On string

// What faults are put on. A workload is what keeps a number of pods.
const (
	OnCluster    On = ""
	OnNode       On = "node"
	OnNamespace  On = "namespace"
	OnWorkload   On = "workload"
	OnDeployment On = "deployment"
)

// Target is a place of the cluster. What is "" is not known.
type Target struct {
	Node, Zone            string
	Namespace, Kind, Name string // of a workload
}

// Offer is a fault that a trainer can put into the cluster.
type Offer struct {
	Name  string
	Says  string // what it does to the target, or to any
	Takes On
	Has   bool // the target has what it takes
}

// Trouble is a fault that is on.
type Trouble struct {
	ID   int
	Says string
}

// Trainer puts faults into a cluster that others look at, and takes them back.
type Trainer struct {
	world World
	run   *Run // nil without a lesson
	forms []form

	mu sync.Mutex
	on []trouble
	id int // the last one
}

type trouble struct {
	Trouble
	undos []undo
}

// NewTrainer makes one for the cluster of a lesson; nil is of none.
func NewTrainer(world World, run *Run) (*Trainer, error) {
	forms, err := readForms()
	if err != nil {
		return nil, err
	}
	return &Trainer{world: world, run: run, forms: forms}, nil
}

// Offers are the faults for a target: the lesson's own first.
func (t *Trainer) Offers(on Target) []Offer {
	var all []Offer
	if t.run != nil {
		all = t.run.offers()
	}
	for i := range t.forms {
		f := &t.forms[i]
		all = append(all, Offer{Name: f.Name, Says: f.words(on), Takes: f.Takes, Has: f.Takes.in(on)})
	}
	return all
}

// Troubles are the faults that are on and can be taken back, the oldest first.
func (t *Trainer) Troubles() []Trouble {
	var all []Trouble
	if t.run != nil {
		all = t.run.troubles()
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, one := range t.on {
		all = append(all, one.Trouble)
	}
	return all
}

// Strike puts a fault into the cluster at once.
func (t *Trainer) Strike(ctx context.Context, name string, on Target) error {
	if i, ok := lessonFault(name); ok && t.run != nil {
		return t.run.strikeNow(ctx, i)
	}
	at := slices.IndexFunc(t.forms, func(f form) bool { return f.Name == name })
	if at < 0 {
		return fmt.Errorf("put fault %s: there is none of that name", name)
	}
	f := &t.forms[at]
	effect, err := f.filled(ctx, t.world, on)
	if err != nil {
		return fmt.Errorf("put fault %s: %w", name, err)
	}
	undos, err := effect.bring(ctx, t.world)
	if err != nil {
		return fmt.Errorf("put fault %s: %w", name, err)
	}
	t.note(f.words(on), undos)
	if t.run != nil {
		t.run.help()
	}
	return nil
}

// note keeps what is on. The lock is held for no longer: the menu waits for it.
func (t *Trainer) note(says string, undos []undo) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.id++
	t.on = append(t.on, trouble{Trouble{t.id, says}, undos})
}

// errNotOn says that a fault is not on any more.
var errNotOn = errors.New("it is not on any more")

// TakeBack ends a trouble.
func (t *Trainer) TakeBack(ctx context.Context, id int) error {
	if id < 0 && t.run != nil {
		return t.run.takeBack(ctx, -id-1)
	}
	undos, ok := t.forget(id)
	if !ok {
		return fmt.Errorf("take fault back: %w", errNotOn)
	}
	if err := takeBack(ctx, undos); err != nil {
		return fmt.Errorf("take fault back: %w", err)
	}
	return nil
}

// forget gives what takes a trouble back, once.
func (t *Trainer) forget(id int) (undos []undo, ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	at := slices.IndexFunc(t.on, func(one trouble) bool { return one.ID == id })
	if at < 0 {
		return nil, false
	}
	undos = t.on[at].undos
	t.on = slices.Delete(t.on, at, at+1)
	return undos, true
}
