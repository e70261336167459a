package model

import (
	"bytes"
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
	late   bool     // a term of it is
	words  []string // those that rank, in lower case
}

// term is one clause, ready to be asked.
type term[T any] struct {
	clause
	late bool // rests on the row's explanation
	test func(row T, s *scratch) truth
}

// scratch holds the texts of the row that is being asked, so that each is
// written once and none is allocated, and what was found out about its rank.
type scratch struct {
	names, columns, cell []byte
	hasNames, hasColumns bool
	points               int      // of the words that the row holds as they stand
	decided              bool     // the row's explanation decides: no other term keeps it out
	loose                []string // the words of which it only holds the letters
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
		late := f.isLate(c)
		f.terms, f.late = append(f.terms, term[T]{c, late, test}), f.late || late
		if c.form == fuzzyForm && !c.negate {
			f.words = append(f.words, strings.ToLower(c.text))
		}
	}
	return f, nil
}

// isLate says whether a clause rests on what comes with the row's explanation.
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

// explained says whether all columns of the row are known that ever will be.
func (f *Filter[T]) explained(row T) bool {
	return f.fields.Explained == nil || f.fields.Explained(row)
}

// inColumns is the answer of a term that looks in every column: what is not found
// may stand in one that is not known yet.
func (f *Filter[T]) inColumns(row T, found bool) truth {
	if !found && !f.explained(row) {
		return open
	}
	return truthOf(found)
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
			return f.inColumns(row, bytes.Contains(f.columns(row, s), text))
		}, ""
	default:
		word := strings.ToLower(c.text)
		return func(row T, s *scratch) truth { return fuzzily(f.names(row, s), word, s) }, ""
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
		return f.inColumns(row, mayMatch(columns, needed) && expression.Match(columns))
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
	explained := f.explained(row)
	for i := range f.fields.List {
		if field := &f.fields.List[i]; field.Column && (explained || !field.Late) {
			s.columns = append(field.appendText(s.columns, row), '\n')
		}
	}
	return s.columns
}

// ask says whether all terms hold; field is the first one that is not known,
// where that alone keeps the row out.
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

// Match says whether a row is kept.
func (f *Filter[T]) Match(row T) bool {
	result, _ := f.ask(row, &scratch{})
	return result == yes
}

// Empty says whether the filter has no term and keeps everything.
func (f *Filter[T]) Empty() bool { return len(f.terms) == 0 }
