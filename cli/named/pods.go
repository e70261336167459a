// Package named finds the nodes, pods and workloads that the command line names.
package named

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/kubectl-fathom/kubectl-fathom/cli/exit"
	"github.com/kubectl-fathom/kubectl-fathom/cli/source"
	"github.com/kubectl-fathom/kubectl-fathom/cli/suggest"
	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
)

// Pod is a pod as the command line names it; namespace "" is any.
type Pod struct {
	namespace, name string
	argument        string // NAMESPACE/NAME as it was given; "" where the namespace is known otherwise
}

// ParsePod takes name, namespace/name or pod/name apart. scope is the namespace
// where the argument has none, flag what -n says.
func ParsePod(verb, argument, scope, flag string) (Pod, error) {
	first, second, cut := strings.Cut(argument, "/")
	switch {
	case argument == "", strings.Contains(second, "/"), cut && (first == "" || second == ""):
		return Pod{}, exit.Usagef("%s %q: name a pod as NAME, NAMESPACE/NAME or pod/NAME", verb, argument)
	case !cut:
		return Pod{namespace: scope, name: first}, nil
	case slices.Contains(PodKinds, strings.ToLower(first)):
		return Pod{namespace: scope, name: second}, nil
	case flag != "" && flag != first && WorkloadKind(first) == "":
		if err := RejectResource(verb, argument); err != nil {
			return Pod{}, err
		}
		return Pod{}, exit.Usagef("%s %s: the namespace is %s here and %s in -n: give only one", verb, argument, first, flag)
	case flag == first:
		return Pod{namespace: first, name: second}, nil
	default:
		return Pod{namespace: first, name: second, argument: argument}, nil
	}
}

// Direct finds the pod in the namespace that is named.
func (p Pod) Direct(s *model.Snapshot) (*model.Pod, bool) {
	if p.namespace == "" {
		return nil, false
	}
	return s.PodNamed(p.namespace, p.name)
}

// Elsewhere finds a pod whose namespace was not named, if there is but one of that
// name, or says what there is.
func (p Pod) Elsewhere(live *source.Live, verb string) (*model.Pod, error) {
	others := podsNamed(live.Snapshot, p.name)
	only := live.Snapshot.Status.Namespace
	if !p.populated(live.Snapshot) { // then it may be the word for a resource
		if err := RejectResource(verb, p.argument); err != nil {
			return nil, err
		}
	}
	workload := ""
	if verb == "explain" {
		workload = p.workload(live.Snapshot)
	}
	switch {
	case p.namespace == "" && len(others) == 1:
		return others[0], nil
	case p.namespace == "" && len(others) > 1:
		return nil, exit.Usagef("%s %s: several pods match: %s; name one with its namespace", verb, p.name, FullNames(others))
	case only != "" && only != p.namespace:
		return nil, fmt.Errorf("%s %s: you are allowed to list pods only in namespace %s: choose it with -n", verb, p, only)
	case workload != "":
		return nil, fmt.Errorf("%s %s: no such pod; did you mean %s?", verb, p, workload)
	case len(others) == 0:
		others = p.near(live.Snapshot)
	}
	if len(others) > 0 {
		return nil, fmt.Errorf("%s %s: no such pod; did you mean %s?", verb, p, FullNames(others))
	}
	return nil, p.noSuch(live, verb)
}

// noSuch says that there is no such pod, and which command lists those that there are.
func (p Pod) noSuch(live *source.Live, verb string) error {
	meant := p.meant(live.Snapshot, verb)
	switch {
	case p.namespace == "":
		return fmt.Errorf("%s %s: no such pod in any namespace: run \"%s\" to list them", verb, p.name, live.Options.Command("get", "pods"))
	case meant == "" && !p.populated(live.Snapshot):
		return fmt.Errorf("%s %s: no such pod, and no other in namespace %s: run \"%s\" to list all", verb, p, p.namespace, live.Options.Command("get", "pods", "-A"))
	default:
		return fmt.Errorf("%s %s: no such pod%s: run \"%s\" to list them", verb, p, meant, live.Options.Command("get", "pods", "-n", p.namespace))
	}
}

// kindWords are what explain takes before a name, as one writes it out.
var kindWords = []string{"pod", "deployment", "replicaset", "statefulset", "daemonset", "job", "replicationcontroller"}

