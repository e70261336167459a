package plan

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
)

// Taint adds taints to nodes and removes some. One that is there with another
// value gets the new one.
type Taint struct {
	Nodes  []string
	Add    []corev1.Taint
	Remove []TaintRemoval
}

// Name implements Action.
func (t Taint) Name() string {
	return t.verb() + " " + nodesWords(t.Nodes) + " " + strings.Join(t.words(), " ")
}

func (t Taint) verb() string {
	if len(t.Add) == 0 {
		return "untaint"
	}
	return "taint"
}

// title names the taints that are only removed as such: "Remove taint a from n1".
func (t Taint) title(changes []Change) string {
	if len(t.Add) > 0 {
		return titleOf(t, changes)
	}
	names := make([]string, 0, len(t.Remove))
	for _, removal := range t.Remove {
		names = append(names, removal.taint())
	}
	return fmt.Sprintf("Remove %s %s from %s", grammar.Agree(len(names), "taint", "taints"), strings.Join(names, ", "), nodesWords(t.Nodes))
}

// words are the taints as kubectl takes them.
func (t Taint) words() []string {
	words := make([]string, 0, len(t.Add)+len(t.Remove))
	for _, taint := range t.Add {
		words = append(words, taint.ToString())
	}
	for _, removal := range t.Remove {
		words = append(words, removal.String())
	}
	return words
}

// Targets implements Action.
func (t Taint) Targets() []model.Ref { return nodeRefs(t.Nodes) }

// Plan implements Action. Nodes that are already as requested are left out.
func (t Taint) Plan(on Facts) (*Plan, error) {
	if err := t.check(); err != nil {
		return nil, fmt.Errorf("%s: %w: %w", t.Name(), ErrNotPossible, err)
	}
	plan := &Plan{Action: t, Does: t.verb(), on: on.Snapshot}
	var kept []string
	for _, ref := range t.Targets() {
		object, err := on.Object(ref)
		if err != nil {
			plan.skips.add(ref, "deleted", fmt.Errorf("%s %s: %w", t.verb(), ref.Name, ErrGone))
			continue
		}
		change := changeOf(ref, object)
		change.edit(object, t.applied(items(valueAt(object, taintsPath))), taintsPath...)
		if len(change.Edits) == 0 {
			plan.skips.add(ref, "no change", nil)
			continue
		}
		plan.Changes = append(plan.Changes, change)
		kept = append(kept, ref.Name)
	}
	if len(plan.Changes) == 0 {
		return nil, plan.skips.noneLeft(t.Name(), t.already())
	}
	t.Nodes = kept
	plan.Action = t
	plan.Title = t.title(plan.Changes)
	plan.Undo, plan.UndoSays = UndoOf(t, plan.Changes), t.undoSays(plan.Changes)
	plan.follow()
	return plan, nil
}

// check says what is wrong with the request whatever the nodes.
func (t Taint) check() error {
	if len(t.Add)+len(t.Remove) == 0 {
		return errors.New("no taint given")
	}
	words := t.words()
	add, _, err := ParseTaints(words)
	if err != nil {
		return err
	}
	for _, taint := range add {
		if slices.ContainsFunc(t.Remove, func(w TaintRemoval) bool { return w.names(taint) }) {
			return fmt.Errorf("%s is both added and removed", taint.ToString())
		}
	}
	return nil
}

var taintsPath = []string{"spec", "taints"}

// applied are the taints as requested. Those that stay keep their place and
// everything that they hold, such as when they were added.
func (t Taint) applied(now []any) []any {
	var then []any
	for _, item := range now {
		taint := taintOf(item)
		if slices.ContainsFunc(t.Remove, func(w TaintRemoval) bool { return w.names(taint) }) {
			continue
		}
		if at := slices.IndexFunc(t.Add, func(a corev1.Taint) bool { return a.MatchTaint(&taint) }); at >= 0 && t.Add[at].Value != taint.Value {
			item = taintItem(t.Add[at])
		}
		then = append(then, item)
	}
	for _, taint := range t.Add {
		if !slices.ContainsFunc(then, func(item any) bool { there := taintOf(item); return there.MatchTaint(&taint) }) {
			then = append(then, taintItem(taint))
		}
	}
	return then
}

