package model

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"strings"

	"k8s.io/apimachinery/pkg/labels"
)

// regexFlags: no case, and each column for itself.
const regexFlags = "(?im)"

// Filter keeps rows for which all its terms hold. It is never changed and may be
// used by several at once.
type Filter[T any] struct {
	fields *Fields[T]
	terms  []term[T]
	words  []string // those that rank, in lower case
}

// term is one clause, ready to be asked.
type term[T any] struct {
	clause
	test func(row T, s *scratch) truth
}

// scratch holds the texts of the row that is being asked, so that each is
// written once and none is allocated.
type scratch struct {
	names, columns, cell []byte
	hasNames, hasColumns bool
}

// Compile reads a filter. A wrong or half typed one gives a *FilterError.
func Compile[T any](fields *Fields[T], text string) (*Filter[T], error) {
	typed, err := clauses(text)
	if err != nil {
		return nil, err
	}
	f := &Filter[T]{fields: fields}
	for _, c := range typed {
		test, cause := f.test(c)
		if cause != "" {
			err := &FilterError{Term: c.source, Cause: cause}
			if c.form == compareForm {
				err.Fields = fields.names()
			}
			return nil, err
		}
		f.terms = append(f.terms, term[T]{c, test})
		if c.form == fuzzyForm && !c.negate {
			f.words = append(f.words, strings.ToLower(c.text))
		}
	}
	return f, nil
}

// test is how a clause is asked; cause says what is wrong with it.
func (f *Filter[T]) test(c clause) (test func(T, *scratch) truth, cause string) {
	switch c.form {
	case regexForm:
		return f.regex(c.text)
	case labelsForm:
		return f.selector(c.text)
	case compareForm:
		field, ok := f.fields.Field(c.field)
		if !ok {
			return nil, fmt.Sprintf("there is no field %q", c.field)
		}
		return comparison(field, c.op, c.text)
	case quotedForm:
		text := []byte(c.text)
		return func(row T, s *scratch) truth {
			return truthOf(bytes.Contains(f.columns(row, s), text))
		}, ""
	default:
		word := strings.ToLower(c.text)
		return func(row T, s *scratch) truth {
			return truthOf(f.fuzzy(f.names(row, s), word))
		}, ""
	}
}

func (f *Filter[T]) regex(text string) (test func(T, *scratch) truth, cause string) {
	expression, err := regexp.Compile(regexFlags + text)
	if err != nil {
		return nil, regexCause(err)
	}
	needed := literals(text)
	return func(row T, s *scratch) truth {
		columns := f.columns(row, s)
		return truthOf(mayMatch(columns, needed) && expression.Match(columns))
	}, ""
}

// regexCause says what is wrong with an expression, without the flags that were
// put before it.
func regexCause(err error) string {
	wrong := new(syntax.Error)
	if !errors.As(err, &wrong) || strings.HasPrefix(wrong.Expr, regexFlags) {
		return strings.TrimSuffix(strings.TrimPrefix(err.Error(), "error parsing regexp: "), ": `"+wrong.Expr+"`")
	}
	return wrong.Code.String() + ": " + wrong.Expr
}

func (f *Filter[T]) selector(text string) (test func(T, *scratch) truth, cause string) {
	selector, err := labels.Parse(text)
	if err != nil {
		return nil, err.Error()
	}
	return func(row T, _ *scratch) truth {
		return truthOf(selector.Matches(labels.Set(f.fields.Labels(row))))
	}, ""
}

// names are the row's names in lower case, one a line.
func (f *Filter[T]) names(row T, s *scratch) []byte {
	if !s.hasNames {
		s.names, s.hasNames = f.fields.Names(s.names[:0], row), true
		for i, c := range s.names {
			s.names[i] = asLower(c)
		}
	}
	return s.names
}

