package plan

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-fathom/kubectl-fathom/model"
)

func TestAPlanTellsWhichValuesItReplaces(t *testing.T) {
	node := anEmptyNode("n1")
	node.Labels = map[string]string{"disktype": "hdd", "pool": "gpu"}
	node.Annotations = map[string]string{"token": "secret"}
	node.Spec.Taints = []corev1.Taint{{Key: "dedicated", Value: "gpu", Effect: corev1.TaintEffectNoSchedule}}
	facts := factsOf(t, node)
	nodes := []model.Ref{NodeRef("n1")}
	taint := func(text string) Action {
		add, remove, err := ParseTaints([]string{text})
		if err != nil {
			t.Fatal(err)
		}
		return Taint{Nodes: []string{"n1"}, Add: add, Remove: remove}
	}
	for name, test := range map[string]struct {
		action Action
		want   []string
	}{
		"a label gets another value":      {Label{Refs: nodes, Set: map[string]string{"disktype": "ssd", "new": "x", "pool": "gpu"}}, []string{"n1 disktype=hdd"}},
		"a label is new":                  {Label{Refs: nodes, Set: map[string]string{"new": "x"}}, nil},
		"a label is removed":              {Label{Refs: nodes, Remove: []string{"disktype"}}, nil},
		"an annotation's value is secret": {Annotate{Refs: nodes, Set: map[string]string{"token": "other"}}, []string{"n1 token"}},
		"a taint gets another value":      {taint("dedicated=web:NoSchedule"), []string{"n1 dedicated=gpu:NoSchedule"}},
		"a taint of another effect":       {taint("dedicated=web:NoExecute"), nil},
		"a taint is removed":              {taint("dedicated-"), nil},
		"a cordon replaces nothing":       {Cordon{Nodes: []string{"n1"}}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			plan, err := test.action.Plan(facts)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, plan.Replaced()); diff != "" {
				t.Error(diff)
			}
		})
	}
}
