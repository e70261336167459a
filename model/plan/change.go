package plan

import (
	"cmp"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// Change gives fields of one object other values.
type Change struct {
	Target          model.Ref // with its UID; its Resource may name a subresource: "deployments/scale"
	ResourceVersion string    // of the object that the change was planned for
	Edits           []Edit

	basis map[string]any // what of the object the plan rests on; see basisOf
}

// Edit gives one field another value.
type Edit struct {
	Path     []string // "spec", "unschedulable"
	From, To any      // JSON values; nil: the field is not there
}

// changeOf begins a change of the object that was read for ref.
func changeOf(ref model.Ref, object map[string]any) Change {
	ref.UID = types.UID(metaOf(object, "uid"))
	return Change{Target: ref, ResourceVersion: metaOf(object, "resourceVersion"), basis: basisOf(object)}
}

// basisOf is what of an object a plan rests on: all but its status, its annotations and
// what the API server counts. Kubelets and controllers write those at any time.
func basisOf(object map[string]any) map[string]any {
	return map[string]any{
		"spec": object["spec"], "labels": valueAt(object, []string{"metadata", "labels"}), "uid": metaOf(object, "uid"),
		"deleted": metaOf(object, "deletionTimestamp"),
	}
}

// Rebase is the change for the object as it is now, false where that differs in anything
// that the plan rests on or that the change replaces.
func (c Change) Rebase(object map[string]any) (Change, bool) {
	if c.basis == nil || !reflect.DeepEqual(c.basis, basisOf(object)) {
		return c, false
	}
	for _, edit := range c.Edits {
		if !reflect.DeepEqual(edit.From, valueAt(object, edit.Path)) {
			return c, false
		}
	}
	c.ResourceVersion = metaOf(object, "resourceVersion")
	return c, true
}

// edit adds an edit of the field at path, unless the field has the value already.
// An empty list or map is the same as none: the API server leaves it out.
func (c *Change) edit(object map[string]any, to any, path ...string) {
	from := valueAt(object, path)
	to = orNil(to)
	if reflect.DeepEqual(from, to) {
		return
	}
	c.Edits = append(c.Edits, Edit{Path: path, From: from, To: to})
}

// valueAt is the value of a field; nil where it is not there or empty.
func valueAt(object map[string]any, path []string) any {
	var value any = object
	for _, field := range path {
		inner, ok := value.(map[string]any)
		if !ok {
			return nil
		}
		value = inner[field]
	}
	return orNil(value)
}

func orNil(value any) any {
	switch value := value.(type) {
	case []any:
		if len(value) == 0 {
			return nil
		}
	case map[string]any:
		if len(value) == 0 {
			return nil
		}
	case bool:
		if !value {
			return nil // spec.unschedulable: false is left out
		}
	}
	return value
}

// Patch is the change as a JSON merge patch. It carries the object's UID and
// resourceVersion, so that the API server rejects it with a conflict where the
// object has changed since.
func (c Change) Patch() ([]byte, error) {
	patch := map[string]any{}
	put(patch, []string{"metadata", "resourceVersion"}, c.ResourceVersion)
	put(patch, []string{"metadata", "uid"}, string(c.Target.UID))
	for _, edit := range c.Edits {
		put(patch, edit.Path, edit.To)
	}
	text, err := json.Marshal(patch)
	if err != nil {
		return nil, fmt.Errorf("write patch of %s: %w", c.Target.Words(), err)
	}
	return text, nil
}

// put sets the field at path; nil removes it where the patch is applied.
func put(object map[string]any, path []string, value any) {
	for _, field := range path[:len(path)-1] {
		inner, ok := object[field].(map[string]any)
		if !ok {
			inner = map[string]any{}
			object[field] = inner
		}
		object = inner
	}
	object[path[len(path)-1]] = value
}

// Words show the edit to a reader: "spec.unschedulable  – → true".
func (e Edit) Words() string {
	from, to := valueWords(e.From), valueWords(e.To)
	if isReplicas(e.Path) { // 0 is left out
		from, to = cmp.Or(strings.TrimPrefix(from, "–"), "0"), cmp.Or(strings.TrimPrefix(to, "–"), "0")
	}
	return fmt.Sprintf("%s  %s → %s", pathWords(e.Path), from, to)
}

// valueWords show a JSON value in one line.
func valueWords(value any) string {
	switch value := value.(type) {
	case nil:
		return "–"
	case string:
		return model.Clean(value)
	case []any:
		words := make([]string, 0, len(value))
		for _, item := range value {
			words = append(words, itemWords(item))
		}
		return strings.Join(words, ", ")
	}
	return itemWords(value)
}

// itemWords show a taint as kubectl writes it, a gate by its name, and anything
// else as JSON.
func itemWords(item any) string {
	if fields, ok := item.(map[string]any); ok {
		key, _ := fields["key"].(string)
		effect, _ := fields["effect"].(string)
		value, _ := fields["value"].(string)
		name, _ := fields["name"].(string)
		switch {
		case key != "" && value != "":
			return model.Clean(key + "=" + value + ":" + effect)
		case key != "" && effect != "":
			return model.Clean(key + ":" + effect)
		case name != "":
			return model.Clean(name)
		}
	}
	text, err := json.Marshal(item)
	if err != nil {
		return "?"
	}
	return model.Clean(string(text))
}

// pathWords name a field: "spec.unschedulable", "metadata.labels[app]".
func pathWords(path []string) string {
	last := len(path) - 1
	if last > 0 && (path[last-1] == "labels" || path[last-1] == "annotations") {
		return fmt.Sprintf("%s[%s]", strings.Join(path[:last], "."), model.Clean(path[last]))
	}
	return strings.Join(path, ".")
}

// isAnnotation says whether a field is an annotation.
func isAnnotation(path []string) bool { return len(path) > 2 && path[len(path)-2] == "annotations" }

// Replicas is the number of replicas that the change of a scale sets.
func (c Change) Replicas() (int32, bool) {
	for _, edit := range c.Edits {
		if isReplicas(edit.Path) {
			to, _ := edit.To.(int64) // spec.replicas of a Scale is left out where it is 0
			return int32(to), true
		}
	}
	return 0, false
}

func isReplicas(path []string) bool { return slices.Equal(path, []string{"spec", "replicas"}) }

// Replaced words the values of labels, annotations and taints that the plan
// overwrites, with their objects: "std-a-01 disktype=hdd".
func (p *Plan) Replaced() []string {
	var words []string
	for _, change := range p.Changes {
		for _, edit := range change.Edits {
			for _, value := range edit.replaced() {
				words = append(words, change.Target.Words()+" "+model.Clean(value))
			}
		}
	}
	return words
}

// replaced are the values that the edit overwrites.
func (e Edit) replaced() []string {
	if len(e.Path) == 3 && e.Path[0] == "metadata" && e.From != nil && e.To != nil {
		if e.Path[1] == annotations {
			return []string{e.Path[2]} // its value may be anything
		}
		return []string{fmt.Sprintf("%s=%v", e.Path[2], e.From)}
	}
	if len(e.Path) != len(taintsPath) || e.Path[0] != taintsPath[0] || e.Path[1] != taintsPath[1] {
		return nil
	}
	var values []string
	for _, was := range items(e.From) {
		for _, is := range items(e.To) {
			before, after := taintOf(was), taintOf(is)
			if before.MatchTaint(&after) && before.Value != after.Value {
				values = append(values, before.ToString())
			}
		}
	}
	return values
}
