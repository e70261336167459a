package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/spf13/cobra"

	"github.com/kubectl-fathom/kubectl-fathom/cli/exit"
	"github.com/kubectl-fathom/kubectl-fathom/cli/help"
	"github.com/kubectl-fathom/kubectl-fathom/cli/input"
	"github.com/kubectl-fathom/kubectl-fathom/cli/settings"
	"github.com/kubectl-fathom/kubectl-fathom/cli/source"
	"github.com/kubectl-fathom/kubectl-fathom/cli/terminal"
	"github.com/kubectl-fathom/kubectl-fathom/kube/client"
	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// newConfig makes the config command.
func newConfig(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "config check [FILE]",
		Short: "Check the settings, and print a line for each error",
		Long: `Check the settings, and print a line for each error: FILE:LINE: SETTING: what is
wrong. Without FILE it is the config.yaml that fathom reads; - is stdin.
The files of themes in the directory themes beside it are checked too.

Exit codes: 0 nothing is wrong, 2 something is.`,
		Example: help.Examples(a.Name, "config check", "config check config.yaml", "config check ~/.config/fathom/config.yaml"),
		Args:    checkArguments,
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
			if len(args) == 0 {
				return []cobra.Completion{"check"}, cobra.ShellCompDirectiveNoFileComp
			}
			return nil, cobra.ShellCompDirectiveDefault
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			file := settings.File()
			if len(args) > 1 {
				file = args[1]
			}
			return checkSettings(cmd.Context(), a, file, len(args) > 1)
		},
	}
}

// checkArguments takes the word check and the name of a file.
func checkArguments(cmd *cobra.Command, args []string) error {
	switch {
	case len(args) == 0 || args[0] != "check":
		return fmt.Errorf("config: run \"%s check\"", cmd.CommandPath())
	case len(args) > 2:
		return fmt.Errorf("config check: name one file; got %d", len(args)-1)
	}
	return nil
}

// contextNames are those of the kubeconfig; none where it cannot be read, which is no matter of the settings.
func contextNames(ctx context.Context, from *source.Options) (names []string) {
	all, _ := input.UnlessEnded(ctx, func() ([]model.Context, error) { return client.Contexts(from.Flags) })
	for _, c := range all {
		names = append(names, c.Name)
	}
	return names
}

// checkSettings prints the faults of a file of settings. One that the user named has to
// exist.
func checkSettings(ctx context.Context, a *app, file string, named bool) error {
	streams := a.Streams
	faults, checked, err := settings.CheckFile(ctx, file, streams.In, contextNames(ctx, a.source)...)
	missing := errors.Is(err, fs.ErrNotExist)
	switch {
	case missing && named, err != nil && !missing:
		return exit.Usagef("config check: %w", err)
	case missing:
		if _, err := fmt.Fprintln(streams.Out, terminal.OneLine(file)+": there is no such file; the defaults apply"); err != nil {
			return err
		}
	}
	for _, fault := range faults {
		if _, err := fmt.Fprintln(streams.Out, terminal.OneLine(fault.String())); err != nil {
			return err
		}
	}
	if len(faults) > 0 {
		return exit.ErrFaults
	}
	for _, name := range checked {
		if _, err := fmt.Fprintln(streams.Out, terminal.OneLine(name)+": no errors"); err != nil {
			return err
		}
	}
	return nil
}
