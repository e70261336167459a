package plan

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// Restore takes changes back that were made: the undo of an Action.
type Restore struct {
	Of      string // the action that was run: "cordon std-b-02"
	Changes []Change
}

// undoOf is what takes the changes of an action back.
func undoOf(action Action, changes []Change) Action {
	return Restore{Of: action.Name(), Changes: changes}
}

// Name implements Action.
func (r Restore) Name() string { return "undo " + r.Of }

// Targets implements Action.
func (r Restore) Targets() []model.Ref {
	refs := make([]model.Ref, 0, len(r.Changes))
	for _, change := range r.Changes {
		refs = append(refs, change.Target)
	}
	return refs
}

// Plan implements Action. A field that somebody else has changed since is left
// as it is, and said so; a list of taints is put right taint by taint.
func (r Restore) Plan(on Facts) (*Plan, error) {
	plan := &Plan{Action: r, Title: "Undo: " + r.Of, Does: "undo", UndoSays: "Undo: the same again.", on: on.Snapshot}
	plan.stopDrains(on.Jobs, r.opens())
	for _, made := range slices.Backward(r.Changes) {
		object, err := on.Object(made.Target)
		if err != nil {
			return nil, fmt.Errorf("%s: %s: %w", r.Name(), made.Target.Words(), ErrGone)
		}
		change := changeOf(made.Target, object)
		for _, edit := range slices.Backward(made.Edits) {
			now := valueAt(object, edit.Path)
			to, left := turnedRound(edit, now)
			if left {
				plan.warn(leftWords(made.Target, edit.Path, now))
			}
			change.edit(object, to, edit.Path...)
		}
		if len(change.Edits) > 0 {
			plan.Changes = append(plan.Changes, change)
		}
	}
	switch {
	case len(plan.Changes) == 0 && len(plan.Stops) == 0:
		return nil, fmt.Errorf("%s: %w: all is as it was before, or was changed since", r.Name(), ErrNoChange)
	case len(plan.Changes) == 0:
		plan.onlyStops()
		return plan, nil
	case len(plan.Stops) > 0:
		plan.UndoSays = "Undo: cordon; the drain does not go on."
	}
	plan.Undo = undoOf(r, plan.Changes)
	plan.follow()
	plan.rescale()
	plan.roll(on)
	return plan, nil
}

// opens are the nodes that had been schedulable before the changes were made.
func (r Restore) opens() []string {
	var nodes []string
	for _, made := range r.Changes {
		if made.Target.Resource == "nodes" && slices.ContainsFunc(made.Edits, func(e Edit) bool {
			return slices.Equal(e.Path, unschedulablePath) && e.From == nil
		}) {
			nodes = append(nodes, made.Target.Name)
		}
	}
	return nodes
}

// leftWords say that somebody else's change of a field stays. What an annotation
// holds is not told: it may be anything.
func leftWords(target model.Ref, path []string, now any) string {
	words := fmt.Sprintf("%s of %s was changed since and stays", pathWords(path), model.Clean(target.Words()))
	if isAnnotation(path) {
		return words + "."
	}
	return words + ": " + valueWords(now) + "."
}

// turnedRound is the value that takes the edit back; left says that somebody
// else has changed the field since.
func turnedRound(edit Edit, now any) (to any, left bool) {
	switch {
	case reflect.DeepEqual(now, edit.To), reflect.DeepEqual(now, edit.From):
		return edit.From, false
	case slices.Equal(edit.Path, taintsPath):
		return taintsBack(edit, now)
	}
	return now, true
}

// taintsBack puts right the taints that the edit touched, each told by key and
// effect, where others have changed other taints since; those keep their place
// behind the ones that were there before. left says that somebody has changed one
// of the same.
func taintsBack(edit Edit, now any) (to any, left bool) {
	was, became, is := items(edit.From), items(edit.To), items(now)
	var back []any
	for _, taint := range was {
		then, there := alike(became, taint), alike(is, taint)
		switch {
		case sameTaint(taint, then), !sameTaint(there, then):
			left = left || !sameTaint(taint, then) && !sameTaint(there, taint)
			taint = there // not ours to put right
		}
		if taint != nil {
			back = append(back, taint)
		}
	}
	for _, taint := range is {
		if alike(was, taint) != nil {
			continue
		}
		if added := alike(became, taint); added != nil {
			if sameTaint(added, taint) {
				continue
			}
			left = true
		}
		back = append(back, taint)
	}
	return back, left
}

// alike is the taint of the list with the same key and effect; nil without one.
func alike(list []any, taint any) any {
	wanted := taintOf(taint)
	at := slices.IndexFunc(list, func(item any) bool { there := taintOf(item); return there.MatchTaint(&wanted) })
	if at < 0 {
		return nil
	}
	return list[at]
}

// sameTaint says whether two taints are one, whenever it was added.
func sameTaint(a, b any) bool { return (a == nil) == (b == nil) && taintOf(a) == taintOf(b) }

func items(list any) []any { all, _ := list.([]any); return all }
