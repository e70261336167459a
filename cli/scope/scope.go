// Package scope is which pods a command is about.
package scope

import (
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/kubectl-fathom/kubectl-fathom/cli/exit"
	"github.com/kubectl-fathom/kubectl-fathom/cli/help"
	"github.com/kubectl-fathom/kubectl-fathom/cli/source"
	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// Scope is which pods a command is about: those of all namespaces, unless -n or
// the context sets one.
type Scope struct {
	All      bool
	Selector string

	Namespace string // "" is all
	Matches   labels.Selector
}

// AddFlags adds -A and -l to a command.
func (s *Scope) AddFlags(cmd *cobra.Command) {
	help.ShowNamespace(cmd)
	cmd.Flags().BoolVarP(&s.All, "all-namespaces", "A", false, "All namespaces, even if the context sets one.")
	cmd.Flags().StringVarP(&s.Selector, "selector", "l", "", "Only objects with these labels, as in kubectl.")
}

// Resolve reads the flags and, until ctx ends, the kubeconfig.
func (s *Scope) Resolve(ctx context.Context, from *source.Options) error {
	var err error
	if s.Matches, err = labels.Parse(s.Selector); err != nil {
		return exit.Usagef("invalid selector -l %s: %w", s.Selector, err)
	}
	if !s.All {
		s.Namespace = from.Namespace(ctx)
	}
	return nil
}

// Holds reports whether a pod is in the scope.
func (s *Scope) Holds(pod *model.Pod) bool {
	return s.Takes(pod.Object.Namespace, pod.Object.Labels)
}

// Held are the pods of a class that are in the scope.
func (s *Scope) Held(class *model.EquivalenceClass) []*model.Pod {
	var pods []*model.Pod
	for _, pod := range class.Pods {
		if s.Holds(pod) {
			pods = append(pods, pod)
		}
	}
	return pods
}

// Takes reports whether an object in a namespace with labels is in the scope.
func (s *Scope) Takes(namespace string, of map[string]string) bool {
	return (s.Namespace == "" || s.Namespace == namespace) && s.Matches.Matches(labels.Set(of))
}

// Beyond reports whether the scope goes beyond what could be read.
func (s *Scope) Beyond(status model.Status) bool {
	return status.Namespace != "" && s.Namespace != status.Namespace
}

// Overlooks reports whether pending pods of the scope may be missing from what was read.
func (s *Scope) Overlooks(live *source.Live) bool {
	return s.Beyond(live.Snapshot.Status) || live.Unread("pods") != nil || live.Overlooks()
}

// NonePending says that no pod of the scope is pending, as far as pods could be read.
func (s *Scope) NonePending(live *source.Live) string {
	read := live.Snapshot.Status.Namespace // the only one that pods were read of; "" is all
	if err := live.Unread("pods"); err != nil {
		return fmt.Sprintf("Unknown whether pods are pending: %v.", err)
	}
	if s.Beyond(live.Snapshot.Status) && s.Namespace != "" {
		return fmt.Sprintf("Unknown whether pods are pending: only pods of namespace %s were read.", read)
	}
	said := "No pending pods."
	switch {
	case s.Beyond(live.Snapshot.Status):
		said = fmt.Sprintf("No pending pods in namespace %s, the only one that could be read.", read)
	case s.Selector != "":
		said = fmt.Sprintf("No pending pods match -l %s.", s.Selector)
	case s.Namespace != "" && !slices.ContainsFunc(live.Snapshot.Pods, s.Holds):
		said = fmt.Sprintf("No pods in namespace %s.", s.Namespace)
	case s.Namespace != "":
		said = fmt.Sprintf("No pending pods in namespace %s.", s.Namespace)
	}
	if live.Overlooks() {
		said += " Unknown whether kube-apiserver rejected pods."
	}
	return said
}

// Empty says that a list of the scope has nothing: of one namespace, and of one
// selector, if they are chosen.
func (s *Scope) Empty(what string) string {
	if s.Selector != "" {
		return fmt.Sprintf("no %s in %s match -l %s", what, s.Words(), s.Selector)
	}
	return fmt.Sprintf("no %s in %s", what, s.Words())
}

// Words names the scope, for messages.
func (s *Scope) Words() string {
	if s.Namespace == "" {
		return "any namespace"
	}
	return fmt.Sprintf("namespace %s", s.Namespace)
}
