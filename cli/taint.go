package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kubectl-fathom/kubectl-fathom/cli/change"
	"github.com/kubectl-fathom/kubectl-fathom/cli/complete"
	"github.com/kubectl-fathom/kubectl-fathom/cli/exit"
	"github.com/kubectl-fathom/kubectl-fathom/cli/named"
	"github.com/kubectl-fathom/kubectl-fathom/cli/source"
	"github.com/kubectl-fathom/kubectl-fathom/model/plan"
)

// newTaint makes the taint command.
func newTaint(a *app) *cobra.Command {
	c := change.New(a.source, "taint")
	cmd := &cobra.Command{
		Use:   "taint NODE... {KEY[=VALUE]:EFFECT | KEY[=VALUE][:EFFECT]-}...",
		Short: "Taint nodes, and say before which pods that ends and keeps away",
		Long: `Add taints to nodes, change the value of some (with --yes that takes --overwrite), and remove those with a - behind. The plan of a NoExecute taint
names the pods that end, at once or after the time that they tolerate it, and where each would land; that of a
taint that is removed the pods that wait and would fit then.

EFFECT is PreferNoSchedule, NoSchedule or NoExecute.

` + change.PlanFirst + "\n\n" + change.Codes,
		Example:           fmt.Sprintf("  %[1]s taint gpu-a-01 dedicated=gpu:NoSchedule\n  %[1]s taint gpu-a-01 dedicated=gpu:NoExecute --plan\n  %[1]s taint gpu-a-01 gpu-a-02 dedicated- --yes", a.Name),
		Args:              atLeastOne("taint", "a node and a taint"),
		ValidArgsFunction: complete.New(a.source).Taints,
		RunE: func(cmd *cobra.Command, args []string) error {
			wish, err := taintWish(args)
			if err != nil {
				return err
			}
			return c.Run(cmd.Context(), func(live *source.Live) (plan.Action, error) {
				return wish, named.Nodes(live, "taint", wish.Nodes)
			})
		},
	}
	c.AddFlags(cmd)
	c.AddReplace(cmd, "the value of a taint")
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
	if len(names) > 1 && slices.Contains(named.NodeKinds, names[0]) {
		names = names[1:]
	}
	nodes, err := named.ParseNodes("taint", names)
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
