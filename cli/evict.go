package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/kubectl-fathom/kubectl-fathom/cli/change"
	"github.com/kubectl-fathom/kubectl-fathom/cli/complete"
	"github.com/kubectl-fathom/kubectl-fathom/cli/named"
	"github.com/kubectl-fathom/kubectl-fathom/cli/source"
	"github.com/kubectl-fathom/kubectl-fathom/model/plan"
)

// newEvict makes the evict command.
func newEvict(a *app) *cobra.Command {
	c := change.New(a.source, "evict")
	cmd := &cobra.Command{
		Use:   "evict POD...",
		Short: "Evict pods, and say before where each would land",
		Long: `Evict pods. The plan says what becomes of each: where kube-scheduler's own code would place the pod that
takes its place, or why nowhere. A pod that its PodDisruptionBudget refuses is asked again until it goes;
nothing is ever deleted. ctrl-c and --timeout end it: what was asked goes on, and nothing more is asked.

As drain does, it asks for --force where no controller owns a pod, for it is not recreated, and for
--delete-emptydir-data where a pod has data in emptyDir volumes; --yes agrees to neither.

POD is a name, namespace/name or pod/name.

` + change.PlanFirst + "\n\n" + change.Codes,
		Example:           fmt.Sprintf("  %[1]s evict report-1 -n batch\n  %[1]s evict batch/report-1 batch/report-2 --plan\n  %[1]s evict batch/report-1 --yes --timeout 5m\n  %[1]s evict batch/debug --yes --force", a.Name),
		Args:              atLeastOne("evict", "a pod"),
		ValidArgsFunction: complete.New(a.source).Pods,
		RunE: func(cmd *cobra.Command, args []string) error {
			names, err := named.ParsePods(a.source, "evict", args)
			if err != nil {
				return err
			}
			return c.Run(cmd.Context(), func(live *source.Live) (plan.Action, error) {
				pods, err := named.Pods(live, "evict", names)
				return plan.Evict{Pods: pods}, err
			})
		},
	}
	c.AddFlags(cmd)
	c.AddTimeout(cmd)
	c.AddLosses(cmd)
	return cmd
}
