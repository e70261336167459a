package ui

import (
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/ui/gauge"
)

// edit replaces a node by one that is changed.
func (c *prodEU) edit(name string, change func(*corev1.Node)) {
	for i, n := range c.nodes {
		if n.Name == name {
			n = n.DeepCopy()
			change(n)
			c.nodes[i] = n
		}
	}
}

// mixed gives prod-eu GPUs, full nodes, and nodes at each point of their life.
func (c *prodEU) mixed() {
	for _, m := range machines {
		c.edit(m.name, func(n *corev1.Node) {
			n.Status.NodeInfo.KubeletVersion = "v1.36.3"
			n.Labels[corev1.LabelInstanceTypeStable] = "m6i.4xlarge"
			n.Labels["eks.amazonaws.com/capacityType"] = "ON_DEMAND"
			switch {
			case strings.HasPrefix(m.name, "gpu"):
				n.Labels[corev1.LabelInstanceTypeStable] = "g5.8xlarge"
				n.Status.Allocatable["nvidia.com/gpu"] = resource.MustParse("8")
			case strings.HasPrefix(m.name, "spot"):
				n.Labels[corev1.LabelInstanceTypeStable] = "m6i.2xlarge"
				n.Labels["eks.amazonaws.com/capacityType"] = "SPOT"
			}
		})
	}
	since := func(d time.Duration) *metav1.Time { return new(metav1.NewTime(now.Add(-d))) }
	c.edit("spot-c-01", func(n *corev1.Node) {
		n.Spec.Unschedulable = true
		n.Spec.Taints = []corev1.Taint{
			{Key: "ToBeDeletedByClusterAutoscaler", Value: "1781000000", Effect: corev1.TaintEffectNoSchedule, TimeAdded: since(time.Minute)},
			{Key: corev1.TaintNodeUnschedulable, Effect: corev1.TaintEffectNoSchedule, TimeAdded: since(time.Minute)},
		}
	})
	c.edit("std-a-01", func(n *corev1.Node) {
		n.Status.Allocatable, n.Status.Conditions = nil, nil
		n.CreationTimestamp = *since(20 * time.Second)
		n.Spec.Taints = []corev1.Taint{{Key: "node.cloudprovider.kubernetes.io/uninitialized", Value: "true", Effect: corev1.TaintEffectNoSchedule}}
	})
	c.edit("std-a-02", func(n *corev1.Node) {
		n.Status.Conditions = append(n.Status.Conditions, corev1.NodeCondition{
			Type: corev1.NodeMemoryPressure, Status: corev1.ConditionTrue, LastTransitionTime: *since(3 * time.Minute),
			Reason: "KubeletHasInsufficientMemory", Message: "kubelet has insufficient memory available",
		})
	})
	c.edit("std-b-01", func(n *corev1.Node) { n.Status.Allocatable[corev1.ResourceCPU] = resource.MustParse("15.1") })
	c.edit("std-b-02", func(n *corev1.Node) {
		n.Status.Allocatable[corev1.ResourceCPU] = resource.MustParse("12.25")
		n.Status.Allocatable[corev1.ResourceMemory] = resource.MustParse("42Gi")
	})
	train := ran(pod("ml", "train-0", "2", "4Gi", time.Hour), "gpu-b-01")
	train.Spec.Containers[0].Resources.Requests["nvidia.com/gpu"] = resource.MustParse("3")
	agent := ran(pod("kube-system", "agent-x7k2m", "100m", "100Mi", 9*day), "spot-b-01")
	agent.OwnerReferences = []metav1.OwnerReference{{APIVersion: "apps/v1", Kind: "DaemonSet", Name: "agent", UID: "ds-agent", Controller: new(true)}}
	proxy := ran(pod("kube-system", "proxy-spot-b-01", "50m", "0", 9*day), "spot-b-01")
	proxy.Annotations = map[string]string{corev1.MirrorPodAnnotationKey: "proxy"}
	c.pods = append(c.pods, train, agent, proxy)
	c.tolerateForAWhile()
}

