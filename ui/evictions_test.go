package ui

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-fathom/kubectl-fathom/explain/kubelet"
	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/modeltest"
)

// mixedQoS is prod-eu with pods of each kind on std-b-02: one that is critical, one without
// requests, one whose CPUs are pinned.
func mixedQoS() *prodEU {
	c := newProdEU()
	c.pods = slices.DeleteFunc(c.pods, func(p *corev1.Pod) bool {
		return strings.HasPrefix(p.Name, "worker-std-b-02-") && p.Name > "worker-std-b-02-03"
	})
	for _, node := range c.nodes {
		node.Status.Capacity = node.Status.Allocatable
	}
	bare, static, pinned := ran(pod("shop", "debug", "0", "0", 0), "std-b-02"), ran(pod("kube-system", "kube-proxy-std-b-02", "100m", "64Mi", 0), "std-b-02"), ran(pod("data", "db-0", "2", "1Gi", 0), "std-b-02")
	bare.Spec.Containers[0].Resources = corev1.ResourceRequirements{}
	static.Annotations = map[string]string{corev1.MirrorPodAnnotationKey: "hash"}
	static.Spec.Priority, static.Spec.PriorityClassName = new(int32(2_000_001_000)), "system-node-critical"
	pinned.Spec.Containers[0].Resources.Limits = modeltest.Quantities("cpu", "2", "memory", "1Gi")
	for _, pod := range []*corev1.Pod{bare, static, pinned} {
		pod.Status.QOSClass = ""
		c.pods = append(c.pods, pod)
	}
	return c
}

// measured is a snapshot of a cluster with the usage of its pods.
func measured(c *prodEU) *model.Snapshot {
	c.measure()
	c.usage.Pods[types.NamespacedName{Namespace: "shop", Name: "debug"}] = model.Amount{Memory: 24 << 20}
	c.usage.Pods[types.NamespacedName{Namespace: "data", Name: "db-0"}] = model.Amount{Memory: 900 << 20}
	s := c.snapshot()
	s.Usage = c.usage
	return s
}

func TestEvictionsScreen(t *testing.T) {
	for _, size := range []struct{ width, height int }{{80, 24}, {120, 40}} {
		t.Run(fmt.Sprintf("%dx%d", size.width, size.height), func(t *testing.T) {
			s := measured(mixedQoS())
			app := newTestAppWith(t, size.width, size.height, s, &fakeCluster{reports: verdictsOf(s)}, nil)
			press(t, app, "3", "/")
			write(t, app, "std-b-02")
			press(t, app, "enter", "7")
			requireScreen(t, app)
		})
	}
}

// TestEvictionsSayWhatTheKubeletIsConfiguredTo at which thresholds it evicts, and what it pins and
// aligns; and so do the cgroups of a pod.
func TestEvictionsSayWhatTheKubeletIsConfiguredTo(t *testing.T) {
	config, err := kubelet.ParseConfig([]byte(`{"kubeletconfig":{"cgroupDriver":"cgroupfs","podPidsLimit":4096,"cpuManagerPolicy":"static",
		"topologyManagerPolicy":"restricted","evictionHard":{"memory.available":"500Mi","pid.available":"5%"},
		"evictionSoft":{"memory.available":"1Gi"},"evictionSoftGracePeriod":{"memory.available":"90s"}}}`))
	if err != nil {
		t.Fatal(err)
	}
	for _, size := range []struct{ width, height int }{{80, 24}, {120, 40}} {
		t.Run(fmt.Sprintf("%dx%d", size.width, size.height), func(t *testing.T) {
			s := measured(mixedQoS())
			app := newTestAppWith(t, size.width, size.height, s, &fakeCluster{reports: verdictsOf(s), kubelet: config}, nil)
			press(t, app, "7")
			write(t, app, "std-b-02")
			press(t, app, "enter", "/")
			write(t, app, "data/db-0")
			press(t, app, "enter")
			requireScreen(t, app)
			press(t, app, "enter")
			if got := app.history.top().Answer(80); got != "Computed for cgroupfs and cgroup v2 by the kubelet's configuration." {
				t.Errorf("%q", got)
			}
			if shown := ansi.Strip(app.View().Content); !strings.Contains(shown, "pids.max") || strings.Contains(shown, "if CPUs are pinned") {
				t.Errorf("cgroups are not those of the configuration:\n%s", shown)
			}
		})
	}
}

func TestEvictionsWithoutMetricsGiveRanges(t *testing.T) {
	s := mixedQoS().snapshot()
	s.Status.MetricsNote = "metrics.k8s.io is not served"
	app := newTestAppWith(t, 80, 24, s, &fakeCluster{reports: verdictsOf(s)}, nil)
	press(t, app, "7")
	write(t, app, "std-b-02")
	press(t, app, "enter", "j", "j")
	requireScreen(t, app)
}

func TestEvictionsAskWhichNode(t *testing.T) {
	s := newProdEU().snapshot()
	app := newTestAppWith(t, 80, 24, s, &fakeCluster{reports: verdictsOf(s)}, nil)
	press(t, app, "7")
	requireScreen(t, app)
}

func TestEvictionsAreUnknownWhereOnlyOneNamespaceIsRead(t *testing.T) {
	s := measured(mixedQoS())
	s.Status.Namespace = "shop"
	app := newTestAppWith(t, 80, 24, s, &fakeCluster{reports: verdictsOf(s)}, nil)
	press(t, app, "7")
	write(t, app, "std-b-02")
	press(t, app, "enter")
	if got, want := app.history.top().Answer(80), "The order is unknown: only pods of the namespace shop could be read."; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if rows := app.history.top().Selected().Pod; rows != nil {
		t.Errorf("a row is drawn: %s", rows.FullName())
	}
}

