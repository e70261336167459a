package inventory

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"pgregory.net/rapid"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/modeltest"
)

// full is the level of the default settings.
const full = 95

// grouped are nodes and pods as a snapshot.
func grouped(nodes []*corev1.Node, pods ...*corev1.Pod) *model.Snapshot {
	b := model.NewBuilder()
	for _, n := range nodes {
		b.Node(nil, n)
	}
	for _, p := range pods {
		b.Pod(nil, p)
	}
	return b.Build(1, model.Status{}, nil)
}

// fleet is a pool std in two zones and a tainted pool gpu in one.
func fleet() []*corev1.Node {
	gpu := modeltest.NewNode("gpu-1", "eu-1a", "32", "128Gi", corev1.Taint{Key: "dedicated", Value: "gpu", Effect: corev1.TaintEffectNoSchedule})
	gpu.Status.Allocatable["nvidia.com/gpu"] = modeltest.Quantities("n", "8")["n"]
	return []*corev1.Node{
		modeltest.NewNode("std-1", "eu-1a", "16", "64Gi"), modeltest.NewNode("std-2", "eu-1b", "16", "64Gi"),
		modeltest.NewNode("std-3", "eu-1b", "16", "64Gi"), gpu,
	}
}

func TestPoolsAreNodesByPoolAndZone(t *testing.T) {
	nodes := append(fleet(), modeltest.NewNode("std-4", "eu-1b", "16", "64Gi"), modeltest.NewNode("std-5", "", "4", "8Gi"))
	nodes[4].Spec.Unschedulable = true
	nodes[1].Status.Conditions[0].Status = corev1.ConditionFalse
	delete(nodes[5].Labels, "karpenter.sh/nodepool")
	s := grouped(nodes, modeltest.NewPod("dev/a", "std-3", "12", "8Gi", 0, nil), modeltest.NewPod("dev/b", "std-2", "2", "2Gi", 0, nil))
	s.Usage = &model.Usage{Nodes: map[string]model.Amount{"std-2": {MilliCPU: 1500, Memory: 1 << 30}, "std-3": {MilliCPU: 1, Memory: 1}, "std-4": {}, "gpu-1": {MilliCPU: 250}}}
	var got []string
	for _, p := range Pools(s, "", full) {
		line, err := json.Marshal(p)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, string(line))
	}
	want := []string{
		`{"pool":"gpu","zone":"eu-1a","nodes":1,"ready":1,"schedulable":1,"allocatable":{"cpu":"32","memory":"128Gi","nvidia.com/gpu":"8","pods":"110"},"requested":{},"used":{"cpu":"250m"},"largestFree":{"cpu":"32","memory":"128Gi","nvidia.com/gpu":"8","pods":"110"},"stranded":{},"pending":0,"balance":{"under":["gpu-1"],"over":[],"evicts":0}}`,
		`{"pool":"std","zone":"eu-1a","nodes":1,"ready":1,"schedulable":1,"allocatable":{"cpu":"16","memory":"64Gi","pods":"110"},"requested":{},"used":null,"largestFree":{"cpu":"16","memory":"64Gi","pods":"110"},"stranded":{},"pending":0,"balance":{"under":["std-1"],"over":["std-3"],"evicts":0}}`,
		`{"pool":"std","zone":"eu-1b","nodes":3,"ready":2,"schedulable":1,"allocatable":{"cpu":"48","memory":"192Gi","pods":"330"},"requested":{"cpu":"14","memory":"10Gi","pods":"2"},"used":{"cpu":"1501m","memory":"1073741825"},"largestFree":{"cpu":"4","memory":"56Gi","pods":"109"},"stranded":{},"pending":0,"balance":{"under":["std-1"],"over":["std-3"],"evicts":0}}`,
		`{"pool":"","zone":"","nodes":1,"ready":1,"schedulable":1,"allocatable":{"cpu":"4","memory":"8Gi","pods":"110"},"requested":{},"used":null,"largestFree":{"cpu":"4","memory":"8Gi","pods":"110"},"stranded":{},"pending":0,"balance":{"under":["std-5"],"over":[],"evicts":0}}`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestPoolsByALabel(t *testing.T) {
	nodes := fleet()
	nodes[3].Labels["disk"] = "nvme"
	delete(nodes[0].Labels, "disk")
	var got []string
	for _, p := range Pools(grouped(nodes), "disk", full) {
		got = append(got, fmt.Sprintf("%q %q %d", p.Pool, p.Zone, p.Nodes))
	}
	if diff := cmp.Diff([]string{`"nvme" "" 1`, `"ssd" "" 2`, `"" "" 1`}, got); diff != "" {
		t.Error(diff)
	}
}

func TestAPoolWithoutSchedulableNodesHasNoFreeSlot(t *testing.T) {
	for _, c := range []struct {
		says   string
		change func(*corev1.Node)
	}{
		{"cordoned", func(n *corev1.Node) { n.Spec.Unschedulable = true }},
		{"NotReady", func(n *corev1.Node) { n.Status.Conditions[0].Status = corev1.ConditionUnknown }},
		{"about to be removed", func(n *corev1.Node) {
			n.Spec.Taints = []corev1.Taint{{Key: "ToBeDeletedByClusterAutoscaler", Effect: corev1.TaintEffectNoSchedule}}
		}},
		{"without free pods", func(n *corev1.Node) { delete(n.Status.Allocatable, corev1.ResourcePods) }},
	} {
		node := modeltest.NewNode("std-1", "eu-1a", "16", "64Gi")
		c.change(node)
		p := Pools(grouped([]*corev1.Node{node}), "", full)[0]
		if p.LargestFree.String() != "" {
			t.Errorf("%s: the largest free slot is %s", c.says, p.LargestFree)
		}
	}
}

// TestASlotBehindATaintThatAPoolLacksIsNotItsLargest: most of its pods do not tolerate it.
func TestASlotBehindATaintThatAPoolLacksIsNotItsLargest(t *testing.T) {
	maint := corev1.Taint{Key: "maint", Value: "now", Effect: corev1.TaintEffectNoExecute}
	for says, c := range map[string]struct {
		taints [3]*corev1.Taint // of std-1, which is alone in its zone, std-2 and std-3
		want   [2]string        // the largest slot of its two zones, "cpu / nodes with an extra taint"
	}{
		"none":                 {[3]*corev1.Taint{}, [2]string{"16 / 0", "12 / 0"}},
		"one of two":           {[3]*corev1.Taint{nil, nil, &maint}, [2]string{"16 / 0", "8 / 1"}},
		"the only one":         {[3]*corev1.Taint{&maint, nil, nil}, [2]string{"0 / 1", "12 / 0"}},
		"most of the pool":     {[3]*corev1.Taint{&maint, nil, &maint}, [2]string{"16 / 0", "12 / 0"}},
		"one that avoids it":   {[3]*corev1.Taint{nil, nil, {Key: "maint", Effect: corev1.TaintEffectPreferNoSchedule}}, [2]string{"16 / 0", "12 / 0"}},
		"the same at any time": {[3]*corev1.Taint{&maint, {Key: "maint", Value: "now", Effect: corev1.TaintEffectNoExecute, TimeAdded: new(metav1.Now())}, nil}, [2]string{"16 / 0", "12 / 0"}},
	} {
		nodes := fleet()[:3]
		for i, taint := range c.taints {
			if taint != nil {
				nodes[i].Spec.Taints = append(nodes[i].Spec.Taints, *taint)
			}
		}
		s := grouped(nodes, modeltest.NewPod("dev/b", "std-2", "8", "8Gi", 0, nil), modeltest.NewPod("dev/c", "std-3", "4", "8Gi", 0, nil))
		for i, p := range Pools(s, "", full) {
			if got := fmt.Sprintf("%d / %d", p.LargestFree.MilliCPU/1000, p.ExtraTainted); got != c.want[i] {
				t.Errorf("%s: zone %s has %s, want %s", says, p.Zone, got, c.want[i])
			}
		}
	}
}

// TestAPoolThatTenantsShareHasAFreeSlot: each of its nodes has a taint, and no pod is allowed there without a toleration.
func TestAPoolThatTenantsShareHasAFreeSlot(t *testing.T) {
	for _, c := range []struct {
		taints string // of its nodes in two zones: letters of keys
		want   string // in each zone, "cpu / nodes that are left out"
	}{
		{"a b | a b", "16 / 0, 16 / 0"},
		{"a a | b b", "16 / 0, 16 / 0"},
		{"a b c | a b c", "16 / 0, 16 / 0"},
		{"a a | a b", "16 / 0, 16 / 0"},
		{"ga gb | ga gb", "16 / 0, 16 / 0"},
		{"ga ga | ga gb", "16 / 0, 16 / 0"},
		{"- - | a a", "16 / 0, 0 / 2"},
		{"- a | a b", "16 / 1, 0 / 2"},
		{"g g | ga g", "16 / 0, 16 / 1"},
		{"g g | g ga", "16 / 0, 16 / 1"},
		{"g - | g ga", "16 / 0, 16 / 1"},
		{"!- !- | a b", "0 / 0, 0 / 2"}, // those without a taint are cordoned
	} {
		var nodes []*corev1.Node
		for zone, of := range strings.Split(c.taints, "|") {
			for i, letters := range strings.Fields(of) {
				n := modeltest.NewNode(fmt.Sprintf("std-%d-%d", zone, i), fmt.Sprint("zone-", zone), "16", "64Gi")
				for _, key := range strings.Trim(letters, "-!") {
					n.Spec.Taints = append(n.Spec.Taints, corev1.Taint{Key: string(key), Effect: corev1.TaintEffectNoSchedule})
				}
				n.Spec.Taints = append(n.Spec.Taints, corev1.Taint{Key: "soft", Value: n.Name, Effect: corev1.TaintEffectPreferNoSchedule})
				n.Spec.Unschedulable = strings.HasPrefix(letters, "!") && strings.HasSuffix(letters, "-")
				nodes = append(nodes, n)
			}
		}
		var got []string
		for _, p := range Pools(grouped(nodes), "", full) {
			got = append(got, fmt.Sprintf("%d / %d", p.LargestFree.MilliCPU/1000, p.ExtraTainted))
		}
		if strings.Join(got, ", ") != c.want {
			t.Errorf("%s: %s, want %s", c.taints, strings.Join(got, ", "), c.want)
		}
	}
}

// TestPodsThatAreTooLargeForAPoolAreAmongThoseThatLackAResource where others lack it too.
func TestPodsThatAreTooLargeForAPoolAreAmongThoseThatLackAResource(t *testing.T) {
	s := grouped(fleet()[:1], modeltest.NewPod("dev/a", "std-1", "12", "8Gi", 0, nil),
		modeltest.NewPod("dev/waits", "", "5", "8Gi", 0, nil), modeltest.NewPod("dev/huge", "", "60", "8Gi", 0, nil), modeltest.NewPod("dev/small", "", "1", "1Gi", 0, nil))
	if p := Pools(s, "", full)[0]; p.Lacking != 2 || p.Allowed != 3 || *p.Pending != 3 {
		t.Errorf("%d of %d lack %s, %d target it", p.Lacking, p.Allowed, p.Lacks, *p.Pending)
	}
}

func TestWhatIsStranded(t *testing.T) {
	for _, c := range []struct{ says, cpu, memory, stranded string }{
		{"nothing below the level", "15", "60Gi", ""},
		{"memory where cpu is full", "15.5", "16Gi", "memory 48Gi"},
		{"cpu where memory is full", "4", "62Gi", "cpu 12"},
		{"nothing where both are full", "16", "64Gi", ""},
	} {
		s := grouped([]*corev1.Node{modeltest.NewNode("std-1", "eu-1a", "16", "64Gi")}, modeltest.NewPod("dev/a", "std-1", c.cpu, c.memory, 0, nil))
		if got := Pools(s, "", full)[0].Stranded.String(); got != c.stranded {
			t.Errorf("%s: %q, want %q", c.says, got, c.stranded)
		}
	}
}

func TestPendingPodsTargetThePoolsThatTheyAllow(t *testing.T) {
	zone := func(zone string) *corev1.Affinity {
		return &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{RequiredDuringSchedulingIgnoredDuringExecution: &corev1.NodeSelector{
			NodeSelectorTerms: []corev1.NodeSelectorTerm{{MatchExpressions: []corev1.NodeSelectorRequirement{
				{Key: corev1.LabelTopologyZone, Operator: corev1.NodeSelectorOpIn, Values: []string{zone}},
			}}},
		}}}
	}
	tolerates := []corev1.Toleration{{Key: "dedicated", Operator: corev1.TolerationOpExists}}
	for _, c := range []struct {
		says   string
		change func(*corev1.Pod)
		want   string // pools with their pending pods
	}{
		{"without a toleration: those without taints", func(*corev1.Pod) {}, "std/eu-1a std/eu-1b"},
		{"allowed everywhere: none", func(p *corev1.Pod) { p.Spec.Tolerations = tolerates }, ""},
		{"by node selector", func(p *corev1.Pod) {
			p.Spec.NodeSelector, p.Spec.Tolerations = map[string]string{"karpenter.sh/nodepool": "gpu"}, tolerates
		}, "gpu/eu-1a"},
		{"by required affinity", func(p *corev1.Pod) { p.Spec.Affinity = zone("eu-1b") }, "std/eu-1b"},
		{"allowed nowhere: none", func(p *corev1.Pod) { p.Spec.Affinity = zone("us-1") }, ""},
		{"gated ones too", func(p *corev1.Pod) {
			p.Spec.Affinity, p.Spec.SchedulingGates = zone("eu-1b"), []corev1.PodSchedulingGate{{Name: "a"}}
		}, "std/eu-1b"},
		{"for a GPU: those with one", func(p *corev1.Pod) {
			p.Spec.Tolerations = tolerates
			p.Spec.Containers[0].Resources.Requests["nvidia.com/gpu"] = resource.MustParse("1")
		}, "gpu/eu-1a"},
		{"for a resource that no node has: as without it", func(p *corev1.Pod) {
			p.Spec.Containers[0].Resources.Requests["example.com/fpga"] = resource.MustParse("1")
		}, "std/eu-1a std/eu-1b"},
		{"not those that have a node", func(p *corev1.Pod) { p.Spec.NodeName = "std-1" }, ""},
	} {
		p := modeltest.NewPod("dev/waits", "", "1", "1Gi", 0, c.change)
		var got []string
		nodes := fleet()
		for _, n := range nodes {
			if n.Labels["karpenter.sh/nodepool"] == "gpu" {
				n.Status.Allocatable["nvidia.com/gpu"] = resource.MustParse("8")
			}
		}
		for _, pool := range Pools(grouped(nodes, p), "", full) {
			if *pool.Pending > 0 {
				got = append(got, pool.Pool+"/"+pool.Zone)
			}
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s: %v, want %s", c.says, got, c.want)
		}
	}
}

