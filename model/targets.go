package model

import (
	"fmt"
	"strings"
)

// nodeRefs are the refs of nodes.
func nodeRefs(names []string) []Ref {
	refs := make([]Ref, 0, len(names))
	for _, name := range names {
		refs = append(refs, NodeRef(name))
	}
	return refs
}

// nodesWords name the nodes of a wish: "std-b-02", "3 nodes".
func nodesWords(names []string) string {
	if len(names) == 1 {
		return names[0]
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
	return strings.ToUpper(name[:1]) + name[1:]
}
