package explain

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/explain/scheduler"
)

// benchSizes are the clusters of docs/performance.md, in nodes; each node has 50
// images and ten pods.
var benchSizes = []int{100, 1000, 5000}

func benchNode(i int) *corev1.Node {
	node := aNode(fmt.Sprintf("node-%05d", i), "15800m")
	node.Labels[corev1.LabelTopologyZone] = fmt.Sprintf("zone-%c", 'a'+i%3)
	node.Labels["pool"] = fmt.Sprintf("pool-%d", i%10)
	node.Labels["rack"] = fmt.Sprintf("rack-%d", i/20)
	for k := range 50 {
		node.Status.Images = append(node.Status.Images, corev1.ContainerImage{
			Names:     []string{fmt.Sprintf("registry.example.com/app/img-%d@sha256:%064d", (i+k)%200, k), fmt.Sprintf("registry.example.com/app/img-%d:v1", (i+k)%200)},
			SizeBytes: 100 << 20,
		})
	}
	switch {
	case i%10 == 3:
		nodeTaint("dedicated", "gpu", corev1.TaintEffectNoSchedule)(node)
	case i%10 == 7:
		nodeTaint("team", "data", corev1.TaintEffectNoSchedule)(node)
	case i%50 == 11:
		node.Spec.Unschedulable = true
		nodeTaint(corev1.TaintNodeUnschedulable, "", corev1.TaintEffectNoSchedule)(node)
	}
	return node
}

func benchBound(i, k int) *corev1.Pod {
	app := fmt.Sprintf("app-%d", (i*7+k*13)%500)
	pod := aPod(fmt.Sprintf("p-%05d-%02d", i, k), "1500m", on(fmt.Sprintf("node-%05d", i)), priority(int32(k%3)*500))
	pod.Labels["app"] = app
	pod.Status.StartTime = new(metav1.NewTime(testNow.Add(-time.Duration(i*10+k) * time.Second)))
	pod.Spec.Containers[0].Resources.Requests[corev1.ResourceMemory] = resource.MustParse("1900Mi")
	if k == 0 {
		pod.Spec.Affinity = shunning(corev1.LabelHostname, app)
	}
	return pod
}

// shunning is a required anti-affinity to the pods of an app.
func shunning(key, app string) *corev1.Affinity {
	return &corev1.Affinity{PodAntiAffinity: &corev1.PodAntiAffinity{RequiredDuringSchedulingIgnoredDuringExecution: []corev1.PodAffinityTerm{{
		TopologyKey: key, LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": app}},
	}}}}
}

// benchKinds are the three kinds of pods, none of which fits anywhere.
var benchKinds = []struct {
	name   string
	option func(*corev1.Pod)
}{
	{"plain", func(*corev1.Pod) {}},
	{"affinity", func(p *corev1.Pod) {
		p.Spec.NodeSelector = map[string]string{"pool": "pool-3"}
		p.Spec.Affinity = &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{RequiredDuringSchedulingIgnoredDuringExecution: &corev1.NodeSelector{
			NodeSelectorTerms: []corev1.NodeSelectorTerm{{MatchExpressions: []corev1.NodeSelectorRequirement{
				{Key: corev1.LabelTopologyZone, Operator: corev1.NodeSelectorOpIn, Values: []string{"zone-a"}},
			}}},
		}}}
	}},
	{"spread", func(p *corev1.Pod) {
		p.Labels["app"] = "app-1"
		p.Spec.Affinity = shunning("rack", "app-1")
		for _, key := range []string{corev1.LabelTopologyZone, corev1.LabelHostname} {
			p.Spec.TopologySpreadConstraints = append(p.Spec.TopologySpreadConstraints, corev1.TopologySpreadConstraint{
				MaxSkew: 1, TopologyKey: key, WhenUnsatisfiable: corev1.DoNotSchedule,
				LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "app-1"}},
			})
		}
	}},
}

func benchEngine(b *testing.B, nodes int) (*Engine, []*corev1.Pod) {
	b.Helper()
	e := startEngine(b, Options{})
	var changes []scheduler.Change
	var pods []*corev1.Pod
	for i := range nodes {
		changes = append(changes, scheduler.Change{New: benchNode(i)})
		for k := range 10 {
			pods = append(pods, benchBound(i, k))
			changes = append(changes, scheduler.Change{New: pods[len(pods)-1]})
		}
	}
	if err := e.Apply(2, changes); err != nil {
		b.Fatal(err)
	}
	return e, pods
}

func BenchmarkOnePodChanged(b *testing.B) {
	for _, size := range benchSizes {
		b.Run(fmt.Sprintf("nodes=%d", size), func(b *testing.B) {
			e, pods := benchEngine(b, size)
			changed := make([]*corev1.Pod, len(pods))
			for i, pod := range pods {
				changed[i] = pod.DeepCopy()
				changed[i].ResourceVersion = "2"
			}
			for n := 0; b.Loop(); n++ {
				i := n * 37 % len(pods)
				if err := e.Apply(int64(n), []scheduler.Change{{Old: pods[i], New: changed[i]}}); err != nil {
					b.Fatal(err)
				}
				pods[i], changed[i] = changed[i], pods[i]
			}
		})
	}
}