// columns are the whole texts of the row's columns, one a line.
func (f *Filter[T]) columns(row T, s *scratch) []byte {
	if s.hasColumns {
		return s.columns
	}
	s.columns, s.hasColumns = s.columns[:0], true
	for i := range f.fields.List {
		if field := &f.fields.List[i]; field.Column {
			s.columns = append(field.appendText(s.columns, row), '\n')
		}
	}
	return s.columns
}

// ask says whether all terms hold; field is the first one that is not known,
// where that alone keeps the row out.
func (f *Filter[T]) ask(row T, s *scratch) (result truth, field string) {
	s.hasNames, s.hasColumns = false, false
	result = yes
	for i := range f.terms {
		t := &f.terms[i]
		switch said := t.test(row, s); {
		case said == open:
			if result == yes {
				result, field = open, t.field
			}
		case (said == yes) == t.negate:
			return no, ""
		}
	}
	return result, field
}

// Match says whether a row is kept.
func (f *Filter[T]) Match(row T) bool {
	result, _ := f.ask(row, &scratch{})
	return result == yes
}

// Empty says whether the filter has no term and keeps everything.
func (f *Filter[T]) Empty() bool { return len(f.terms) == 0 }

// Filtered is what a filter kept.
type Filtered[T any] struct {
	Rows    []T       // best match first if Ranked, else in the order that they came in
	Ranked  bool      // the filter has a fuzzy word
	Missing []Missing // rows that were left out only because a value is not known

	filter *Filter[T]
	from   []T // what the filter was applied to
	kept   []T // Rows in the order that they came in
}

// Missing counts rows without a value.
type Missing struct {
	Field string
	Rows  int
}

// Note is what to say beside the rows: "3 rows have no cpu.used"; "" if nothing.
func (r *Filtered[T]) Note() string {
	if len(r.Rows) == 0 && r.filter.looksLikeRegex() {
		return "No match. A regular expression is written /a|b/"
	}
	notes := make([]string, len(r.Missing))
	for i, m := range r.Missing {
		notes[i] = fmt.Sprintf("%s rows have no %s", FormatCount(m.Rows), m.Field)
		if m.Rows == 1 {
			notes[i] = "1 row has no " + m.Field
		}
	}
	return strings.Join(notes, ", ")
}

// looksLikeRegex says whether a word was typed that was meant as an expression.
func (f *Filter[T]) looksLikeRegex() bool {
	for _, word := range f.words {
		if strings.Contains(word, "|") {
			return true
		}
	}
	return false
}

// Apply gives the rows that are kept. Where last, which may be nil, came of the
// same rows by a filter that this one only narrows, no other rows are looked at.
// It ends early with the context's error.
func (f *Filter[T]) Apply(ctx context.Context, rows []T, last *Filtered[T]) (*Filtered[T], error) {
	result := &Filtered[T]{filter: f, from: rows, Ranked: len(f.words) > 0}
	if f.Empty() {
		result.Rows, result.kept = rows, rows
		return result, nil
	}
	candidates := rows
	if last != nil && f.narrows(last, rows) {
		candidates = last.kept
	}
	missing, s := map[string]int{}, &scratch{}
	for i, row := range candidates {
		if i%1024 == 0 && ctx.Err() != nil {
			return nil, fmt.Errorf("filter rows: %w", ctx.Err())
		}
		switch said, field := f.ask(row, s); said {
		case yes:
			result.kept = append(result.kept, row)
		case open:
			missing[field]++
		}
	}
	result.Missing = f.counted(missing)
	var err error
	result.Rows, err = f.ranked(ctx, result.kept)
	return result, err
}

// counted lists what is missing in the order of the fields.
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

// narrows says whether every row that f keeps is among those that last kept.
func (f *Filter[T]) narrows(last *Filtered[T], rows []T) bool {
	before := last.filter.terms
	if len(before) > len(f.terms) || len(last.Missing) > 0 || !sameRows(last.from, rows) {
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

// narrows says whether c holds for no row for which before does not.
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
