package plan

import (
	"fmt"
	"slices"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
)

// Cordon makes nodes unschedulable; with Off it makes them schedulable again.
type Cordon struct {
	Nodes []string
	Off   bool // uncordon
}

var unschedulablePath = []string{"spec", "unschedulable"}

// Name implements Action.
func (c Cordon) Name() string { return c.verb() + " " + nodesWords(c.Nodes) }

func (c Cordon) verb() string {
	if c.Off {
		return "uncordon"
	}
	return "cordon"
}

// Targets implements Action.
func (c Cordon) Targets() []model.Ref { return nodeRefs(c.Nodes) }

// Plan implements Action. Nodes that are already as requested are left out.
func (c Cordon) Plan(on Facts) (*Plan, error) {
	plan := &Plan{Action: c, Does: c.verb(), UndoSays: "Undo: uncordon.", on: on.Snapshot}
	if c.Off {
		plan.UndoSays = "Undo: cordon."
	}
	var kept, drained []string
	if c.Off {
		drained = plan.stopDrains(on.Jobs, c.Nodes)
	}
	for _, ref := range c.Targets() {
		object, err := on.Object(ref)
		if err != nil {
			plan.skips.add(ref, "deleted", fmt.Errorf("%s %s: %w", c.verb(), ref.Name, ErrGone))
			continue
		}
		change := changeOf(ref, object)
		change.edit(object, !c.Off, unschedulablePath...)
		if len(change.Edits) == 0 && !slices.Contains(drained, ref.Name) {
			plan.skips.add(ref, c.state(), nil)
			continue
		}
		kept = append(kept, ref.Name)
		if len(change.Edits) > 0 {
			plan.Changes = append(plan.Changes, change)
		}
	}
	requested := c
	if len(kept) > 0 {
		c.Nodes = kept
		plan.Action = c
	}
	switch {
	case len(plan.Changes) == 0 && len(plan.Stops) == 0:
		return nil, plan.skips.noneLeft(requested.Name(), requested.already())
	case len(plan.Changes) == 0:
		plan.Title = grammar.Capital(c.Name())
		plan.onlyStops()
		return plan, nil
	case len(plan.Stops) > 0:
		plan.UndoSays = undoStopsDrain
	}
	plan.Title, plan.Undo = titleOf(c, plan.Changes), UndoOf(c, plan.Changes)
	plan.follow()
	return plan, nil
}

// already says that nothing is to be done.
func (c Cordon) already() string {
	if len(c.Nodes) == 1 {
		return c.Nodes[0] + " is " + c.state()
	}
	return "all are " + c.state()
}

// state is that of a node that is already as requested.
func (c Cordon) state() string {
	if c.Off {
		return "not cordoned"
	}
	return "already cordoned"
}