func BenchmarkExplain(b *testing.B) {
	for _, size := range benchSizes {
		e, _ := benchEngine(b, size)
		for _, kind := range benchKinds {
			pod := aPod("pending", "8", kind.option)
			if err := e.Apply(3, []scheduler.Change{{New: pod}}); err != nil {
				b.Fatal(err)
			}
			for name, parts := range map[string]report.Parts{"outline": 0, "whole": report.Nodes} {
				b.Run(fmt.Sprintf("nodes=%d/%s/%s", size, kind.name, name), func(b *testing.B) {
					b.ReportAllocs()
					for b.Loop() {
						if _, err := e.Ask(b.Context(), report.Query{Target: report.PodOf(pod.UID), Parts: parts}); err != nil {
							b.Fatal(err)
						}
					}
				})
			}
		}
	}
}

// BenchmarkPreempt plans for a pod that outranks two of three pods on every node.
func BenchmarkPreempt(b *testing.B) {
	for _, size := range benchSizes {
		e, _ := benchEngine(b, size)
		for _, kind := range benchKinds {
			pod := aPod("preempts", "8", priority(600), kind.option)
			b.Run(fmt.Sprintf("nodes=%d/%s", size, kind.name), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					plan, err := planOf(b.Context(), e, report.PodFrom(pod), "")
					if err != nil {
						b.Fatal(err)
					}
					b.ReportMetric(float64(plan.Tried), "nodes-tried")
					b.ReportMetric(float64(plan.Could), "nodes-possible")
				}
			})
		}
	}
}

func BenchmarkFiveHundredPendingOf25Kinds(b *testing.B) {
	e, _ := benchEngine(b, 5000)
	var pods []*corev1.Pod
	for n := range 25 {
		pods = append(pods, aPod(fmt.Sprintf("pending-%d", n), "8", benchKinds[n%3].option))
		if err := e.Apply(3, []scheduler.Change{{New: pods[n]}}); err != nil {
			b.Fatal(err)
		}
	}
	for b.Loop() {
		for _, pod := range pods { // the pods of a kind share one answer
			if _, err := e.Ask(b.Context(), report.Query{Target: report.PodOf(pod.UID)}); err != nil {
				b.Fatal(err)
			}
		}
	}
}

func BenchmarkHeapOfEngine(b *testing.B) {
	for _, size := range benchSizes {
		b.Run(fmt.Sprintf("nodes=%d", size), func(b *testing.B) {
			var objects, engine uint64
			for b.Loop() {
				before := heap()
				var changes []scheduler.Change
				for i := range size {
					changes = append(changes, scheduler.Change{New: benchNode(i)})
					for k := range 10 {
						changes = append(changes, scheduler.Change{New: benchBound(i, k)})
					}
				}
				objects = heap() - before
				e := startEngine(b, Options{})
				if err := e.Apply(2, changes); err != nil {
					b.Fatal(err)
				}
				engine = heap() - before - objects
				runtime.KeepAlive(changes)
				runtime.KeepAlive(e)
			}
			b.ReportMetric(float64(objects)/(1<<20), "MiB-objects")
			b.ReportMetric(float64(engine)/(1<<20), "MiB-engine")
		})
	}
}

func heap() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// BenchmarkFixes tries the fixes of one pod among two hundred that wait.
func BenchmarkFixes(b *testing.B) {
	for _, size := range benchSizes {
		e, _ := benchEngine(b, size)
		for n := range 200 {
			other := aPod(fmt.Sprintf("other-%d", n), "8", benchKinds[n%3].option, unschedulableFor(time.Minute))
			other.Labels["kind"] = fmt.Sprint(n % 25)
			if err := e.Apply(3, []scheduler.Change{{New: other}}); err != nil {
				b.Fatal(err)
			}
		}
		for _, kind := range benchKinds {
			pod := aPod("pending", "8", kind.option, unschedulableFor(time.Minute))
			if err := e.Apply(3, []scheduler.Change{{New: pod}}); err != nil {
				b.Fatal(err)
			}
			b.Run(fmt.Sprintf("nodes=%d/%s", size, kind.name), func(b *testing.B) {
				tried, firsts := 0, time.Duration(0)
				for b.Loop() {
					begun := time.Now()
					r, err := e.Ask(b.Context(), report.Query{Target: report.PodOf(pod.UID), Parts: report.FixesPart, Progress: func(sofar *report.Fixes) {
						if len(sofar.Tried) == 1 {
							firsts += time.Since(begun)
						}
					}})
					if err != nil {
						b.Fatal(err)
					}
					tried = len(r.Tried.Tried)
				}
				b.ReportMetric(float64(tried), "tried")
				b.ReportMetric(float64(firsts.Milliseconds())/float64(b.N), "ms/first")
			})
		}
	}
}

// BenchmarkFixesAmongRivals searches the fixes of each pending pod of a random cluster that
// has many of them, of all priorities and kinds.
func BenchmarkFixesAmongRivals(b *testing.B) {
	c := newRandomCluster(dice(rand.New(rand.NewPCG(7, 25)).IntN), 25, 110, 40)
	e := startEngine(b, Options{}, c.Objects()...)
	var longest time.Duration
	verified := 0
	for b.Loop() {
		verified = 0
		for _, pod := range c.Pending {
			begun := time.Now()
			found, err := fixesOf(b.Context(), e, report.PodOf(pod.UID))
			if err != nil {
				b.Fatal(err)
			}
			longest = max(longest, time.Since(begun))
			verified += found.Work()
		}
	}
	b.ReportMetric(float64(b.Elapsed().Milliseconds())/float64(b.N*len(c.Pending)), "ms/pod")
	b.ReportMetric(float64(longest.Milliseconds()), "ms/longest")
	b.ReportMetric(float64(verified), "verified")
}
