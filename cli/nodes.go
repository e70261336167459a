package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/kubectl-fathom/kubectl-fathom/cli/exit"
)

// nodeNames reads the names of nodes: NAME, or node/NAME as kubectl prints them.
func nodeNames(verb string, args []string) ([]string, error) {
	names := make([]string, 0, len(args))
	for _, arg := range args {
		name := arg
		if kind, rest, cut := strings.Cut(arg, "/"); cut && slices.Contains(nodeKinds, kind) {
			name = rest
		}
		if name == "" || strings.Contains(name, "/") {
			return nil, exit.Usagef("%s %q: a node is given as NAME or node/NAME", verb, arg)
		}
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names, nil
}

// nodeKinds are kubectl's words for nodes.
var nodeKinds = []string{"node", "nodes", "no"}

// knows says which of the nodes is not there; where nodes may not be listed, the
// plan finds out.
func (l *live) knows(verb string, nodes []string) error {
	if l.refused("nodes") != nil {
		return nil
	}
	for _, name := range nodes {
		if _, ok := l.snapshot.Node(name); !ok {
			return fmt.Errorf("%s %s: no such node; %s get nodes lists them", verb, name, l.app.name)
		}
	}
	return nil
}

// completionTime is how long a shell waits for names.
const completionTime = 3 * time.Second

// completeNodes completes the names of nodes.
func (a *app) completeNodes(cmd *cobra.Command, args []string, begun string) ([]cobra.Completion, cobra.ShellCompDirective) {
	return a.complete(cmd.Context(), args, begun, func(ctx context.Context, client kubernetes.Interface) ([]string, error) {
		nodes, err := listNodes(ctx, client)
		return namesOf(nodes), err
	})
}

func listNodes(ctx context.Context, client kubernetes.Interface) ([]corev1.Node, error) {
	list, err := client.CoreV1().Nodes().List(ctx, metav1.ListOptions{ResourceVersion: "0"})
	if err != nil {
		return nil, err
	}
	return list.Items, nil
}

// complete completes names that the cluster has. Nothing is said of what goes
// wrong: nobody could read it.
func (a *app) complete(ctx context.Context, args []string, begun string, list func(context.Context, kubernetes.Interface) ([]string, error)) ([]cobra.Completion, cobra.ShellCompDirective) {
	ctx, cancel := context.WithTimeout(ctx, completionTime)
	defer cancel()
	client, err := a.connect(ctx, "")
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	defer client.Close()
	names, err := list(ctx, client.Reader())
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	names = slices.DeleteFunc(names, func(name string) bool { return !strings.HasPrefix(name, begun) || slices.Contains(args, name) })
	slices.Sort(names)
	names = slices.Compact(names)
	return names, cobra.ShellCompDirectiveNoFileComp
}
