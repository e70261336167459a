package model

import "fmt"

// Cordon makes nodes unschedulable; with Off it makes them schedulable again.
type Cordon struct {
	Nodes []string
	Off   bool // uncordon
}

// Name implements Action.
func (c Cordon) Name() string { return c.verb() + " " + nodesWords(c.Nodes) }

func (c Cordon) verb() string {
	if c.Off {
		return "uncordon"
	}
	return "cordon"
}

// Targets implements Action.
func (c Cordon) Targets() []Ref { return nodeRefs(c.Nodes) }

// Plan implements Action. Nodes that are as wished already are left out.
func (c Cordon) Plan(on Facts) (*Plan, error) {
	var changes []Change
	pods := 0
	for _, ref := range c.Targets() {
		object, err := on.Object(ref)
		if err != nil {
			return nil, fmt.Errorf("%s %s: %w", c.verb(), ref.Name, ErrGone)
		}
		change := changeOf(ref, object)
		change.edit(object, !c.Off, "spec", "unschedulable")
		if len(change.Edits) == 0 {
			continue
		}
		changes = append(changes, change)
		if node, ok := on.Snapshot.Node(ref.Name); ok {
			pods += len(node.Pods)
		}
	}
	if len(changes) == 0 {
		return nil, fmt.Errorf("%s: %w: %s", c.Name(), ErrNoChange, c.already())
	}
	return c.planned(changes, pods), nil
}

func (c Cordon) planned(changes []Change, pods int) *Plan {
	plan := &Plan{Action: c, Title: titleOf(c, changes), Does: c.verb(), Changes: changes, Undo: undoOf(c, changes)}
	if c.Off {
		plan.Effects, plan.UndoSays = []string{"New pods may go there again."}, "Undo: cordon."
		return plan
	}
	plan.UndoSays = "Undo: uncordon."
	switch whose := "Its"; {
	case pods == 0:
		plan.Effects = []string{"No pod is there; new pods go elsewhere."}
	case len(changes) > 1:
		plan.Effects = []string{fmt.Sprintf("Their %s stay; new pods go elsewhere.", CountPods(pods))}
	case pods == 1:
		plan.Effects = []string{whose + " 1 pod stays; new pods go elsewhere."}
	default:
		plan.Effects = []string{fmt.Sprintf("%s %s stay; new pods go elsewhere.", whose, CountPods(pods))}
	}
	return plan
}

// already says that nothing is to be done.
func (c Cordon) already() string {
	state := "cordoned already"
	if c.Off {
		state = "not cordoned"
	}
	if len(c.Nodes) == 1 {
		return c.Nodes[0] + " is " + state
	}
	return "all are " + state
}
