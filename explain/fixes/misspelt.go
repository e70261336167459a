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
	if one.Field || isGiven(one.Key) && !slices.Contains(places, one.Key) {
		return step, false
	}
	for _, r := range rs {
		addMisspelt(f, &step, one.Key, one.AllWanted(pod), r.Node.Node())
	}
	if len(step.Nodes) == 0 || asked(f.Scheduler.State.Pods, one.Key, step.Misspelt) || !writtenSo(f, step) {
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

// writtenSo reports whether nodes have the right value of a step, and more nodes write their values of the label as it
// is written than as the wrong one is: fra1-c is written as fra1-a, and fra1c is not. Words that are written alike are
// told apart by how many nodes have each. Volumes that are tied to the wrong value say that it is the right one.
func writtenSo(f *Search, step remedy.LabelNode) bool {
	shape := func(value string) string { return value }
	if shapeOf(step.Value) != shapeOf(step.Misspelt) {
		shape = shapeOf
	}
	there, so, wrong := false, 0, 0
	for _, node := range f.Scheduler.State.Nodes {
		switch value := node.Labels[step.Key]; shape(value) {
		case shape(step.Value):
			there, so = there || value == step.Value, so+1
		case shape(step.Misspelt):
			wrong++
		}
	}
	return there && so > wrong && !slices.ContainsFunc(plugins.Everything(f.Scheduler.State.Listers.Volumes), func(volume *corev1.PersistentVolume) bool {
		return volume.Spec.NodeAffinity != nil && volume.Spec.NodeAffinity.Required != nil &&
			slices.ContainsFunc(volume.Spec.NodeAffinity.Required.NodeSelectorTerms, func(term corev1.NodeSelectorTerm) bool {
				return slices.ContainsFunc(term.MatchExpressions, func(r corev1.NodeSelectorRequirement) bool {
					return r.Key == step.Key && slices.Contains(r.Values, step.Misspelt)
				})
			})
	})
}

// shapeOf is how a value is written: letters and digits alike, runs of letters as one, separators as they are.
func shapeOf(value string) string {
	var shape []rune
	for _, r := range value {
		switch {
		case unicode.IsLetter(r):
			r = 'a'
		case unicode.IsDigit(r):
			r = '0'
		}
		if len(shape) == 0 || shape[len(shape)-1] != r {
			shape = append(shape, r)
		}
	}
	return string(shape)
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
