package ui

import (
	"fmt"
	"maps"
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/plan"
	"github.com/kubectl-fathom/kubectl-fathom/ui/change"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page"
)

// removes is the hint of inputs in which a trailing - takes something away.
const removes = "to remove: key-"

// editTaints opens the input for the taints of nodes.
func (c *acts) editTaints(nodes []*model.Node) tea.Cmd {
	names := change.NodeNames(nodes)
	held := map[string]int{}
	for _, node := range nodes {
		for _, taint := range node.Object.Spec.Taints {
			taint.TimeAdded = nil
			held[taint.ToString()]++
		}
	}
	return c.openEdit(&actionEdit{
		title: "Taint " + page.Targets{Nodes: nodes}.Names(), verb: "add", hint: removes, now: heldBy(held, len(nodes)),
		complete: func(s *model.Snapshot, typed string) []plan.Completion { return plan.CompleteTaint(s, names, typed) },
		read:     func(typed string) (plan.Action, error) { return plan.ReadTaint(names, typed) },
	})
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
