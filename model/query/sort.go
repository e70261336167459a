package query

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Sort is the rows in the order of a field. Rows with equal values stay in their
// order; those whose value is unknown come last in both directions.
func (f *Fields[T]) Sort(rows []T, name string, descending bool) ([]T, error) {
	field, ok := f.Field(name)
	if !ok {
		return nil, fmt.Errorf("sort by %s: no such field; fields: %s", name, strings.Join(f.names(), " "))
	}
	keyed := make([]keyedRow[T], len(rows))
	for i, row := range rows {
		keyed[i] = keyedRow[T]{row, field.Value(row)}
	}
	slices.SortStableFunc(keyed, func(a, b keyedRow[T]) int {
		if a.key.Unknown || b.key.Unknown {
			return cmp.Compare(last(a.key), last(b.key))
		}
		order := field.compare(&a, &b)
		if descending {
			return -order
		}
		return order
	})
	sorted := make([]T, len(rows))
	for i := range keyed {
		sorted[i] = keyed[i].row
	}
	return sorted, nil
}

// keyedRow is a row with the value that it is sorted by.
type keyedRow[T any] struct {
	row T
	key Value
}

// last is 1 for a value that comes last.
func last(v Value) int {
	if v.Unknown {
		return 1
	}
	return 0
}

func (f *Field[T]) compare(a, b *keyedRow[T]) int {
	switch {
	case f.Compare != nil:
		return f.Compare(a.row, b.row)
	case f.Unit == Word:
		return cmp.Or(strings.Compare(a.key.Text, b.key.Text), slices.Compare(a.key.Texts, b.key.Texts))
	default:
		return cmp.Compare(a.key.Number, b.key.Number)
	}
}
