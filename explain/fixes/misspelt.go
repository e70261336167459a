package fixes

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-fathom/kubectl-fathom/explain/fixes/remedy"
	"github.com/kubectl-fathom/kubectl-fathom/explain/plugins"
	"github.com/kubectl-fathom/kubectl-fathom/model"
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

// places are the labels of Kubernetes' own that people give nodes where no cloud provider does.
var places = []string{corev1.LabelTopologyZone, corev1.LabelTopologyRegion}

// misspeltNodes gives nodes of a group whose value of a label looks like a misspelling of one that the pod wants
// and that other nodes have the value of those, if no pod asks for theirs.
func misspeltNodes(f *Search, pod *corev1.Pod, one plugins.Want, rs []plugins.NodeRejection) (step remedy.LabelNode, ok bool) {
	place := slices.Contains(places, one.Key)
	if one.Field || isGiven(one.Key) && !place {
		return step, false
	}
	for _, r := range rs {
		addMisspelt(f, &step, one.Key, one.AllWanted(pod), r.Node.Node())
	}
	if len(step.Nodes) == 0 || asked(f.Scheduler.State.Pods, one.Key, step.Misspelt) {
		return step, false
	}
	right, wrong := nodesWith(f, one.Key, step.Value), nodesWith(f, one.Key, step.Misspelt)
	if right == 0 || right <= wrong && !place { // which of two words is the right one, most nodes say
		return step, false
	}
	if len(step.Nodes) == 1 {
		step.Pool = ""
	}
	return step, true
}

// addMisspelt adds a node whose value of a label looks like a misspelling of one that is wanted: the first decides
// which, and of which pool the others are.
func addMisspelt(f *Search, step *remedy.LabelNode, key string, wanted []string, node *corev1.Node) {
	has, pool := node.Labels[key], model.PoolOf(node, f.PoolLabel)
	if len(step.Nodes) > 0 {
		if has == step.Misspelt && pool == step.Pool && pool != "" && len(step.Nodes) < mistakenNodes {
			step.Nodes = append(step.Nodes, node.Name)
		}
		return
	}
	if at := slices.IndexFunc(wanted, func(value string) bool { return has != "" && misspelt(has, value) }); at >= 0 {
		*step = remedy.LabelNode{Nodes: []string{node.Name}, Pool: pool, Key: key, Value: wanted[at], Misspelt: has}
	}
}

// nodesWith counts the nodes that have a value of a label.
func nodesWith(f *Search, key, value string) (nodes int) {
	for _, node := range f.Scheduler.State.Nodes {
		if node.Labels[key] == value {
			nodes++
		}
	}
	return nodes
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
		// A separator too many or too few. Between digits it tells numbers apart.
		return strings.Join(words, "") == strings.Join(others, "") && !betweenDigits(words) && !betweenDigits(others)
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

// betweenDigits reports whether words are cut between two digits.
func betweenDigits(words []string) bool {
	for i := range len(words) - 1 {
		last, _ := utf8.DecodeLastRuneInString(words[i])
		first, _ := utf8.DecodeRuneInString(words[i+1])
		if unicode.IsDigit(last) && unicode.IsDigit(first) {
			return true
		}
	}
	return false
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
