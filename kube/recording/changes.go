package recording

import (
	"context"
	"fmt"

	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// Changes are what changed to a step, counted from 0, from the one before it.
func (p *Player) Changes(ctx context.Context, step int) (*model.Difference, error) {
	if step == 0 {
		return nil, fmt.Errorf("compare step 1: it is the first step")
	}
	was, err := p.state(step - 1)
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return nil, fmt.Errorf("compare with step %d: %w", step, err)
	}
	is, err := p.state(step)
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return nil, fmt.Errorf("compare step %d: %w", step+1, err)
	}
	p.keep(step-1, was, is)
	return model.Differ(was, is), nil
}

// Pending are the pods of each namespace that are pending at a step, counted from 0. Those
// that were not created do not count.
func (p *Player) Pending(ctx context.Context, step int) (map[string]int, error) {
	s, err := p.state(step)
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return nil, fmt.Errorf("count pending pods of step %d: %w", step+1, err)
	}
	pods := map[string]int{}
	for _, kind := range s.Pending {
		if kind.NotCreated == nil {
			pods[kind.Namespace()] += kind.Count()
		}
	}
	return pods, nil
}

// state is what a step shows.
func (p *Player) state(step int) (*model.Snapshot, error) {
	p.mu.Lock()
	kept := p.states[step]
	p.mu.Unlock()
	if kept != nil {
		return kept, nil
	}
	file := p.File(step)
	if file == nil {
		var err error
		if file, err = p.read(step); err != nil {
			return nil, err
		}
	}
	return file.State(), nil
}

// mostKept is how many pods two states may have to be kept: a pod takes some 6 KiB.
const mostKept = 20_000

// keep keeps the states of two steps that follow each other: of one who walks
// through a recording one of them is asked for next. Large ones are read again.
func (p *Player) keep(first int, was, is *model.Snapshot) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.states = nil
	if len(was.Pods)+len(is.Pods) > mostKept {
		return
	}
	p.states = map[int]*model.Snapshot{first: was, first + 1: is}
}
