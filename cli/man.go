package cli

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/kubectl-fathom/kubectl-fathom/cli/build"
	"github.com/kubectl-fathom/kubectl-fathom/cli/help"
)

// newMan makes the hidden command with which packages are built: it writes the manual
// pages into a directory.
func newMan(a *app) *cobra.Command {
	return &cobra.Command{
		Use:               "man DIRECTORY",
		Short:             "Write the manual pages into a directory",
		Long:              "Write the manual pages into a directory, for packages.",
		Example:           help.Examples(a.Name, "man .", "man dist/man", "man /usr/local/share/man/man1"),
		Args:              oneDirectory,
		ValidArgsFunction: directories,
		Hidden:            true,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := os.MkdirAll(args[0], manDirectory); err != nil {
				return fmt.Errorf("create directory: %w", err)
			}
			return writeMan(cmd.Root(), args[0])
		},
	}
}

// Permissions of manual pages, which everyone reads.
const (
	manDirectory = 0o755
	manPage      = 0o644
)

// oneDirectory wants the name of a directory.
func oneDirectory(_ *cobra.Command, args []string) error {
	if len(args) != 1 {
		return fmt.Errorf("man: name one directory; got %q", args)
	}
	return nil
}

// directories completes names of directories.
func directories(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return nil, cobra.ShellCompDirectiveFilterDirs
}

// writeMan writes the pages of a command and of those below it.
func writeMan(cmd *cobra.Command, into string) error {
	var page bytes.Buffer
	if err := help.WriteMan(&page, cmd, build.Version()); err != nil {
		return fmt.Errorf("write page: %w", err)
	}
	if err := os.WriteFile(filepath.Join(into, help.ManName(cmd)+".1"), page.Bytes(), manPage); err != nil {
		return fmt.Errorf("write page: %w", err)
	}
	for _, child := range cmd.Commands() {
		if !child.IsAvailableCommand() {
			continue
		}
		if err := writeMan(child, into); err != nil {
			return err
		}
	}
	return nil
}
