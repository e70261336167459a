package demo

import (
	"flag"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-fathom/kubectl-fathom/kube/cluster"
)

// largeNodes is the size of the cluster that BenchmarkStory tells.
var largeNodes = flag.Int("nodes", MostNodes, "how many nodes the benchmark's cluster has")

// BenchmarkStory tells how long a large cluster takes until it rests (the pods
// that wait have been judged, and the dashboard's engine is up to date), and what
// memory it needs then.
func BenchmarkStory(b *testing.B) {
	for b.Loop() {
		began := time.Now()
		c, err := StartStory(b.Context(), Story{Nodes: *largeNodes, Seed: 1, Still: true})
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(time.Since(began).Seconds(), "s/started")
		source, err := c.Source(b.Context())
		if err != nil {
			b.Fatal(err)
		}
		joined, err := cluster.New(b.Context(), source, cluster.Options{})
		if err != nil {
			b.Fatal(err)
		}
		if err := joined.Wait(b.Context()); err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(time.Since(began).Seconds(), "s/shown")
		for !judged(b, c) {
			time.Sleep(100 * time.Millisecond)
		}
		b.ReportMetric(time.Since(began).Seconds(), "s/settled")
		b.ReportMetric(float64(len(c.plane.Informers().Core().V1().Pods().Informer().GetStore().ListKeys())), "pods")
		runtime.GC()
		b.ReportMetric(resident(), "MiB/resident")
		time.Sleep(20 * time.Second)
		b.ReportMetric(resident(), "MiB/after")
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		b.ReportMetric(float64(m.HeapAlloc)/(1<<20), "MiB/heap")
		joined.Close()
		c.Stop()
	}
}

// judged says whether kube-scheduler has said why of each pod that it may look at.
func judged(b *testing.B, c *Cluster) bool {
	b.Helper()
	list, err := c.Client().CoreV1().Pods("").List(b.Context(), metav1.ListOptions{FieldSelector: "spec.nodeName="})
	if err != nil {
		b.Fatal(err)
	}
	for i := range list.Items {
		pod := &list.Items[i]
		if pod.Spec.SchedulerName != corev1.DefaultSchedulerName {
			continue
		}
		if len(pod.Status.Conditions) == 0 || pod.Status.Conditions[0].Message == "" {
			return false
		}
	}
	return true
}

// resident is what the process holds of the machine's memory, in MiB.
func resident() float64 {
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			var kib float64
			for _, r := range rest {
				if r >= '0' && r <= '9' {
					kib = kib*10 + float64(r-'0')
				}
			}
			return kib / 1024
		}
	}
	return 0
}
