package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes"

	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// workloads are the kinds whose pods may not have been created, as kubectl names
// them.
var workloads = map[string]string{
	"deployment": "Deployment", "deployments": "Deployment", "deploy": "Deployment",
	"replicaset": "ReplicaSet", "replicasets": "ReplicaSet", "rs": "ReplicaSet",
	"statefulset": "StatefulSet", "statefulsets": "StatefulSet", "sts": "StatefulSet",
	"daemonset": "DaemonSet", "daemonsets": "DaemonSet", "ds": "DaemonSet",
	"job": "Job", "jobs": "Job",
	"replicationcontroller": "ReplicationController", "replicationcontrollers": "ReplicationController", "rc": "ReplicationController",
}

// workloadKind is the kind of workload that a word names, as kubectl reads it:
// deployment, Deployment, deployment.apps; "" where it names none.
func workloadKind(word string) string {
	word, _, _ = strings.Cut(strings.ToLower(word), ".") // no namespace has a dot
	return workloads[word]
}

// resourceOf is the resource of a workload's kind.
func resourceOf(kind string) string { return strings.ToLower(kind) + "s" }

// notRefused says why a workload has no pods that kube-apiserver refused: it does not
// exist, or none of its pods was.
func (e *explaining) notRefused(ctx context.Context, live *live, kind, name string) error {
	asked := strings.ToLower(kind) + "/" + name
	in, err := live.workloadIn(ctx, kind, e.scope.namespace, name)
	there := slices.Contains(in, e.scope.namespace) || e.scope.namespace == "" && len(in) > 0
	switch {
	case there:
		return fmt.Errorf("explain %s: kube-apiserver rejected none of its pods in %s; %s", asked, e.scope.words(), e.instead(live, kind, name))
	case err != nil:
		return fmt.Errorf("explain %s: it is not known whether it exists: %w", asked, err)
	case len(in) > 0:
		return fmt.Errorf("explain %s: no such %s in %s; there is one in namespace %s", asked, strings.ToLower(kind), e.scope.words(), strings.Join(in, ", "))
	case live.client == nil:
		return fmt.Errorf("explain %s: no such %s in %s", asked, strings.ToLower(kind), e.scope.words())
	}
	return fmt.Errorf("explain %s: no such %s in %s; kubectl get %s -A lists them", asked, strings.ToLower(kind), e.scope.words(), resourceOf(kind))
}

// instead says what to ask about a workload whose pods were created.
func (e *explaining) instead(live *live, kind, name string) string {
	var waiting []*model.Pod
	for _, pod := range live.snapshot.Pods {
		if pod.Waits && e.scope.holds(pod) && madeBy(pod, kind, name) {
			waiting = append(waiting, pod)
		}
	}
	if len(waiting) == 0 {
		return "none of its pods is pending"
	}
	return "name one of those that are pending: " + names(waiting)
}

// madeBy tells whether a workload of that kind and name made the pod.
func madeBy(pod *model.Pod, kind, name string) bool {
	direct := metav1.GetControllerOfNoCopy(pod.Object)
	return pod.Owner.Kind == kind && pod.Owner.Name == name || direct != nil && direct.Kind == kind && direct.Name == name
}

// workloadIn gives the namespaces that hold a workload of that kind and name: all that
// may be read, or where that is not allowed the one that is asked about. The error says
// why others may be missing.
func (l *live) workloadIn(ctx context.Context, kind, namespace, name string) (in []string, err error) {
	for _, pod := range l.snapshot.Pods {
		if madeBy(pod, kind, name) {
			in = append(in, pod.Object.Namespace)
		}
	}
	for _, k := range l.snapshot.Pending {
		if k.Refused != nil && madeBy(k.First(), kind, name) {
			in = append(in, k.Namespace())
		}
	}
	is := func(object metav1.Object) bool { return object.GetName() == name }
	found, err := l.listed(ctx, kind, namespace, fields.OneTermEqualSelector(metav1.ObjectNameField, name).String(), is)
	if err != nil && kind == "Deployment" { // its ReplicaSets tell too
		of := func(object metav1.Object) bool {
			by := metav1.GetControllerOfNoCopy(object)
			return by != nil && by.Kind == kind && by.Name == name
		}
		more, wrong := l.listed(ctx, "ReplicaSet", namespace, "", of)
		if wrong == nil {
			found = append(found, more...)
		}
	}
	in = append(in, found...)
	slices.Sort(in)
	return slices.Compact(in), err
}

// listed gives the namespaces of the objects of a kind that are as wanted.
func (l *live) listed(ctx context.Context, kind, namespace, selector string, wanted func(metav1.Object) bool) (in []string, err error) {
	resource := resourceOf(kind)
	if l.client == nil && !slices.Contains([]string{"ReplicaSet", "StatefulSet", "ReplicationController"}, kind) {
		return nil, fmt.Errorf("a file does not hold %s", resource)
	}
	if err := l.refused(resource); err != nil && l.client == nil {
		return nil, err
	}
	list, err := listWorkloads(ctx, l.reader, kind, "", selector)
	if apierrors.IsForbidden(err) && namespace != "" {
		list, err = listWorkloads(ctx, l.reader, kind, namespace, selector)
	}
	switch {
	case apierrors.IsForbidden(err):
		return nil, fmt.Errorf(`not allowed to list %s; "get access" lists your rights`, resource)
	case err != nil && l.client != nil:
		return nil, l.client.Explain("list "+resource, err)
	case err != nil:
		return nil, fmt.Errorf("list %s: %w", resource, err)
	}
	err = meta.EachListItem(list, func(item runtime.Object) error {
		if object, err := meta.Accessor(item); err == nil && wanted(object) {
			in = append(in, object.GetNamespace())
		}
		return nil
	})
	return in, err
}

// listWorkloads lists the objects of one kind.
func listWorkloads(ctx context.Context, client kubernetes.Interface, kind, namespace, selector string) (runtime.Object, error) {
	options := metav1.ListOptions{FieldSelector: selector}
	switch kind {
	case "Deployment":
		return client.AppsV1().Deployments(namespace).List(ctx, options)
	case "ReplicaSet":
		return client.AppsV1().ReplicaSets(namespace).List(ctx, options)
	case "StatefulSet":
		return client.AppsV1().StatefulSets(namespace).List(ctx, options)
	case "DaemonSet":
		return client.AppsV1().DaemonSets(namespace).List(ctx, options)
	case "Job":
		return client.BatchV1().Jobs(namespace).List(ctx, options)
	case "ReplicationController":
		return client.CoreV1().ReplicationControllers(namespace).List(ctx, options)
	}
	return nil, fmt.Errorf("list %s: no such kind of workload", kind)
}
