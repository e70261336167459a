package plan

import (
	"reflect"
	"slices"
)

// About reports whether an object, as the API server returned it, is the target of the
// change.
func (c Change) About(object map[string]any) bool {
	return metaOf(object, "name") == c.Target.Name && metaOf(object, "uid") == string(c.Target.UID)
}

// Made compares the change with the object that the API server returned for it. made
// has the edits that changed a field, to the value that it has now, and missing names
// the fields that do not have what was requested. What the server changed besides, such
// as other fields and other taints, does not count.
func (c Change) Made(object map[string]any) (made Change, missing []string) {
	made = c
	made.Edits = nil
	for _, edit := range c.Edits {
		now := valueAt(object, edit.Path)
		if !edit.madeIn(now) {
			missing = append(missing, pathWords(edit.Path))
		}
		if !reflect.DeepEqual(edit.From, now) {
			made.Edits = append(made.Edits, Edit{Path: edit.Path, From: edit.From, To: now})
		}
	}
	return made, missing
}

// madeIn reports whether a field has the value that the edit gives it. Of a list, the
// items that the edit adds must be there, and those that it removes must not.
func (e Edit) madeIn(now any) bool {
	if !isList(e.From) && !isList(e.To) {
		return reflect.DeepEqual(e.To, now)
	}
	from, to, is := items(e.From), items(e.To), items(now)
	for _, item := range to {
		if !e.has(from, item) && !e.has(is, item) {
			return false
		}
	}
	return !slices.ContainsFunc(from, func(item any) bool { return !e.has(to, item) && e.has(is, item) })
}

// has reports whether the list has the item. Taints are the same if their key, value and
// effect are: the API server adds when they were added.
func (e Edit) has(list []any, item any) bool {
	return slices.ContainsFunc(list, func(other any) bool {
		if slices.Equal(e.Path, taintsPath) {
			return taintOf(other) == taintOf(item)
		}
		return reflect.DeepEqual(other, item)
	})
}

func isList(value any) bool { _, ok := value.([]any); return ok }
