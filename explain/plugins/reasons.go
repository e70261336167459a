package plugins

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
)

// Reason is one reason why a plugin rejects a node, or all nodes at once.
type Reason struct {
	kind  string        // a clause that holds for all nodes of one group
	short string        // the same with the node's figures and names
	What  func() string // a sentence without the node's name
}

// newReason is a reason whose clause is the same for all nodes.
func newReason(short string, what func() string) Reason {
	return Reason{kind: short, short: short, What: what}
}

// plainReason is a reason whose clause is also its sentence.
func plainReason(short string) Reason {
	return newReason(short, func() string { return short })
}

// reasonShape is what rejections for the same reasons have in common.
func reasonShape(reasons []Reason) string {
	if len(reasons) == 1 {
		return reasons[0].kind
	}
	var kinds []string
	for _, f := range reasons {
		kinds = append(kinds, f.kind)
	}
	return strings.Join(kinds, "; ")
}

// reasonWords tells rejections by their reasons; the plugin's own reason stands
// where none was found.
func reasonWords(rs []NodeRejection, find func(NodeRejection) []Reason) Words {
	reasons := find(rs[0])
	if len(reasons) == 0 {
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
		Short: shortReasons(reasons),
	}
	differs := func(r NodeRejection) bool { return shortReasons(find(r)) != w.Short }
	if slices.ContainsFunc(rs, differs) {
		w.Short = reasonShape(reasons)
		for named := 1; named <= min(len(rs), grammar.Many); named++ {
			w.Wider = append(w.Wider, nodeByNode(rs, find, named))
		}
	}
	return w
}

// nodeByNode gives the first nodes a clause each and counts the others.
func nodeByNode(rs []NodeRejection, find func(NodeRejection) []Reason, named int) string {
	var all []string
	for _, r := range rs[:named] {
		all = append(all, r.Name()+": "+shortReasons(find(r)))
	}
	if rest := len(rs) - named; rest > 0 {
		all = append(all, fmt.Sprintf("%d more", rest))
	}
	return strings.Join(all, "; ")
}

// shortReasons are the clauses of reasons, each once.
func shortReasons(reasons []Reason) string {
	var all []string
	for _, f := range reasons {
		if !slices.Contains(all, f.short) {
			all = append(all, f.short)
		}
	}
	return strings.Join(all, "; ")
}
