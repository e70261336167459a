package edit

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/plan"
	"github.com/kubectl-fathom/kubectl-fathom/ui/change"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page"
)

// removes is the hint of inputs in which a trailing - takes something away.
const removes = "to remove: key-"

// Taints opens the input for the taints of nodes.
func Taints(h Host, nodes []*model.Node) tea.Cmd {
	names := change.NodeNames(nodes)
	held := map[string]int{}
	for _, node := range nodes {
		for _, taint := range node.Object.Spec.Taints {
			taint.TimeAdded = nil
			held[taint.ToString()]++
		}
	}
	box := &Box{
		title: "Taint " + page.Targets{Nodes: nodes}.Names(), verb: "add", hint: removes, now: heldBy(held, len(nodes)),
		complete: func(s *model.Snapshot, typed string) []plan.Completion { return plan.CompleteTaint(s, names, typed) },
		read:     func(typed string) (plan.Action, error) { return plan.ReadTaint(names, typed) },
	}
	return box.open(h)
}

// heldBy are words that some of several objects have, in order.
func heldBy(held map[string]int, of int) []string {
	var words []string
	for _, word := range slices.Sorted(maps.Keys(held)) {
		switch n := held[word]; {
		case n < of:
			word += fmt.Sprintf(" on %d of %d", n, of)
		case of == 2:
			word += " on both"
		case of > 2:
			word += fmt.Sprintf(" on all %d", of)
		}
		words = append(words, word)
	}
	return words
}

// labeled are the objects that labels or annotations are changed of: nodes where
// there are some, else pods.
func labeled(t page.Targets) (refs []model.Ref, metas []*metav1.ObjectMeta) {
	for _, node := range t.Nodes {
		refs, metas = append(refs, plan.NodeRef(node.Name)), append(metas, &node.Object.ObjectMeta)
	}
	if len(refs) > 0 {
		return refs, metas
	}
	for _, pod := range t.Pods {
		refs, metas = append(refs, pod.Ref()), append(metas, &pod.Object.ObjectMeta)
	}
	return refs, metas
}

// Labels opens the input for labels.
func Labels(h Host, t page.Targets) tea.Cmd {
	refs, metas := labeled(t)
	held := map[string]int{}
	for _, meta := range metas {
		for key, value := range meta.Labels {
			held[key+"="+value]++
		}
	}
	box := &Box{
		title: "Label " + t.Names(), verb: "set", hint: removes, now: heldBy(held, len(metas)),
		complete: func(s *model.Snapshot, typed string) []plan.Completion { return plan.CompleteLabel(s, refs, typed) },
		read:     func(typed string) (plan.Action, error) { return plan.ReadLabel(refs, typed) },
	}
	return box.open(h)
}

// Annotations opens the input for annotations. Their values may be secret: only
// keys are shown.
func Annotations(h Host, t page.Targets) tea.Cmd {
	refs, metas := labeled(t)
	held := map[string]int{}
	for _, meta := range metas {
		for key := range meta.Annotations {
			held[key]++
		}
	}
	box := &Box{
		title: "Annotate " + t.Names(), verb: "set", hint: removes, now: heldBy(held, len(metas)),
		read: func(typed string) (plan.Action, error) {
			set, remove, err := plan.ParseMarks(strings.Fields(typed))
			return plan.Annotate{Refs: refs, Set: set, Remove: remove}, err
		},
	}
	return box.open(h)
}

// Replicas opens the input for how many replicas a workload has.
func Replicas(h Host, ref model.Ref, owner model.Owner) tea.Cmd {
	box := &Box{
		title: "Scale " + strings.ToLower(owner.Kind) + " " + ref.Namespace + "/" + owner.Name, verb: "to", hint: "replicas", now: []string{h.Observed().Replicas(ref.Namespace, owner)}, number: true, blind: true,
		read: func(typed string) (plan.Action, error) {
			n, err := strconv.ParseInt(strings.TrimSpace(typed), 10, 32)
			if err != nil {
				return nil, errors.New("type a number")
			}
			return plan.Scale{Ref: ref, Replicas: int32(n)}, nil
		},
	}
	return box.open(h)
}
