package ui

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/plan"
)

// removes is the hint of inputs in which a trailing - takes something away.
const removes = "a trailing - removes"

// editTaints opens the input for the taints of nodes.
func (c *acts) editTaints(nodes []*model.Node) tea.Cmd {
	names := nodeNames(nodes)
	held := map[string]int{}
	for _, node := range nodes {
		for _, taint := range node.Object.Spec.Taints {
			taint.TimeAdded = nil
			held[strings.TrimPrefix(taint.ToString(), "node.kubernetes.io/")]++
		}
	}
	return c.openEdit(&wishEdit{
		title: "Taint " + targets{nodes: nodes}.names(), verb: "add", hint: removes, now: heldBy(held, len(nodes)),
		complete: func(s *model.Snapshot, typed string) []plan.Completion { return plan.CompleteTaint(s, names, typed) },
		read:     func(typed string) (plan.Action, error) { return plan.ReadTaint(names, typed) },
	})
}

// heldBy are words that some of several objects have, in order.
func heldBy(held map[string]int, of int) []string {
	var words []string
	for _, word := range slices.Sorted(maps.Keys(held)) {
		if of > 1 {
			word += fmt.Sprintf(" on %d of %d", held[word], of)
		}
		words = append(words, word)
	}
	return words
}
