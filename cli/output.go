package cli

import (
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kubectl-fathom/kubectl-fathom/model/escaped"
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
	return usagef("write -o %s: not a format of this command; there are %s%s", output, strings.Join(forms, ", "), didYouMean(output, forms...))
}

// writeJSON writes an answer for programs, as JSON of many lines.
func writeJSON(w io.Writer, answer any) error {
	text, err := escaped.JSON(answer, "  ")
	if err != nil {
		return err
	}
	_, err = w.Write(append(text, '\n'))
	return err
}

// writeYAML writes an answer for programs, as YAML.
func writeYAML(w io.Writer, answer any) error {
	text, err := escaped.YAML(answer)
	if err != nil {
		return err
	}
	_, err = w.Write(text)
	return err
}
