package named

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kubectl-fathom/kubectl-fathom/cli/exit"
	"github.com/kubectl-fathom/kubectl-fathom/cli/source"
)

// ParseNodes reads the names of nodes: NAME, or node/NAME as kubectl prints them.
func ParseNodes(verb string, args []string) ([]string, error) {
	names := make([]string, 0, len(args))
	for _, arg := range args {
		name := arg
		if kind, rest, cut := strings.Cut(arg, "/"); cut && slices.Contains(NodeKinds, kind) {
			name = rest
		}
		if name == "" || strings.Contains(name, "/") {
			return nil, exit.Usagef("%s %q: name a node as NAME or node/NAME", verb, arg)
		}
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names, nil
}

// NodeKinds are kubectl's words for nodes.
var NodeKinds = []string{"node", "nodes", "no"}

// Nodes says which of the nodes is not there; where nodes may not be listed, the
// plan finds out.
func Nodes(l *source.Live, verb string, nodes []string) error {
	if l.Unread("nodes") != nil {
		return nil
	}
	for _, name := range nodes {
		if _, ok := l.Snapshot.Node(name); !ok {
			return fmt.Errorf("%s %s: no such node: run \"%s get nodes\" to list them", verb, name, l.Options.Streams.Name)
		}
	}
	return nil
}
