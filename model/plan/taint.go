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
	Remove []TaintWish
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

// words are the taints as kubectl takes them.
func (t Taint) words() []string {
	words := make([]string, 0, len(t.Add)+len(t.Remove))
	for _, taint := range t.Add {
		words = append(words, taint.ToString())
	}
	for _, wish := range t.Remove {
		words = append(words, wish.String())
	}
	return words
}

// Targets implements Action.
func (t Taint) Targets() []model.Ref { return nodeRefs(t.Nodes) }

// Plan implements Action. Nodes that are as wished already are left out.
func (t Taint) Plan(on Facts) (*Plan, error) {
	if err := t.check(); err != nil {
		return nil, fmt.Errorf("%s: %w: %w", t.Name(), ErrWrongWish, err)
	}
	plan := &Plan{Action: t, Does: t.verb(), on: on.Snapshot}
	var kept []string
	for _, ref := range t.Targets() {
		object, err := on.Object(ref)
		if err != nil {
			plan.skips.add(ref, "gone", fmt.Errorf("%s %s: %w", t.verb(), ref.Name, ErrGone))
			continue
		}
		change := changeOf(ref, object)
		change.edit(object, t.applied(items(valueAt(object, taintsPath))), taintsPath...)
		if len(change.Edits) == 0 {
			plan.skips.add(ref, "so already", nil)
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
	plan.Title = titleOf(t, plan.Changes)
	plan.Undo, plan.UndoSays = undoOf(t, plan.Changes), t.undoSays()
	plan.follow()
	return plan, nil
}

// check says what is wrong with the wish whatever the nodes.
func (t Taint) check() error {
	if len(t.Add)+len(t.Remove) == 0 {
		return errors.New("it names no taint")
	}
	words := t.words()
	add, _, err := ParseTaints(words)
	if err != nil {
		return err
	}
	for _, taint := range add {
		if slices.ContainsFunc(t.Remove, func(w TaintWish) bool { return w.names(taint) }) {
			return fmt.Errorf("%s is both added and removed", taint.ToString())
		}
	}
	return nil
}

var taintsPath = []string{"spec", "taints"}

// applied are the taints as wished. Those that stay keep their place and
// everything that they hold, such as when they were added.
func (t Taint) applied(now []any) []any {
	var then []any
	for _, item := range now {
		taint := taintOf(item)
		if slices.ContainsFunc(t.Remove, func(w TaintWish) bool { return w.names(taint) }) {
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
	whose := grammar.Agree(len(t.Nodes), nodesWords(t.Nodes)+" is", "all are")
	if len(t.Add) == 0 {
		return whose + " without it already"
	}
	return whose + " tainted so already"
}

// undoSays is what takes the wish back.
func (t Taint) undoSays() string {
	undo := "Undo: the taints as they were"
	switch {
	case len(t.Remove) == 0 && len(t.Add) == 1:
		undo = "Undo: remove the taint"
	case len(t.Add) == 0 && len(t.Remove) == 1:
		undo = "Undo: taint again"
	}
	if slices.ContainsFunc(t.Add, func(taint corev1.Taint) bool { return taint.Effect == corev1.TaintEffectNoExecute }) {
		return undo + "; pods do not move back."
	}
	return undo + "."
}

// TaintWish names taints that are to be removed.
type TaintWish struct {
	Key    string
	Value  *string            // nil: any
	Effect corev1.TaintEffect // "": all
}

// Effects are those that a taint can have, from mild to harsh.
var Effects = []corev1.TaintEffect{
	corev1.TaintEffectPreferNoSchedule, corev1.TaintEffectNoSchedule, corev1.TaintEffectNoExecute,
}

// String is the wish as kubectl writes it: "dedicated=gpu:NoSchedule-".
func (w TaintWish) String() string {
	text := w.Key
	if w.Value != nil && *w.Value != "" {
		text += "=" + *w.Value
	}
	if w.Effect != "" {
		text += ":" + string(w.Effect)
	}
	return text + "-"
}

// names says whether the wish is about this taint.
func (w TaintWish) names(taint corev1.Taint) bool {
	return w.Key == taint.Key && (w.Value == nil || *w.Value == taint.Value) && (w.Effect == "" || w.Effect == taint.Effect)
}

// ParseTaints reads taints as kubectl taint takes them: key=value:Effect and
// key:Effect add, key:Effect- and key- remove.
func ParseTaints(words []string) (add []corev1.Taint, remove []TaintWish, err error) {
	for _, word := range words {
		text, removes := strings.CutSuffix(word, "-")
		taint, valued, err := parseTaint(text)
		switch {
		case err != nil:
			return nil, nil, fmt.Errorf("read taint %s: %w", word, err)
		case removes:
			wish := TaintWish{Key: taint.Key, Effect: taint.Effect}
			if valued {
				wish.Value = &taint.Value
			}
			remove = append(remove, wish)
		case taint.Effect == "":
			return nil, nil, fmt.Errorf("read taint %s: it has no effect: end it with :%s", word, effectNames(" or :"))
		case slices.ContainsFunc(add, func(t corev1.Taint) bool { return t.MatchTaint(&taint) }):
			return nil, nil, fmt.Errorf("read taint %s: %s:%s is there twice", word, taint.Key, taint.Effect)
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
	if hasEffect && !slices.Contains(Effects, taint.Effect) {
		return taint, valued, fmt.Errorf("effect %q: it is none of %s", effect, effectNames(", "))
	}
	return taint, valued, nil
}

func effectNames(between string) string {
	names := make([]string, len(Effects))
	for i, effect := range Effects {
		names[i] = string(effect)
	}
	return strings.Join(names, between)
}
