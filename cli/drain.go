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
		Short: "Evict the pods of nodes, and say before where each would land",
		Long: `Cordon nodes and evict their pods. The plan names each pod with what becomes of it: where kube-scheduler's
own code would place it, that it would become Pending and why, that a PodDisruptionBudget is in the way, or
that it is lost because no controller owns it. Pods of DaemonSets and static pods stay.

Each pod is evicted by itself, so that one that its PodDisruptionBudget refuses holds up no other; it is asked
again until it goes. Nothing is ever deleted. It is done when all pods are gone; ctrl-c and --timeout end it
before that: what was asked goes on, and nothing more is asked.

` + change.PlanFirst + "\n\n" + change.Codes,
		Example:           fmt.Sprintf("  %[1]s drain std-a-02\n  %[1]s drain std-a-02 --plan -o json\n  %[1]s drain std-a-01 std-a-02 --at-once 1 --yes --delete-emptydir-data --timeout 15m", a.Name),
		Args:              atLeastOne("drain", "a node"),
		ValidArgsFunction: complete.New(a.source).Nodes,
		RunE: func(cmd *cobra.Command, args []string) error {
			nodes, err := named.ParseNodes("drain", args)
			switch {
			case err != nil:
				return err
			case atOnce < 0:
				return exit.Usagef("drain: --at-once %d: it is a number of nodes, or 0 for all", atOnce)
			case grace > math.MaxInt32:
				return exit.Usagef("drain: --grace-period %d: it is a number of seconds, %d at most", grace, math.MaxInt32)
			case grace == 0:
				return exit.Usagef("drain: --grace-period 0 takes pods out of the API before their containers have ended; 1 ends them as fast")
			}
			return c.Run(cmd.Context(), func(live *source.Live) (plan.Action, error) {
				return plan.Drain{Nodes: nodes, AtOnce: atOnce, Grace: max(0, time.Duration(grace)*time.Second)}, named.Nodes(live, "drain", nodes)
			})
		},
	}
	c.AddFlags(cmd)
	c.AddTimeout(cmd)
	cmd.Flags().IntVar(&atOnce, "at-once", 0, "How many nodes lose their pods at a time; 0 is all.")
	c.AddLosses(cmd)
	cmd.Flags().IntVar(&grace, "grace-period", -1, "Seconds that the containers of each pod get to end; negative is what the pod says.")
	cmd.Flags().Bool("ignore-daemonsets", false, "As in kubectl. It changes nothing: pods of DaemonSets always stay.")
	return cmd
}
