package cli

import (
	"fmt"
	"strings"

	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// find finds the pod that is meant by a name, namespace/name or pod/name.
func (e *explaining) find(live *live, argument string) (*model.Pod, error) {
	namespace, name, err := e.parsePod(argument)
	if err != nil {
		return nil, err
	}
	if err = live.refused("pods"); err != nil {
		return nil, fmt.Errorf("explain %s: %w", argument, err)
	}
	if namespace != "" {
		if pod, ok := live.snapshot.PodNamed(namespace, name); ok {
			return pod, nil
		}
	}
	others := podsNamed(live.snapshot, name)
	switch {
	case namespace == "" && len(others) == 1:
		return others[0], nil
	case namespace == "" && len(others) > 1:
		return nil, usagef("explain %s: there are %s; name one with its namespace", name, names(others))
	case live.snapshot.Status.Namespace != "" && live.snapshot.Status.Namespace != namespace:
		return nil, fmt.Errorf("explain %s: only pods of namespace %s may be listed; choose another with -n", argument, live.snapshot.Status.Namespace)
	case len(others) > 0:
		return nil, fmt.Errorf("explain %s/%s: no such pod; there is %s", namespace, name, names(others))
	case namespace == "":
		return nil, fmt.Errorf("explain %s: no such pod in any namespace; %s get pods lists them", name, e.name)
	default:
		return nil, fmt.Errorf("explain %s/%s: no such pod; %s get pods -n %s lists them", namespace, name, e.name, namespace)
	}
}

// parsePod takes a pod's name apart. Without a namespace in it, that of the scope counts.
func (e *explaining) parsePod(argument string) (namespace, name string, err error) {
	first, second, cut := strings.Cut(argument, "/")
	switch {
	case argument == "", strings.Contains(second, "/"), cut && (first == "" || second == ""):
		return "", "", usagef("explain %q: a pod is given as name, namespace/name or pod/name", argument)
	case !cut:
		return e.scope.namespace, first, nil
	case first == "pod" || first == "pods" || first == "po":
		return e.scope.namespace, second, nil
	case *e.flags.Namespace != "" && *e.flags.Namespace != first:
		return "", "", usagef("explain %s: -n says %s", argument, *e.flags.Namespace)
	default:
		return first, second, nil
	}
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
