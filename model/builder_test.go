package model

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"pgregory.net/rapid"

	"github.com/kubectl-fathom/kubectl-fathom/model/modeltest"
)

// world is a cluster as an informer's store holds it.
type world struct {
	nodes map[string]*corev1.Node
	pods  map[types.NamespacedName]*corev1.Pod
}

// change does something at random to the world and tells the builder.
func (w *world) change(t *rapid.T, b *Builder) {
	if modeltest.Chance(t, "a node changes") {
		node := modeltest.AnyNode(t)
		was := w.nodes[node.Name]
		if was != nil && modeltest.Chance(t, "the node goes") {
			delete(w.nodes, node.Name)
			b.Node(was, nil)
			return
		}
		w.nodes[node.Name] = node
		b.Node(was, node)
		return
	}
	pod := modeltest.AnyPod(t)
	name := types.NamespacedName{Namespace: pod.Namespace, Name: pod.Name}
	was := w.pods[name]
	if was != nil && modeltest.Chance(t, "the pod goes") {
		delete(w.pods, name)
		b.Pod(was, nil)
		return
	}
	w.pods[name] = pod
	b.Pod(was, pod)
}

// again builds the world from nothing.
func (w *world) anew() *Snapshot {
	b := NewBuilder()
	for _, pod := range w.pods {
		b.Pod(nil, pod)
	}
	for _, node := range w.nodes {
		b.Node(nil, node)
	}
	return b.Build(0, Status{}, nil)
}

// sameObjects compares snapshots, and the objects in them by identity.
var sameObjects = cmp.Options{
	cmpopts.EquateEmpty(),
	cmp.AllowUnexported(Pod{}),
	cmp.Comparer(func(a, b *corev1.Pod) bool { return a == b }),
	cmp.Comparer(func(a, b *corev1.Node) bool { return a == b }),
}

func TestStepsAndOneLeapGiveTheSameSnapshot(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w, b := world{map[string]*corev1.Node{}, map[types.NamespacedName]*corev1.Pod{}}, NewBuilder()
		for range rapid.IntRange(1, 6).Draw(t, "builds") {
			for range rapid.IntRange(0, 6).Draw(t, "changes") {
				w.change(t, b)
			}
			got, want := b.Build(0, Status{}, nil), w.anew()
			if diff := cmp.Diff(want, got, sameObjects); diff != "" {
				t.Fatalf("built in steps it differs from built at once (-once +steps):\n%s", diff)
			}
		}
	})
}

func TestASnapshotNeverChanges(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w, b := world{map[string]*corev1.Node{}, map[types.NamespacedName]*corev1.Pod{}}, NewBuilder()
		for range 8 {
			w.change(t, b)
		}
		held := b.Build(1, Status{}, nil)
		before := fmt.Sprintf("%+v", flat(held))
		for range 4 {
			w.change(t, b)
			b.Build(2, Status{}, nil)
		}
		if after := fmt.Sprintf("%+v", flat(held)); after != before {
			t.Fatalf("was\n%s\nis\n%s", before, after)
		}
	})
}

// flat writes out all that a snapshot points to.
func flat(s *Snapshot) (all []any) {
	for _, node := range s.Nodes {
		all = append(all, *node)
	}
	for _, pod := range s.Pods {
		all = append(all, *pod)
	}
	for _, kind := range s.Pending {
		all = append(all, *kind)
	}
	return all
}

func TestOnlyWhatChangedIsMadeAnew(t *testing.T) {
	b, objects := fill(20, 10)
	before := b.Build(1, Status{}, nil)
	moved := objects[7].DeepCopy()
	moved.Status.Phase = corev1.PodFailed
	b.Pod(objects[7], moved)
	after := b.Build(2, Status{}, nil)

	for i, pod := range after.Pods {
		if same := pod == before.Pods[i]; same != (pod.Object.Name != moved.Name) {
			t.Errorf("%s: shared %t", pod.FullName(), same)
		}
	}
	for i, node := range after.Nodes {
		if same := node == before.Nodes[i]; same != (node.Name != moved.Spec.NodeName) {
			t.Errorf("%s: shared %t", node.Name, same)
		}
	}
	if len(before.Pods) != len(after.Pods) || len(before.Nodes) != len(after.Nodes) {
		t.Errorf("%d pods and %d nodes became %d and %d", len(before.Pods), len(before.Nodes), len(after.Pods), len(after.Nodes))
	}
}

func TestNothingNewSharesEverything(t *testing.T) {
	b, objects := fill(5, 4)
	before := b.Build(1, Status{}, nil)
	b.Pod(objects[0], objects[0])
	after := b.Build(2, Status{Context: "prod-eu"}, nil)
	if &before.Pods[0] != &after.Pods[0] || &before.Nodes[0] != &after.Nodes[0] {
		t.Error("the slices were copied though no object changed")
	}
	if after.Revision != 2 || after.Status.Context != "prod-eu" {
		t.Errorf("revision %d of context %q", after.Revision, after.Status.Context)
	}
}

func TestAPodIsFoundByName(t *testing.T) {
	b, objects := fill(10, 3)
	s := b.Build(1, Status{}, nil)
	for _, object := range objects {
		byName, ok := s.PodNamed(object.Namespace, object.Name)
		if !ok || byName.Object != object {
			t.Fatalf("%s/%s: by name %v", object.Namespace, object.Name, byName)
		}
	}
	if _, ok := s.PodNamed("shop", "none"); ok {
		t.Error("found a pod that is not there")
	}
	if node, ok := s.Node("node-00003"); !ok || node.Name != "node-00003" {
		t.Errorf("node-00003: %v", node)
	}
	if _, ok := s.Node("node-9"); ok {
		t.Error("found a node that is not there")
	}
}

// fill builds a cluster of typical pods on equal nodes.
func fill(nodes, podsEach int) (*Builder, []*corev1.Pod) {
	b := NewBuilder()
	hosts, pods := modeltest.Cluster(nodes, podsEach)
	for _, node := range hosts {
		b.Node(nil, node)
	}
	for _, pod := range pods {
		b.Pod(nil, pod)
	}
	return b, pods
}

// TestResizesAreClassesOfTheirOwn from when the kubelet says that a running pod is to be resized until
// it is done; an unscheduled pod is pending for other reasons.
func TestResizesAreClassesOfTheirOwn(t *testing.T) {
	deferred := func(p *corev1.Pod) {
		p.Status.Phase = corev1.PodRunning
		p.Status.ContainerStatuses = []corev1.ContainerStatus{{State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{}}}}
		p.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodResizePending, Status: corev1.ConditionTrue, Reason: corev1.PodReasonDeferred}}
	}
	b := NewBuilder()
	pod, other := modeltest.NewPod("shop/a", "n", "1", "1Gi", 0, deferred), modeltest.NewPod("shop/b", "", "1", "1Gi", 0, deferred)
	b.Pod(nil, pod)
	b.Pod(nil, other)
	s := b.Build(1, Status{}, nil)
	if len(s.Resizing) != 1 || s.Resizing[0].Resize.State != ResizeDeferred || s.Resizing[0].First().Object != pod || len(s.Pending) != 1 {
		t.Fatalf("%d resizes, %d pending", len(s.Resizing), len(s.Pending))
	}
	done := pod.DeepCopy()
	done.Status.Conditions = nil
	b.Pod(pod, done)
	if now := b.Build(2, Status{}, nil); len(now.Resizing) != 0 || len(s.Resizing) != 1 {
		t.Errorf("%d resizes once it is done, and %d before", len(now.Resizing), len(s.Resizing))
	}
}
