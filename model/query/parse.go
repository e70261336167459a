package query

import (
	"fmt"
	"strings"
)

// form is one of the ways to write a term.
type form int8

const (
	fuzzyForm form = iota
	regexForm
	labelsForm
	compareForm
	quotedForm
)

// clause is one term of a filter as it was typed.
type clause struct {
	form   form
	negate bool   // "!" before it
	field  string // of a comparison
	op     string // likewise
	text   string // the word, the expression, the selector, the value
	source string // all of it
}

// FilterError says what is wrong with a filter, or missing while it is being typed.
type FilterError struct {
	Term   string   // the term that is wrong
	Cause  string   // one clause
	Fields []string // those that exist, where the term compares an unknown one
}

// Error implements error.
func (e *FilterError) Error() string {
	text := fmt.Sprintf("read %s: %s", e.Term, e.Cause)
	if len(e.Fields) > 0 {
		text += "; fields: " + strings.Join(e.Fields, " ")
	}
	return text
}

// scanner cuts a filter into clauses.
type scanner struct{ rest string }

// clauses cuts a filter into all its clauses.
func clauses(text string) ([]clause, error) {
	var found []clause
	s := scanner{text}
	for {
		s.rest = strings.TrimLeft(s.rest, " ")
		if s.rest == "" {
			return found, nil
		}
		before := s.rest
		c, cause := s.clause()
		c.source = strings.TrimRight(before[:len(before)-len(s.rest)], " ")
		if cause != "" {
			return nil, &FilterError{Term: strings.TrimRight(before, " "), Cause: cause}
		}
		found = append(found, c)
	}
}

// clause takes the next term off; cause says what is wrong with it, if anything.
func (s *scanner) clause() (c clause, cause string) {
	s.rest, c.negate = strings.CutPrefix(s.rest, "!")
	switch {
	case c.negate && (s.rest == "" || s.rest[0] == ' '):
		return c, "a term is missing after !"
	case s.rest[0] == '"':
		c.form = quotedForm
		c.text, cause = s.quoted()
	case s.rest[0] == '/':
		c.form = regexForm
		c.text, cause = s.regex()
	case s.flag("-l"):
		c.form = labelsForm
		c.text, cause = s.wordOrQuoted("a selector such as app=web")
	case s.flag("-f"):
		c.text, cause = s.wordOrQuoted("a word")
	default:
		return s.comparison(c)
	}
	return c, cause
}

// flag takes a flag off that is a word of its own.
func (s *scanner) flag(name string) bool {
	rest, found := strings.CutPrefix(s.rest, name)
	if !found || (rest != "" && rest[0] != ' ') {
		return false
	}
	s.rest = strings.TrimLeft(rest, " ")
	return true
}

// comparison takes field, operator and value off, or a word without an operator.
func (s *scanner) comparison(c clause) (clause, string) {
	at, op := operator(s.rest)
	if op == "" {
		c.text = s.word()
		return c, ""
	}
	c.form, c.field, c.op = compareForm, s.rest[:at], op
	s.rest = s.rest[at+len(op):]
	if s.rest == "" || s.rest[0] == ' ' {
		return c, "a value is missing after " + op
	}
	var cause string
	c.text, cause = s.wordOrQuoted("a value")
	return c, cause
}

// operator finds the first operator of the word that text begins with.
func operator(text string) (at int, op string) {
	for at = range len(text) {
		if text[at] == ' ' {
			return 0, ""
		}
		for _, op := range []string{"!=", "!~", "<=", ">=", "=", "<", ">", "~"} {
			if strings.HasPrefix(text[at:], op) {
				return at, op
			}
		}
	}
	return 0, ""
}

// word takes everything up to the next space off.
func (s *scanner) word() string {
	word, rest, _ := strings.Cut(s.rest, " ")
	s.rest = rest
	return word
}

func (s *scanner) wordOrQuoted(wanted string) (text, cause string) {
	switch {
	case s.rest == "":
		return "", wanted + " is missing"
	case s.rest[0] == '"':
		return s.quoted()
	default:
		return s.word(), ""
	}
}

// quoted takes a text in quotes off.
func (s *scanner) quoted() (text, cause string) {
	text, rest, closed := strings.Cut(s.rest[1:], `"`)
	s.rest = rest
	switch {
	case !closed:
		return "", "the closing quote is missing"
	case rest != "" && rest[0] != ' ':
		return "", "a space is missing after the quote"
	default:
		return text, ""
	}
}

// regex takes a regular expression off. It ends at a slash before a space or the
// end, so that namespace/name needs no escape, or with the filter.
func (s *scanner) regex() (text, cause string) {
	body := s.rest[1:]
	text, s.rest = strings.TrimRight(body, " "), ""
	for at := range len(body) {
		if body[at] != '/' || (at > 0 && body[at-1] == '\\') {
			continue
		}
		if after := body[at+1:]; after == "" || after[0] == ' ' {
			text, s.rest = body[:at], after
			break
		}
	}
	if text == "" {
		return "", "the regular expression is missing"
	}
	return text, ""
}
