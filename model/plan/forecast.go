package plan

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
)

// seenAtOnce is how many pods stand in any box without scrolling: where an
// eviction names no more, they keep the order in which they were named.
const seenAtOnce = 5

// tell words what is known of the plan before anything is foretold. lead begins
// the first effect; where it is "" and pods end, their number does.
func (p *Plan) tell(lead string, plain ...string) {
	if words := p.skips.words(p.Action.Targets()); p.Whole() != nil {
		p.warn(words)
	} else if words != "" {
		plain = append(plain, words)
	}
	p.sentences.lead, p.sentences.plain = lead, plain
	if lead == "" && p.Ending > 0 {
		p.sentences.bare = fmt.Sprintf("%s %s.", CountPods(p.Ending), grammar.Agree(p.Ending, "ends", "end"))
	}
	p.order()
	p.Effects = p.effects()
}

// effects are the plan's sentences, the point first.
func (p *Plan) effects() []string {
	first := p.sentences.lead
	if p.foretold {
		first = strings.TrimSpace(first + " " + p.Ends.outcomes())
	}
	first = cmp.Or(first, p.sentences.bare)
	effects := make([]string, 0, 1+len(p.sentences.plain))
	if first != "" {
		effects = append(effects, first)
	}
	return append(effects, p.sentences.plain...)
}

// order sorts the ends, those to be warned of first, and words the order in
// which they are asked for.
func (p *Plan) order() {
	if _, evicts := p.Action.(Evict); !evicts || len(p.Ends) > seenAtOnce {
		slices.SortStableFunc(p.Ends, func(a, b End) int {
			return cmp.Or(cmp.Compare(a.harm(), b.harm()), model.ComparePods(a.Pod, b.Pod))
		})
	}
	p.Order = p.orderWords()
}

// Foretell puts into the plan what the scheduler would make of it: the fates of
// the pods that end, and what becomes of pods that wait. nil leaves it as it is.
func (p *Plan) Foretell(forecast *Forecast) {
	if forecast == nil {
		return
	}
	for i := range p.Ends {
		end := &p.Ends[i]
		fate, ok := forecast.Fates[end.Pod.Object.UID]
		p.foretold = p.foretold || ok
		if ok && end.Fate.Outcome != NotMade && end.Fate.Outcome != Finished {
			end.Fate = fate
		}
	}
	p.order()
	p.Effects = append(p.effects(), admitted(forecast.Admitted, p.on)...)
	p.Effects = append(p.Effects, barred(forecast.Barred)...)
	p.warn(unreadBudgets(p.Ends))
	if forecast.Unknown != "" {
		p.warn("Not everything could be foretold: " + model.Clean(forecast.Unknown) + ".")
	}
}

// warn adds a warning that is not there yet; "" is none.
func (p *Plan) warn(sentence string) {
	if sentence != "" && !slices.Contains(p.Warnings, sentence) {
		p.Warnings = append(p.Warnings, sentence)
	}
}

// unreadBudgets says that budgets could not be read; "" where they were.
func unreadBudgets(ends []End) string {
	n := countEnds(ends, func(e End) bool { return e.budget().Allows == BudgetUnread })
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("PodDisruptionBudgets could not be read: whether they let %s go is not evaluated.", CountPods(n))
}

// admitted say which of the pending pods of the snapshot would find room.
func admitted(all []Admitted, on *model.Snapshot) []string {
	var sentences []string
	for _, a := range all[:min(len(all), few)] {
		sentence := "Pending " + kindName(a.Pod) + " fits then"
		if of := waiting(on, a.Pod); a.Count < of {
			sentence += fmt.Sprintf(": %d of %d", a.Count, of)
		} else if a.Count > 1 {
			sentence += fmt.Sprintf(": all %d", a.Count)
		}
		sentences = append(sentences, sentence+".")
	}
	if more := len(all) - few; more > 0 {
		sentences = append(sentences, fmt.Sprintf("%d more %s of pending pods fit then.", more, grammar.Agree(more, "kind", "kinds")))
	}
	return sentences
}

// waiting counts the pods of the pod's kind.
func waiting(on *model.Snapshot, pod *model.Pod) int {
	if on == nil {
		return 0
	}
	kind, ok := on.KindOf(pod.Object.UID)
	if !ok {
		return 0
	}
	return kind.Count()
}

// barred say which pending pods would lose something.
func barred(all []Barred) []string {
	var sentences []string
	for _, b := range all[:min(len(all), few)] {
		sentences = append(sentences, fmt.Sprintf("Pending %s %s.", kindName(b.Pod), model.Clean(b.How)))
	}
	if more := len(all) - few; more > 0 {
		sentences = append(sentences, fmt.Sprintf("%d more %s of pending pods %s a node.", more, grammar.Agree(more, "kind", "kinds"), grammar.Agree(more, "loses", "lose")))
	}
	return sentences
}

// kindName names pods of one kind: by their workload, or the one pod.
func kindName(pod *model.Pod) string {
	return model.Clean(pod.Object.Namespace + "/" + cmp.Or(pod.Owner.Name, pod.Object.Name))
}

// Supposed is the state that the plan leads to, as far as the snapshot knows its
// objects: they as they would be, and the pods that would be gone. Pods that a
// rollout replaces go one after the other, and pods that a scale ends are not
// known: they are not in it.
func (p *Plan) Supposed(s *model.Snapshot) Supposed {
	var supposed Supposed
	for _, change := range p.Changes {
		if !slices.ContainsFunc(change.Edits, func(e Edit) bool { return !isAnnotation(e.Path) }) {
			continue // the scheduler reads none
		}
		switch change.Target.Resource {
		case "nodes":
			if node, ok := s.Node(change.Target.Name); ok && node.Object != nil {
				if then := nodeThen(node.Object, change.Edits); then != nil {
					supposed.Nodes = append(supposed.Nodes, then)
				}
			}
		case "pods":
			if pod, ok := s.PodNamed(change.Target.Namespace, change.Target.Name); ok && !pod.Bound() {
				if then := edited(pod.Object, change.Edits); then != nil {
					supposed.Pods = append(supposed.Pods, then)
				}
			}
		}
	}
	for i := range p.Ends {
		if end := &p.Ends[i]; end.How != Rolled && end.Pod.Bound() {
			supposed.Gone = append(supposed.Gone, end.Pod.Object.UID)
		}
	}
	return supposed
}

// nodeThen is the node with the edits, and with what the node lifecycle
// controller makes of a cordon: a taint. nil: the edits do not fit it.
func nodeThen(node *corev1.Node, edits []Edit) *corev1.Node {
	then := edited(node, edits)
	if then == nil || then.Spec.Unschedulable == node.Spec.Unschedulable {
		return then
	}
	then.Spec.Taints = slices.DeleteFunc(then.Spec.Taints, func(taint corev1.Taint) bool {
		return taint.Key == corev1.TaintNodeUnschedulable
	})
	if then.Spec.Unschedulable {
		then.Spec.Taints = append(then.Spec.Taints, corev1.Taint{Key: corev1.TaintNodeUnschedulable, Effect: corev1.TaintEffectNoSchedule})
	}
	return then
}

// edited is a copy of the object with the edits; nil where they do not fit it.
func edited[T any](object *T, edits []Edit) *T {
	fields, err := runtime.DefaultUnstructuredConverter.ToUnstructured(object)
	if err != nil {
		return nil
	}
	for _, edit := range edits {
		put(fields, edit.Path, edit.To)
	}
	then := new(T)
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(fields, then); err != nil {
		return nil
	}
	return then
}
