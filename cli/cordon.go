package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/kubectl-fathom/kubectl-fathom/model/plan"
)

// cordon is the cordon command, and with off the uncordon command.
func (a *app) cordon(off bool) *cobra.Command {
	verb, short, long := "cordon", "Let no new pods onto nodes",
		"Make nodes unschedulable: the pods there stay, new ones go elsewhere."
	if off {
		verb, short, long = "uncordon", "Let new pods onto nodes again",
			"Make nodes schedulable again. The plan names pods that wait and would fit then."
	}
	c := a.change(verb)
	cmd := &cobra.Command{
		Use:               verb + " NODE...",
		Short:             short,
		Long:              long + "\n\n" + planFirst + "\n\n" + changeCodes,
		Example:           fmt.Sprintf("  %[1]s %[2]s std-b-02\n  %[1]s %[2]s std-b-02 --plan\n  %[1]s %[2]s std-b-01 std-b-02 --yes", a.name, verb),
		Args:              atLeastOne(verb, "a node"),
		ValidArgsFunction: a.completeNodes,
		RunE: func(cmd *cobra.Command, args []string) error {
			nodes, err := nodeNames(verb, args)
			if err != nil {
				return err
			}
			return c.run(cmd.Context(), func(live *live) (plan.Action, error) {
				return plan.Cordon{Nodes: nodes, Off: off}, live.knows(verb, nodes)
			})
		},
	}
	c.addFlags(cmd)
	return cmd
}

// planFirst is what all these commands do.
const planFirst = `The plan is printed first, and the API server tries it in a dry run. On a terminal it is asked about then;
scripts need --yes. With --plan nothing is changed.`

// atLeastOne takes any number of arguments but none.
func atLeastOne(verb, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return fmt.Errorf("%s: name %s", verb, what)
		}
		return nil
	}
}
