package cluster

import (
	"context"
	"errors"
	"flag"
	"testing"
	"time"

	"go.uber.org/goleak"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"

	"github.com/kubectl-fathom/kubectl-fathom/explain"
	"github.com/kubectl-fathom/kubectl-fathom/explain/scheduler"
	"github.com/kubectl-fathom/kubectl-fathom/model"
)

func TestMain(m *testing.M) {
	explain.Silence()
	// The command line still wins.
	if err := errors.Join(flag.Set("rapid.checks", "20"), flag.Set("rapid.nofailfile", "true")); err != nil {
		panic(err)
	}
	goleak.VerifyTestMain(m)
}

// patience bounds what a test waits for; nothing passes because it ran out.
const patience = 2 * time.Minute

// newSource makes a source of a client that the test can change.
func newSource(client *fake.Clientset) *Source {
	return &Source{
		Factory: informers.NewSharedInformerFactoryWithOptions(client, 0, informers.WithTransform(strip)),
		Client:  client,
		Trace:   scheduler.NewUnreadable(),
		Status:  func() model.Status { return model.Status{Context: "test"} },
	}
}

// strip takes off what the fake API server alone adds.
func strip(object any) (any, error) {
	if o, ok := object.(metav1.Object); ok {
		o.SetManagedFields(nil)
	}
	if o, ok := object.(runtime.Object); ok {
		o.GetObjectKind().SetGroupVersionKind(schema.GroupVersionKind{})
	}
	return object, nil
}

// newClient makes a client that holds objects.
func newClient(objects ...runtime.Object) *fake.Clientset { return fake.NewClientset(objects...) }

// open starts a cluster that ends with the test.
func open(t *testing.T, source *Source, options Options) *Cluster {
	t.Helper()
	c, err := New(t.Context(), source, options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// next is the next snapshot.
func next(t *testing.T, c *Cluster) *model.Snapshot {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	s, err := c.Next(ctx)
	if err != nil {
		t.Fatalf("next snapshot: %v", err)
	}
	return s
}

// until takes snapshots until one is as wanted.
func until(t *testing.T, c *Cluster, what string, wanted func(*model.Snapshot) bool) *model.Snapshot {
	t.Helper()
	deadline := time.Now().Add(patience)
	for time.Now().Before(deadline) {
		if s := next(t, c); wanted(s) {
			return s
		}
	}
	t.Fatalf("no snapshot with %s", what)
	return nil
}

// read takes snapshots until everything is in.
func read(t *testing.T, c *Cluster) *model.Snapshot {
	t.Helper()
	return until(t, c, "everything in", func(s *model.Snapshot) bool { return len(s.Status.Reading) == 0 })
}

// node makes a node with room.
func node(name string, cpu string) *corev1.Node {
	room := corev1.ResourceList{
		corev1.ResourceCPU:    resource.MustParse(cpu),
		corev1.ResourceMemory: resource.MustParse("8Gi"),
		corev1.ResourcePods:   resource.MustParse("110"),
	}
	return &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: name, UID: types.UID("node-" + name), Labels: map[string]string{corev1.LabelHostname: name}},
		Status:     corev1.NodeStatus{Allocatable: room, Capacity: room},
	}
}

// pod makes a pod that wants cpu; on is its node, "" for none.
func pod(name, cpu, on string) *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: name, UID: types.UID("pod-" + name)},
		Spec: corev1.PodSpec{
			NodeName:      on,
			SchedulerName: corev1.DefaultSchedulerName,
			Containers: []corev1.Container{{
				Name:      "app",
				Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse(cpu)}},
			}},
		},
		Status: corev1.PodStatus{Phase: corev1.PodPending},
	}
}

// podNames are the names of the pods of a snapshot, in its order.
func podNames(s *model.Snapshot) []string {
	names := []string{}
	for _, p := range s.Pods {
		names = append(names, p.Object.Name)
	}
	return names
}
