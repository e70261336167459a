package plan

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation"
)

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