// taintOf reads a taint out of a node's JSON.
func taintOf(item any) corev1.Taint {
	fields, _ := item.(map[string]any)
	key, _ := fields["key"].(string)
	value, _ := fields["value"].(string)
	effect, _ := fields["effect"].(string)
	return corev1.Taint{Key: key, Value: value, Effect: corev1.TaintEffect(effect)}
}

// taintItem is the taint as JSON, without a value where it has none.
func taintItem(taint corev1.Taint) map[string]any {
	fields := map[string]any{"key": taint.Key, "effect": string(taint.Effect)}
	if taint.Value != "" {
		fields["value"] = taint.Value
	}
	return fields
}

// already says that nothing is to be done.
func (t Taint) already() string {
	switch name := nodesWords(t.Nodes); {
	case len(t.Add) > 0 && len(t.Remove) > 0:
		return "the taints are already as requested"
	case len(t.Add) > 0:
		return grammar.Agree(len(t.Nodes), name+" already has", "all already have") + grammar.Agree(len(t.Add), " the taint", " the taints")
	default:
		names := make([]string, 0, len(t.Remove))
		for _, removal := range t.Remove {
			names = append(names, removal.taint())
		}
		return grammar.Agree(len(t.Nodes), name+" has", "none of them has") + grammar.Agree(len(names), " no taint ", " none of the taints ") + strings.Join(names, ", ")
	}
}

// replaced counts the nodes on which one of the added taints replaces one with another value.
func (t Taint) replaced(changes []Change) (nodes int) {
	for _, change := range changes {
		was := items(change.Edits[0].From)
		if slices.ContainsFunc(t.Add, func(taint corev1.Taint) bool { return matching(was, taintItem(taint)) != nil }) {
			nodes++
		}
	}
	return nodes
}

// undoSays is how to undo it.
func (t Taint) undoSays(changes []Change) string {
	undo := "Undo: restore the previous taints"
	switch {
	case len(t.Remove) == 0 && len(t.Add) == 1 && t.replaced(changes) == len(changes):
		undo = "Undo: restore the previous value"
	case len(t.Remove) == 0 && len(t.Add) == 1 && t.replaced(changes) == 0:
		undo = "Undo: remove the taint"
	case len(t.Add) == 0 && len(t.Remove) == 1:
		undo = "Undo: add the taint again"
	}
	if slices.ContainsFunc(t.Add, func(taint corev1.Taint) bool { return taint.Effect == corev1.TaintEffectNoExecute }) {
		return undo + "; pods do not move back."
	}
	return undo + t.undoLeaves(changes) + "."
}

// undoLeaves says what becomes of pods that came once taints were removed, when they are added again: a
// NoExecute taint evicts those that do not tolerate it, and others leave them where they are.
func (t Taint) undoLeaves(changes []Change) string {
	if len(t.Add) > 0 {
		return ""
	}
	leave, evict := false, false
	for _, change := range changes {
		was, then := items(change.Edits[0].From), items(change.Edits[0].To)
		evicts := countOthers(noExecute(was), noExecute(then)) > 0
		evict = evict || evicts
		leave = leave || !evicts && countOthers(withEffect(was, corev1.TaintEffectNoSchedule), withEffect(then, corev1.TaintEffectNoSchedule)) > 0
	}
	switch {
	case evict && leave:
		return "; pods that came stay, unless a NoExecute taint evicts them"
	case evict:
		return "; pods that came and do not tolerate it are evicted"
	case leave:
		return "; pods that came stay"
	}
	return ""
}

