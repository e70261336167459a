package cli

import (
	"fmt"
	"math"
	"time"

	"github.com/spf13/cobra"

	"github.com/kubectl-fathom/kubectl-fathom/cli/change"
	"github.com/kubectl-fathom/kubectl-fathom/cli/complete"
	"github.com/kubectl-fathom/kubectl-fathom/cli/exit"
	"github.com/kubectl-fathom/kubectl-fathom/cli/named"
	"github.com/kubectl-fathom/kubectl-fathom/cli/source"
	"github.com/kubectl-fathom/kubectl-fathom/model/plan"
)

// newDrain makes the drain command.
func newDrain(a *app) *cobra.Command {
	c := change.New(a.source, "drain")
	var atOnce, grace int
	cmd := &cobra.Command{
		Use:   "drain NODE...",
		Short: "Drain nodes, after a preview of where pods would be rescheduled",
		Long: `Drain nodes, after a preview of where pods would be rescheduled: cordon them,
then evict their pods. Pods of DaemonSets and static pods stay.

An eviction that a PodDisruptionBudget rejects is retried, not bypassed.
ctrl-c and --timeout stop the drain: no more evictions are requested, and
accepted evictions continue.

` + change.PlanFirst + "\n\n" + change.EvictionCodes,
		Example: fmt.Sprintf(`  # Show the plan, and ask before it is carried out
  %[1]s drain std-a-02
  # Only show the plan, as JSON
  %[1]s drain std-a-02 --plan -o json
  # Drain one node after the other without asking, as in a script
  %[1]s drain std-a-01 std-a-02 --at-once 1 --yes --timeout 15m`, a.Name),
		Args:              atLeastOne("drain", "a node"),
		ValidArgsFunction: complete.New(a.source).Nodes,
		RunE: func(cmd *cobra.Command, args []string) error {
			nodes, err := named.ParseNodes("drain", named.WithoutKind(args, named.NodeKinds))
			switch {
			case err != nil:
				return err
			case atOnce < 0:
				return exit.Usagef("drain: --at-once %d: use a number of nodes, or 0 for all", atOnce)
			case grace > math.MaxInt32:
				return exit.Usagef("drain: --grace-period %d: it can be %d seconds at most", grace, math.MaxInt32)
			case grace == 0:
				return exit.Usagef("drain: --grace-period 0 would force-delete pods while their containers may still run: use 1")
			}
			return c.Run(cmd.Context(), func(live *source.Live) (plan.Action, error) {
				return plan.Drain{Nodes: nodes, AtOnce: atOnce, Grace: max(0, time.Duration(grace)*time.Second)}, named.Nodes(live, "drain", nodes)
			})
		},
	}
	c.AddFlags(cmd)
	c.AddTimeout(cmd)
	cmd.Flags().IntVar(&atOnce, "at-once", 0, "`N` nodes to drain in parallel (default: all).")
	c.AddLosses(cmd)
	cmd.Flags().IntVar(&grace, "grace-period", -1, "Grace period in seconds (default: the pod's own).")
	cmd.Flags().Bool("ignore-daemonsets", false, "No effect: pods of DaemonSets always stay.")
	return cmd
}
