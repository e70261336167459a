package named

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/kubernetes/pkg/controller/deployment/util"

	"github.com/kubectl-fathom/kubectl-fathom/cli/exit"
	"github.com/kubectl-fathom/kubectl-fathom/cli/source"
)

// Template finds the object whose controller would create one more pod of KIND/NAME: the
// newest ReplicaSet of a Deployment, another workload itself, or of a pod its copy.
// namespace "" is any that has it.
func Template(ctx context.Context, l *source.Live, verb, argument, namespace string) (runtime.Object, error) {
	word, name, _ := strings.Cut(argument, "/")
	kind := WorkloadKind(word)
	switch {
	case name == "" || strings.Contains(name, "/") || kind == "" && !slices.Contains(PodKinds, strings.ToLower(word)):
		return nil, exit.Usagef("%s %q: name a workload as KIND/NAME, such as deployment/web", verb, argument)
	case kind == "DaemonSet":
		return nil, exit.Usagef("%s %s: a DaemonSet has one pod per node, however many fit; use explain -f", verb, argument)
	case kind == "":
		return podTemplate(ctx, l, verb, Pod{namespace: namespace, name: name})
	}
	if namespace == "" {
		var err error
		if namespace, err = onlyNamespace(ctx, l, kind, name); err != nil {
			return nil, fmt.Errorf("%s %s: %w", verb, argument, err)
		}
	}
	if kind == "Deployment" {
		if set := newestReplicaSet(ctx, l, namespace, name); set != nil {
			return set, nil
		}
	}
	found, err := workload(ctx, l, kind, namespace, name)
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s %s: %w", verb, argument, err)
	case found == nil:
		return nil, fmt.Errorf("%s %s: %s", verb, argument, Unknown(ctx, l, kind, namespace, name, "namespace "+namespace))
	}
	return found, nil
}

// onlyNamespace is the one that has a workload of that kind and name.
func onlyNamespace(ctx context.Context, l *source.Live, kind, name string) (string, error) {
	in, err := NamespacesOf(ctx, l, kind, "", name)
	switch {
	case len(in) == 1:
		return in[0], nil
	case len(in) > 1:
		return "", exit.Usagef("it exists in the namespaces %s: choose one with -n", strings.Join(in, ", "))
	case err != nil:
		return "", err
	}
	return "", errors.New(Unknown(ctx, l, kind, "", name, "any namespace"))
}

// workload is the one of that name; nil: there is none.
func workload(ctx context.Context, l *source.Live, kind, namespace, name string) (found runtime.Object, err error) {
	if err := unreadInFile(l, kind); err != nil {
		if tellOf(ctx, l, kind, namespace) == "" || slices.Contains(owned(ctx, l, kind, namespace), name) {
			return nil, err
		}
		return nil, nil
	}
	list, err := listWorkloads(ctx, l.Reader(), kind, namespace, fields.OneTermEqualSelector(metav1.ObjectNameField, name).String())
	switch {
	case err != nil && l.Client != nil:
		return nil, l.Client.Explain("list "+ResourceOf(kind), err)
	case err != nil:
		return nil, err
	}
	err = meta.EachListItem(list, func(item runtime.Object) error {
		if object, err := meta.Accessor(item); err == nil && object.GetName() == name && object.GetNamespace() == namespace {
			found = item
		}
		return nil
	})
	return found, err
}

// newestReplicaSet is the one of a Deployment's newest revision: its pods have the label of
// that revision. Nil: there is none, or they may not be read.
func newestReplicaSet(ctx context.Context, l *source.Live, namespace, deployment string) *appsv1.ReplicaSet {
	list, err := l.Reader().AppsV1().ReplicaSets(namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil
	}
	sets := slices.DeleteFunc(list.Items, func(set appsv1.ReplicaSet) bool {
		by := metav1.GetControllerOfNoCopy(&set)
		return set.Namespace != namespace || by == nil || by.Kind != "Deployment" || by.Name != deployment
	})
	if len(sets) == 0 {
		return nil
	}
	revision := func(set *appsv1.ReplicaSet) int {
		n, _ := strconv.Atoi(set.Annotations[util.RevisionAnnotation]) // 0 without one
		return n
	}
	newest := slices.MaxFunc(sets, func(a, b appsv1.ReplicaSet) int {
		return cmp.Or(cmp.Compare(revision(&a), revision(&b)), a.CreationTimestamp.Compare(b.CreationTimestamp.Time))
	})
	return &newest
}

// podTemplate is a pod as it would be created again; of a StatefulSet, which numbers its pods and gives each its own
// claims, the StatefulSet.
func podTemplate(ctx context.Context, l *source.Live, verb string, name Pod) (runtime.Object, error) {
	found, ok := name.Direct(l.Snapshot)
	if !ok {
		var err error
		if found, err = name.Elsewhere(l, verb); err != nil {
			return nil, err
		}
	}
	pod := found.Object.DeepCopy()
	if by := metav1.GetControllerOfNoCopy(pod); by != nil && by.Kind == "StatefulSet" {
		set, err := workload(ctx, l, by.Kind, pod.Namespace, by.Name)
		switch {
		case err != nil:
			return nil, fmt.Errorf("%s pod/%s: it is a pod of statefulset/%s: %w", verb, pod.Name, by.Name, err)
		case set != nil:
			return set, nil
		}
	}
	pod.ObjectMeta = metav1.ObjectMeta{
		Namespace: pod.Namespace, GenerateName: pod.Name + "-", Labels: pod.Labels,
		Annotations: pod.Annotations, OwnerReferences: pod.OwnerReferences,
	}
	pod.Spec.NodeName, pod.Spec.EphemeralContainers = "", nil
	return pod, nil
}
