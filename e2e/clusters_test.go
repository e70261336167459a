package e2e

import (
	"context"
	"slices"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"

	"github.com/kubectl-fathom/kubectl-fathom/e2e/controlplane"
	"github.com/kubectl-fathom/kubectl-fathom/e2e/random"
)

const (
	randomNodes = 25
	randomPods  = 150
)

// binders are the controllers that make and bind claims, and count what budgets
// and quotas allow. The others would do away with pods whose Job is not there.
var binders = []string{
	"persistentvolume-binder-controller", "ephemeral-volume-controller", "resourceclaim-controller", "disruption-controller", "resourcequota-controller",
}

// startRandom starts a control plane for random clusters.
func startRandom(t *testing.T, users ...string) *controlplane.ControlPlane {
	t.Helper()
	return startPlane(t, controlplane.Options{Kwok: true, Controllers: true, Only: binders, Backoff: 1, Users: users})
}

// attempts is how often a cluster is made that does not come to rest, and how
// often one may change while its messages are compared.
const attempts = 3

// unsettled counts the clusters that never came to rest. In those the scheduler
// itself goes to and fro: whatever it says has passed when it is said.
var unsettled int

// refusedPods counts the pods that quotas have refused.
var refusedPods int

// fillRandom creates the cluster of a seed and leaves it settled, with the
// scheduler stopped and its messages overwritten.
func fillRandom(t *testing.T, plane *controlplane.ControlPlane, client kubernetes.Interface, seed uint64) *random.Cluster {
	t.Helper()
	for range attempts {
		cluster := random.New(seed, randomNodes, randomPods)
		cluster.Older = *older != ""
		err := fill(t, plane, client, cluster)
		if err == nil {
			overwrite(t, client)
			return cluster
		}
		t.Logf("made anew: %v", err)
		unsettled++
		clearRandom(t, plane)
	}
	t.Fatalf("no cluster of seed %d comes to rest", seed)
	return nil
}

// fill creates a cluster and lets it settle, with some pods that terminate.
func fill(t *testing.T, plane *controlplane.ControlPlane, client kubernetes.Interface, cluster *random.Cluster) error {
	t.Helper()
	plane.StopScheduler()
	err := cluster.Create(t.Context(), client)
	if err != nil {
		t.Fatal(err)
	}
	awaitQuota(t, client, cluster)
	refused, err := cluster.CreatePods(t.Context(), client)
	if err != nil {
		t.Fatal(err)
	}
	refusedPods += refused
	awaitClaims(t, client)
	rewritten(t, plane, client, cluster)
	_, err = quiet(t, client, pause)
	if err != nil {
		return err
	}
	terminate(t, client)
	return settle(t, plane, client, cluster)
}

// awaitQuota waits until the quota is in force.
func awaitQuota(t *testing.T, client kubernetes.Interface, cluster *random.Cluster) {
	t.Helper()
	namespaces := cluster.Namespaces()
	eventually(t, "the quota is in force", func(ctx context.Context) (bool, error) {
		list, err := client.CoreV1().ResourceQuotas(namespaces[len(namespaces)-1]).List(ctx, metav1.ListOptions{})
		return err == nil && len(list.Items) == 1 && len(list.Items[0].Status.Hard) > 0, err
	})
}

// awaitClaims waits until each pod has the resource claims that are made for it.
func awaitClaims(t *testing.T, client kubernetes.Interface) {
	t.Helper()
	eventually(t, "the pods have their resource claims", func(ctx context.Context) (bool, error) {
		list, err := client.CoreV1().Pods("").List(ctx, metav1.ListOptions{})
		if err != nil {
			return false, err
		}
		for i := range list.Items {
			own := 0
			for _, use := range list.Items[i].Spec.ResourceClaims {
				if use.ResourceClaimTemplateName != nil {
					own++
				}
			}
			if len(list.Items[i].Status.ResourceClaimStatuses) < own {
				return false, nil
			}
		}
		return true, nil
	})
}

// terminate deletes the pods that have a finalizer: they stay, terminating.
func terminate(t *testing.T, client kubernetes.Interface) {
	t.Helper()
	for _, pod := range listPods(t, client) {
		if !slices.Contains(pod.Finalizers, random.Finalizer) || pod.DeletionTimestamp != nil {
			continue
		}
		err := client.CoreV1().Pods(pod.Namespace).Delete(t.Context(), pod.Name, metav1.DeleteOptions{})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// cleared are the kinds of which nothing stays for the next cluster.
var cleared = []schema.GroupVersionResource{
	{Version: "v1", Resource: "pods"},
	{Version: "v1", Resource: "nodes"},
	{Version: "v1", Resource: "persistentvolumeclaims"},
	{Version: "v1", Resource: "persistentvolumes"},
	{Group: "resource.k8s.io", Version: "v1", Resource: "resourceclaims"},
	{Group: "resource.k8s.io", Version: "v1", Resource: "resourceslices"},
	{Group: "storage.k8s.io", Version: "v1", Resource: "volumeattachments"},
	{Group: "storage.k8s.io", Version: "v1", Resource: "csinodes"},
	{Group: "policy", Version: "v1", Resource: "poddisruptionbudgets"},
}

// clearRandom deletes the cluster, whatever holds on to its objects.
func clearRandom(t *testing.T, plane *controlplane.ControlPlane) {
	t.Helper()
	plane.StopScheduler()
	client, err := dynamic.NewForConfig(plane.Config(controlplane.Admin))
	if err != nil {
		t.Fatal(err)
	}
	eventually(t, "the cluster is empty", func(ctx context.Context) (bool, error) {
		left := 0
		for _, kind := range cleared {
			list, err := client.Resource(kind).List(ctx, metav1.ListOptions{})
			if err != nil {
				return false, err
			}
			left += len(list.Items)
			for i := range list.Items {
				err = clearObject(ctx, client.Resource(kind), &list.Items[i])
				if err != nil {
					return false, err
				}
			}
		}
		return left == 0, nil
	})
}

// clearObject deletes an object at once.
func clearObject(ctx context.Context, kind dynamic.NamespaceableResourceInterface, object *unstructured.Unstructured) error {
	client := kind.Namespace(object.GetNamespace())
	var err error
	if len(object.GetFinalizers()) > 0 {
		_, err = client.Patch(ctx, object.GetName(), types.MergePatchType, []byte(`{"metadata":{"finalizers":null}}`), metav1.PatchOptions{})
	}
	if err == nil && object.GetDeletionTimestamp() == nil {
		err = client.Delete(ctx, object.GetName(), metav1.DeleteOptions{GracePeriodSeconds: new(int64)})
	}
	if apierrors.IsNotFound(err) {
		return nil
	}
	return err
}
