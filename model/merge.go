package model

import "slices"

// change is the step of one element from one snapshot to the next; was is nil
// for one that came, is for one that went.
type change[T any] struct{ was, is *T }

// edit is half a change: one element to drop or to put in.
type edit[T any] struct {
	element *T
	drop    bool
}

// merged gives sorted with the changes applied, sorted again. The slice that it
// is given stays as it is; without a change it is that slice. No two elements
// may compare as equal, and every was is in sorted.
func merged[T any](sorted []*T, changes []change[T], compare func(a, b *T) int) []*T {
	if len(changes) == 0 {
		return sorted
	}
	edits, grows := make([]edit[T], 0, 2*len(changes)), 0
	for _, c := range changes {
		if c.was != nil {
			edits, grows = append(edits, edit[T]{c.was, true}), grows-1
		}
		if c.is != nil {
			edits, grows = append(edits, edit[T]{c.is, false}), grows+1
		}
	}
	slices.SortFunc(edits, func(a, b edit[T]) int { return compare(a.element, b.element) })

	result := make([]*T, 0, len(sorted)+grows)
	for _, e := range edits {
		at, _ := slices.BinarySearchFunc(sorted, e.element, compare)
		result, sorted = append(result, sorted[:at]...), sorted[at:]
		if e.drop {
			sorted = sorted[1:]
		} else {
			result = append(result, e.element)
		}
	}
	return append(result, sorted...)
}
