package plugins

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
)

// Fault is one reason why a plugin rejects a node, or all nodes at once.
type Fault struct {
	kind  string        // a clause that holds for all nodes of one group
	short string        // the same with the node's figures and names
	What  func() string // a sentence without the node's name
}

// newFault is a fault whose clause is the same for all nodes.
func newFault(short string, what func() string) Fault {
	return Fault{kind: short, short: short, What: what}
}

// plainFault is a fault whose clause is also its sentence.
func plainFault(short string) Fault {
	return newFault(short, func() string { return short })
}

// faultShape is what refusals for the same faults have in common.
func faultShape(faults []Fault) string {
	if len(faults) == 1 {
		return faults[0].kind
	}
	var kinds []string
	for _, f := range faults {
		kinds = append(kinds, f.kind)
	}
	return strings.Join(kinds, "; ")
}

// faultWords tells refusals by their faults; the plugin's own reason stands
// where none was found.
func faultWords(rs []NodeRejection, find func(NodeRejection) []Fault) Words {
	faults := find(rs[0])
	if len(faults) == 0 {
		return reasonOnly(rs)
	}
	w := Words{
		What: sentences(rs, func(r NodeRejection) string {
			var all []string
			for _, f := range find(r) {
				if said := f.What(); !slices.Contains(all, said) {
					all = append(all, said)
				}
			}
			return strings.Join(all, "; ")
		}),
		Short: shortFaults(faults),
	}
	differs := func(r NodeRejection) bool { return shortFaults(find(r)) != w.Short }
	if slices.ContainsFunc(rs, differs) {
		w.Short = faultShape(faults)
		for named := 1; named <= min(len(rs), grammar.Many); named++ {
			w.Wider = append(w.Wider, nodeByNode(rs, find, named))
		}
	}
	return w
}

// nodeByNode gives the first nodes a clause each and counts the others.
func nodeByNode(rs []NodeRejection, find func(NodeRejection) []Fault, named int) string {
	var all []string
	for _, r := range rs[:named] {
		all = append(all, r.Name()+": "+shortFaults(find(r)))
	}
	if rest := len(rs) - named; rest > 0 {
		all = append(all, fmt.Sprintf("%d more", rest))
	}
	return strings.Join(all, "; ")
}

// shortFaults are the clauses of faults, each once.
func shortFaults(faults []Fault) string {
	var all []string
	for _, f := range faults {
		if !slices.Contains(all, f.short) {
			all = append(all, f.short)
		}
	}
	return strings.Join(all, "; ")
}
