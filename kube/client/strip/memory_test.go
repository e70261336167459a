package strip

import (
	"context"
	"fmt"
	"runtime"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"

	"github.com/kubectl-fathom/kubectl-fathom/explain"
	"github.com/kubectl-fathom/kubectl-fathom/explain/scheduler"
	"github.com/kubectl-fathom/kubectl-fathom/kube/client/sample"
	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// BenchmarkHeapOfCluster tells what a cluster weighs: its stripped objects (nodes
// of 50 images, ten pods of 6 KB on each, of 250 workloads), and the engine and
// the model over them.
func BenchmarkHeapOfCluster(b *testing.B) {
	explain.Silence()
	for _, nodes := range []int{100, 1_000, 5_000} {
		b.Run(fmt.Sprintf("nodes=%d", nodes), func(b *testing.B) {
			for b.Loop() {
				weigh(b, nodes)
			}
		})
	}
}

// weigh reports the heap of a cluster, layer by layer.
func weigh(b *testing.B, size int) {
	ctx, cancel := context.WithCancel(b.Context())
	defer cancel()
	before := heapInUse()
	changes := strippedCluster(b, size)
	objects := heapInUse() - before

	client := fake.NewClientset()
	factory := informers.NewSharedInformerFactory(client, 0)
	engine, err := explain.New(ctx, factory, client, explain.Options{})
	if err != nil {
		b.Fatal(err)
	}
	if err := engine.Apply(1, changes); err != nil {
		b.Fatal(err)
	}
	builder := model.NewBuilder()
	for _, change := range changes {
		switch object := change.New.(type) {
		case *corev1.Node:
			builder.Node(nil, object)
		case *corev1.Pod:
			builder.Pod(nil, object)
		}
	}
	snapshot := builder.Build(1, model.Status{}, nil)
	all := heapInUse() - before
	b.ReportMetric(objects, "MiB-objects")
	b.ReportMetric(all-objects, "MiB-engine+model")
	b.ReportMetric(all, "MiB-together")
	runtime.KeepAlive(snapshot)
	runtime.KeepAlive(builder)
	runtime.KeepAlive(engine)
}

// strippedCluster is a cluster as it comes over the wire, stripped and shared.
func strippedCluster(b *testing.B, nodes int) []scheduler.Change {
	const podsOnEach, workloads = 10, 250
	strip := New()
	var changes []scheduler.Change
	for i := range nodes {
		node := &corev1.Node{}
		overTheWire(b, sample.Node(fmt.Sprintf("node-%d", i)), node)
		changes = append(changes, scheduler.Change{New: must(strip.Strip(node)).(*corev1.Node)})
	}
	for i := range nodes * podsOnEach {
		pod := &corev1.Pod{}
		overTheWire(b, sample.Pod(fmt.Sprintf("workload%d-%d", i%workloads, i), fmt.Sprintf("node-%d", i%nodes)), pod)
		changes = append(changes, scheduler.Change{New: must(strip.Strip(pod)).(*corev1.Pod)})
	}
	return changes
}

// overTheWire decodes into to what from encodes to: nothing is shared then.
func overTheWire(b *testing.B, from interface{ Marshal() ([]byte, error) }, to interface{ Unmarshal([]byte) error }) {
	data, err := from.Marshal()
	if err == nil {
		err = to.Unmarshal(data)
	}
	if err != nil {
		b.Fatal(err)
	}
}

// heapInUse is the live heap in MiB.
func heapInUse() float64 {
	runtime.GC()
	runtime.GC() // what finalizers held
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc) / (1 << 20)
}

// BenchmarkStrip is what a pod of a known workload costs as it arrives.
func BenchmarkStrip(b *testing.B) {
	strip := New()
	data, err := sample.Pod("web-1", "node-1").Marshal()
	if err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(float64(len(data)), "wire-bytes")
	b.ReportAllocs()
	for b.Loop() {
		b.StopTimer()
		pod := &corev1.Pod{}
		if err := pod.Unmarshal(data); err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
		must(strip.Strip(pod))
	}
}

func must(o any, err error) any {
	if err != nil {
		panic(err)
	}
	return o
}
