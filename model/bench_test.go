package model

import (
	"fmt"
	"runtime"
	"testing"

	corev1 "k8s.io/api/core/v1"
)

func BenchmarkNextSnapshot(b *testing.B) {
	for _, pods := range []int{1_000, 10_000, 50_000} {
		b.Run(fmt.Sprintf("pods=%d", pods), func(b *testing.B) {
			builder, objects := fill(pods/10, 10)
			builder.Build(0, Status{}, nil)
			states := [2]*corev1.Pod{objects[pods/2], objects[pods/2].DeepCopy()}
			states[1].Status.ContainerStatuses[0].RestartCount++
			b.ReportAllocs()
			revision := int64(0)
			for b.Loop() {
				revision++
				builder.Pod(states[(revision+1)%2], states[revision%2])
				builder.Build(revision, Status{}, nil)
			}
		})
	}
}

func BenchmarkFirstSnapshot(b *testing.B) {
	for _, pods := range []int{1_000, 50_000} {
		b.Run(fmt.Sprintf("pods=%d", pods), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				b.StopTimer()
				builder, _ := fill(pods/10, 10)
				b.StartTimer()
				builder.Build(0, Status{}, nil)
			}
		})
	}
}

// BenchmarkHeld reports what a snapshot and its builder hold beside the objects.
func BenchmarkHeld(b *testing.B) {
	const pods = 50_000
	for b.Loop() {
		builder, objects := fill(pods/10, 10)
		before := heap()
		snapshot := builder.Build(0, Status{}, nil)
		b.ReportMetric(float64(heap()-before)/(1<<20), "MiB")
		runtime.KeepAlive(snapshot)
		runtime.KeepAlive(objects)
		runtime.KeepAlive(builder)
	}
}

func heap() uint64 {
	runtime.GC()
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return stats.HeapAlloc
}
