package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/kubectl-fathom/kubectl-fathom/cli/exit"
	"github.com/kubectl-fathom/kubectl-fathom/model/plan"
)

// taint is the taint command.
func (a *app) taint() *cobra.Command {
	c := a.change("taint")
	cmd := &cobra.Command{
		Use:   "taint NODE... {KEY[=VALUE]:EFFECT | KEY[=VALUE][:EFFECT]-}...",
		Short: "Taint nodes, and say before which pods that ends and keeps away",
		Long: `Add taints to nodes, change the value of some (with --yes that takes --overwrite), and remove those with a - behind. The plan of a NoExecute taint
names the pods that end, at once or after the time that they tolerate it, and where each would land; that of a
taint that is removed the pods that wait and would fit then.

EFFECT is PreferNoSchedule, NoSchedule or NoExecute.

` + planFirst + "\n\n" + changeCodes,
		Example:           fmt.Sprintf("  %[1]s taint gpu-a-01 dedicated=gpu:NoSchedule\n  %[1]s taint gpu-a-01 dedicated=gpu:NoExecute --plan\n  %[1]s taint gpu-a-01 gpu-a-02 dedicated- --yes", a.name),
		Args:              atLeastOne("taint", "a node and a taint"),
		ValidArgsFunction: a.completeTaints,
		RunE: func(cmd *cobra.Command, args []string) error {
			wish, err := taintWish(args)
			if err != nil {
				return err
			}
			return c.run(cmd.Context(), func(live *live) (plan.Action, error) {
				return wish, live.knows("taint", wish.Nodes)
			})
		},
	}
	c.addFlags(cmd)
	c.addReplace(cmd, "the value of a taint")
	return cmd
}

// taintWish reads nodes and taints. kubectl's word for nodes may come first.
func taintWish(args []string) (plan.Taint, error) {
	var names, taints []string
	for _, arg := range args {
		if strings.ContainsAny(arg, ":=") || strings.HasSuffix(arg, "-") {
			taints = append(taints, arg)
			continue
		}
		names = append(names, arg)
	}
	if len(names) > 1 && slices.Contains(nodeKinds, names[0]) {
		names = names[1:]
	}
	nodes, err := nodeNames("taint", names)
	if err != nil {
		return plan.Taint{}, err
	}
	if len(nodes) == 0 || len(taints) == 0 {
		return plan.Taint{}, exit.Usagef("taint: name a node and a taint, as in: taint std-b-02 dedicated=gpu:NoSchedule")
	}
	add, remove, err := plan.ParseTaints(taints)
	if err != nil {
		return plan.Taint{}, exit.Usagef("taint: %w", err)
	}
	return plan.Taint{Nodes: nodes, Add: add, Remove: remove}, nil
}

// completeTaints completes nodes, and once one is named the taints in use, and to
// be removed those that it has.
func (a *app) completeTaints(cmd *cobra.Command, args []string, begun string) ([]cobra.Completion, cobra.ShellCompDirective) {
	return a.complete(cmd.Context(), args, begun, func(ctx context.Context, client kubernetes.Interface) ([]string, error) {
		nodes, err := listNodes(ctx, client)
		if err != nil {
			return nil, err
		}
		names := namesOf(nodes)
		if len(args) == 0 {
			return names, nil
		}
		for i := range nodes {
			for _, taint := range nodes[i].Spec.Taints {
				names = append(names, taint.ToString())
				if slices.Contains(args, nodes[i].Name) {
					names = append(names, taint.ToString()+"-")
				}
			}
		}
		return names, nil
	})
}

func namesOf(nodes []corev1.Node) []string {
	names := make([]string, 0, len(nodes))
	for i := range nodes {
		names = append(names, nodes[i].Name)
	}
	return names
}