func TestEnterShowsTheCgroupsOfAPod(t *testing.T) {
	s := measured(mixedQoS())
	app := newTestAppWith(t, 80, 24, s, &fakeCluster{reports: verdictsOf(s)}, nil)
	press(t, app, "7")
	write(t, app, "std-b-02")
	press(t, app, "enter", "j", "j", "enter")
	requireScreen(t, app)
}

// TestThePaletteOpensTheCgroupsOfANode after asking which, or of the selected one.
func TestThePaletteOpensTheCgroupsOfANode(t *testing.T) {
	s := measured(mixedQoS())
	app := newTestAppWith(t, 80, 24, s, &fakeCluster{reports: verdictsOf(s)}, nil)
	runPalette(t, app, "cgroups")
	write(t, app, "std-b-02")
	press(t, app, "enter")
	requireScreen(t, app)
	shown := ansi.Strip(app.View().Content)
	app = newTestAppWith(t, 80, 24, s, &fakeCluster{reports: verdictsOf(s)}, nil)
	press(t, app, "3", "/")
	write(t, app, "std-b-02")
	press(t, app, "enter")
	runPalette(t, app, "cgroups")
	if again := ansi.Strip(app.View().Content); again != shown {
		t.Errorf("of the selected node:\n%s", again)
	}
}

func TestEvictionsSayWhyAPodIsFirst(t *testing.T) {
	running := func(name, memory string, priority int32) *corev1.Pod {
		pod := ran(pod("shop", name, "1", memory, 0), "std-b-02")
		pod.Spec.Priority = new(priority)
		return pod
	}
	for _, test := range []struct {
		pods []*corev1.Pod
		used map[string]int64 // Mi
		want string
	}{
		{[]*corev1.Pod{running("a", "1Gi", 0), running("b", "1Gi", 0)}, map[string]int64{"a": 1524, "b": 900}, "Under memory pressure shop/a is evicted first: it uses 500Mi more than it requests."},
		{[]*corev1.Pod{running("a", "1Gi", 0), running("b", "1Gi", 0)}, map[string]int64{"a": 524, "b": 900}, "Under memory pressure shop/b is evicted first: closest to its request."},
		{[]*corev1.Pod{running("a", "1Gi", -5), running("b", "1Gi", 0)}, map[string]int64{"a": 524, "b": 900}, "Under memory pressure shop/a is evicted first: lowest priority, -5."},
		{[]*corev1.Pod{running("a", "0", 0), running("b", "1Gi", 0)}, map[string]int64{"a": 24, "b": 900}, "Under memory pressure shop/a is evicted first: it requests no memory."},
		{[]*corev1.Pod{running("a", "1Gi", 0), running("b", "1Gi", 2_000_000_000)}, map[string]int64{"a": 24, "b": 900}, "Under memory pressure shop/a is the only pod that may be evicted."},
		{[]*corev1.Pod{running("b", "1Gi", 2_000_000_000)}, nil, "The kubelet of std-b-02 evicts none of its pods: each is static or critical."},
		{[]*corev1.Pod{running("a", "1Gi", 0), running("b", "1Gi", 0)}, nil, "Under memory pressure any of 2 pods may be evicted first."},
		{nil, nil, "No pods on std-b-02."},
	} {
		c := newProdEU()
		c.pods = append(slices.DeleteFunc(c.pods, func(p *corev1.Pod) bool { return p.Spec.NodeName == "std-b-02" }), test.pods...)
		s := c.snapshot()
		if test.used != nil {
			s.Usage = &model.Usage{Pods: map[types.NamespacedName]model.Amount{}}
			for name, used := range test.used {
				s.Usage.Pods[types.NamespacedName{Namespace: "shop", Name: name}] = model.Amount{Memory: used << 20}
			}
		}
		app := newTestAppWith(t, 100, 24, s, &fakeCluster{reports: verdictsOf(s)}, nil)
		press(t, app, "7")
		write(t, app, "std-b-02")
		press(t, app, "enter")
		if got := app.history.top().Answer(100); got != test.want {
			t.Errorf("got  %q\nwant %q", got, test.want)
		}
	}
}

func TestTheFirstPodsOfAllNamespacesAreCounted(t *testing.T) {
	s := mixedQoS().snapshot()
	answer := func(namespace string) string {
		app := newTestAppWith(t, 100, 24, s, &fakeCluster{reports: verdictsOf(s)}, func(o *Options) { o.Namespace = namespace })
		press(t, app, "7")
		write(t, app, "std-b-02")
		press(t, app, "enter")
		return app.history.top().Answer(100)
	}
	if all, one := answer(""), answer("data"); all != one || !strings.Contains(all, "may be evicted first") {
		t.Errorf("in all namespaces %q, in one %q", all, one)
	}
}

func TestThePageOfWhatWasNotReadAsksForMetrics(t *testing.T) {
	cluster := &fakeCluster{}
	app := newTestAppWith(t, 80, 24, newFleet(3).at(1, liveStatus()), cluster, nil)
	press(t, app, "1", "!")
	if n := len(cluster.usage); n == 0 || !cluster.usage[n-1] {
		t.Errorf("usage was asked for: %v; without it the note of why there is none is dropped", cluster.usage)
	}
}
