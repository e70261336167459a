package model

import (
	"fmt"
	"reflect"
	"slices"
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
func (r Restore) Targets() []Ref {
	refs := make([]Ref, 0, len(r.Changes))
	for _, change := range r.Changes {
		refs = append(refs, change.Target)
	}
	return refs
}

// Plan implements Action. A field that somebody else has changed since is left
// as it is, and said so; a list of taints is put right taint by taint.
func (r Restore) Plan(on Facts) (*Plan, error) {
	plan := &Plan{Action: r, Title: "Undo: " + r.Of, Does: "undo", UndoSays: "Undo: the same again."}
	for _, made := range slices.Backward(r.Changes) {
		object, err := on.Object(made.Target)
		if err != nil {
			return nil, fmt.Errorf("%s: %s: %w", r.Name(), made.Target.Words(), ErrGone)
		}
		change := changeOf(made.Target, object)
		for _, edit := range slices.Backward(made.Edits) {
			to, left := turnedRound(edit, valueAt(object, edit.Path))
			if left {
				plan.Warnings = append(plan.Warnings, fmt.Sprintf("%s of %s was changed since and stays: %s.",
					pathWords(edit.Path), made.Target.Words(), valueWords(valueAt(object, edit.Path))))
				continue
			}
			change.edit(object, to, edit.Path...)
		}
		if len(change.Edits) > 0 {
			plan.Changes = append(plan.Changes, change)
		}
	}
	if len(plan.Changes) == 0 {
		return nil, fmt.Errorf("%s: %w: all is as it was before, or was changed since", r.Name(), ErrNoChange)
	}
	plan.Undo = undoOf(r, plan.Changes)
	return plan, nil
}

// turnedRound is the value that takes the edit back; left says that somebody
// else has changed the field since.
func turnedRound(edit Edit, now any) (to any, left bool) {
	switch {
	case reflect.DeepEqual(now, edit.To), reflect.DeepEqual(now, edit.From):
		return edit.From, false
	case isTaints(edit.Path):
		return taintsBack(edit, now), false
	}
	return now, true
}

func isTaints(path []string) bool { return slices.Equal(path, []string{"spec", "taints"}) }

// taintsBack takes out of now what the edit added, and adds what it took away,
// where others have changed other taints since.
func taintsBack(edit Edit, now any) any {
	was, became, is := items(edit.From), items(edit.To), items(now)
	back := slices.DeleteFunc(slices.Clone(is), func(taint any) bool { return hasItem(became, taint) && !hasItem(was, taint) })
	for _, taint := range was {
		if !hasItem(became, taint) && !hasItem(back, taint) {
			back = append(back, taint)
		}
	}
	return back
}

func items(list any) []any { all, _ := list.([]any); return all }

func hasItem(list []any, item any) bool {
	return slices.ContainsFunc(list, func(one any) bool { return reflect.DeepEqual(one, item) })
}
