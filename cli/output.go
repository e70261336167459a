package cli

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// addOutput adds -o to a command; the first form is the default.
func addOutput(cmd *cobra.Command, output *string, forms ...string) {
	cmd.Flags().StringVarP(output, "output", "o", forms[0], "Output format: "+strings.Join(forms, ", ")+".")
	completeFlag(cmd, "output", forms...)
}

// checkOutput refuses a form that a command does not write.
func checkOutput(output string, forms ...string) error {
	if slices.Contains(forms, output) {
		return nil
	}
	return usagef("write -o %s: not a format of this command; there are %s", output, strings.Join(forms, ", "))
}
