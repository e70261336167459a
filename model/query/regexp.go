package query

import (
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"

	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// regexFlags: ignore case, and match each column by itself.
const regexFlags = "(?im)"

// Limits of a regular expression: its characters, and its steps once repetitions
// are written out. Every byte of a row may cost as much time as there are steps.
const (
	longestExpression = 1000
	mostSteps         = 2000
)

// expression is a compiled regular expression.
type expression struct {
	compiled *regexp.Regexp
	needed   []string // see literals
}

// readExpression compiles a regular expression, which takes time in proportion to
// its steps; cause says what is wrong with it.
func readExpression(text string) (found *expression, cause string) {
	if len(text) > longestExpression {
		return nil, fmt.Sprintf("the regular expression is longer than %s characters", model.FormatCount(longestExpression))
	}
	tree, err := syntax.Parse(regexFlags+text, syntax.Perl)
	if err != nil {
		return nil, regexCause(err)
	}
	if steps(tree) > mostSteps {
		return nil, "the regular expression has too many repetitions"
	}
	compiled, err := regexp.Compile(regexFlags + text)
	if err != nil {
		return nil, regexCause(err)
	}
	return &expression{compiled, literals(text)}, ""
}

func (e *expression) matches(text []byte) bool {
	return mayMatch(text, e.needed) && e.compiled.Match(text)
}

// steps is about how long the program of an expression is: its repetitions count
// as often as they are written out, without being.
func steps(tree *syntax.Regexp) int {
	sum := 1
	for _, part := range tree.Sub {
		sum += steps(part)
	}
	switch tree.Op {
	case syntax.OpLiteral:
		return len(tree.Rune)
	case syntax.OpRepeat:
		return min(sum*max(tree.Min, tree.Max, 1), 1<<30)
	default:
		return sum
	}
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

// HasExpression reports whether a filter has a regular expression: compiling and
// matching one may take longer than the time between two frames.
func HasExpression(text string) bool {
	found, err := clauses(text)
	return err == nil && slices.ContainsFunc(found, func(c clause) bool { return c.form == regexForm })
}
