package fixes

import (
	"slices"
	"strings"
	"unicode"

	"github.com/kubectl-fathom/kubectl-fathom/explain/fixes/remedy"
	"github.com/kubectl-fathom/kubectl-fathom/explain/plugins"
)

// respelt gives a node selector whose value no node has the values of nodes that it looks like a
// misspelling of.
func respelt(q *plugins.Question, one plugins.Want) []option {
	if one.Field || q.Pod.Spec.NodeSelector[one.Key] != one.Value || one.Value == "" {
		return nil
	}
	nodes, err := q.Nodes.NodeInfos().List()
	if err != nil {
		return nil
	}
	var values []string
	for _, node := range nodes {
		switch value, has := node.Node().Labels[one.Key]; {
		case has && value == one.Value:
			return nil
		case has && misspelt(one.Value, value) && !slices.Contains(values, value):
			values = append(values, value)
		}
	}
	slices.Sort(values)
	var options []option
	for _, value := range values[:min(len(values), nearNodes)] {
		options = append(options, option{remedy.SetSelector{Key: one.Key, Values: [2]string{one.Value, value}}})
	}
	return options
}

// misspelt reports whether a value looks like another one that was misspelt: they differ in upper and
// lower case only, or in one letter that is wrong, missing or too many, or in two that changed places,
// within one word of at least three letters that begins alike. Numbers, single letters and first letters
// tell things apart: zone a is no misspelling of zone b, nor cpu of gpu, nor xlarge of large.
func misspelt(wrong, right string) bool {
	if strings.EqualFold(wrong, right) {
		return true
	}
	separator := func(r rune) bool { return strings.ContainsRune("-_./", r) }
	words, others := strings.FieldsFunc(wrong, separator), strings.FieldsFunc(right, separator)
	if len(words) != len(others) {
		joined := strings.Join(words, "") // a separator too many or too few
		return joined == strings.Join(others, "") && !strings.ContainsFunc(joined, unicode.IsDigit)
	}
	differ := 0
	for i := range words {
		if words[i] != others[i] {
			differ++
			if !oneLetterApart(words[i], others[i]) {
				return false
			}
		}
	}
	return differ <= 1
}

// oneLetterApart is about two words that differ.
func oneLetterApart(a, b string) bool {
	const least = 3
	x, y := []rune(a), []rune(b)
	notLetter := func(r rune) bool { return !unicode.IsLetter(r) }
	if max(len(x), len(y)) < least || x[0] != y[0] || strings.ContainsFunc(a+b, notLetter) {
		return false
	}
	same := 0
	for same < min(len(x), len(y)) && x[same] == y[same] {
		same++
	}
	x, y = x[same:], y[same:]
	for len(x) > 0 && len(y) > 0 && x[len(x)-1] == y[len(y)-1] {
		x, y = x[:len(x)-1], y[:len(y)-1]
	}
	swapped := len(x) == 2 && len(y) == 2 && x[0] == y[1] && x[1] == y[0]
	return swapped || len(x) <= 1 && len(y) <= 1
}
