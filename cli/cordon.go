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

// newCordon makes the cordon command, and with off the uncordon command.
func newCordon(a *app, off bool) *cobra.Command {
	verb, short, long := "cordon", "Mark nodes as unschedulable",
		"Their pods keep running; new pods are scheduled on other nodes."
	if off {
		verb, short, long = "uncordon", "Mark nodes as schedulable",
			"The plan names the pending pods that would fit then."
	}
	c := change.New(a.source, verb)
	cmd := &cobra.Command{
		Use:   verb + " NODE...",
		Short: short,
		Long:  short + ".\n" + long + "\n\n" + change.PlanFirst + "\n\n" + change.Codes,
		Example: fmt.Sprintf(`  # Show the plan, and ask before it is carried out
  %[1]s %[2]s std-b-02
  # Only show the plan
  %[1]s %[2]s std-b-02 --plan
  # Do not ask, as in a script
  %[1]s %[2]s std-b-01 std-b-02 --yes`, a.Name, verb),
		Args:              atLeastOne(verb, "a node"),
		ValidArgsFunction: complete.New(a.source).Nodes,
		RunE: func(cmd *cobra.Command, args []string) error {
			nodes, err := named.ParseNodes(verb, named.WithoutKind(args, named.NodeKinds))
			if err != nil {
				return err
			}
			return c.Run(cmd.Context(), func(live *source.Live) (plan.Action, error) {
				return plan.Cordon{Nodes: nodes, Off: off}, named.Nodes(live, verb, nodes)
			})
		},
	}
	c.AddFlags(cmd)
	return cmd
}

// atLeastOne takes any number of arguments but none.
func atLeastOne(verb, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return fmt.Errorf("%s: name %s", verb, what)
		}
		return nil
	}
}
