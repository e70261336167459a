package plan

import (
	"fmt"
	"strings"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
)

// nodeRefs are the refs of nodes.
func nodeRefs(names []string) []model.Ref {
	refs := make([]model.Ref, 0, len(names))
	for _, name := range names {
		refs = append(refs, NodeRef(name))
	}
	return refs
}

// nodesWords name the nodes of an action: "std-b-02", "3 nodes".
func nodesWords(names []string) string {
	if len(names) == 1 {
		return model.Clean(names[0])
	}
	return fmt.Sprintf("%d nodes", len(names))
}

// titleOf is the name of an action as a title, for the objects that change.
func titleOf(action Action, changes []Change) string {
	name := action.Name()
	if len(changes) == 1 {
		verb, _, _ := strings.Cut(name, " ")
		name = verb + " " + changes[0].Target.Words()
	}
	return grammar.Capital(name)
}

// podsWords name the pods of an action: "shop/cart-0", "3 pods".
func podsWords(pods []model.Ref) string {
	if len(pods) == 1 {
		return pods[0].Words()
	}
	return CountPods(len(pods))
}

// refsWords name the objects of an action: "std-b-02", "3 nodes", "2 pods".
func refsWords(refs []model.Ref) string {
	if len(refs) == 1 {
		return refs[0].Words()
	}
	resource := "objects"
	if len(refs) > 0 {
		resource = refs[0].Resource
	}
	return fmt.Sprintf("%d %s", len(refs), resource)
}

// few is how many names stand in a sentence; the others are counted.
const few = 3

// namesOf lists the first of some names and counts the rest: "a, b, c and 4 more".
func namesOf(names []string) string {
	if len(names) <= few {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:few], ", "), len(names)-few)
}
