package query

import (
	"bytes"
	"context"
	"iter"
	"slices"

	"github.com/sahilm/fuzzy"
)

// Points of a word that a name contains: more than any fuzzy match has, and more
// where the name or a part of it begins with the word.
const (
	asItStands  = 1 << 16
	beginsName  = 400
	beginsPart  = 200
	worstScore  = -1 << 24
	whenToCheck = 1024 // rows between two checks of the context
)

// fuzzily reports whether one of the names has the word's letters in this order, and
// notes how well it matches.
func fuzzily(names []byte, word string, s *scratch) truth {
	if points := asSubstring(names, word); points > 0 {
		s.points += points
		return yes
	}
	for name := range bytes.SplitSeq(names, []byte{'\n'}) {
		if inOrder(name, word) {
			s.loose = append(s.loose, word)
			return yes
		}
	}
	return no
}

// asSubstring is the points of a word that one of the names contains; 0 if none
// does. Shorter names have more.
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

// literal is the part without the rows that match words only by scattered letters, where other rows
// have them as they were typed: those with the fewest such words are left.
func (p *part[T]) literal() part[T] {
	scattered := make([]int, len(p.kept)) // words of each row
	for _, some := range p.loose {
		for _, i := range some {
			scattered[i]++
		}
	}
	if len(p.loose) == 0 || len(scattered) == 0 {
		return *p
	}
	least := slices.Min(scattered)
	left, moved := part[T]{loose: map[string][]int{}}, make([]int, len(p.kept))
	for i, row := range p.kept {
		if scattered[i] == least {
			moved[i] = len(left.kept)
			left.kept, left.scores = append(left.kept, row), append(left.scores, p.scores[i])
		}
	}
	for word, some := range p.loose {
		for _, i := range some {
			if scattered[i] == least {
				left.loose[word] = append(left.loose[word], moved[i])
			}
		}
	}
	return left
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

// best puts the best matches first; equal ones stay in their order. Only rows that
// do not contain a word as a substring are left to the fuzzy matcher, which is slow.
// If the context ends, the order means nothing.
func (p *part[T]) best(ctx context.Context, f *Filter[T]) []T {
	for word, some := range p.loose {
		for _, match := range fuzzy.FindFromIterNoSort(word, f.eachName(ctx, p.kept, some)) {
			p.scores[some[match.Index]] += max(match.Score, worstScore)
		}
	}
	// One number sorts by score and then by place, much faster than a comparison
	// by function.
	order := make([]uint64, len(p.kept))
	for i, score := range p.scores {
		order[i] = uint64(1<<31-score)<<32 | uint64(i)
	}
	slices.Sort(order)
	best := make([]T, len(p.kept))
	for i, packed := range order {
		best[i] = p.kept[packed&(1<<32-1)]
	}
	return best
}

// eachName gives the names of some rows to the matcher until the context ends.
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