func TestThePendingPodsOfAPoolThatIsNotReadyStillTargetIt(t *testing.T) {
	nodes := fleet()
	nodes[3].Spec.Taints = append(nodes[3].Spec.Taints, corev1.Taint{Key: corev1.TaintNodeNotReady, Effect: corev1.TaintEffectNoExecute})
	s := grouped(nodes, modeltest.NewPod("dev/waits", "", "1", "1Gi", 0, func(p *corev1.Pod) {
		p.Spec.NodeSelector = map[string]string{"karpenter.sh/nodepool": "gpu"}
		p.Spec.Tolerations = []corev1.Toleration{{Key: "dedicated", Operator: corev1.TolerationOpExists}}
	}))
	if got := *Pools(s, "", full)[0].Pending; got != 1 {
		t.Errorf("%d pending", got)
	}
}

func TestWhatPendingPodsLackInAPool(t *testing.T) {
	for _, c := range []struct {
		says, cpu, memory string
		want              string
	}{
		{"enough is free", "4", "8Gi", ""},
		{"cpu", "5", "8Gi", "cpu 1"},
		{"memory", "1", "60Gi", "memory 1"},
		{"more than a node has: too large", "17", "8Gi", ""},
		{"too large in another resource", "5", "65Gi", ""},
	} {
		s := grouped(fleet(),
			modeltest.NewPod("dev/a", "std-1", "13", "8Gi", 0, nil), modeltest.NewPod("dev/b", "std-2", "12", "8Gi", 0, nil),
			modeltest.NewPod("dev/c", "std-3", "13", "8Gi", 0, nil), modeltest.NewPod("dev/waits", "", c.cpu, c.memory, 0, nil))
		got := ""
		if p := Pools(s, "", full)[2]; p.Lacking > 0 {
			got = fmt.Sprintf("%s %d", p.Lacks, p.Lacking)
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", c.says, got, c.want)
		}
	}
}

