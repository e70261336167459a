// Package query is the language of filters: its fields of pods, nodes and pending pods,
// matching, sorting and fuzzy matching.
package query

import (
	"bytes"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/labels"

	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// Filter keeps the rows for which all its terms hold. It is never changed and is
// safe for concurrent use.
type Filter[T any] struct {
	text   string // as it was typed
	fields *Fields[T]
	terms  []term[T]
	late   bool     // one of its terms is
	words  []string // the fuzzy ones, which rank rows, in lower case
}

// term is one compiled clause.
type term[T any] struct {
	clause
	late bool // depends on the row's explanation
	test func(row T, s *scratch) truth
	find *expression // of a regular expression
}

// scratch holds the texts of the row that is being matched, so that each is written
// once and none is allocated, and the row's rank so far.
type scratch struct {
	names, columns, cell []byte
	hasNames, hasColumns bool
	points               int      // of the words that the row contains as substrings
	decided              bool     // only the row's explanation decides: no other term rejects the row
	loose                []string // the words that match only fuzzily
}

// Compile parses a filter. It returns a *FilterError for a wrong or incomplete one.
func Compile[T any](fields *Fields[T], text string) (*Filter[T], error) {
	typed, err := clauses(text)
	if err != nil {
		return nil, err
	}
	f := &Filter[T]{text: text, fields: fields}
	for _, c := range typed {
		if err := f.add(c, nil); err != nil {
			return nil, err
		}
	}
	return f, nil
}

// Text is the filter as it was typed.
func (f *Filter[T]) Text() string { return f.text }

// With is the same filter over the fields as they are now, without compiling its
// regular expressions again.
func (f *Filter[T]) With(fields *Fields[T]) *Filter[T] {
	renewed := &Filter[T]{text: f.text, fields: fields}
	for i := range f.terms {
		if err := renewed.add(f.terms[i].clause, f.terms[i].find); err != nil {
			return f // fields of another view: it keeps its own
		}
	}
	return renewed
}

// add adds a clause; find is its regular expression where that is compiled already.
func (f *Filter[T]) add(c clause, find *expression) error {
	made := term[T]{clause: c, late: f.isLate(c), find: find}
	cause := ""
	if c.form == regexForm {
		made.test, cause = f.regex(&made)
	} else {
		made.test, cause = f.test(c)
	}
	if cause != "" {
		err := &FilterError{Term: c.source, Cause: cause}
		if _, known := f.fields.Field(c.field); c.form == compareForm && !known {
			err.Fields = f.fields.names()
		}
		return err
	}
	f.terms, f.late = append(f.terms, made), f.late || made.late
	if c.form == fuzzyForm && !c.negate {
		f.words = append(f.words, strings.ToLower(c.text))
	}
	return nil
}

// isLate reports whether a clause depends on the row's explanation.
func (f *Filter[T]) isLate(c clause) bool {
	switch c.form {
	case compareForm:
		field, ok := f.fields.Field(c.field)
		return ok && field.Late
	case regexForm, quotedForm:
		return f.fields.Explained != nil // they look in every column
	default:
		return false
	}
}

// explained reports whether the row's explanation is there, or none is needed.
func (f *Filter[T]) explained(row T) bool {
	return f.fields.Explained == nil || f.fields.Explained(row)
}

// inColumns is the result of a term that looks in every column: what is not found
// may be in a column that is not known yet.
func (f *Filter[T]) inColumns(row T, found bool) truth {
	if !found && !f.explained(row) {
		return open
	}
	return truthOf(found)
}

// test is the test of a clause; cause says what is wrong with it, if anything.
func (f *Filter[T]) test(c clause) (test func(T, *scratch) truth, cause string) {
	switch c.form {
	case labelsForm:
		return f.selector(c.text)
	case compareForm:
		field, ok := f.fields.Field(c.field)
		if !ok {
			return nil, fmt.Sprintf("unknown field %q", c.field)
		}
		return comparison(field, c.op, c.text)
	case quotedForm:
		text := []byte(c.text)
		return func(row T, s *scratch) truth {
			return f.inColumns(row, bytes.Contains(f.columns(row, s), text))
		}, ""
	default:
		word := strings.ToLower(c.text)
		return func(row T, s *scratch) truth { return fuzzily(f.names(row, s), word, s) }, ""
	}
}

// regex is the test of a regular expression, which is compiled if it was not yet.
func (f *Filter[T]) regex(t *term[T]) (test func(T, *scratch) truth, cause string) {
	if t.find == nil {
		if t.find, cause = readExpression(t.text); cause != "" {
			return nil, cause
		}
	}
	find := t.find
	return func(row T, s *scratch) truth {
		return f.inColumns(row, find.matches(f.columns(row, s)))
	}, ""
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
			s.names[i] = model.AsLower(c)
		}
	}
	return s.names
}

// columns are the uncut texts of the row's columns, one a line.
func (f *Filter[T]) columns(row T, s *scratch) []byte {
	if s.hasColumns {
		return s.columns
	}
	s.columns, s.hasColumns = s.columns[:0], true
	explained := f.explained(row)
	for i := range f.fields.List {
		if field := &f.fields.List[i]; field.Column && (explained || !field.Late) {
			s.columns = append(field.appendText(s.columns, row), '\n')
		}
	}
	return s.columns
}

// ask reports whether all terms hold; field is the first unknown one, where only
// that rejects the row.
func (f *Filter[T]) ask(row T, s *scratch) (result truth, field string) {
	s.hasNames, s.hasColumns, s.points, s.loose, s.decided = false, false, 0, s.loose[:0], false
	result = yes
	rejected := false
	for i := range f.terms {
		t := &f.terms[i]
		switch said := t.test(row, s); {
		case said == open:
			if result == yes {
				result, field = open, t.field
			}
		case (said == yes) == t.negate:
			if !t.late {
				return no, ""
			}
			rejected = true
		}
	}
	s.decided = f.late
	if rejected {
		return no, ""
	}
	return result, field
}

// Match reports whether all terms hold for a row.
func (f *Filter[T]) Match(row T) bool {
	result, _ := f.ask(row, &scratch{})
	return result == yes
}

// Empty reports whether the filter has no term and keeps all rows.
func (f *Filter[T]) Empty() bool { return len(f.terms) == 0 }