// TaintRemoval names taints that are to be removed.
type TaintRemoval struct {
	Key    string
	Value  *string            // nil: any
	Effect corev1.TaintEffect // "": all
}

// Effects are those that a taint can have, the least disruptive first.
var Effects = []corev1.TaintEffect{
	corev1.TaintEffectPreferNoSchedule, corev1.TaintEffectNoSchedule, corev1.TaintEffectNoExecute,
}

// String is the removal as kubectl writes it: "dedicated=gpu:NoSchedule-".
func (w TaintRemoval) String() string { return w.taint() + "-" }

// taint names what is removed: "dedicated=gpu:NoSchedule", "dedicated".
func (w TaintRemoval) taint() string {
	text := w.Key
	if w.Value != nil && *w.Value != "" {
		text += "=" + *w.Value
	}
	if w.Effect != "" {
		text += ":" + string(w.Effect)
	}
	return text
}

// names says whether this taint is to be removed.
func (w TaintRemoval) names(taint corev1.Taint) bool {
	return w.Key == taint.Key && (w.Value == nil || *w.Value == taint.Value) && (w.Effect == "" || w.Effect == taint.Effect)
}

// ParseTaints reads taints as kubectl taint takes them: key=value:Effect and
// key:Effect add, key:Effect- and key- remove.
func ParseTaints(words []string) (add []corev1.Taint, remove []TaintRemoval, err error) {
	for _, word := range words {
		text, removes := strings.CutSuffix(word, "-")
		taint, valued, err := parseTaint(text)
		switch {
		case err != nil:
			return nil, nil, &InputError{"taint ", word, err.Error()}
		case removes:
			removal := TaintRemoval{Key: taint.Key, Effect: taint.Effect}
			if valued {
				removal.Value = &taint.Value
			}
			remove = append(remove, removal)
		case taint.Effect == "":
			return nil, nil, &InputError{"taint ", word, "the effect is missing: add " + effectNames(":")}
		case slices.ContainsFunc(add, func(t corev1.Taint) bool { return t.MatchTaint(&taint) }):
			return nil, nil, &InputError{"taint ", word, fmt.Sprintf("%s:%s is given twice", taint.Key, taint.Effect)}
		default:
			add = append(add, taint)
		}
	}
	return add, remove, nil
}

// parseTaint reads key, key=value, and either with :Effect behind.
func parseTaint(text string) (taint corev1.Taint, valued bool, err error) {
	pair, effect, hasEffect := strings.Cut(text, ":")
	key, value, valued := strings.Cut(pair, "=")
	taint = corev1.Taint{Key: key, Value: value, Effect: corev1.TaintEffect(effect)}
	if said := validation.IsQualifiedName(key); len(said) > 0 {
		return taint, valued, fmt.Errorf("key %q: %s", key, strings.Join(said, "; "))
	}
	if said := validation.IsValidLabelValue(value); len(said) > 0 {
		return taint, valued, fmt.Errorf("value %q: %s", value, strings.Join(said, "; "))
	}
	if hasEffect && effect == "" {
		return taint, valued, fmt.Errorf("the effect is missing: use %s", effectNames(""))
	}
	if hasEffect && !slices.Contains(Effects, taint.Effect) {
		return taint, valued, fmt.Errorf("unknown effect %q: use %s", effect, effectNames(""))
	}
	return taint, valued, nil
}

// effectNames list the effects, each behind the lead: ":PreferNoSchedule,
// :NoSchedule or :NoExecute".
func effectNames(lead string) string {
	names := make([]string, len(Effects))
	for i, effect := range Effects {
		names[i] = lead + string(effect)
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " or " + names[last]
}

// InputError says what is wrong with a word that was typed.
type InputError struct {
	what, word string
	Why        string // a clause without the word
}

// Error implements error.
func (e *InputError) Error() string { return fmt.Sprintf("invalid %s%s: %s", e.what, e.word, e.Why) }
