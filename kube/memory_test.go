package kube

import (
	"fmt"
	"runtime"
	"testing"

	corev1 "k8s.io/api/core/v1"
)

// BenchmarkHeapOfBigCluster tells what 5,000 nodes of 50 images and 50,000 pods
// of 250 workloads weigh, stripped and as they come.
func BenchmarkHeapOfBigCluster(b *testing.B) {
	const nodes, pods, workloads = 5_000, 50_000, 250
	heap := func() float64 {
		runtime.GC()
		runtime.GC() // what finalizers held
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return float64(m.HeapAlloc) / (1 << 20)
	}
	decode := func(name, node string) *corev1.Pod { // as it comes over the wire: nothing shared
		data, err := samplePod(name, node).Marshal()
		if err != nil {
			b.Fatal(err)
		}
		pod := &corev1.Pod{}
		if err := pod.Unmarshal(data); err != nil {
			b.Fatal(err)
		}
		return pod
	}
	decodeNode := func(name string) *corev1.Node {
		data, err := sampleNode(name).Marshal()
		if err != nil {
			b.Fatal(err)
		}
		node := &corev1.Node{}
		if err := node.Unmarshal(data); err != nil {
			b.Fatal(err)
		}
		return node
	}
	for b.Loop() {
		before := heap()
		strip := newStripper()
		kept := make([]any, 0, nodes+pods)
		for i := range nodes {
			kept = append(kept, must(strip.strip(decodeNode(fmt.Sprintf("node-%d", i)))))
		}
		nodesHeap := heap() - before
		strip = newStripper()
		for i := range pods {
			pod := decode(fmt.Sprintf("workload%d-%d", i%workloads, i), fmt.Sprintf("node-%d", i%nodes))
			kept = append(kept, must(strip.strip(pod)))
		}
		b.ReportMetric(nodesHeap, "MiB-nodes")
		b.ReportMetric(heap()-before-nodesHeap, "MiB-pods")
		runtime.KeepAlive(kept)
		runtime.KeepAlive(strip)
	}
}

// BenchmarkStrip is what a pod of a known workload costs as it arrives.
func BenchmarkStrip(b *testing.B) {
	strip := newStripper()
	data, err := samplePod("web-1", "node-1").Marshal()
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
		must(strip.strip(pod))
	}
}

func must(o any, err error) any {
	if err != nil {
		panic(err)
	}
	return o
}
