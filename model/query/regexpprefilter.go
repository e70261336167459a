package query

import (
	"regexp/syntax"
	"slices"
	"strings"
)

// literals finds texts, in lower case, of which every match of an expression
// contains at least one; none if there are no such texts. Looking for them first is
// much faster than the expression.
func literals(expression string) []string {
	tree, err := syntax.Parse(expression, syntax.Perl|syntax.FoldCase)
	if err != nil {
		return nil
	}
	return needed(tree.Simplify())
}

func needed(tree *syntax.Regexp) []string {
	switch tree.Op {
	case syntax.OpLiteral:
		text := strings.ToLower(string(tree.Rune))
		if len(text) < 2 || !isASCII(text) {
			return nil
		}
		return []string{text}
	case syntax.OpCapture, syntax.OpPlus:
		return needed(tree.Sub[0])
	case syntax.OpConcat:
		var best []string
		for _, part := range tree.Sub {
			if found := needed(part); best == nil || (found != nil && shortest(found) > shortest(best)) {
				best = found
			}
		}
		return best
	case syntax.OpAlternate:
		var all []string
		for _, branch := range tree.Sub {
			found := needed(branch)
			if found == nil {
				return nil
			}
			all = append(all, found...)
		}
		return all
	default:
		return nil
	}
}

func shortest(texts []string) int {
	return len(slices.MinFunc(texts, func(a, b string) int { return len(a) - len(b) }))
}

// mayMatch reports whether text contains one of the needed texts, ignoring case;
// true where it cannot decide.
func mayMatch(text []byte, needed []string) bool {
	if len(needed) == 0 || !isASCII(text) {
		return true
	}
	return slices.ContainsFunc(needed, func(one string) bool { return containsFold(text, one) })
}