func TestAPoolIsNotFullForPodsThatAnotherOneTakes(t *testing.T) {
	s := grouped(fleet(), modeltest.NewPod("dev/b", "std-2", "12", "8Gi", 0, nil), modeltest.NewPod("dev/c", "std-3", "12", "8Gi", 0, nil),
		modeltest.NewPod("dev/waits", "", "5", "8Gi", 0, nil))
	if p := Pools(s, "", full)[2]; p.Lacking != 0 || p.Allowed != 0 || *p.Pending != 1 {
		t.Errorf("%d lack %s of %d", p.Lacking, p.Lacks, *p.Pending)
	}
}

func TestAClusterOfOnePoolIsFullForPodsThatMayRunAnywhere(t *testing.T) {
	s := grouped(fleet()[:1], modeltest.NewPod("dev/a", "std-1", "12", "8Gi", 0, nil), modeltest.NewPod("dev/waits", "", "5", "8Gi", 0, nil))
	if p := Pools(s, "", full)[0]; p.Lacking != 1 || *p.Pending != 1 || p.Allowed != 1 {
		t.Errorf("%d of %d lack %s, %d target it", p.Lacking, p.Allowed, p.Lacks, *p.Pending)
	}
}

func TestTheZonesOfOnlyOnePoolAreTargeted(t *testing.T) {
	nodes := []*corev1.Node{modeltest.NewNode("std-1", "eu-1a", "8", "32Gi"), modeltest.NewNode("std-2", "eu-1b", "8", "32Gi")}
	s := grouped(nodes, modeltest.NewPod("dev/any", "", "1", "1Gi", 0, nil), modeltest.NewPod("dev/zoned", "", "1", "1Gi", 0, func(p *corev1.Pod) {
		p.Spec.NodeSelector = map[string]string{corev1.LabelTopologyZone: "eu-1b"}
	}))
	if pools := Pools(s, "", full); len(pools) != 2 || *pools[0].Pending != 1 || *pools[1].Pending != 2 {
		t.Errorf("%d groups, %d and %d pending", len(pools), *pools[0].Pending, *pools[1].Pending)
	}
}