// meant asks for the kind that a namespace without pods is a wrong word for; "" where
// there is none.
func (p Pod) meant(s *model.Snapshot, verb string) string {
	if verb != "explain" || len(p.namespace) < 3 || p.populated(s) {
		return ""
	}
	return suggest.DidYouMean(p.namespace, kindWords...)
}

// workload is the workload of that name that has pods, or pods that were not created, as explain
// takes it: "deployment/web"; "" is none.
func (p Pod) workload(s *model.Snapshot) string {
	word := func(pod *model.Pod) string {
		if pod.Owner.Name != p.name || p.namespace != "" && p.namespace != pod.Object.Namespace {
			return ""
		}
		kind := strings.ToLower(pod.Owner.Kind)
		switch {
		case WorkloadKind(kind) == "":
			return ""
		case p.argument != "": // the namespace stood before the name
			return kind + "/" + p.name + " -n " + p.namespace
		}
		return kind + "/" + p.name
	}
	for _, kind := range s.Pending {
		if found := word(kind.First()); found != "" {
			return found
		}
	}
	for _, pod := range s.Pods {
		if found := word(pod); found != "" {
			return found
		}
	}
	return ""
}

// populated reports whether the namespace of the pod has pods.
func (p Pod) populated(s *model.Snapshot) bool {
	return slices.ContainsFunc(s.Pods, func(pod *model.Pod) bool { return pod.Object.Namespace == p.namespace })
}

// String is the name as it is read: with its namespace, where that is known.
func (p Pod) String() string {
	if p.namespace == "" {
		return p.name
	}
	return p.namespace + "/" + p.name
}

// ParsePods reads the names of pods for a command that changes them, and, until ctx ends, the
// kubeconfig.
func ParsePods(ctx context.Context, from *source.Options, verb string, args []string) ([]Pod, error) {
	list, namespaces := make([]Pod, 0, len(args)), make([]string, 0, len(args))
	for _, arg := range args {
		name, err := ParsePod(verb, arg, from.Namespace(ctx), *from.Flags.Namespace)
		if err != nil {
			return nil, err
		}
		list, namespaces = append(list, name), append(namespaces, name.Namespace())
	}
	from.About(namespaces...)
	return list, nil
}

// Namespace is the pod's, where the command line names it; "" is any.
func (p Pod) Namespace() string {
	if kind, _, _ := strings.Cut(p.argument, "/"); WorkloadKind(kind) != "" {
		return "" // it is KIND/NAME
	}
	return p.namespace
}

// Pods finds the pods that are named, each once.
func Pods(l *source.Live, verb string, named []Pod) ([]model.Ref, error) {
	if err := l.Unread("pods"); err != nil {
		return nil, fmt.Errorf("%s: %w", verb, err)
	}
	var refs []model.Ref
	seen := map[model.Ref]bool{}
	for _, name := range named {
		pod, ok := name.Direct(l.Snapshot)
		if !ok {
			var err error
			if pod, err = name.Elsewhere(l, verb); err != nil {
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

// near are the pods that a wrong name may mean, of its namespace if that was named: other
// replicas of the same workload where the pod was replaced, or else those with a typo less.
func (p Pod) near(s *model.Snapshot) []*model.Pod {
	var replicas []*model.Pod
	var names []string
	typos := map[string][]*model.Pod{}
	for _, pod := range s.Pods {
		if p.namespace != "" && pod.Object.Namespace != p.namespace || pod.Finished() {
			continue
		}
		name := pod.Object.Name
		if generated := pod.Object.GenerateName; generated != "" && strings.HasPrefix(p.name, generated) && len(p.name) == len(name) {
			replicas = append(replicas, pod)
		}
		if typos[name] == nil {
			names = append(names, name)
		}
		typos[name] = append(typos[name], pod)
	}
	if len(replicas) > 0 {
		return replicas
	}
	nearest := suggest.Nearest(p.name, names...)
	if len(nearest) > grammar.Few {
		return nil // they differ by their numbers
	}
	var near []*model.Pod
	for _, name := range nearest {
		near = append(near, typos[name]...)
	}
	return near
}

// FullNames lists up to three pods by their full names.
func FullNames(pods []*model.Pod) string {
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

// PodKinds are kubectl's words for pods.
var PodKinds = []string{"pod", "pods", "po"}
