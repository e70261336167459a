package plan

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// Label sets labels of nodes or pods and removes some.
type Label struct {
	Refs   []model.Ref
	Set    map[string]string
	Remove []string
}

// Annotate sets annotations of nodes or pods and removes some. Their values
// are not shown: they may be anything.
type Annotate struct {
	Refs   []model.Ref
	Set    map[string]string
	Remove []string
}

// Name implements Action.
func (l Label) Name() string {
	return "label " + refsWords(l.Refs) + " " + strings.Join(marks{set: l.Set, remove: l.Remove, field: "labels"}.words(), " ")
}

// Name implements Action.
func (a Annotate) Name() string {
	return "annotate " + refsWords(a.Refs) + " " + strings.Join(marks{set: a.Set, remove: a.Remove, field: annotations}.words(), " ")
}

// Targets implements Action.
func (l Label) Targets() []model.Ref { return l.Refs }

// Targets implements Action.
func (a Annotate) Targets() []model.Ref { return a.Refs }

// Plan implements Action. Objects that are already as requested are left out.
func (l Label) Plan(on Facts) (*Plan, error) {
	plan, err := marks{action: l, of: func(refs []model.Ref) Action { l.Refs = refs; return l }, refs: l.Refs, set: l.Set, remove: l.Remove, field: "labels"}.plan(on)
	if err != nil {
		return nil, err
	}
	plan.Does = "label"
	if err := warnSelected(plan, on); err != nil {
		return nil, fmt.Errorf("%s: %w", l.Name(), err)
	}
	plan.follow()
	return plan, nil
}

// warnSelected warns of what selects pods by labels that the plan changes.
func warnSelected(p *Plan, on Facts) error {
	for _, change := range p.Changes {
		labels := labelsOf(change.Edits)
		if change.Target.Resource != "pods" || len(labels) == 0 {
			continue
		}
		pod, err := on.pod(change.Target)
		if err != nil {
			return err
		}
		p.warn(released(pod, labels))
		p.warn(adopted(pod, labels))
	}
	return nil
}

// labelsOf are the edits of labels.
func labelsOf(edits []Edit) []Edit {
	return slices.DeleteFunc(slices.Clone(edits), func(e Edit) bool { return !isLabel(e.Path) })
}

// released warns of changed labels that a pod's controller may select it by; ""
// where no label that it has changes.
func released(pod *model.Pod, edits []Edit) string {
	var keys []string
	for _, edit := range edits {
		if edit.From != nil {
			keys = append(keys, model.Clean(edit.Path[2]))
		}
	}
	switch owner := model.Clean(pod.Owner.String()); {
	case len(keys) == 0:
		return ""
	case owner == "":
		return fmt.Sprintf("Services and PodDisruptionBudgets that select %s by %s no longer apply to it.", model.Clean(pod.FullName()), namesOf(keys))
	case pod.Owner.Kind == "StatefulSet": // its pods have fixed names
		return fmt.Sprintf("If %s selects %s by %s, it releases the pod, and cannot create a replacement of that name until this pod is deleted; Services and PodDisruptionBudgets may no longer apply to it.",
			owner, model.Clean(pod.FullName()), namesOf(keys))
	default:
		return fmt.Sprintf("If %s selects %s by %s, it releases the pod and creates a replacement; Services and PodDisruptionBudgets may no longer apply to it.",
			owner, model.Clean(pod.FullName()), namesOf(keys))
	}
}

// adopted warns that new labels of a pod without a controller may give it one: controllers
// adopt what their selector matches (k8s.io/kubernetes/pkg/controller, ControllerRefManager),
// and delete what is more than their replicas. "" where no label is set.
func adopted(pod *model.Pod, edits []Edit) string {
	var keys []string
	for _, edit := range edits {
		if edit.To != nil {
			keys = append(keys, model.Clean(edit.Path[2]))
		}
	}
	if pod.Owner.String() != "" || len(keys) == 0 || pod.Finished() {
		return ""
	}
	return fmt.Sprintf("A controller that selects %s by %s adopts it, and deletes it or another pod if it then has more than its replicas.",
		model.Clean(pod.FullName()), namesOf(keys))
}

// Plan implements Action. Objects that are already as requested are left out.
func (a Annotate) Plan(on Facts) (*Plan, error) {
	plan, err := marks{action: a, of: func(refs []model.Ref) Action { a.Refs = refs; return a }, refs: a.Refs, set: a.Set, remove: a.Remove, field: annotations}.plan(on)
	if err != nil {
		return nil, err
	}
	plan.Does = "annotate"
	plan.follow()
	return plan, nil
}

