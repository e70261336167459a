package cli

import (
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kubectl-fathom/kubectl-fathom/demo/lessons"
	"github.com/kubectl-fathom/kubectl-fathom/model"
)

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

// cleaned are words to complete without what a terminal obeys.
func cleaned(words []string) []string {
	clean := make([]string, 0, len(words))
	for _, word := range words {
		clean = append(clean, model.Clean(word))
	}
	return clean
}

// oneOf completes a flag or an argument from a fixed list.
func oneOf(words ...string) cobra.CompletionFunc {
	return cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp)
}

// completeFlag completes the values of a flag that the command has.
func completeFlag(cmd *cobra.Command, flag string, words ...string) {
	if err := cmd.RegisterFlagCompletionFunc(flag, oneOf(words...)); err != nil {
		panic(err) // no such flag: a mistake in this package
	}
}

// completeLesson completes the names of lessons, each with its title, and files.
func completeLesson(cmd *cobra.Command) {
	complete := func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
		all, err := lessons.All()
		if err != nil {
			return nil, cobra.ShellCompDirectiveError
		}
		var names []cobra.Completion
		for _, lesson := range all {
			names = append(names, cobra.CompletionWithDesc(lesson.Name, lesson.Title))
		}
		return names, cobra.ShellCompDirectiveDefault
	}
	if err := cmd.RegisterFlagCompletionFunc("lesson", complete); err != nil {
		panic(err) // no such flag: a mistake in this package
	}
}
