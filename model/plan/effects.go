package plan

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
)

// seenAtOnce is how many pods any box shows without scrolling: an eviction of no
// more pods keeps the order in which they were named.
const seenAtOnce = 5

// tell words the plan as it is known before there is a forecast. lead begins
// the first effect; "" where no pods are terminated.
func (p *Plan) tell(lead string, plain ...string) {
	if words := p.skips.words(p.Action.Targets()); p.Whole() != nil {
		p.warn(words)
	} else if words != "" {
		plain = append(plain, words)
	}
	p.sentences.lead, p.sentences.plain = lead, plain
	p.order()
	p.Effects = p.effects()
}

// effects are the plan's sentences, the point first.
func (p *Plan) effects() []string {
	first := p.sentences.lead
	if p.rejected > 0 {
		first = evictsWords(p.PodsTerminated, len(p.Ends)+len(p.Stays))
	}
	if blocked := p.Ends.blocked(); p.foretold && blocked > 0 {
		first = p.blockedWords(blocked)
	} else if p.foretold {
		first = strings.TrimPrefix(first+": "+p.Ends.outcomes(), ": ")
	}
	effects := make([]string, 0, 1+len(p.sentences.plain))
	if first != "" {
		effects = append(effects, grammar.Capital(first)+".")
	}
	return append(effects, p.sentences.plain...)
}

// blockedWords begin the effects of a plan of which budgets block some evictions
// now: they are tried again and again, and count among the pods to evict.
func (p *Plan) blockedWords(blocked int) string {
	rest := make(Ends, 0, len(p.Ends))
	for i := range p.Ends {
		if !p.Ends[i].blocked() {
			rest = append(rest, p.Ends[i])
		}
	}
	all := len(p.Ends) + len(p.Stays)
	by := p.Ends.blockedBy(blocked)
	if now := p.PodsTerminated - blocked; now > 0 {
		return fmt.Sprintf("%s, %d of them now: %s. %d %s blocked by %s", evictsWords(p.PodsTerminated, all), now, rest.outcomes(), blocked, grammar.Agree(blocked, "is", "are"), by)
	}
	words := fmt.Sprintf("%s of %s %s blocked by %s", grammar.Agree(blocked, "the eviction", "the evictions"), ofPods(blocked, all),
		grammar.Agree(blocked, "is", "are"), by)
	if len(rest) > 0 {
		words += ". " + rest.counts()
	}
	return words
}

// blockedBy says until when budgets block so many of the evictions: for now, or until the budgets that it names
// are changed.
func (e Ends) blockedBy(blocked int) string {
	unchanged := e.untilChanged()
	named := map[string]bool{}
	for _, end := range unchanged {
		named[model.Clean(end.Budget().Name)] = true
	}
	names, n := grammar.List(slices.Sorted(maps.Keys(named)), grammar.Few), len(unchanged)
	switch now := blocked - n; {
	case n == 0:
		return grammar.Agree(blocked, "a PodDisruptionBudget for now; fathom retries until it is allowed",
			"PodDisruptionBudgets for now; fathom retries until they are allowed")
	case now > 0:
		return fmt.Sprintf("PodDisruptionBudgets: %d for now, fathom retries until %s allowed; %d until a budget is changed: %s",
			now, grammar.Agree(now, "it is", "they are"), n, names)
	}
	return grammar.Agree(len(named), "a PodDisruptionBudget that allows none until it is changed: ",
		"PodDisruptionBudgets that allow none until they are changed: ") + names + "; fathom retries until then"
}

// untilChanged are the pods whose eviction a budget blocks until it is changed.
func (e Ends) untilChanged() Ends {
	return slices.DeleteFunc(slices.Clone(e), func(end End) bool { return !end.blocked() || !end.Budget().UntilChanged })
}

// ofPods count some of all pods: "2 of 11 pods", and "2 pods" where these are all.
func ofPods(n, all int) string {
	if n == all {
		return CountPods(n)
	}
	return fmt.Sprintf("%d of %s", n, CountPods(all))
}

