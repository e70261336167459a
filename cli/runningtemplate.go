package cli

import (
	"context"

	appsv1 "k8s.io/api/apps/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/kubectl-fathom/kubectl-fathom/cli/source"
	"github.com/kubectl-fathom/kubectl-fathom/explain/admission"
	"github.com/kubectl-fathom/kubectl-fathom/explain/labelkeys"
	"github.com/kubectl-fathom/kubectl-fathom/kube/client/strip"
	"github.com/kubectl-fathom/kubectl-fathom/kube/snapshot"
)

// takeRevision gives the pod of a manifest the label that tells pods of one template of its workload from those of
// another, as those have it that run already. It returns what that leaves open.
func takeRevision(ctx context.Context, live *source.Live, of *admission.UncreatedPod) (notes []string) {
	var stored admission.AsStored
	if live.Client == nil {
		stored = asInFile
	}
	switch of.Of.(type) {
	case *appsv1.Deployment:
		return ofReplicaSet(ctx, live, of, stored)
	case *appsv1.StatefulSet:
		return ofStatefulSet(ctx, live, of, stored)
	}
	return nil
}

// asInFile is an object as a file has it, and as it is read from one.
func asInFile(object runtime.Object) runtime.Object {
	object = snapshot.Kept(object)
	_, _ = strip.New().Strip(object) // it is no tombstone
	return object
}

// ofReplicaSet is takeRevision of a Deployment.
func ofReplicaSet(ctx context.Context, live *source.Live, of *admission.UncreatedPod, stored admission.AsStored) (notes []string) {
	const resource, label = "replicasets", appsv1.DefaultDeploymentUniqueLabelKey
	list, err := live.Reader().AppsV1().ReplicaSets(of.Pod.Namespace).List(ctx, metav1.ListOptions{})
	if err != nil || live.Client == nil && live.Unread(resource) != nil {
		return unknownRevision(of, label, resource)
	}
	sets := make([]*appsv1.ReplicaSet, len(list.Items))
	for i := range list.Items {
		sets[i] = &list.Items[i]
	}
	set := of.OfReplicaSet(sets, stored)
	if set == "" || stored == nil || !labelkeys.Names(&of.Pod.Spec, label) {
		return nil
	}
	return []string{"matchLabelKeys " + label + ": the pods are taken to be of ReplicaSet " + set + ", as the file has no more of templates than scheduling needs"}
}

// ofStatefulSet is takeRevision of a StatefulSet.
func ofStatefulSet(ctx context.Context, live *source.Live, of *admission.UncreatedPod, stored admission.AsStored) (notes []string) {
	const resource, label = "statefulsets", appsv1.ControllerRevisionHashLabelKey
	set, err := live.Reader().AppsV1().StatefulSets(of.Pod.Namespace).Get(ctx, of.Pod.OwnerReferences[0].Name, metav1.GetOptions{})
	switch {
	case apierrors.IsNotFound(err) && (live.Client != nil || live.Unread(resource) == nil):
		set = nil
	case err != nil:
		return unknownRevision(of, label, resource)
	}
	of.OfStatefulSet(set, stored)
	return nil
}

// unknownRevision is what it leaves open that a kind is not read that tells the value of a label: how pods of the same template count
// in selectors that are about it.
func unknownRevision(of *admission.UncreatedPod, label, resource string) (notes []string) {
	if !labelkeys.Names(&of.Pod.Spec, label) {
		return nil
	}
	return []string{"matchLabelKeys " + label + ": running pods are taken to be of another template, because " + resource + " are not read"}
}
