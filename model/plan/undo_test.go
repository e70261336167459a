package plan

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"
	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"pgregory.net/rapid"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/modeltest"
)

// server holds objects as an API server does: as JSON of their kinds, each with a
// resourceVersion that grows, and takes merge patches.
type server struct {
	objects map[model.Ref][]byte
	version int
}

// put keeps an object, in the one way in which its kind is written.
func (s *server) put(t rapid.TB, ref model.Ref, text []byte) {
	t.Helper()
	var object any
	switch ref.Resource {
	case "nodes":
		object = &corev1.Node{}
	case "pods":
		object = &corev1.Pod{}
	default:
		object = &appsv1.Deployment{}
	}
	if err := json.Unmarshal(text, object); err != nil {
		t.Fatal(err)
	}
	s.version++
	object.(metav1.Object).SetResourceVersion(strconv.Itoa(s.version))
	object.(metav1.Object).SetGeneration(int64(s.version))
	text, err := json.Marshal(object)
	if err != nil {
		t.Fatal(err)
	}
	s.objects[ref] = text
}

func (s *server) clone() *server { return &server{objects: maps.Clone(s.objects), version: s.version} }

// contents are the objects but for what the server sets.
func (s *server) contents(t rapid.TB) map[model.Ref]string {
	t.Helper()
	found := map[model.Ref]string{}
	for ref, text := range s.objects {
		plain, err := jsonpatch.MergePatch(text, []byte(`{"metadata":{"resourceVersion":null,"generation":null}}`))
		if err != nil {
			t.Fatal(err)
		}
		found[ref] = string(plain)
	}
	return found
}

// whole is the object whose scale ref is, and the path of its replicas: the same
// as in the scale.
func whole(ref model.Ref) model.Ref {
	ref.UID = ""
	if ref.Resource == "deployments/scale" {
		ref.Resource = "deployments"
	}
	return ref
}

// facts read everything.
func (s *server) facts(t rapid.TB) Facts {
	t.Helper()
	facts := Facts{Objects: map[model.Ref]map[string]any{}, Filtered: map[string][]types.UID{}}
	b := model.NewBuilder()
	for ref, text := range s.objects {
		fields := map[string]any{}
		if err := utiljson.Unmarshal(text, &fields); err != nil {
			t.Fatal(err)
		}
		facts.Objects[ref] = fields
		switch ref.Resource {
		case "nodes":
			node := &corev1.Node{}
			if err := json.Unmarshal(text, node); err != nil {
				t.Fatal(err)
			}
			b.Node(nil, node)
			facts.Filtered[ref.Name] = []types.UID{}
		case "pods":
			pod := &corev1.Pod{}
			if err := json.Unmarshal(text, pod); err != nil {
				t.Fatal(err)
			}
			b.Pod(nil, pod)
		case "deployments":
			ref.Resource = "deployments/scale"
			facts.Objects[ref] = fields
		}
	}
	facts.Snapshot = b.Build(1, model.Status{}, nil)
	return facts
}

// run carries a plan out, as long as no object is another by now.
func (s *server) run(t rapid.TB, plan *Plan) {
	t.Helper()
	for _, change := range plan.Changes {
		ref := whole(change.Target)
		patch, err := change.Patch()
		if err != nil {
			t.Fatal(err)
		}
		var meta struct {
			Metadata struct {
				UID             types.UID `json:"uid"`
				ResourceVersion string    `json:"resourceVersion"`
			} `json:"metadata"`
		}
		if err := json.Unmarshal(s.objects[ref], &meta); err != nil {
			t.Fatal(err)
		}
		if meta.Metadata.UID != change.Target.UID || meta.Metadata.ResourceVersion != change.ResourceVersion {
			t.Fatalf("the change of %v is for another object: %s", change.Target, s.objects[ref])
		}
		next, err := jsonpatch.MergePatch(s.objects[ref], patch)
		if err != nil {
			t.Fatal(err)
		}
		s.put(t, ref, next)
	}
}

// anyServer draws what actions are tried on.
func anyServer(t *rapid.T) *server {
	s := &server{objects: map[model.Ref][]byte{}}
	keep := func(ref model.Ref, object metav1.Object) {
		object.SetUID(types.UID("uid-" + ref.Resource + ref.Name))
		object.SetLabels(anyMarks(t))
		object.SetAnnotations(anyMarks(t))
		text, err := json.Marshal(object)
		if err != nil {
			t.Fatal(err)
		}
		s.put(t, ref, text)
	}
	for _, name := range []string{"n1", "n2"} {
		node := modeltest.NewNode(name, "eu", "4", "8Gi")
		node.Spec.Unschedulable = modeltest.Chance(t, "cordoned")
		node.Spec.Taints = anyTaints(t)
		for i := range node.Spec.Taints {
			if modeltest.Chance(t, "dated") {
				node.Spec.Taints[i].TimeAdded = new(metav1.NewTime(modeltest.Epoch))
			}
		}
		keep(NodeRef(name), node)
	}
	for _, name := range []string{"p1", "p2"} {
		keep(model.Ref{Resource: "pods", Namespace: "shop", Name: name}, owned("shop/"+name, "n1", "ReplicaSet/p", nil))
	}
	keep(model.Ref{Resource: "deployments", Namespace: "shop", Name: "checkout"}, aDeployment(func(d *appsv1.Deployment) {
		d.Spec.Replicas = new(int32(rapid.IntRange(1, 4).Draw(t, "replicas")))
		d.Spec.Template.Annotations = modeltest.Draw(t, "restarted", nil, map[string]string{restartedAt: "earlier"}, map[string]string{"a": "b"})
	}))
	return s
}

