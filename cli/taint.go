package cli

import (
	"fmt"
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
		Use:   "taint NODE... {KEY[=VALUE]:EFFECT | KEY[:EFFECT]-}...",
		Short: "Update taints of nodes, after a preview of which pods are evicted",
		Long: `Update taints of nodes, after a preview of which pods are evicted. A taint
with a trailing - is removed. EFFECT is PreferNoSchedule, NoSchedule, NoExecute.

The plan of a NoExecute taint names the pods that are evicted, when, and where
each would be rescheduled. The plan to remove a taint names the pending pods
that would fit then. --yes implies neither --force nor --delete-emptydir-data.

` + change.PlanFirst + "\n\n" + change.TaintCodes,
		Example: fmt.Sprintf(`  # Show the plan, and ask before it is carried out
  %[1]s taint gpu-a-01 dedicated=gpu:NoSchedule
  # Only show which pods a taint would evict
  %[1]s taint gpu-a-01 dedicated=gpu:NoExecute --plan
  # Remove the taints of a key from two nodes without asking
  %[1]s taint gpu-a-01 gpu-a-02 dedicated- --yes`, a.Name),
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
	c.AddReplace(cmd, "taint")
	c.AddLosses(cmd)
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
	nodes, err := named.ParseNodes("taint", named.WithoutKind(names, named.NodeKinds))
	if err != nil {
		return plan.Taint{}, err
	}
	if len(nodes) == 0 || len(taints) == 0 {
		return plan.Taint{}, exit.Usagef("taint: name a node and a taint, such as: taint std-b-02 dedicated=gpu:NoSchedule")
	}
	add, remove, err := plan.ParseTaints(taints)
	if err != nil {
		return plan.Taint{}, exit.Usagef("taint: %w", err)
	}
	return plan.Taint{Nodes: nodes, Add: add, Remove: remove}, nil
}
