package cli

import (
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kubectl-fathom/kubectl-fathom/cli/terminal"
	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// programName is how the user calls the program.
func programName(args []string) string {
	if len(args) > 0 {
		base := strings.TrimSuffix(filepath.Base(args[0]), ".exe")
		if plugin, ok := strings.CutPrefix(strings.Replace(base, completer, "kubectl-", 1), "kubectl-"); ok {
			return "kubectl " + terminal.OneLine(plugin)
		}
	}
	return "fathom"
}

// completer begins the name under which kubectl looks for a plugin's completion.
const completer = "kubectl_complete-"

// commandLine gives the arguments after the program's name. Called as
// kubectl_complete-fathom (a link to the program is enough), it completes: that
// is how kubectl asks its plugins.
func commandLine(args []string) []string {
	if len(args) == 0 {
		return []string{}
	}
	if strings.HasPrefix(filepath.Base(args[0]), completer) {
		return append([]string{cobra.ShellCompRequestCmd}, cleaned(args[1:])...)
	}
	if len(args) > 1 && (args[1] == cobra.ShellCompRequestCmd || args[1] == cobra.ShellCompNoDescRequestCmd) {
		return cleaned(args[1:]) // cobra quotes them in what it says of them
	}
	return args[1:]
}

// cleaned removes control characters from words to complete.
func cleaned(words []string) []string {
	clean := make([]string, 0, len(words))
	for _, word := range words {
		clean = append(clean, model.Clean(word))
	}
	return clean
}