// order sorts the ends, the most disruptive first, and words the order in which
// the pods are evicted.
func (p *Plan) order() {
	if _, evicts := p.Action.(Evict); !evicts || len(p.Ends) > seenAtOnce {
		slices.SortStableFunc(p.Ends, func(a, b End) int {
			return cmp.Or(cmp.Compare(a.disruption(), b.disruption()), model.ComparePods(a.Pod, b.Pod))
		})
	}
	p.Order = p.orderWords()
}

// Foretell adds the forecast to the plan: what the scheduler would do with the
// replacements of the pods that end, and with pending pods. nil changes nothing.
func (p *Plan) Foretell(forecast *Forecast) {
	if forecast == nil {
		return
	}
	for i := range p.Ends {
		end := &p.Ends[i]
		fate, ok := forecast.Fates[end.Pod.Object.UID]
		p.foretold = p.foretold || ok
		switch {
		case !ok:
		case end.Fate.Outcome == "":
			end.Fate = fate
		default: // its own end, or its Job, has decided
			end.Fate.Budget = fate.Budget
		}
		end.Drained = drainedOf(p, end.Fate)
	}
	leaveOutRejected(p)
	p.order()
	p.Effects = append(p.effects(), admitted(forecast.Admitted, p.on)...)
	p.Effects = append(p.Effects, barred(forecast.Barred)...)
	p.Preempted = forecast.Preempted
	p.warn(preemptedWords(p.Preempted))
	p.warn(unreadBudgets(p.Ends))
	if forecast.Unknown != "" {
		p.warn("Incomplete forecast: " + model.Clean(forecast.Unknown) + ".")
	}
}

// drainedOf are the nodes that a drain cordons and a replacement is or may be scheduled on: these do not become
// empty.
func drainedOf(p *Plan, fate Fate) []string {
	drain, ok := p.Action.(Drains)
	if !ok || fate.Outcome != Lands {
		return nil
	}
	drained := drain.DrainedNodes()
	return slices.DeleteFunc(fate.candidates(), func(node string) bool { return !slices.Contains(drained, node) })
}

// leaveOutRejected takes pods out of the count whose eviction the API server rejects whatever happens.
func leaveOutRejected(p *Plan) {
	rejected := countEnds(p.Ends, func(e End) bool { return e.class() == never })
	p.PodsTerminated -= rejected - p.rejected
	p.rejected = rejected
}

// warn adds a warning that is not there yet; "" is none.
func (p *Plan) warn(sentence string) {
	if sentence != "" && !slices.Contains(p.Warnings, sentence) {
		p.Warnings = append(p.Warnings, sentence)
	}
}

// preemptedWords say which pods are preempted for replacements, and what becomes of them: "Replacements preempt
// shop/a: Pending; may preempt shop/b."; "" where none are.
func preemptedWords(all []PreemptedPod) string {
	var sure, may []string
	var ends Ends
	instead := false
	for _, victim := range all {
		pod := model.NewPod(victim.Pod)
		if victim.Fate.Outcome == Depends {
			may = append(may, model.Clean(pod.FullName()))
			continue
		}
		sure, ends = append(sure, model.Clean(pod.FullName())), append(ends, End{Pod: pod, Fate: victim.Fate})
		instead = instead || victim.Instead
	}
	var clauses []string
	if len(sure) > 0 {
		who := grammar.List(sure, grammar.Few)
		if instead {
			who += ", or pods like " + grammar.Agree(len(sure), "it", "them")
		}
		clauses = append(clauses, "preempt "+who+": "+ends.outcomes())
	}
	if len(may) > 0 {
		clauses = append(clauses, "may preempt "+grammar.List(may, grammar.Few))
	}
	if len(clauses) == 0 {
		return ""
	}
	return "Replacements " + strings.Join(clauses, "; ") + "."
}

// unreadBudgets says that budgets could not be read; "" where they were.
func unreadBudgets(ends []End) string {
	n := countEnds(ends, func(e End) bool { return e.Budget().Allows == BudgetUnread })
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("PodDisruptionBudgets could not be read: unknown whether they allow the eviction of %s.", CountPods(n))
}

