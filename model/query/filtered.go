package query

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"

	utilruntime "k8s.io/apimachinery/pkg/util/runtime"

	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// Filtered is the result of a filter.
type Filtered[T any] struct {
	Rows    []T       // best match first if Ranked, else as they came in; not to be changed
	Ranked  bool      // the filter has a fuzzy word
	Missing []Missing // rows that were left out only because a value is unknown
	Late    bool      // the filter depends on the explanations of rows
	Decided []T       // rows that are kept or left out by their explanation; none unless Late
	Open    []T       // those of them that are left out because it is not there yet

	filter *Filter[T]
	from   []T // what the filter was applied to
	kept   []T // Rows in the order that they came in
}

// Missing counts rows without a value.
type Missing struct {
	Field string
	Rows  int
}

// Note is what to show with the rows: "3 rows have no cpu.used"; "" if nothing.
func (r *Filtered[T]) Note() string {
	if len(r.Rows) == 0 && r.filter.looksLikeRegex() {
		return "a regular expression needs slashes: /a|b/"
	}
	if quoted := r.filter.unquoted(); len(r.Rows) == 0 && quoted != "" {
		return "try " + quoted
	}
	notes := make([]string, len(r.Missing))
	for i, m := range r.Missing {
		notes[i] = fmt.Sprintf("%s rows have no %s", model.FormatCount(m.Rows), m.Field)
		if m.Rows == 1 {
			notes[i] = "1 row has no " + m.Field
		}
	}
	return strings.Join(notes, ", ")
}

// Filter is what was applied.
func (r *Filtered[T]) Filter() *Filter[T] { return r.filter }

// hasExpression reports whether a term is a regular expression.
func (f *Filter[T]) hasExpression() bool {
	return slices.ContainsFunc(f.terms, func(t term[T]) bool { return t.find != nil })
}

// looksLikeRegex reports whether a word looks like a regular expression.
func (f *Filter[T]) looksLikeRegex() bool {
	for _, word := range f.words {
		if strings.Contains(word, "|") {
			return true
		}
	}
	return false
}

// unquoted is a comparison with the words after it as its value, in quotes: blocked="node
// selector"; "" where no comparison is followed by words.
func (f *Filter[T]) unquoted() string {
	for i := range f.terms {
		if f.terms[i].form != compareForm || strings.Contains(f.terms[i].source, `"`) {
			continue
		}
		value := []string{f.terms[i].text}
		for _, next := range f.terms[i+1:] {
			if next.form != fuzzyForm || next.negate {
				break
			}
			value = append(value, next.text)
		}
		if len(value) > 1 {
			return f.terms[i].field + f.terms[i].op + `"` + strings.Join(value, " ") + `"`
		}
	}
	return ""
}

// Apply filters rows. Where last, which may be nil, is the result of a wider filter
// on the same rows, only its rows are matched. It ends early with the context's error.
func (f *Filter[T]) Apply(ctx context.Context, rows []T, last *Filtered[T]) (*Filtered[T], error) {
	result := &Filtered[T]{filter: f, from: rows, Ranked: len(f.words) > 0, Late: f.late}
	if f.Empty() {
		result.Rows, result.kept = rows, rows
		return result, nil
	}
	candidates := rows
	if last != nil && f.narrows(last, rows) {
		candidates = last.kept
	}
	parts := f.each(ctx, candidates)
	if ctx.Err() != nil {
		return nil, fmt.Errorf("filter rows: %w", ctx.Err())
	}
	all := joined(parts)
	result.kept, result.Rows, result.Missing = all.kept, all.kept, f.counted(all.missing)
	result.Decided, result.Open = all.decided, all.open
	if result.Ranked {
		literal := all.literal() // a narrower filter looks at the others too
		result.Rows = literal.best(ctx, f)
	}
	if ctx.Err() != nil {
		return nil, fmt.Errorf("rank rows: %w", ctx.Err())
	}
	return result, nil
}

