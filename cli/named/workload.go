package named

import (
	"context"
	"fmt"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes"
	"k8s.io/utils/ptr"

	"github.com/kubectl-fathom/kubectl-fathom/cli/source"
	"github.com/kubectl-fathom/kubectl-fathom/cli/suggest"
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
	"cronjob": "CronJob", "cronjobs": "CronJob", "cj": "CronJob",
	"replicationcontroller": "ReplicationController", "replicationcontrollers": "ReplicationController", "rc": "ReplicationController",
}

// WorkloadKind is the kind of workload that a word names, as kubectl reads it:
// deployment, Deployment, deployment.apps; "" where it names none.
func WorkloadKind(word string) string {
	word, _, _ = strings.Cut(strings.ToLower(word), ".") // no namespace has a dot
	return workloads[word]
}

// ResourceOf is the resource of a workload's kind.
func ResourceOf(kind string) string { return strings.ToLower(kind) + "s" }

// MadeBy reports whether a workload of that kind and name made the pod.
func MadeBy(pod *model.Pod, kind, name string) bool {
	direct := metav1.GetControllerOfNoCopy(pod.Object)
	return pod.Owner.Kind == kind && pod.Owner.Name == name || direct != nil && direct.Kind == kind && direct.Name == name
}

// NamespacesOf gives the namespaces that hold a workload of that kind and name: all that
// may be read, or where that is not allowed the one that is asked about. The error says
// why others may be missing.
func NamespacesOf(ctx context.Context, l *source.Live, kind, namespace, name string) (in []string, err error) {
	for _, pod := range l.Snapshot.Pods {
		if MadeBy(pod, kind, name) {
			in = append(in, pod.Object.Namespace)
		}
	}
	for _, k := range l.Snapshot.Pending {
		if k.NotCreated != nil && MadeBy(k.First(), kind, name) {
			in = append(in, k.Namespace())
		}
	}
	is := func(object metav1.Object) bool { return object.GetName() == name }
	found, err := listed(ctx, l, kind, namespace, fields.OneTermEqualSelector(metav1.ObjectNameField, name).String(), is)
	if kind == "Deployment" && (err != nil || l.Client == nil) { // its ReplicaSets tell too
		of := func(object metav1.Object) bool {
			by := metav1.GetControllerOfNoCopy(object)
			return by != nil && by.Kind == kind && by.Name == name
		}
		more, wrong := listed(ctx, l, "ReplicaSet", namespace, "", of)
		if wrong == nil {
			found = append(found, more...)
		}
	}
	in = append(in, found...)
	slices.Sort(in)
	return slices.Compact(in), err
}

// Workload is a workload as it is named.
type Workload struct{ Kind, Namespace, Name string }

