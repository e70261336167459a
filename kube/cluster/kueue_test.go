package cluster

import (
	"fmt"
	"slices"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	dynamicfake "k8s.io/client-go/dynamic/fake"
	clienttesting "k8s.io/client-go/testing"

	"github.com/kubectl-fathom/kubectl-fathom/explain/kueue"
)

// kueueObject is an object of Kueue.
func kueueObject(version, kind, namespace, name string, spec map[string]any) runtime.Object {
	meta := map[string]any{"name": name, "ownerReferences": []any{map[string]any{"uid": "job"}}}
	if namespace != "" {
		meta["namespace"] = namespace
	}
	return &unstructured.Unstructured{Object: map[string]any{"apiVersion": "kueue.x-k8s.io/" + version, "kind": kind, "metadata": meta, "spec": spec}}
}

// queueAsker asks a cluster with a Workload and its queues, of a version.
func queueAsker(t *testing.T, version string) (asker *CachedReader, asked func() []string) {
	t.Helper()
	kinds := map[schema.GroupVersionResource]string{}
	for resource, kind := range map[string]string{"workloads": "Workload", "localqueues": "LocalQueue", "clusterqueues": "ClusterQueue"} {
		kinds[schema.GroupVersionResource{Group: "kueue.x-k8s.io", Version: version, Resource: resource}] = kind + "List"
	}
	client := dynamicfake.NewSimpleDynamicClientWithCustomListKinds(runtime.NewScheme(), kinds,
		kueueObject(version, "Workload", "ml", "train", map[string]any{"queueName": "team-a"}),
		kueueObject(version, "LocalQueue", "ml", "team-a", map[string]any{"clusterQueue": "gpu"}),
		kueueObject(version, "ClusterQueue", "", "gpu", nil))
	client.PrependReactor("get", "clusterqueues", func(action clienttesting.Action) (bool, runtime.Object, error) {
		if action.GetSubresource() == "" {
			return false, nil, nil
		}
		items := []any{map[string]any{"metadata": map[string]any{"namespace": "ml", "name": "train"}, "positionInClusterQueue": int64(4)}}
		return true, &unstructured.Unstructured{Object: map[string]any{"kind": "PendingWorkloadsSummary", "items": items}}, nil
	})
	asker = newTestCachedReader(t, "")
	asker.options.Dynamic = client
	return asker, func() []string {
		var all []string
		for _, a := range client.Actions() {
			words := a.GetVerb() + " " + a.GetResource().Version + " " + a.GetResource().Resource
			if a.GetSubresource() != "" {
				words += "/" + a.GetSubresource()
			}
			all = append(all, words)
		}
		slices.Sort(all)
		return all
	}
}

// served are API groups, "group/version" each.
func served(all ...schema.GroupVersion) *metav1.APIGroupList {
	list := &metav1.APIGroupList{}
	for _, gv := range all {
		list.Groups = append(list.Groups, metav1.APIGroup{Name: gv.Group, Versions: []metav1.GroupVersionForDiscovery{{GroupVersion: gv.String(), Version: gv.Version}}})
	}
	return list
}

func TestKueueIsAskedInTheVersionsThatItServes(t *testing.T) {
	group := func(version string) schema.GroupVersion {
		return schema.GroupVersion{Group: "kueue.x-k8s.io", Version: version}
	}
	visible := func(version string) schema.GroupVersion {
		return schema.GroupVersion{Group: "visibility.kueue.x-k8s.io", Version: version}
	}
	for name, c := range map[string]struct {
		version string
		groups  *metav1.APIGroupList
		want    string
	}{
		"not at all":          {"v1beta2", served(schema.GroupVersion{Group: "apps", Version: "v1"}), "[]"},
		"another version":     {"v1beta2", served(group("v1alpha2")), "[]"},
		"without positions":   {"v1beta2", served(group("v1beta2")), "[get v1beta2 clusterqueues get v1beta2 localqueues list v1beta2 workloads]"},
		"older":               {"v1beta1", served(group("v1beta1")), "[get v1beta1 clusterqueues get v1beta1 localqueues list v1beta1 workloads]"},
		"with positions":      {"v1beta2", served(group("v1beta2"), visible("v1beta2")), "[get v1beta2 clusterqueues get v1beta2 clusterqueues/pendingworkloads get v1beta2 localqueues list v1beta2 workloads]"},
		"with older ones":     {"v1beta2", served(group("v1beta2"), visible("v1beta1")), "[get v1beta1 clusterqueues/pendingworkloads get v1beta2 clusterqueues get v1beta2 localqueues list v1beta2 workloads]"},
		"nobody knows groups": {"v1beta2", nil, "[]"}, // the server says that it has none of Kueue
	} {
		t.Run(name, func(t *testing.T) {
			asker, asked := queueAsker(t, c.version)
			asker.Use(Held{Groups: c.groups})
			for range 2 { // the second answer is remembered
				s := queueOf(t.Context(), asker, kueue.Subject{Namespace: "ml", Owners: []types.UID{"pod", "job"}})
				if (s == nil) != (c.want == "[]") {
					t.Fatalf("%+v", s)
				}
				if s == nil {
					continue
				}
				if s.Workload == nil || s.Queue != "team-a" || s.LocalQueue == nil || s.ClusterQueue == nil || s.ClusterQueue.Name != "gpu" || len(s.Unread) > 0 {
					t.Errorf("%+v", s)
				}
				if (s.Position != nil) != (len(c.groups.Groups) > 1) || s.Position != nil && *s.Position != 4 {
					t.Errorf("position %v", s.Position)
				}
			}
			if got := fmt.Sprint(asked()); got != c.want {
				t.Errorf("asked %s, want %s", got, c.want)
			}
		})
	}
}

func TestAPodWithoutAWorkloadIsToldOfItsQueue(t *testing.T) {
	asker, _ := queueAsker(t, "v1beta2")
	asker.Use(Held{Groups: served(schema.GroupVersion{Group: "kueue.x-k8s.io", Version: "v1beta2"})})
	s := queueOf(t.Context(), asker, kueue.Subject{Namespace: "ml", Queue: "nowhere", Owners: []types.UID{"other"}})
	if s == nil || s.Workload != nil || s.LocalQueue == nil || !s.LocalQueue.Gone || s.ClusterQueue != nil || s.Position != nil {
		t.Errorf("%+v", s)
	}
}
