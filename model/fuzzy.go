package model

import (
	"bytes"
	"context"
	"fmt"
	"iter"
	"slices"

	"github.com/sahilm/fuzzy"
)

// What a word that is found as it stands is worth: more than any whose letters
// are only found in order, and more where a name or a part of one begins.
const (
	asItStands  = 1 << 16
	beginsName  = 400
	beginsPart  = 200
	worstScore  = -1 << 24
	whenToCheck = 1024 // rows between two looks at the context
)

// fuzzy says whether the word's letters stand in this order in one of the names.
func (f *Filter[T]) fuzzy(names []byte, word string) bool {
	for name := range bytes.SplitSeq(names, []byte{'\n'}) {
		if inOrder(name, word) {
			return true
		}
	}
	return false
}

func inOrder(name []byte, word string) bool {
	found := 0
	for i := 0; i < len(name) && found < len(word); i++ {
		if name[i] == word[found] {
			found++
		}
	}
	return found == len(word)
}

// ranked puts the best matches first; equal ones stay in their order.
func (f *Filter[T]) ranked(ctx context.Context, rows []T) ([]T, error) {
	if len(f.words) == 0 || len(rows) < 2 {
		return rows, nil
	}
	scores := make([]int, len(rows))
	for _, word := range f.words {
		if err := f.score(ctx, word, rows, scores); err != nil {
			return nil, err
		}
	}
	// One number sorts by score and then by place, ten times faster than a
	// comparison by function.
	order := make([]uint64, len(rows))
	for i, score := range scores {
		order[i] = uint64(1<<31-score)<<32 | uint64(i)
	}
	slices.Sort(order)
	best := make([]T, len(rows))
	for i, packed := range order {
		best[i] = rows[packed&(1<<32-1)]
	}
	return best, nil
}

// score adds what one word is worth in each row. Only rows that do not hold the
// word as it stands are left to the fuzzy matcher, which is slow.
func (f *Filter[T]) score(ctx context.Context, word string, rows []T, scores []int) error {
	s, loose := &scratch{}, []int(nil)
	for i, row := range rows {
		if i%whenToCheck == 0 && ctx.Err() != nil {
			return fmt.Errorf("rank rows: %w", ctx.Err())
		}
		s.hasNames = false
		if points := asSubstring(f.names(row, s), word); points > 0 {
			scores[i] += points
		} else {
			loose = append(loose, i)
		}
	}
	for _, match := range fuzzy.FindFromIterNoSort(word, f.eachName(ctx, rows, loose)) {
		scores[loose[match.Index]] += max(match.Score, worstScore)
	}
	if ctx.Err() != nil {
		return fmt.Errorf("rank rows: %w", ctx.Err())
	}
	return nil
}

// eachName gives the names of some rows to the matcher.
func (f *Filter[T]) eachName(ctx context.Context, rows []T, some []int) iter.Seq[string] {
	return func(yield func(string) bool) {
		s := &scratch{}
		for n, i := range some {
			s.hasNames = false
			if (n%whenToCheck == 0 && ctx.Err() != nil) || !yield(string(f.names(rows[i], s))) {
				return
			}
		}
	}
}

// asSubstring says what a word is worth that stands in one of the names; 0 if it
// does not. Shorter names are better.
func asSubstring(names []byte, word string) int {
	best := 0
	for name := range bytes.SplitSeq(names, []byte{'\n'}) {
		at := bytes.Index(name, []byte(word))
		if at < 0 {
			continue
		}
		points := asItStands - len(name)
		switch {
		case at == 0 || name[at-1] == '/':
			points += beginsName
		case name[at-1] == '-' || name[at-1] == '.':
			points += beginsPart
		}
		best = max(best, points)
	}
	return best
}
