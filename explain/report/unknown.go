package report

import (
	"maps"
	"slices"
)

// MergeUnknown joins lists of parts into one by resource and reason.
func MergeUnknown(lists ...[]UnknownPart) []UnknownPart {
	plugins := map[[2]string][]string{}
	for _, part := range slices.Concat(lists...) {
		key := [2]string{part.Resource, part.Why}
		if plugins[key] == nil {
			plugins[key] = []string{} // some parts are of no plugin
		}
		for _, name := range part.Plugins {
			if !slices.Contains(plugins[key], name) {
				plugins[key] = append(plugins[key], name)
			}
		}
	}
	merged := make([]UnknownPart, 0, len(plugins))
	for _, key := range slices.SortedFunc(maps.Keys(plugins), func(a, b [2]string) int { return slices.Compare(a[:], b[:]) }) {
		merged = append(merged, UnknownPart{Resource: key[0], Why: key[1], Plugins: plugins[key]})
	}
	return merged
}