// owned are the workloads of a kind, in a namespace or "" in all, that pods, those that were not created and, in a file,
// ReplicaSets name as theirs.
func owned(ctx context.Context, l *source.Live, kind, namespace string) (names []string) {
	add := func(in, of, name string) {
		if of == kind && (namespace == "" || in == namespace) && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	pods := slices.Clone(l.Snapshot.Pods)
	for _, k := range l.Snapshot.Pending {
		pods = append(pods, k.First())
	}
	for _, pod := range pods {
		add(pod.Object.Namespace, pod.Owner.Kind, pod.Owner.Name)
		if by := metav1.GetControllerOfNoCopy(pod.Object); by != nil {
			add(pod.Object.Namespace, by.Kind, by.Name)
		}
	}
	if kind != "Deployment" || l.Client != nil {
		return names
	}
	if sets, err := l.Reader().AppsV1().ReplicaSets("").List(ctx, metav1.ListOptions{}); err == nil {
		for i := range sets.Items {
			if by := metav1.GetControllerOfNoCopy(&sets.Items[i]); by != nil {
				add(sets.Items[i].Namespace, by.Kind, by.Name)
			}
		}
	}
	return names
}

// tellOf is by what a file tells which workloads of a kind there are in a namespace, or "" in all, that it does not hold, as a
// clause; "" where nothing does, or no workload of the kind is known at all.
func tellOf(ctx context.Context, l *source.Live, kind, namespace string) string {
	var by, needs string
	switch kind {
	case "Deployment":
		by, needs = "ReplicaSets and pods", "replicasets"
	case "DaemonSet", "Job":
		by, needs = "pods", "pods"
	default:
		return ""
	}
	if only := l.Snapshot.Status.Namespace; only != "" && only != namespace {
		return ""
	}
	if l.Client != nil || l.Unread("pods") != nil || l.Unread(needs) != nil || len(owned(ctx, l, kind, "")) == 0 {
		return ""
	}
	return ", by the " + by + " of the file"
}

// Unknown says that there is no workload of a kind and name where it was looked for ("namespace shop"), and which one may
// be meant in the namespace, or "" in all.
func Unknown(ctx context.Context, l *source.Live, kind, namespace, name, where string) string {
	return fmt.Sprintf("no such %s in %s%s%s", strings.ToLower(kind), where, tellOf(ctx, l, kind, namespace), suggest.DidYouMean(name, owned(ctx, l, kind, namespace)...))
}

// WithoutPods says why a workload has no pods: its namespace is being deleted, it is scaled to 0, or by its own object a
// Job or a CronJob is suspended, or makes Jobs; "" where that does not tell, or may not be read. Controllers say
// nothing of a namespace that is being deleted: they set no condition and write no event then
// (NamespaceTerminatingCause in pkg/controller).
func (w Workload) WithoutPods(ctx context.Context, l *source.Live) string {
	namespace, err := l.Reader().CoreV1().Namespaces().Get(ctx, w.Namespace, metav1.GetOptions{})
	if err == nil && namespace.Status.Phase == corev1.NamespaceTerminating {
		return "no pods are created: namespace " + w.Namespace + " is being deleted"
	}
	if slices.Contains([]string{"Deployment", "ReplicaSet", "StatefulSet", "ReplicationController"}, w.Kind) {
		return w.scaledToZero(ctx, l)
	}
	if w.Kind != "Job" && w.Kind != "CronJob" {
		return ""
	}
	object, err := workload(ctx, l, w.Kind, w.Namespace, w.Name)
	if err != nil {
		return ""
	}
	switch o := object.(type) {
	case *batchv1.Job:
		if ptr.Deref(o.Spec.Suspend, false) {
			return "it is suspended (spec.suspend is true), so it has no pods"
		}
	case *batchv1.CronJob:
		if ptr.Deref(o.Spec.Suspend, false) {
			return "it is suspended (spec.suspend is true), so it creates no Jobs"
		}
		return "a CronJob creates Jobs: explain one of those, as job/NAME"
	}
	return ""
}

// scaledToZero says that a workload wants no pods, with the command that gives it one unless another controller scales it;
// "" where it wants some, or may not be read. Of a Deployment that is not read its ReplicaSets tell.
func (w Workload) scaledToZero(ctx context.Context, l *source.Live) string {
	scaled := "it is scaled to 0 (spec.replicas is 0), so it has no pods; "
	toStart := scaled + "to start it: " + model.ScaleUp(w.Namespace, strings.ToLower(w.Kind)+"/"+w.Name)
	object, err := workload(ctx, l, w.Kind, w.Namespace, w.Name)
	if object == nil && w.Kind == "Deployment" {
		list, err := l.Reader().AppsV1().ReplicaSets(w.Namespace).List(ctx, metav1.ListOptions{})
		if err != nil {
			return ""
		}
		sets := make([]*appsv1.ReplicaSet, len(list.Items))
		for i := range list.Items {
			sets[i] = &list.Items[i]
		}
		if model.AllScaledToZero(sets, w.Namespace, &metav1.OwnerReference{Kind: w.Kind, Name: w.Name}) {
			return strings.Replace(toStart, "spec.replicas is 0", "spec.replicas of its ReplicaSets is 0", 1)
		}
		return ""
	}
	var replicas *int32
	switch o := object.(type) {
	case *appsv1.Deployment:
		replicas = o.Spec.Replicas
	case *appsv1.ReplicaSet:
		replicas = o.Spec.Replicas
	case *appsv1.StatefulSet:
		replicas = o.Spec.Replicas
	case *corev1.ReplicationController:
		replicas = o.Spec.Replicas
	}
	if err != nil || replicas == nil || *replicas != 0 {
		return ""
	}
	if of, ok := object.(metav1.Object); ok {
		if by := metav1.GetControllerOfNoCopy(of); by != nil {
			return scaled + strings.ToLower(by.Kind) + "/" + by.Name + " scales it"
		}
	}
	return toStart
}

// listed gives the namespaces of the objects of a kind that are as wanted.
func listed(ctx context.Context, l *source.Live, kind, namespace, selector string, wanted func(metav1.Object) bool) (in []string, err error) {
	resource := ResourceOf(kind)
	if err := unreadInFile(l, kind); err != nil {
		if tellOf(ctx, l, kind, namespace) != "" {
			return nil, nil
		}
		return nil, err
	}
	list, err := listWorkloads(ctx, l.Reader(), kind, "", selector)
	if apierrors.IsForbidden(err) && namespace != "" {
		list, err = listWorkloads(ctx, l.Reader(), kind, namespace, selector)
	}
	switch {
	case apierrors.IsForbidden(err):
		return nil, fmt.Errorf("not allowed to list %s: run \"%s\" to see what you may read", resource, l.Options.Command("get", "access"))
	case err != nil && l.Client != nil:
		return nil, l.Client.Explain("list "+resource, err)
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

// unreadInFile says that workloads of a kind are not read from the file that stands for a cluster,
// or that it has none; nil of a cluster.
func unreadInFile(l *source.Live, kind string) error {
	switch {
	case l.Client != nil:
		return nil
	case slices.Contains([]string{"ReplicaSet", "StatefulSet", "ReplicationController"}, kind):
		return l.Unread(ResourceOf(kind))
	case kind == "Deployment":
		return fmt.Errorf("deployments are not read from a file: name its ReplicaSet or one of its pods")
	}
	return fmt.Errorf("%s are not read from a file: name one of its pods", ResourceOf(kind))
}

// OfKind are the names of the workloads of a kind, in a namespace or "" in all.
func OfKind(ctx context.Context, client kubernetes.Interface, kind, namespace string) (names []string, err error) {
	list, err := listWorkloads(ctx, client, kind, namespace, "")
	if err != nil {
		return nil, err
	}
	err = meta.EachListItem(list, func(item runtime.Object) error {
		if object, err := meta.Accessor(item); err == nil {
			names = append(names, object.GetName())
		}
		return nil
	})
	return names, err
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
	case "CronJob":
		return client.BatchV1().CronJobs(namespace).List(ctx, options)
	case "ReplicationController":
		return client.CoreV1().ReplicationControllers(namespace).List(ctx, options)
	}
	return nil, fmt.Errorf("list %s: no such kind of workload", kind)
}