// tolerateForAWhile gives each pod of spot-b-01 the tolerations that
// DefaultTolerationSeconds adds, those of DaemonSets without an end.
func (c *prodEU) tolerateForAWhile() {
	for _, p := range c.pods {
		if p.Spec.NodeName != "spot-b-01" {
			continue
		}
		t := corev1.Toleration{Key: corev1.TaintNodeNotReady, Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoExecute}
		if len(p.OwnerReferences) == 0 || p.OwnerReferences[0].Kind != "DaemonSet" {
			t.TolerationSeconds = new(int64(300))
		}
		p.Spec.Tolerations = append(p.Spec.Tolerations, t)
	}
}

func TestThePreviewCountsThePodsThatATaintEvicts(t *testing.T) {
	for _, c := range []struct {
		change func(*prodEU)
		want   string
	}{
		{func(*prodEU) {}, "pods: 9 to be evicted in 1m, 1 tolerates it (DaemonSet), 1 is static"},
		{func(c *prodEU) { c.edit("spot-b-01", func(n *corev1.Node) { n.Spec.Taints[0].TimeAdded = nil }) }, "pods: 9 to be evicted within 5m, 1 tolerates it"},
		{func(c *prodEU) {
			c.edit("spot-b-01", func(n *corev1.Node) { n.Spec.Taints[0].TimeAdded = new(metav1.NewTime(now.Add(-8 * time.Minute))) })
		}, "pods: 9 should have been evicted 3m ago, 1 tolerates it"},
	} {
		app := nodesOf(t, 80, 24, func(p *prodEU) { p.mixed(); c.change(p) }, nil)
		selectNode(t, app, "spot-b-01")
		if text := screen(app); !strings.Contains(text, c.want) {
			t.Errorf("it lacks %q:\n%s", c.want, text)
		}
	}
}

// selectNode moves the cursor of Nodes to a node.
func selectNode(t *testing.T, app *App, name string) {
	t.Helper()
	for range 20 {
		if app.pages.nodes.Selected().Copy == name {
			return
		}
		press(t, app, "j")
	}
	t.Fatalf("there is no row of %s", name)
}

// nodesOf opens Nodes on prod-eu with some of it changed.
func nodesOf(t *testing.T, width, height int, change func(*prodEU), with func(*Options)) *App {
	t.Helper()
	c := newProdEU()
	change(c)
	s := c.snapshot()
	app := newTestAppWith(t, width, height, s, &fakeCluster{reports: verdictsOf(s)}, with)
	press(t, app, "3")
	return app
}

func TestGaugesOfNodesAreOfThoseThatTheFilterKeeps(t *testing.T) {
	app := nodesOf(t, 80, 24, (*prodEU).mixed, nil)
	for _, filter := range []string{"pool=std", "pool=gpu", "zone=eu-1b cpu.percent>50", "status=new", "cpu>95%", "gpu.alloc>0"} {
		press(t, app, "3")
		filterBy(t, app, filter)
		want := model.CapacityOf(app.pages.nodes.Result.Rows)
		if want.Nodes == 0 || want.Nodes == len(app.observed.Snapshot.Nodes) {
			t.Errorf("%s keeps %d nodes", filter, want.Nodes)
		}
		drawn := strings.TrimRight(gauge.Capacity(app.styles(), app.Levels, &want, 80, app.observed.Waiting.Endings(&app.observed)...), " ")
		if got := app.pages.nodes.Body()[0]; got != drawn {
			t.Errorf("%s: the gauges are\n%s\nwant\n%s", filter, got, drawn)
		}
		press(t, app, "esc")
	}
	whole := model.CapacityOf(app.observed.Snapshot.Nodes)
	if got, want := app.pages.nodes.Body()[0], gauge.Capacity(app.styles(), app.Levels, &whole, 80, app.observed.Waiting.Endings(&app.observed)...); got != want {
		t.Errorf("without a filter they are\n%s\nwant\n%s", got, want)
	}
}

