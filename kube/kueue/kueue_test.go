package kueue

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	dynamicfake "k8s.io/client-go/dynamic/fake"
	clienttesting "k8s.io/client-go/testing"
	"sigs.k8s.io/yaml"
)

// held are objects as Kueue writes them, of a version.
const held = `
apiVersion: kueue.x-k8s.io/VERSION
kind: Workload
metadata: {namespace: ml, name: job-train, creationTimestamp: "2026-06-01T12:00:00Z", ownerReferences: [{apiVersion: batch/v1, kind: Job, name: train, uid: job-uid}]}
spec: {queueName: team-a, active: false, podSets: [{name: main, count: 2, template: {spec: {containers: []}}}]}
status:
  admission: {clusterQueue: gpu, podSetAssignments: []}
  conditions: [{type: QuotaReserved, status: "True", reason: QuotaReserved, message: Quota reserved in ClusterQueue gpu, lastTransitionTime: "2026-06-01T12:00:30Z"}]
  admissionChecks: [{name: provision, state: Pending, message: no capacity, lastTransitionTime: "2026-06-01T12:00:30Z"}]
---
apiVersion: kueue.x-k8s.io/VERSION
kind: LocalQueue
metadata: {namespace: ml, name: team-a}
spec: {clusterQueue: gpu, stopPolicy: Hold}
status: {pendingWorkloads: 3, conditions: [{type: Active, status: "False", reason: Stopped, message: LocalQueue is stopped, lastTransitionTime: "2026-06-01T12:00:30Z"}]}
---
apiVersion: kueue.x-k8s.io/VERSION
kind: ClusterQueue
metadata: {name: gpu}
spec:
  stopPolicy: None
  resourceGroups:
  - coveredResources: [cpu, nvidia.com/gpu]
    flavors:
    - {name: spot, resources: [{name: cpu, nominalQuota: 40}, {name: nvidia.com/gpu, nominalQuota: "8"}]}
    - {name: reserved, resources: [{name: cpu, nominalQuota: 500m}]}
status:
  pendingWorkloads: 12
  conditions: [{type: Active, status: "True", reason: Ready, message: Can admit new workloads, lastTransitionTime: "2026-06-01T12:00:30Z"}]
  flavorsReservation: [{name: spot, resources: [{name: cpu, total: 42, borrowed: 2}]}]
  flavorsUsage: [{name: spot, resources: [{name: cpu, total: 36}]}]
`

// aReader reads the objects in a version, or fails with an error.
func aReader(t *testing.T, version string, failing error) Reader {
	t.Helper()
	kinds, objects := map[schema.GroupVersionResource]string{}, []runtime.Object{}
	for text := range strings.SplitSeq(strings.ReplaceAll(held, "VERSION", version), "---\n") {
		object := &unstructured.Unstructured{}
		if err := yaml.Unmarshal([]byte(text), &object.Object); err != nil {
			t.Fatal(err)
		}
		objects = append(objects, object)
		resource := strings.ToLower(object.GetKind()) + "s"
		kinds[schema.GroupVersionResource{Group: "kueue.x-k8s.io", Version: version, Resource: resource}] = object.GetKind() + "List"
	}
	client := dynamicfake.NewSimpleDynamicClientWithCustomListKinds(runtime.NewScheme(), kinds, objects...)
	if failing != nil {
		client.PrependReactor("*", "*", func(clienttesting.Action) (bool, runtime.Object, error) { return true, nil, failing })
	}
	return Reader{Dynamic: client, Words: error.Error, Version: version, Visibility: version}
}