func anyMarks(t *rapid.T) map[string]string {
	marks := map[string]string{}
	for _, key := range []string{"a", "example.com/b", "c"} {
		if value := modeltest.Draw(t, "mark", "-", "", "x", "y"); value != "-" {
			marks[key] = value
		}
	}
	return marks
}

// anyTaints draws taints, no two of one key and effect.
func anyTaints(t *rapid.T) []corev1.Taint {
	var taints []corev1.Taint
	for range rapid.IntRange(0, 3).Draw(t, "taints") {
		taint := corev1.Taint{
			Key: modeltest.Draw(t, "key", "a", "b"), Value: modeltest.Draw(t, "value", "", "x", "y"), Effect: modeltest.Draw(t, "effect", Effects...),
		}
		if !slices.ContainsFunc(taints, func(other corev1.Taint) bool { return taint.MatchTaint(&other) }) {
			taints = append(taints, taint)
		}
	}
	return taints
}

// anyAction draws a wish that can be taken back.
func anyAction(t *rapid.T) Action {
	nodes := modeltest.Draw(t, "nodes", []string{"n1"}, []string{"n2"}, []string{"n1", "n2"})
	pods := []model.Ref{{Resource: "pods", Namespace: "shop", Name: modeltest.Draw(t, "pod", "p1", "p2")}}
	refs := modeltest.Draw(t, "refs", nodeRefs(nodes), pods)
	var remove []string
	set := anyMarks(t)
	for _, key := range []string{"a", "example.com/b", "c"} {
		if _, ok := set[key]; !ok && modeltest.Chance(t, "removed") {
			remove = append(remove, key)
		}
	}
	checkout := model.Ref{Resource: "deployments", Namespace: "shop", Name: "checkout"}
	scale := checkout
	scale.Resource += "/scale"
	taint := Taint{Nodes: nodes, Add: anyTaints(t)}
	if modeltest.Chance(t, "untaint") {
		taint.Remove = []TaintRemoval{{Key: modeltest.Draw(t, "removed key", "a", "b"), Effect: modeltest.Draw(t, "removed effect", append(Effects, "")...)}}
	}
	return modeltest.Draw[Action](t, "action",
		Cordon{Nodes: nodes}, Cordon{Nodes: nodes, Off: true}, Drain{Nodes: nodes}, taint, taint, taint,
		Label{Refs: refs, Set: set, Remove: remove}, Annotate{Refs: refs, Set: set, Remove: remove},
		Scale{Ref: scale, Replicas: int32(rapid.IntRange(1, 4).Draw(t, "scaled"))},
		Restart{Ref: checkout, At: modeltest.Epoch.AddDate(0, 0, rapid.IntRange(0, 3).Draw(t, "day"))},
	)
}

// plan plans an action as the server is; nil where it makes no sense.
func (s *server) plan(t rapid.TB, action Action) *Plan {
	t.Helper()
	plan, err := action.Plan(s.facts(t))
	if err != nil && !errors.Is(err, ErrNoChange) && !errors.Is(err, ErrNotPossible) {
		t.Fatalf("%s: %v", action.Name(), err)
	}
	return plan
}

// runSome runs random actions and gives their plans, and the server before each.
func runSome(t *rapid.T, s *server) (plans []*Plan, before []*server) {
	for range rapid.IntRange(1, 6).Draw(t, "actions") {
		if plan := s.plan(t, anyAction(t)); plan != nil {
			before = append(before, s.clone())
			s.run(t, plan)
			plans = append(plans, plan)
		}
	}
	return plans, before
}

// undo takes a plan back that was run.
func (s *server) undo(t rapid.TB, plan *Plan) {
	t.Helper()
	undone := s.plan(t, plan.Undo)
	if undone == nil {
		t.Fatalf("%s cannot be undone", plan.Action.Name())
	}
	s.run(t, undone)
}

func TestUndoInReverseRestoresEverything(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := anyServer(t)
		before := s.contents(t)
		plans, _ := runSome(t, s)
		for _, plan := range slices.Backward(plans) {
			s.undo(t, plan)
		}
		if diff := cmp.Diff(before, s.contents(t)); diff != "" {
			t.Fatal(diff)
		}
	})
}

