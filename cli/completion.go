package cli

import (
	"context"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

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

// completeConnection completes the flags that say which namespace and context, as kubectl does.
func (a *app) completeConnection(cmd *cobra.Command) {
	for flag, complete := range map[string]cobra.CompletionFunc{"namespace": a.completeNamespaces, "context": a.completeContexts} {
		if err := cmd.RegisterFlagCompletionFunc(flag, complete); err != nil {
			panic(err) // no such flag: a mistake in this package
		}
	}
}

// completeNamespaces completes the names of the cluster's namespaces.
func (a *app) completeNamespaces(cmd *cobra.Command, _ []string, begun string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if a.from != "" {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return a.complete(cmd.Context(), nil, begun, func(ctx context.Context, client kubernetes.Interface) ([]string, error) {
		list, err := client.CoreV1().Namespaces().List(ctx, metav1.ListOptions{ResourceVersion: "0"})
		if err != nil {
			return nil, err
		}
		var names []string
		for i := range list.Items {
			names = append(names, list.Items[i].Name)
		}
		return names, nil
	})
}

// completeContexts completes the names of the kubeconfig's contexts.
func (a *app) completeContexts(_ *cobra.Command, _ []string, begun string) ([]cobra.Completion, cobra.ShellCompDirective) {
	config, err := a.flags.ToRawKubeConfigLoader().RawConfig()
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	names := slices.Sorted(maps.Keys(config.Contexts))
	names = slices.DeleteFunc(names, func(name string) bool { return !strings.HasPrefix(name, begun) })
	return names, cobra.ShellCompDirectiveNoFileComp
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