// part is the result of a filter on some of the rows.
type part[T any] struct {
	kept    []T
	scores  []int            // of the kept ones, by their substring matches
	loose   map[string][]int // word → indexes in kept of rows that match it only fuzzily
	missing map[string]int   // field → rows
	decided []T              // see Filtered.Decided
	open    []T              // see Filtered.Open
}

// each matches the rows, on every processor if there are many.
func (f *Filter[T]) each(ctx context.Context, rows []T) []part[T] {
	parts := make([]part[T], 0, runtime.GOMAXPROCS(0))
	size := max((len(rows)+cap(parts)-1)/cap(parts), 4*whenToCheck)
	var wait sync.WaitGroup
	for some := range slices.Chunk(rows, size) {
		parts = append(parts, part[T]{loose: map[string][]int{}, missing: map[string]int{}})
		p := &parts[len(parts)-1]
		wait.Go(func() {
			defer utilruntime.HandleCrash()
			p.ask(ctx, f, some)
		})
	}
	wait.Wait()
	return parts
}

// ask matches one row after the other until the context ends.
func (p *part[T]) ask(ctx context.Context, f *Filter[T], rows []T) {
	s, check := &scratch{}, whenToCheck
	if f.hasExpression() {
		check = 1 // a row may take long
	}
	for i, row := range rows {
		if i%check == 0 && ctx.Err() != nil {
			return
		}
		said, field := f.ask(row, s)
		if s.decided {
			p.decided = append(p.decided, row)
		}
		switch {
		case said == yes:
			for _, word := range s.loose {
				p.loose[word] = append(p.loose[word], len(p.kept))
			}
			p.kept, p.scores = append(p.kept, row), append(p.scores, s.points)
		case said == open && f.late && !f.explained(row):
			p.open = append(p.open, row)
		case said == open:
			p.missing[field]++
		}
	}
}

// joined joins the parts in their order.
func joined[T any](parts []part[T]) part[T] {
	all := part[T]{loose: map[string][]int{}, missing: map[string]int{}}
	for _, p := range parts {
		for word, places := range p.loose {
			for _, place := range places {
				all.loose[word] = append(all.loose[word], len(all.kept)+place)
			}
		}
		for field, rows := range p.missing {
			all.missing[field] += rows
		}
		all.kept, all.scores = append(all.kept, p.kept...), append(all.scores, p.scores...)
		all.decided, all.open = append(all.decided, p.decided...), append(all.open, p.open...)
	}
	return all
}

// counted lists the missing values in the order of the terms.
func (f *Filter[T]) counted(missing map[string]int) []Missing {
	var counts []Missing
	for i := range f.terms {
		if field := f.terms[i].field; missing[field] > 0 {
			counts = append(counts, Missing{strings.ToLower(field), missing[field]})
			delete(missing, field)
		}
	}
	return counts
}

// narrows reports whether every row that f keeps is among those of last.
func (f *Filter[T]) narrows(last *Filtered[T], rows []T) bool {
	before := last.filter.terms
	if len(before) > len(f.terms) || len(last.Missing) > 0 || last.Late || !sameRows(last.from, rows) {
		return false
	}
	for i := range before {
		if !f.terms[i].narrows(&before[i].clause) {
			return false
		}
	}
	return true
}

func sameRows[T any](a, b []T) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0])
}

// narrows reports whether c holds only for rows for which before holds.
func (c *clause) narrows(before *clause) bool {
	if c.source == before.source {
		return true
	}
	if c.form != before.form || c.negate || before.negate || c.field != before.field || c.op != before.op {
		return false
	}
	switch {
	case c.form == fuzzyForm:
		return strings.HasPrefix(c.text, before.text)
	case c.form == quotedForm, c.form == compareForm && c.op == "~":
		return strings.Contains(c.text, before.text)
	default:
		return false
	}
}