// A node that was deleted and created again under its name is another object: its UID says so, whatever its fields.
func TestUndoLeavesAnObjectThatWasRecreated(t *testing.T) {
	s := &server{objects: map[model.Ref][]byte{}}
	create := func(name, uid string, cordoned bool) {
		node := modeltest.NewNode(name, "eu", "4", "8Gi")
		node.UID, node.Spec.Unschedulable = types.UID(uid), cordoned
		text, err := json.Marshal(node)
		if err != nil {
			t.Fatal(err)
		}
		s.put(t, NodeRef(name), text)
	}
	create("n1", "first", false)
	create("n2", "first", false)
	cordon, err := Cordon{Nodes: []string{"n1", "n2"}}.Plan(s.facts(t))
	if err != nil {
		t.Fatal(err)
	}
	s.run(t, cordon)
	create("n1", "second", true) // as the cordon left it
	undo, err := cordon.Undo.Plan(s.facts(t))
	if err != nil {
		t.Fatal(err)
	}
	if len(undo.Changes) != 1 || undo.Changes[0].Target.Name != "n2" || !slices.Contains(undo.Warnings, "Skips n1: it no longer exists.") {
		t.Errorf("the undo changes %v and warns %q", undo.Changes, undo.Warnings)
	}
	s.run(t, undo)
	create("n2", "second", true)
	if undo, err := cordon.Undo.Plan(s.facts(t)); !errors.Is(err, ErrGone) {
		t.Errorf("the undo of two nodes that were recreated is %v, %v", undo, err)
	}
}

func TestUndoOfOneLeavesTheOthers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := anyServer(t)
		plans, before := runSome(t, s)
		if len(plans) == 0 {
			return
		}
		at := rapid.IntRange(0, len(plans)-1).Draw(t, "undone")
		touched := fields(plans[at].Changes)
		for _, plan := range plans[at+1:] {
			if len(intersection(touched, fields(plan.Changes))) > 0 {
				return // what was touched since stays
			}
		}
		want := s.leaves(t)
		for field, value := range before[at].leaves(t) {
			if touched[field] {
				want[field] = value
			}
		}
		for field := range touched {
			if _, was := before[at].leaves(t)[field]; !was {
				delete(want, field)
			}
		}
		s.undo(t, plans[at])
		if diff := cmp.Diff(want, s.leaves(t)); diff != "" {
			t.Fatal(diff)
		}
	})
}

// leaves are all fields of the objects that hold a value but for what the server
// sets, named as fields names them.
func (s *server) leaves(t rapid.TB) map[string]string {
	t.Helper()
	found := map[string]string{}
	for ref, text := range s.contents(t) {
		object := map[string]any{}
		if err := utiljson.Unmarshal([]byte(text), &object); err != nil {
			t.Fatal(err)
		}
		addLeaves(found, ref.Resource+ref.Name, nil, object)
	}
	return found
}

func addLeaves(found map[string]string, name string, path []string, value any) {
	fields, nested := value.(map[string]any)
	switch {
	case nested:
		for key, inner := range fields {
			addLeaves(found, name, append(slices.Clone(path), key), inner)
		}
	case slices.Equal(path, taintsPath):
		for _, item := range items(value) {
			taint := taintOf(item)
			found[name+taint.Key+string(taint.Effect)] = fmt.Sprint(item)
		}
	default:
		found[name+pathWords(path)] = fmt.Sprint(value)
	}
}

// fields name what changes touch: fields, and of taints each by key and effect.
func fields(changes []Change) map[string]bool {
	found := map[string]bool{}
	for _, change := range changes {
		name := whole(change.Target).Resource + change.Target.Name
		for _, edit := range change.Edits {
			if !slices.Equal(edit.Path, taintsPath) {
				found[name+pathWords(edit.Path)] = true
				continue
			}
			for _, item := range slices.Concat(items(edit.From), items(edit.To)) {
				if taint := taintOf(item); !sameTaint(matching(items(edit.From), item), matching(items(edit.To), item)) {
					found[name+taint.Key+string(taint.Effect)] = true
				}
			}
		}
	}
	return found
}

func intersection(a, b map[string]bool) []string {
	return slices.DeleteFunc(slices.Collect(maps.Keys(a)), func(key string) bool { return !b[key] })
}

func TestUndoLeavesWhatOthersChanged(t *testing.T) {
	foreign := func(t *rapid.T, s *server) {
		for ref, text := range s.objects {
			object := map[string]any{}
			if err := utiljson.Unmarshal(text, &object); err != nil {
				t.Fatal(err)
			}
			put(object, []string{"metadata", "labels", "foreign"}, "yes")
			if ref.Resource == "nodes" {
				taints := items(valueAt(object, taintsPath))
				put(object, taintsPath, append(slices.Clone(taints), taintItem(corev1.Taint{Key: "foreign", Effect: corev1.TaintEffectNoSchedule})))
			}
			changed, err := json.Marshal(object)
			if err != nil {
				t.Fatal(err)
			}
			s.put(t, ref, changed)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		s := anyServer(t)
		alone := s.clone()
		foreign(t, alone)
		plans, _ := runSome(t, s)
		foreign(t, s)
		for _, plan := range slices.Backward(plans) {
			s.undo(t, plan)
		}
		if diff := cmp.Diff(alone.contents(t), s.contents(t)); diff != "" {
			t.Fatal(diff)
		}
	})
}
