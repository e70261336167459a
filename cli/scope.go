package cli

import (
	"fmt"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/kubectl-fathom/kubectl-fathom/cli/exit"
	"github.com/kubectl-fathom/kubectl-fathom/cli/source"
	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// scope is which pods a command is about: those of all namespaces, unless -n or
// the context sets one.
type scope struct {
	all      bool
	selector string

	namespace string // "" is all
	matches   labels.Selector
}

// addFlags adds -A and -l to a command.
func (s *scope) addFlags(cmd *cobra.Command) {
	cmd.Flags().BoolVarP(&s.all, "all-namespaces", "A", false, "All namespaces, whatever the context says.")
	cmd.Flags().StringVarP(&s.selector, "selector", "l", "", "Only objects with these labels, as in kubectl get -l.")
}

// resolve reads the flags and the kubeconfig.
func (s *scope) resolve(from *source.Options) error {
	var err error
	if s.matches, err = labels.Parse(s.selector); err != nil {
		return exit.Usagef("read selector -l %s: %w", s.selector, err)
	}
	if !s.all {
		s.namespace = from.Namespace()
	}
	return nil
}

// holds tells whether the scope takes in a pod.
func (s *scope) holds(pod *model.Pod) bool {
	return (s.namespace == "" || s.namespace == pod.Object.Namespace) && s.matches.Matches(labels.Set(pod.Object.Labels))
}

// beyond tells whether the scope goes beyond what could be read.
func (s *scope) beyond(status model.Status) bool {
	return status.Namespace != "" && s.namespace != status.Namespace
}

// words names the scope, for messages.
func (s *scope) words() string {
	if s.namespace == "" {
		return "any namespace"
	}
	return fmt.Sprintf("namespace %s", s.namespace)
}
