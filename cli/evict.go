package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/kubectl-fathom/kubectl-fathom/cli/change"
	"github.com/kubectl-fathom/kubectl-fathom/cli/complete"
	"github.com/kubectl-fathom/kubectl-fathom/cli/help"
	"github.com/kubectl-fathom/kubectl-fathom/cli/named"
	"github.com/kubectl-fathom/kubectl-fathom/cli/source"
	"github.com/kubectl-fathom/kubectl-fathom/model/plan"
)

// newEvict makes the evict command.
func newEvict(a *app) *cobra.Command {
	c := change.New(a.source, "evict")
	cmd := &cobra.Command{
		Use:   "evict POD...",
		Short: "Evict pods, after a preview of where each would be rescheduled",
		Long: `Evict pods, after a preview of where each would be rescheduled.
POD is NAME, NAMESPACE/NAME or pod/NAME.

An eviction that a PodDisruptionBudget rejects is retried, not bypassed.
ctrl-c and --timeout stop it: no more evictions are requested, and accepted
evictions continue. --yes implies neither --force nor --delete-emptydir-data.

` + change.PlanFirst + "\n\n" + change.EvictionCodes,
		Example: fmt.Sprintf(`  # Show the plan, and ask before it is carried out
  %[1]s evict report-1 -n batch
  # Only show the plan
  %[1]s evict batch/report-1 batch/report-2 --plan
  # Evict a pod that no controller owns, without asking
  %[1]s evict batch/debug --yes --force`, a.Name),
		Args:              atLeastOne("evict", "a pod"),
		ValidArgsFunction: complete.New(a.source).Pods,
		RunE: func(cmd *cobra.Command, args []string) error {
			names, err := named.ParsePods(cmd.Context(), a.source, "evict", named.WithoutKind(args, named.PodKinds))
			if err != nil {
				return err
			}
			return c.Run(cmd.Context(), func(live *source.Live) (plan.Action, error) {
				pods, err := named.Pods(live, "evict", names)
				return plan.Evict{Pods: pods}, err
			})
		},
	}
	help.ShowNamespace(cmd)
	c.AddFlags(cmd)
	c.AddTimeout(cmd)
	c.AddLosses(cmd)
	return cmd
}
