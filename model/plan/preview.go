package plan

import (
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// ReadTaint reads typed taints of nodes, in the words of kubectl taint.
func ReadTaint(nodes []string, typed string) (Taint, error) {
	add, remove, err := ParseTaints(strings.Fields(typed))
	return Taint{Nodes: nodes, Add: add, Remove: remove}, err
}

// ReadLabel reads typed labels, in the words of kubectl label.
func ReadLabel(refs []model.Ref, typed string) (Label, error) {
	set, remove, err := ParseMarks(strings.Fields(typed))
	return Label{Refs: refs, Set: set, Remove: remove}, err
}

// Preview says in a sentence or two what an action on nodes or pods would do, while
// it is typed: by the snapshot, without asking the API server. Its errors are those
// of Action.Plan.
func Preview(s *model.Snapshot, action Action) (string, error) {
	facts := Facts{Snapshot: s, Objects: map[model.Ref]map[string]any{}}
	for _, ref := range action.Targets() {
		fields, err := fieldsOf(s, ref)
		if err != nil {
			return "", fmt.Errorf("preview %s: %w", action.Name(), err)
		}
		ref.UID = ""
		facts.Objects[ref] = fields
	}
	plan, err := action.Plan(facts)
	if err != nil {
		return "", err
	}
	return strings.Join(plan.Effects, " "), nil
}

// fieldsOf are the metadata and the spec of an object of the snapshot as JSON
// values; ErrGone where it is not there.
func fieldsOf(s *model.Snapshot, ref model.Ref) (map[string]any, error) {
	var object any
	switch ref.Resource {
	case "nodes":
		node, ok := s.Node(ref.Name)
		if !ok || node.Object == nil {
			return nil, ErrGone
		}
		object = &corev1.Node{ObjectMeta: *plainMeta(&node.Object.ObjectMeta), Spec: node.Object.Spec}
	case "pods":
		pod, ok := s.PodNamed(ref.Namespace, ref.Name)
		if !ok {
			return nil, ErrGone
		}
		object = &corev1.Pod{ObjectMeta: *plainMeta(&pod.Object.ObjectMeta), Spec: pod.Object.Spec}
	default:
		return nil, ErrNotPossible
	}
	return runtime.DefaultUnstructuredConverter.ToUnstructured(object)
}

// plainMeta is metadata without managedFields.
func plainMeta(meta *metav1.ObjectMeta) *metav1.ObjectMeta {
	plain := *meta
	plain.ManagedFields = nil
	return &plain
}