func TestTheAnswerOfNodesCountsThoseThatAreFull(t *testing.T) {
	levels := func(tight, full int) func(*Options) {
		return func(o *Options) { o.Levels = gauge.Levels{Tight: tight, Full: full} }
	}
	for _, c := range []struct {
		does   string
		change func(*prodEU)
		with   func(*Options)
		want   string
	}{
		{"none is", func(*prodEU) {}, nil, "12 nodes: 11 Ready (1 cordoned), 1 NotReady."},
		{"some are", (*prodEU).mixed, nil, "12 nodes: 10 Ready (1 cordoned, 1 removing), 1 NotReady, 1 not initialized."},
		{"of several states", func(c *prodEU) {
			c.edit("spot-c-01", func(n *corev1.Node) {
				n.Spec.Unschedulable = true
				n.Status.Conditions = append(n.Status.Conditions, corev1.NodeCondition{Type: corev1.NodeDiskPressure, Status: corev1.ConditionTrue})
			})
		}, nil, "12 nodes: 11 Ready (2 cordoned, 1 DiskPressure), 1 NotReady."},
		{"by the setting", func(*prodEU) {}, levels(50, 79), "12 nodes: 11 Ready (1 cordoned), 1 NotReady. 1 is at 79%+ cpu, 2 memory."},
		{"only memory", func(c *prodEU) {
			c.edit("std-a-01", func(n *corev1.Node) { n.Status.Allocatable[corev1.ResourceMemory] = resource.MustParse("44Gi") })
		}, nil, "12 nodes: 11 Ready (1 cordoned), 1 NotReady. 1 is at 95%+ memory."},
	} {
		app := nodesOf(t, 80, 24, c.change, c.with)
		if got := strings.TrimSpace(screenRow(app, answer)); got != c.want {
			t.Errorf("%s: %q, want %q", c.does, got, c.want)
		}
	}
}

// TestViewsCountReadyNodesAlike counts a node that is not initialized, or being removed, as kubectl get nodes does.
func TestViewsCountReadyNodesAlike(t *testing.T) {
	change := func(c *prodEU) {
		for name, taint := range map[string]string{"std-a-01": "node.cloudprovider.kubernetes.io/uninitialized", "spot-c-01": "ToBeDeletedByClusterAutoscaler"} {
			c.edit(name, func(n *corev1.Node) {
				n.Spec.Taints = []corev1.Taint{{Key: taint, Effect: corev1.TaintEffectNoSchedule}}
			})
		}
		c.edit("spot-c-01", func(n *corev1.Node) { n.Spec.Unschedulable = true })
	}
	narrow := nodesOf(t, 80, 24, func(c *prodEU) {
		change(c)
		for _, name := range []string{"gpu-b-01", "std-b-01", "std-b-02"} {
			c.edit(name, func(n *corev1.Node) { n.Status.Conditions[0].Status = corev1.ConditionUnknown })
		}
	}, nil)
	if got, want := strings.TrimSpace(screenRow(narrow, answer)), "12 nodes: 8 Ready (1 not initialized), 4 NotReady (all of eu-1b)."; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	app := nodesOf(t, 160, 40, change, nil)
	for _, view := range []struct {
		keys []string
		row  int
		want string
	}{
		{[]string{"1"}, header + 2, "11/12 nodes Ready  1 not initialized  1 cordoned  1 removing"},
		{[]string{"3"}, answer, "12 nodes: 11 Ready (1 cordoned, 1 removing, 1 not initialized), 1 NotReady."},
		{[]string{"3", "m"}, answer, "1 cordoned, 1 NotReady, 1 not initialized, 1 removing."},
		{[]string{"3", "m", "shift+tab"}, answer, "12 nodes: 11 Ready, 1 cordoned, 1 NotReady, 1 not initialized, 1 removing"},
	} {
		press(t, app, view.keys...)
		if got := screenRow(app, view.row); !strings.Contains(got, view.want) {
			t.Errorf("%v: %q, want %q", view.keys, strings.TrimSpace(got), view.want)
		}
	}
}

