package named

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kubectl-fathom/kubectl-fathom/cli/exit"
	"github.com/kubectl-fathom/kubectl-fathom/cli/source"
	"github.com/kubectl-fathom/kubectl-fathom/cli/suggest"
	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
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

// WithoutKind leaves out a kind before names, as in "drain node std-a-01": kubectl has such commands for every
// kind.
func WithoutKind(args, kinds []string) []string {
	if len(args) > 1 && slices.Contains(kinds, strings.ToLower(args[0])) {
		return args[1:]
	}
	return args
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
			return noSuchNode(verb, name, l.Options.Command("get", "nodes"), l.Snapshot.Nodes)
		}
	}
	return nil
}

// noSuchNode says that there is no such node, and which one is meant by a name with a typo, or
// without the domain that nodes share, as tables show it; or else the command that lists them.
func noSuchNode(verb, name, list string, nodes []*model.Node) error {
	all := make([]string, len(nodes))
	for i, node := range nodes {
		if strings.HasPrefix(node.Name, name+".") {
			return fmt.Errorf("%s %s: no such node; did you mean %s?", verb, name, node.Name)
		}
		all[i] = node.Name
	}
	if near := suggest.Nearest(name, all...); len(near) > 0 && len(near) <= grammar.Few {
		return fmt.Errorf("%s %s: no such node; did you mean %s?", verb, name, grammar.List(near, grammar.Few))
	}
	return fmt.Errorf("%s %s: no such node: run \"%s\" to list them", verb, name, list)
}
