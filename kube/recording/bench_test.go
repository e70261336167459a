package recording

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-fathom/kubectl-fathom/demo"
	"github.com/kubectl-fathom/kubectl-fathom/kube/cluster"
	"github.com/kubectl-fathom/kubectl-fathom/kube/snapshot"
	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// benchSteps is how many steps the benchmark records.
const benchSteps = 3

// recordLarge records the embedded cluster of 1,000 nodes, in which nothing
// happens, and tells what a step costs.
func recordLarge(b *testing.B) *Recording {
	b.Helper()
	running, err := demo.StartStory(b.Context(), demo.Story{Nodes: 1000, Seed: 1, Still: true})
	if err != nil {
		b.Fatal(err)
	}
	defer running.Stop()
	source, err := running.Source(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	c, err := cluster.New(b.Context(), source, cluster.Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer c.Close()
	if err := c.Wait(b.Context()); err != nil {
		b.Fatal(err)
	}
	time.Sleep(30 * time.Second) // until the scheduler has judged every pod
	dir, taken := b.TempDir(), time.Now()
	var took, saved time.Duration
	var size int64
	for range benchSteps {
		began := time.Now()
		s, err := snapshot.Take(b.Context(), source, c.Newest(), snapshot.Options{Taken: taken})
		if err != nil {
			b.Fatal(err)
		}
		took += time.Since(began)
		name := filepath.Join(dir, FileName(taken))
		if err := s.Save(name, false); err != nil {
			b.Fatal(err)
		}
		saved += time.Since(began)
		about, err := os.Stat(name)
		if err != nil {
			b.Fatal(err)
		}
		size, taken = about.Size(), taken.Add(time.Minute)
	}
	b.ReportMetric(float64(took.Milliseconds())/benchSteps, "ms/take")
	b.ReportMetric(float64(saved.Milliseconds())/benchSteps, "ms/write")
	b.ReportMetric(float64(size)/1024, "KiB/step")
	r, err := Open(dir)
	if err != nil {
		b.Fatal(err)
	}
	return r
}

// BenchmarkRecording tells what it costs to record a large cluster, to go to
// another step, to compare two and to look back. Run it with -benchtime 1x.
func BenchmarkRecording(b *testing.B) {
	r := recordLarge(b)
	p, err := Play(b.Context(), r, benchSteps-1, PlayOptions{})
	if err != nil {
		b.Fatal(err)
	}
	defer p.Close()
	shown := stepped(b, p, benchSteps)
	timed := func(unit string, work func()) {
		runtime.GC()
		began := time.Now()
		work()
		b.ReportMetric(float64(time.Since(began).Milliseconds()), unit)
	}
	timed("ms/go", func() {
		if err := p.Go(b.Context(), 1); err != nil {
			b.Fatal(err)
		}
		shown = stepped(b, p, 2)
	})
	timed("ms/changes", func() {
		if _, err := p.Changes(b.Context(), 1); err != nil {
			b.Fatal(err)
		}
	})
	past := p.Past(1, waiting(b, shown))
	timed("ms/back2", func() {
		for done := false; !done; {
			h, err := past.Look(b.Context())
			if err != nil {
				b.Fatal(err)
			}
			done = h.Done
		}
	})
}

// stepped waits until a step, counted from 1, is shown.
func stepped(b *testing.B, p *Player, step int) *model.Snapshot {
	b.Helper()
	for {
		s, err := p.Next(b.Context())
		if err != nil {
			b.Fatal(err)
		}
		if s.Status.Step == step && len(s.Status.Reading) == 0 {
			return s
		}
	}
}

// waiting is a pod that waits for a node.
func waiting(b *testing.B, s *model.Snapshot) types.UID {
	b.Helper()
	for _, kind := range s.Pending {
		if pod := kind.First(); kind.NotCreated == nil && pod.Object.Spec.NodeName == "" {
			return pod.Object.UID
		}
	}
	b.Fatal("no pod waits")
	return ""
}