func TestObjectsAreReadAsTheyStandInBothVersions(t *testing.T) {
	for _, version := range Versions {
		r := aReader(t, version, nil)
		found := r.Workloads(t.Context(), "ml")
		if found.Unread != "" || found.Absent || len(found.All) != 1 {
			t.Fatalf("%+v", found)
		}
		w := found.All[0]
		if w.Name != "job-train" || w.Queue != "team-a" || !w.Inactive || w.ClusterQueue != "gpu" || fmt.Sprint(w.Owners) != "[job-uid]" || w.Created.IsZero() ||
			len(w.Conditions) != 1 || w.Conditions[0].Message != "Quota reserved in ClusterQueue gpu" || fmt.Sprint(w.Checks) != "[{provision Pending no capacity}]" {
			t.Errorf("%+v", w)
		}
		l, unread := r.LocalQueue(t.Context(), "ml", "team-a")
		if unread != "" || l.ClusterQueue != "gpu" || l.StopPolicy != "Hold" || l.Gone || len(l.Conditions) != 1 {
			t.Errorf("%+v %s", l, unread)
		}
		c, unread := r.ClusterQueue(t.Context(), "gpu")
		if unread != "" || *c.Pending != 12 || c.Gone || len(c.Conditions) != 1 || len(c.Quotas) != 3 {
			t.Fatalf("%+v %s", c, unread)
		}
		q := c.Quotas[0]
		if q.Flavor != "spot" || q.Resource != "cpu" || q.Nominal.String() != "40" || q.Used.String() != "36" || q.Reserved.String() != "42" || q.Borrowed.String() != "2" {
			t.Errorf("%+v", q)
		}
		if q := c.Quotas[1]; q.Used != nil || q.Reserved != nil || q.Borrowed != nil {
			t.Errorf("figures that are missing are given: %+v", q)
		}
		if l, _ := r.LocalQueue(t.Context(), "ml", "other"); !l.Gone {
			t.Errorf("%+v", l)
		}
		if c, _ := r.ClusterQueue(t.Context(), "other"); !c.Gone {
			t.Errorf("%+v", c)
		}
	}
}

func TestWhatMayNotBeReadIsUnknown(t *testing.T) {
	r := aReader(t, "v1beta2", apierrors.NewForbidden(schema.GroupResource{Resource: "x"}, "", errors.New("no")))
	_, local := r.LocalQueue(t.Context(), "ml", "team-a")
	_, cluster := r.ClusterQueue(t.Context(), "gpu")
	positions := r.Positions(t.Context(), "gpu")
	for got, want := range map[string]string{
		r.Workloads(t.Context(), "ml").Unread: "not allowed to list workloads.kueue.x-k8s.io",
		local:                                 "not allowed to get localqueues.kueue.x-k8s.io",
		cluster:                               "not allowed to get clusterqueues.kueue.x-k8s.io",
		positions.Unread:                      "not allowed to get clusterqueues/pendingworkloads.visibility.kueue.x-k8s.io",
	} {
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	if !positions.Forbidden || positions.Of != nil {
		t.Errorf("%+v", positions)
	}
	r = aReader(t, "v1beta2", errors.New("no answer"))
	if got := r.Workloads(t.Context(), "ml"); got.Unread != "list workloads.kueue.x-k8s.io: no answer" || got.Absent {
		t.Errorf("%+v", got)
	}
	r = aReader(t, "v1beta2", apierrors.NewNotFound(schema.GroupResource{Resource: "x"}, ""))
	if got := r.Workloads(t.Context(), "ml"); !got.Absent || got.Unread != "" {
		t.Errorf("%+v", got)
	}
	if got := r.Positions(t.Context(), "gpu"); got.Unread != "" || got.Of != nil {
		t.Errorf("%+v", got)
	}
}

func TestPositionsAreThoseOfTheVisibilityAPI(t *testing.T) {
	r := aReader(t, "v1beta2", nil)
	var asked []string
	r.Dynamic.(*dynamicfake.FakeDynamicClient).PrependReactor("get", "*", func(action clienttesting.Action) (bool, runtime.Object, error) {
		asked = append(asked, action.GetNamespace()+" "+action.GetResource().GroupVersion().String()+" "+action.GetResource().Resource+"/"+action.GetSubresource())
		return true, &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "visibility.kueue.x-k8s.io/v1beta2", "kind": "PendingWorkloadsSummary", "items": []any{
				map[string]any{"metadata": map[string]any{"namespace": "ml", "name": "other"}, "positionInClusterQueue": int64(0)},
				map[string]any{"metadata": map[string]any{"namespace": "ml", "name": "job-train"}, "positionInClusterQueue": int64(1), "positionInLocalQueue": int64(0)},
			},
		}}, nil
	})
	for _, got := range []Positions{r.Positions(t.Context(), "gpu"), r.PositionsOfLocalQueue(t.Context(), "ml", "team-a")} {
		at, ok := got.Of[types.NamespacedName{Namespace: "ml", Name: "job-train"}]
		if !ok || at != 1 || len(got.Of) != 2 || got.Unread != "" {
			t.Errorf("%+v", got)
		}
	}
	if want := "[ visibility.kueue.x-k8s.io/v1beta2 clusterqueues/pendingworkloads ml visibility.kueue.x-k8s.io/v1beta2 localqueues/pendingworkloads]"; fmt.Sprint(asked) != want {
		t.Errorf("got %q, want %s", asked, want)
	}
}