// admitted say which pending pods of the snapshot would fit.
func admitted(all []NewlySchedulable, on *model.Snapshot) []string {
	var sentences []string
	for _, a := range all[:min(len(all), few)] {
		sentence := "Pending " + kindName(a.Pod) + " would fit."
		if of := replicas(on, a.Pod); a.Count < of {
			sentence = fmt.Sprintf("%d of %d pending pods of %s would fit.", a.Count, of, kindName(a.Pod))
		} else if a.Count > 1 {
			sentence = fmt.Sprintf("All %d pending pods of %s would fit.", a.Count, kindName(a.Pod))
		}
		sentences = append(sentences, sentence)
	}
	if more := len(all) - few; more > 0 {
		sentences = append(sentences, fmt.Sprintf("%d more pending %s would fit.", more, grammar.Agree(more, "workload", "workloads")))
	}
	return sentences
}

// replicas counts the pending pods that the scheduler treats as it does this one.
func replicas(on *model.Snapshot, pod *model.Pod) int {
	if on == nil {
		return 0
	}
	kind, ok := on.ClassOf(pod.Object.UID)
	if !ok {
		return 0
	}
	return kind.Count()
}

// barred say which pending pods would lose something.
func barred(all []NewlyUnschedulable) []string {
	var sentences []string
	for _, b := range all[:min(len(all), few)] {
		sentences = append(sentences, fmt.Sprintf("Pending %s %s.", kindName(b.Pod), model.Clean(b.How)))
	}
	if more := len(all) - few; more > 0 {
		sentences = append(sentences, fmt.Sprintf("%d more pending %s %s a node that fits, or their closest node.", more, grammar.Agree(more, "workload", "workloads"), grammar.Agree(more, "loses", "lose")))
	}
	return sentences
}

// kindName names the workload of a pending pod, or the pod where it has none.
func kindName(pod *model.Pod) string {
	return model.Clean(pod.Object.Namespace + "/" + cmp.Or(pod.Owner.Name, pod.Object.Name))
}

// Supposed is the state that the plan leads to, as far as the snapshot has its
// objects: the changed objects, and the pods that would be deleted. It leaves out
// pods that a rollout replaces one after the other, and pods that a scale deletes,
// which are not known.
func (p *Plan) Supposed(s *model.Snapshot) Hypothesis {
	var supposed Hypothesis
	for _, change := range p.Changes {
		if !slices.ContainsFunc(change.Edits, func(e Edit) bool { return !isAnnotation(e.Path) }) {
			continue // the scheduler reads no annotations
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
	p.Ends.suppose(&supposed)
	return supposed
}

// suppose adds the pods that end.
func (e Ends) suppose(supposed *Hypothesis) {
	supposed.Decided = map[types.UID]Fate{}
	for i := range e {
		end := &e[i]
		if end.How == Rolled || !end.Pod.Bound() {
			continue
		}
		supposed.Gone = append(supposed.Gone, end.Pod.Object.UID)
		if end.Fate.Outcome == Lost || end.Fate.Outcome == NotKnown {
			supposed.Decided[end.Pod.Object.UID] = end.Fate
		}
	}
}

// nodeThen is the node with the edits, and with the taint that the node lifecycle
// controller adds for a cordon. nil: the edits do not fit it.
func nodeThen(node *corev1.Node, edits []Edit) *corev1.Node {
	then := edited(node, edits)
	if then == nil || then.Spec.Unschedulable == node.Spec.Unschedulable {
		return then
	}
	tainted(then)
	return then
}

// Cordoned is a copy of the node that takes no pods, as a drain leaves it.
func Cordoned(node *corev1.Node) *corev1.Node {
	then := node.DeepCopy()
	then.Spec.Unschedulable = true
	tainted(then)
	return then
}

// tainted gives a node the taint that the node lifecycle controller adds for a cordon, or
// takes it away.
func tainted(then *corev1.Node) {
	then.Spec.Taints = slices.DeleteFunc(then.Spec.Taints, func(taint corev1.Taint) bool {
		return taint.Key == corev1.TaintNodeUnschedulable
	})
	if then.Spec.Unschedulable {
		then.Spec.Taints = append(then.Spec.Taints, corev1.Taint{Key: corev1.TaintNodeUnschedulable, Effect: corev1.TaintEffectNoSchedule})
	}
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