const annotations = "annotations"

// marks are labels or annotations that are set and removed.
type marks struct {
	action Action
	of     func(refs []model.Ref) Action // the same, of these
	refs   []model.Ref
	set    map[string]string
	remove []string
	field  string
}

// words are the marks as kubectl takes them; of annotations the keys.
func (m marks) words() []string {
	words := make([]string, 0, len(m.set)+len(m.remove))
	for _, key := range slices.Sorted(maps.Keys(m.set)) {
		if m.field == annotations {
			words = append(words, key)
			continue
		}
		words = append(words, key+"="+m.set[key])
	}
	for _, key := range m.remove {
		words = append(words, key+"-")
	}
	return words
}

func (m marks) plan(on Facts) (*Plan, error) {
	if why := m.wrong(); why != "" {
		return nil, fmt.Errorf("%s: %w: %s", m.action.Name(), ErrNotPossible, why)
	}
	plan := &Plan{Action: m.action, on: on.Snapshot, daemonSets: on.DaemonSets, daemonSetsUnlisted: on.DaemonSetsUnlisted}
	var kept []model.Ref
	for _, ref := range m.refs {
		object, err := on.Object(ref)
		if err != nil {
			plan.skips.add(ref, "deleted", fmt.Errorf("%s: %s: %w", m.action.Name(), ref.Words(), ErrGone))
			continue
		}
		change := changeOf(ref, object)
		for _, key := range slices.Sorted(maps.Keys(m.set)) {
			change.edit(object, m.set[key], "metadata", m.field, key)
		}
		for _, key := range m.remove {
			change.edit(object, nil, "metadata", m.field, key)
		}
		if len(change.Edits) == 0 {
			plan.skips.add(ref, "no change", nil)
			continue
		}
		plan.Changes = append(plan.Changes, change)
		kept = append(kept, ref)
	}
	if len(plan.Changes) == 0 {
		return nil, plan.skips.noneLeft(m.action.Name(), "the "+m.field+" are already as requested")
	}
	plan.Action = m.of(kept)
	plan.Title = titleOf(plan.Action, plan.Changes)
	plan.Undo, plan.UndoSays = UndoOf(plan.Action, plan.Changes), fmt.Sprintf("Undo: restore the previous %s.", m.field)
	return plan, nil
}

// wrong says what is wrong with the request whatever the objects; "" if nothing is.
func (m marks) wrong() string {
	if len(m.set)+len(m.remove) == 0 {
		return "no " + m.field + " given"
	}
	for _, ref := range m.refs {
		if ref.Resource != "nodes" && ref.Resource != "pods" {
			return "only " + m.field + " of nodes and pods can be changed"
		}
	}
	for _, key := range slices.Concat(slices.Sorted(maps.Keys(m.set)), m.remove) {
		if said := validation.IsQualifiedName(strings.ToLower(key)); m.field == annotations && len(said) > 0 {
			return fmt.Sprintf("key %q: %s", key, strings.Join(said, "; "))
		}
		if said := validation.IsQualifiedName(key); m.field != annotations && len(said) > 0 {
			return fmt.Sprintf("key %q: %s", key, strings.Join(said, "; "))
		}
		if said := validation.IsValidLabelValue(m.set[key]); m.field != annotations && len(said) > 0 {
			return fmt.Sprintf("value %q of %s: %s", m.set[key], key, strings.Join(said, "; "))
		}
	}
	for _, key := range m.remove {
		if _, set := m.set[key]; set {
			return key + " is both set and removed"
		}
	}
	return ""
}

// ParseMarks reads labels or annotations as kubectl takes them: key=value sets,
// key- removes.
func ParseMarks(words []string) (set map[string]string, remove []string, err error) {
	set = map[string]string{}
	for _, word := range words {
		key, value, valued := strings.Cut(word, "=")
		removed, removes := strings.CutSuffix(word, "-")
		_, twice := set[key]
		switch {
		case valued && twice:
			return nil, nil, &InputError{"", word, key + " is given twice"}
		case valued:
			set[key] = value
		case removes:
			remove = append(remove, removed)
		default:
			return nil, nil, &InputError{"", word, "write key=value, or key- to remove it"}
		}
	}
	return set, remove, nil
}
