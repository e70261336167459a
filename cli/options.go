package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/kubectl-fathom/kubectl-fathom/cli/help"
	"github.com/kubectl-fathom/kubectl-fathom/cli/suggest"
)

// newOptions makes the command that lists the flags that are in no command's help.
func newOptions(a *app) *cobra.Command {
	return &cobra.Command{
		Use:               "options",
		Hidden:            true, // the help of each command names it
		Short:             "Print the options of all commands and of the dashboard",
		Long:              "Print the options of all commands and of the dashboard.",
		Example:           fmt.Sprintf("  %s options", a.Name),
		Args:              suggest.NoArguments,
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, _ []string) error {
			all, dashboard := help.Options(cmd.Root())
			_, err := fmt.Fprintf(a.Out, "The following options can be passed to any command:\n\n%s\nThe dashboard (%s without a command) has these too:\n\n%s",
				all, a.Name, dashboard)
			return err
		},
	}
}