// TestTheAnswerOfNodesNamesAZoneThatIsLost before anything that matters less, however narrow it is.
func TestTheAnswerOfNodesNamesAZoneThatIsLost(t *testing.T) {
	fail := func(c *prodEU, names ...string) {
		for _, name := range names {
			c.edit(name, func(n *corev1.Node) { n.Status.Conditions[0].Status = corev1.ConditionUnknown })
		}
	}
	lose := func(c *prodEU) {
		fail(c, "gpu-b-01", "spot-b-01", "std-b-01", "std-b-02")
		for _, name := range []string{"std-a-01", "std-a-02"} {
			c.edit(name, func(n *corev1.Node) {
				n.Status.Allocatable[corev1.ResourceCPU] = resource.MustParse("12.25")
				n.Spec.Taints = []corev1.Taint{{Key: "maintenance", Value: "true", Effect: corev1.TaintEffectNoExecute}}
				n.Status.Conditions = append(n.Status.Conditions, corev1.NodeCondition{Type: corev1.NodeMemoryPressure, Status: corev1.ConditionTrue})
			})
		}
	}
	for _, c := range []struct {
		does   string
		width  int
		change func(*prodEU)
		want   string
	}{
		{"narrow", 80, lose, "12 nodes: 8 Ready (1 cordoned, 2 MemoryPressure), 4 NotReady (all of eu-1b)."},
		{"wide", 120, lose, "12 nodes: 8 Ready (1 cordoned, 2 MemoryPressure), 4 NotReady (all of eu-1b)."},
		{"wider", 160, lose, "12 nodes: 8 Ready (1 cordoned, 2 MemoryPressure), 4 NotReady (all of eu-1b). 1 is at 95%+ cpu."},
		{"with another node", 80, func(c *prodEU) { lose(c); fail(c, "std-c-01") }, "12 nodes: 7 Ready (1 cordoned), 5 NotReady (with all 4 of eu-1b)."},
	} {
		app := nodesOf(t, c.width, 40, c.change, nil)
		got, _, _ := strings.Cut(screenRow(app, answer), "█ requested")
		if got = strings.TrimSpace(got); got != c.want {
			t.Errorf("%s: %q, want %q", c.does, got, c.want)
		}
	}
}

func TestNodesAreSortedByPercent(t *testing.T) {
	app := nodesOf(t, 80, 24, (*prodEU).mixed, nil)
	press(t, app, "s", "c")
	last := 101
	for i, n := range app.pages.nodes.Table.Rows {
		percent, known := n.Percent(corev1.ResourceCPU)
		if known && percent > last {
			t.Errorf("%s with %d%% comes after %d%%", n.Name, percent, last)
		}
		if last = percent; !known && i < 11 {
			t.Errorf("%s, of which nothing is known, is row %d", n.Name, i)
		}
	}
}

func TestWhatIsRequestedIsUnknownWherePodsAre(t *testing.T) {
	for name, status := range map[string]func(*model.Status){
		"not allowed":   func(s *model.Status) { s.Unread = []model.Unread{{Resource: "pods", Why: "not allowed to list pods"}} },
		"one namespace": func(s *model.Status) { s.Namespace = "shop" },
		"still reading": func(s *model.Status) { s.Reading = map[string]int{"pods": 12} },
	} {
		for _, width := range []int{80, 200} {
			s := liveStatus()
			status(&s)
			app := newTestApp(t, width, 40, newProdEU().at(1, s))
			press(t, app, "3")
			text := screen(app)
			if strings.Contains(text, "%") || !strings.Contains(text, "pods: ?") || !strings.Contains(text, "cpu    ?") {
				t.Errorf("%s, at %d cells:\n%s", name, width, text)
			}
		}
	}
}

