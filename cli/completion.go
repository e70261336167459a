package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/kubectl-fathom/kubectl-fathom/cli/exit"
	"github.com/kubectl-fathom/kubectl-fathom/cli/help"
)

// setCompletion words the help of the command that writes completion code.
func setCompletion(root *cobra.Command) {
	root.InitDefaultCompletionCmd()
	name := root.CommandPath()
	load := map[string]string{
		"bash":       "  # Complete in this shell; put the line into ~/.bashrc for all\n  source <(%[1]s completion bash)",
		"zsh":        "  # Complete in this shell; put the line into ~/.zshrc for all\n  source <(%[1]s completion zsh)",
		"fish":       "  # Complete in this shell; put the line into ~/.config/fish/config.fish for all\n  %[1]s completion fish | source",
		"powershell": "  # Complete in this shell; put the line into the profile for all\n  %[1]s completion powershell | Out-String | Invoke-Expression",
	}
	for _, cmd := range root.Commands() {
		if cmd.Name() != "completion" {
			continue
		}
		cmd.Use, cmd.GroupID = "completion SHELL", help.Other
		cmd.Args = cobra.ArbitraryArgs
		cmd.RunE = func(_ *cobra.Command, args []string) error {
			const shells = "choose bash, zsh, fish or powershell"
			if len(args) == 0 {
				return exit.Usagef("completion: name a shell: %s", shells)
			}
			return exit.Usagef("completion %s: unknown shell: %s", args[0], shells)
		}
		cmd.Short = "Output shell completion code (bash, zsh, fish or powershell)"
		cmd.Long = cmd.Short + `.

To complete "kubectl fathom", kubectl runs a program named
kubectl_complete-fathom: put a link of that name to this program on your PATH.`
		cmd.Example = help.Examples(name, "completion bash", "completion zsh --no-descriptions", "completion fish")
		for _, shell := range cmd.Commands() {
			shell.Short = "Output completion code for " + shell.Name()
			shell.Long = shell.Short + "."
			shell.Example = fmt.Sprintf(load[shell.Name()], name)
		}
	}
}
