// Package output writes answers: tables, names, JSON, YAML, Markdown and text.
package output

import (
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kubectl-fathom/kubectl-fathom/cli/exit"
	"github.com/kubectl-fathom/kubectl-fathom/cli/suggest"
	"github.com/kubectl-fathom/kubectl-fathom/model/escaped"
)

// AddFlag adds -o to a command; the first form is the default.
func AddFlag(cmd *cobra.Command, output *string, forms ...string) {
	cmd.Flags().StringVarP(output, "output", "o", forms[0], "`Format`: "+strings.Join(forms, ", ")+".")
	suggest.Complete(cmd, "output", forms...)
}

// Check rejects a form that a command does not write.
func Check(output string, forms ...string) error {
	if slices.Contains(forms, output) {
		return nil
	}
	return exit.Usagef("-o %s: unknown format: choose one of %s%s", output, strings.Join(forms, ", "), suggest.DidYouMean(output, forms...))
}

// JSON writes an answer for programs, as JSON of many lines.
func JSON(w io.Writer, answer any) error {
	text, err := escaped.JSON(answer, "  ")
	if err != nil {
		return err
	}
	_, err = w.Write(append(text, '\n'))
	return err
}

// YAML writes an answer for programs, as YAML.
func YAML(w io.Writer, answer any) error {
	text, err := escaped.YAML(answer)
	if err != nil {
		return err
	}
	_, err = w.Write(text)
	return err
}
