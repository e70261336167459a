package plan

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
)

// Restore reverts changes: the undo of an Action.
type Restore struct {
	Of      string // the action that was run: "cordon std-b-02"
	Changes []Change
	// OfDrain says that a drain was run, or an undo of one: only its cordon is
	// reverted, and the action is named by what it does.
	OfDrain bool
}

// UndoOf is the undo of an action's changes.
func UndoOf(action Action, changes []Change) Action {
	_, drain := action.(Drains)
	if undo, ok := action.(Restore); ok {
		drain = undo.OfDrain
	}
	return Restore{Of: action.Name(), Changes: changes, OfDrain: drain}
}

// Name implements Action.
func (r Restore) Name() string {
	if !r.OfDrain {
		return "undo " + r.Of
	}
	names := make([]string, 0, len(r.Changes))
	for _, change := range r.Changes {
		names = append(names, change.Target.Name)
	}
	return r.does() + " " + nodesWords(names)
}

// does is the verb of the y key.
func (r Restore) does() string {
	switch {
	case !r.OfDrain:
		return "undo"
	case len(r.opens()) > 0:
		return "uncordon"
	}
	return "cordon"
}

// title is the title of the box.
func (r Restore) title() string {
	if !r.OfDrain {
		return "Undo of " + r.Of
	}
	verb, _, _ := strings.Cut(r.Of, " ")
	return fmt.Sprintf("%s (undo of %s)", grammar.Capital(r.Name()), verb)
}

// Targets implements Action.
func (r Restore) Targets() []model.Ref {
	refs := make([]model.Ref, 0, len(r.Changes))
	for _, change := range r.Changes {
		refs = append(refs, change.Target)
	}
	return refs
}

// Plan implements Action. A field that somebody else has changed since is kept, and
// a warning names it; a list of taints is restored taint by taint. An object that is gone
// is left out, and a warning names it; ErrGone where all are.
func (r Restore) Plan(on Facts) (*Plan, error) {
	plan := &Plan{Action: r, Title: r.title(), Does: r.does(), on: on.Snapshot, daemonSets: on.DaemonSets, daemonSetsUnlisted: on.DaemonSetsUnlisted}
	plan.stopDrains(on.Jobs, r.opens())
	gone := turnRound(plan, r.Changes, on)
	switch {
	case len(plan.Changes) == 0 && len(gone) > 0:
		return nil, fmt.Errorf("%s: %s: %w", r.Name(), gone[0], ErrGone)
	case len(plan.Changes) == 0 && len(plan.Stops) == 0:
		return nil, fmt.Errorf("%s: %w: everything is already as before, or was changed since", r.Name(), ErrNoChange)
	case len(plan.Changes) == 0:
		plan.onlyStops()
		return plan, nil
	case len(plan.Stops) > 0:
		plan.UndoSays = undoStopsDrain
	default:
		plan.UndoSays = "Undo: " + redoWords(plan.Changes[0]) + "."
	}
	plan.Undo = UndoOf(r, plan.Changes)
	if n := len(gone); n > 0 {
		plan.warn(fmt.Sprintf("Skips %s: %s no longer %s.", model.Clean(namesOf(gone)), grammar.Agree(n, "it", "they"), grammar.Agree(n, "exists", "exist")))
	}
	if err := warnSelected(plan, on); err != nil {
		return nil, fmt.Errorf("%s: %w", r.Name(), err)
	}
	plan.follow()
	if r.OfDrain && len(r.opens()) > 0 && len(plan.Stops) == 0 {
		plan.say(movedBack)
	}
	plan.rescale(on)
	plan.roll(on)
	return plan, nil
}

// turnRound reverts changes that were made, the last first. gone names the objects that do
// not exist any more, in the order of the changes.
func turnRound(p *Plan, changes []Change, on Facts) (gone []string) {
	for _, made := range slices.Backward(changes) {
		object, err := on.Object(made.Target)
		if err != nil {
			gone = append([]string{made.Target.Words()}, gone...)
			continue
		}
		change := changeOf(made.Target, object)
		for _, edit := range slices.Backward(made.Edits) {
			now := valueAt(object, edit.Path)
			to, left := turnedRound(edit, now)
			if left {
				p.warn(leftWords(made.Target, edit.Path, now))
			}
			change.edit(object, to, edit.Path...)
		}
		if len(change.Edits) > 0 {
			p.Changes = append(p.Changes, change)
		}
	}
	return gone
}

// redoWords say how to undo an undo: by the change that it reverts.
func redoWords(change Change) string {
	edit := change.Edits[0]
	then, scales := change.Replicas()
	switch {
	case slices.Equal(edit.Path, unschedulablePath):
		if then, _ := edit.To.(bool); then {
			return "uncordon"
		}
		return "cordon"
	case scales && then >= 0:
		was, _ := edit.From.(int64)
		return fmt.Sprintf("scale to %d", was)
	case slices.Equal(edit.Path, taintsPath):
		return "restore the taints"
	case slices.Equal(edit.Path, restartedPath):
		return "restore the template, which replaces the pods again"
	case isLabel(edit.Path):
		return "restore the labels"
	case isAnnotation(edit.Path):
		return "restore the annotations"
	}
	return "apply the change again"
}

// opens are the nodes that were schedulable before the changes were made.
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

// leftWords say that somebody else's change of a field is kept. The value
// of an annotation is not shown: it may be anything.
func leftWords(target model.Ref, path []string, now any) string {
	words := fmt.Sprintf("%s of %s was changed since then and is kept", pathWords(path), model.Clean(target.Words()))
	if isAnnotation(path) {
		return words + "."
	}
	return words + ": " + valueWords(now) + "."
}

// turnedRound is the value that reverts the edit; left says that somebody else has
// changed the field since.
func turnedRound(edit Edit, now any) (to any, left bool) {
	switch {
	case reflect.DeepEqual(now, edit.To), reflect.DeepEqual(now, edit.From):
		return edit.From, false
	case slices.Equal(edit.Path, taintsPath):
		return taintsBack(edit, now)
	}
	return now, true
}

// taintsBack restores the taints that the edit touched, by key and effect, where
// others have changed other taints since; those keep their place behind the ones
// that were there before. left says that somebody has changed one of the same.
func taintsBack(edit Edit, now any) (to any, left bool) {
	was, became, is := items(edit.From), items(edit.To), items(now)
	var back []any
	for _, taint := range was {
		then, there := matching(became, taint), matching(is, taint)
		switch {
		case sameTaint(taint, then), !sameTaint(there, then):
			left = left || !sameTaint(taint, then) && !sameTaint(there, taint)
			taint = there // somebody else changed it
		}
		if taint != nil {
			back = append(back, taint)
		}
	}
	for _, taint := range is {
		if matching(was, taint) != nil {
			continue
		}
		if added := matching(became, taint); added != nil {
			if sameTaint(added, taint) {
				continue
			}
			left = true
		}
		back = append(back, taint)
	}
	return back, left
}

// matching is the taint of the list with the same key and effect; nil without one.
func matching(list []any, taint any) any {
	wanted := taintOf(taint)
	at := slices.IndexFunc(list, func(item any) bool { there := taintOf(item); return there.MatchTaint(&wanted) })
	if at < 0 {
		return nil
	}
	return list[at]
}

// sameTaint says whether two taints are equal but for when they were added.
func sameTaint(a, b any) bool { return (a == nil) == (b == nil) && taintOf(a) == taintOf(b) }

func items(list any) []any { all, _ := list.([]any); return all }