func TestPodsThatSelectEveryPoolTargetThem(t *testing.T) {
	nodes := fleet()
	for _, n := range nodes {
		n.Labels["os"] = "linux"
		n.Spec.Taints = nil
	}
	s := grouped(nodes, modeltest.NewPod("dev/any", "", "1", "1Gi", 0, nil), modeltest.NewPod("dev/linux", "", "1", "1Gi", 0, func(p *corev1.Pod) {
		p.Spec.NodeSelector = map[string]string{"os": "linux"}
	}))
	for _, p := range Pools(s, "", full) {
		if *p.Pending != 1 || p.Waiting[0].Name() != "linux" {
			t.Errorf("%s/%s: %d pending", p.Pool, p.Zone, *p.Pending)
		}
	}
}

func TestPodsThatAllowTheFewestPoolsAreNamedFirst(t *testing.T) {
	s := grouped(fleet(), modeltest.NewPod("dev/any", "", "1", "1Gi", 0, nil), modeltest.NewPod("dev/one", "", "1", "1Gi", 0, func(p *corev1.Pod) {
		p.Spec.NodeSelector = map[string]string{corev1.LabelTopologyZone: "eu-1b"}
	}))
	if p := Pools(s, "", full)[2]; len(p.Waiting) != 2 || p.Waiting[0].Name() != "one" {
		t.Errorf("%d kinds, %s first", len(p.Waiting), p.Waiting[0].Name())
	}
}

