package ui

import (
	"errors"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/plan"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page"
)

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

// editLabels opens the input for labels.
func (c *acts) editLabels(t page.Targets) tea.Cmd {
	refs, metas := labeled(t)
	held := map[string]int{}
	for _, meta := range metas {
		for key, value := range meta.Labels {
			held[key+"="+value]++
		}
	}
	return c.openEdit(&actionEdit{
		title: "Label " + t.Names(), verb: "set", hint: removes, now: heldBy(held, len(metas)),
		complete: func(s *model.Snapshot, typed string) []plan.Completion { return plan.CompleteLabel(s, refs, typed) },
		read:     func(typed string) (plan.Action, error) { return plan.ReadLabel(refs, typed) },
	})
}

// editAnnotations opens the input for annotations. Their values may be secret: only
// keys are shown.
func (c *acts) editAnnotations(t page.Targets) tea.Cmd {
	refs, metas := labeled(t)
	held := map[string]int{}
	for _, meta := range metas {
		for key := range meta.Annotations {
			held[key]++
		}
	}
	return c.openEdit(&actionEdit{
		title: "Annotate " + t.Names(), verb: "set", hint: removes, now: heldBy(held, len(metas)),
		read: func(typed string) (plan.Action, error) {
			set, remove, err := plan.ParseMarks(strings.Fields(typed))
			return plan.Annotate{Refs: refs, Set: set, Remove: remove}, err
		},
	})
}

// editReplicas opens the input for how many replicas a workload has.
func (c *acts) editReplicas(ref model.Ref, owner model.Owner) tea.Cmd {
	return c.openEdit(&actionEdit{
		title: "Scale " + strings.ToLower(owner.Kind) + " " + ref.Namespace + "/" + owner.Name, verb: "to", hint: "replicas", now: []string{c.app.observed.Replicas(ref.Namespace, owner)}, number: true, blind: true,
		read: func(typed string) (plan.Action, error) {
			n, err := strconv.ParseInt(strings.TrimSpace(typed), 10, 32)
			if err != nil {
				return nil, errors.New("type a number")
			}
			return plan.Scale{Ref: ref, Replicas: int32(n)}, nil
		},
	})
}