func TestTheColumnsOfNodesFollowWhatTheyHave(t *testing.T) {
	for _, c := range []struct {
		width     int
		has, lack string
	}{
		{80, "CPU MEM TAINTS", "GPU CAPACITY"},
		{100, "GPU PODS", "ZONE"},
		{120, "GPU PODS AGE ZONE", "CAPACITY"},
		{160, "GPU POOL CAPACITY INSTANCE", "VERSION"},
		{200, "GPU CAPACITY VERSION LIMITS", ""},
	} {
		app := nodesOf(t, c.width, 24, (*prodEU).mixed, nil)
		press(t, app, "v") // the preview would stand beside the table
		heads := screenRow(app, first)
		for head := range strings.FieldsSeq(c.has) {
			if !strings.Contains(heads, head) {
				t.Errorf("at %d cells there is no %s in %q", c.width, head, heads)
			}
		}
		for head := range strings.FieldsSeq(c.lack) {
			if strings.Contains(heads, head) {
				t.Errorf("at %d cells there is %s in %q", c.width, head, heads)
			}
		}
		send(t, app, snapshotMsg{snapshot: newProdEU().at(2, liveStatus())})
		if heads := screenRow(app, first); strings.Contains(heads, "GPU") || strings.Contains(heads, "CAPACITY") {
			t.Errorf("without GPUs and labels the heads are %q", heads)
		}
	}
}

func TestAnAgeInAStatusIsNoChange(t *testing.T) {
	c := newProdEU()
	app := newTestApp(t, 80, 24, c.snapshot())
	press(t, app, "3")
	app.observed.At = now.Add(time.Minute)
	send(t, app, snapshotMsg{snapshot: c.at(2, liveStatus())})
	if till := app.pages.nodes.Table.Highlights.Till; len(till) > 0 {
		t.Errorf("highlighted: %v", till)
	}
}

func TestThePreviewOfANodeHasItsLines(t *testing.T) {
	app := nodesOf(t, 80, 24, (*prodEU).mixed, nil)
	for _, size := range []struct{ width, height int }{{80, 24}, {60, 30}, {120, 40}, {200, 60}} {
		send(t, app, tea.WindowSizeMsg{Width: size.width, Height: size.height})
		for range app.observed.Snapshot.Nodes {
			rows := strings.Split(screen(app), "\n")
			if len(rows) != size.height {
				t.Fatalf("at %v there are %d rows", size, len(rows))
			}
			name := app.pages.nodes.Selected().Node.Name
			if !strings.Contains(screen(app), "─ "+name+" ") {
				t.Errorf("at %v there is no preview of %s\n%s", size, name, screen(app))
			}
			press(t, app, "j")
		}
		press(t, app, "g")
	}
}

// BenchmarkFrameOf5000Nodes is a key of Nodes at 5,000 nodes, with the preview.
func BenchmarkFrameOf5000Nodes(b *testing.B) {
	app := newTestApp(b, 200, 60, crowd())
	press(b, app, "3")
	i := 0
	for b.Loop() {
		pressed(b, app, keyPress([]string{"j", "pgdown", "G", "g"}[i%4]))
		i++
	}
}

// BenchmarkSnapshotToFrameOf5000Nodes sums them up too.
func BenchmarkSnapshotToFrameOf5000Nodes(b *testing.B) {
	s := crowd()
	app := newTestApp(b, 200, 60, s)
	press(b, app, "3")
	for b.Loop() {
		pressed(b, app, snapshotMsg{snapshot: s})
	}
}

func TestBarsTellThatANodeIsNotReadyOrUnderPressure(t *testing.T) {
	app := nodesOf(t, 80, 24, (*prodEU).mixed, func(o *Options) { o.NoPreview = true })
	for name, want := range map[string]string{"spot-b-01": " !███▉", "std-a-02": " ▴███▊", "std-c-01": "  ███·"} {
		row := ""
		for line := range strings.SplitSeq(screen(app), "\n") {
			if strings.Contains(line, " "+name+" ") {
				row = line
			}
		}
		if !strings.Contains(row, want) {
			t.Errorf("%s has no bar %q in %q", name, want, row)
		}
	}
}
