package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/kubectl-fathom/kubectl-fathom/cli/exit"
	"github.com/kubectl-fathom/kubectl-fathom/cli/suggest"
	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// podName is a pod as the command line names it; namespace "" is any.
type podName struct{ namespace, name string }

// parsePodName takes name, namespace/name or pod/name apart. scope is the namespace
// where the argument has none, flag what -n says.
func parsePodName(verb, argument, scope, flag string) (podName, error) {
	first, second, cut := strings.Cut(argument, "/")
	switch {
	case argument == "", strings.Contains(second, "/"), cut && (first == "" || second == ""):
		return podName{}, exit.Usagef("%s %q: a pod is given as name, namespace/name or pod/name", verb, argument)
	case !cut:
		return podName{scope, first}, nil
	case slices.Contains(podKinds, strings.ToLower(first)):
		return podName{scope, second}, nil
	case flag != "" && flag != first && workloadKind(first) == "":
		return podName{}, exit.Usagef("%s %s: -n says %s", verb, argument, flag)
	default:
		return podName{first, second}, nil
	}
}

// direct finds the pod in the namespace that is named.
func (p podName) direct(s *model.Snapshot) (*model.Pod, bool) {
	if p.namespace == "" {
		return nil, false
	}
	return s.PodNamed(p.namespace, p.name)
}

// elsewhere finds a pod whose namespace was not named, if there is but one of that
// name, or says what there is.
func (p podName) elsewhere(live *live, verb string) (*model.Pod, error) {
	others := podsNamed(live.snapshot, p.name)
	only := live.snapshot.Status.Namespace
	switch {
	case p.namespace == "" && len(others) == 1:
		return others[0], nil
	case p.namespace == "" && len(others) > 1:
		return nil, exit.Usagef("%s %s: there are %s; name one with its namespace", verb, p.name, names(others))
	case only != "" && only != p.namespace:
		return nil, fmt.Errorf("%s %s: only pods of namespace %s may be listed; choose another with -n", verb, p, only)
	case len(others) > 0:
		return nil, fmt.Errorf("%s %s: no such pod; there is %s", verb, p, names(others))
	case p.namespace == "":
		return nil, fmt.Errorf("%s %s: no such pod in any namespace; %s get pods lists them", verb, p.name, live.app.name)
	default:
		return nil, fmt.Errorf("%s %s: no such pod%s; %s get pods -n %s lists them", verb, p, p.meant(live.snapshot, verb), live.app.name, p.namespace)
	}
}

// kindWords are what explain takes before a name, as one writes it out.
var kindWords = []string{"pod", "deployment", "replicaset", "statefulset", "daemonset", "job", "replicationcontroller"}

// meant asks for the kind that a namespace without pods is a wrong word for; "" where
// there is none.
func (p podName) meant(s *model.Snapshot, verb string) string {
	there := func(pod *model.Pod) bool { return pod.Object.Namespace == p.namespace }
	if verb != "explain" || len(p.namespace) < 3 || slices.ContainsFunc(s.Pods, there) {
		return ""
	}
	return suggest.DidYouMean(p.namespace, kindWords...)
}

// String is the name as it is read: with its namespace, where that is known.
func (p podName) String() string {
	if p.namespace == "" {
		return p.name
	}
	return p.namespace + "/" + p.name
}

// podNames reads the names of pods for a command that changes them.
func (a *app) podNames(verb string, args []string) ([]podName, error) {
	list := make([]podName, 0, len(args))
	for _, arg := range args {
		name, err := parsePodName(verb, arg, a.namespace(), *a.flags.Namespace)
		if err != nil {
			return nil, err
		}
		list = append(list, name)
	}
	return list, nil
}

// pods finds the pods that are named, each once.
func (l *live) pods(verb string, named []podName) ([]model.Ref, error) {
	if err := l.refused("pods"); err != nil {
		return nil, fmt.Errorf("%s: %w", verb, err)
	}
	var refs []model.Ref
	seen := map[model.Ref]bool{}
	for _, name := range named {
		pod, ok := name.direct(l.snapshot)
		if !ok {
			var err error
			if pod, err = name.elsewhere(l, verb); err != nil {
				return nil, err
			}
		}
		if ref := pod.Ref(); !seen[ref] {
			seen[ref] = true
			refs = append(refs, ref)
		}
	}
	return refs, nil
}

// completePods completes the names of pods: of the namespace that is typed before
// them, of that of -n or the context, or of all namespaces with it before the name.
func (a *app) completePods(cmd *cobra.Command, args []string, begun string) ([]cobra.Completion, cobra.ShellCompDirective) {
	return a.complete(cmd.Context(), args, begun, func(ctx context.Context, client kubernetes.Interface) ([]string, error) {
		namespace, prefix := a.namespace(), ""
		if first, _, cut := strings.Cut(begun, "/"); cut {
			prefix = first + "/"
			if !slices.Contains(podKinds, strings.ToLower(first)) {
				namespace = first
			}
		}
		list, err := client.CoreV1().Pods(namespace).List(ctx, metav1.ListOptions{ResourceVersion: "0"})
		if err != nil {
			return nil, err
		}
		var names []string
		for i := range list.Items {
			name := prefix + list.Items[i].Name
			if namespace == "" && prefix == "" {
				name = list.Items[i].Namespace + "/" + name
			}
			names = append(names, name)
		}
		return names, nil
	})
}

// completeExplain completes the pod that explain is about, also after its kind.
func (a *app) completeExplain(cmd *cobra.Command, args []string, begun string) ([]cobra.Completion, cobra.ShellCompDirective) {
	ofKind := len(args) == 1 && slices.Contains(podKinds, strings.ToLower(args[0]))
	if a.from != "" || len(args) > 0 && !ofKind {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return a.completePods(cmd, nil, begun)
}

// podsNamed are the pods of that name in all namespaces.
func podsNamed(s *model.Snapshot, name string) []*model.Pod {
	var found []*model.Pod
	for _, pod := range s.Pods {
		if pod.Object.Name == name {
			found = append(found, pod)
		}
	}
	return found
}

// names lists up to three pods by their full names.
func names(pods []*model.Pod) string {
	const most = 3
	var list []string
	for _, pod := range pods[:min(most, len(pods))] {
		list = append(list, pod.FullName())
	}
	if more := len(pods) - most; more > 0 {
		list = append(list, fmt.Sprintf("%d more", more))
	}
	return strings.Join(list, ", ")
}
