package cli

import (
	"fmt"
	"slices"

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
	showNamespace(cmd)
	cmd.Flags().BoolVarP(&s.all, "all-namespaces", "A", false, "All namespaces, even if the context sets one.")
	cmd.Flags().StringVarP(&s.selector, "selector", "l", "", "Only objects with these labels, as in kubectl.")
}

// resolve reads the flags and the kubeconfig.
func (s *scope) resolve(from *source.Options) error {
	var err error
	if s.matches, err = labels.Parse(s.selector); err != nil {
		return exit.Usagef("invalid selector -l %s: %w", s.selector, err)
	}
	if !s.all {
		s.namespace = from.Namespace()
	}
	return nil
}

// holds reports whether a pod is in the scope.
func (s *scope) holds(pod *model.Pod) bool {
	return (s.namespace == "" || s.namespace == pod.Object.Namespace) && s.matches.Matches(labels.Set(pod.Object.Labels))
}

// beyond reports whether the scope goes beyond what could be read.
func (s *scope) beyond(status model.Status) bool {
	return status.Namespace != "" && s.namespace != status.Namespace
}

// nonePending says that no pod of the scope is pending, as far as pods could be read.
func (s *scope) nonePending(live *source.Live) string {
	read := live.Snapshot.Status.Namespace // the only one that pods were read of; "" is all
	if err := live.Refused("pods"); err != nil {
		return fmt.Sprintf("Unknown whether pods are pending: %v.", err)
	}
	if s.beyond(live.Snapshot.Status) && s.namespace != "" {
		return fmt.Sprintf("Unknown whether pods are pending: only pods of namespace %s were read.", read)
	}
	said := "No pending pods."
	switch {
	case s.beyond(live.Snapshot.Status):
		said = fmt.Sprintf("No pending pods in namespace %s, the only one that could be read.", read)
	case s.selector != "":
		said = fmt.Sprintf("No pending pods match -l %s.", s.selector)
	case s.namespace != "" && !slices.ContainsFunc(live.Snapshot.Pods, s.holds):
		said = fmt.Sprintf("No pods in namespace %s.", s.namespace)
	case s.namespace != "":
		said = fmt.Sprintf("No pending pods in namespace %s.", s.namespace)
	}
	if live.Overlooks() {
		said += " Unknown whether kube-apiserver rejected pods."
	}
	return said
}

// empty says that a list of the scope has nothing: of one namespace, and of one
// selector, if they are chosen.
func (s *scope) empty(what string) string {
	if s.selector != "" {
		return fmt.Sprintf("no %s in %s match -l %s", what, s.words(), s.selector)
	}
	return fmt.Sprintf("no %s in %s", what, s.words())
}

// words names the scope, for messages.
func (s *scope) words() string {
	if s.namespace == "" {
		return "any namespace"
	}
	return fmt.Sprintf("namespace %s", s.namespace)
}