func TestWhatDependsOnPodsIsUnknownWithoutThem(t *testing.T) {
	for _, status := range []model.Status{
		{Namespace: "shop"}, {Unread: []model.Unread{{Resource: "pods"}}}, {Reading: map[string]int{"pods": 4}},
	} {
		s := grouped(fleet())
		s.Status = status
		for _, p := range Pools(s, "", full) {
			if p.Requested != nil || p.LargestFree != nil || p.Stranded != nil || p.Pending != nil || p.Balance != nil {
				t.Errorf("%+v: %+v", status, p)
			}
		}
	}
}

func TestAllPoolsTogetherAreTheCluster(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		var nodes []*corev1.Node
		var pods []*corev1.Pod
		for i := range rapid.IntRange(0, 12).Draw(rt, "nodes") {
			n := modeltest.NewNode(fmt.Sprintf("%s-%d", rapid.SampledFrom([]string{"a", "b", ""}).Draw(rt, "pool"), i), rapid.SampledFrom([]string{"", "z1", "z2"}).Draw(rt, "zone"), "16", "64Gi")
			n.Spec.Unschedulable = rapid.Bool().Draw(rt, "cordoned")
			nodes = append(nodes, n)
			for k := range rapid.IntRange(0, 4).Draw(rt, "pods") {
				pods = append(pods, modeltest.NewPod(fmt.Sprintf("dev/p-%d-%d", i, k), n.Name, rapid.SampledFrom([]string{"0", "250m", "4"}).Draw(rt, "cpu"), "8Gi", 0, nil))
			}
		}
		s := grouped(nodes, pods...)
		var sum model.Capacity
		for _, p := range Pools(s, rapid.SampledFrom([]string{"", "disk", "absent"}).Draw(rt, "by"), full) {
			part := model.CapacityOf(p.Members)
			if p.Nodes != len(p.Members) || p.Schedulable > p.Ready || p.LargestFree.MilliCPU > part.Allocatable.MilliCPU-part.Requested.MilliCPU && len(p.Members) == 1 {
				rt.Errorf("%+v", p)
			}
			sum.Nodes += p.Nodes
			sum.Requested.MilliCPU += p.Requested.MilliCPU
			sum.Allocatable.Memory += p.Allocatable.Memory
		}
		whole := model.CapacityOf(s.Nodes)
		if sum.Nodes != whole.Nodes || sum.Requested.MilliCPU != whole.Requested.MilliCPU || sum.Allocatable.Memory != whole.Allocatable.Memory {
			rt.Errorf("pools have %+v, the cluster %+v", sum, whole)
		}
	})
}
