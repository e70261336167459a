package nodemap

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"pgregory.net/rapid"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/ui/gauge"
	"github.com/kubectl-fathom/kubectl-fathom/ui/tone"
)

// ready is a node of which so much cpu is requested, out of 1,000.
func ready(requested int64, change func(*model.Node)) *model.Node {
	n := &model.Node{
		Name: "std-a-01", Object: &corev1.Node{}, Ready: corev1.ConditionTrue, Pool: "std",
		Allocatable: model.Resources{MilliCPU: 1000}, Requested: model.Resources{MilliCPU: requested},
	}
	if change != nil {
		change(n)
	}
	return n
}

func tainted(n *model.Node) {
	n.Object.Spec.Taints = []corev1.Taint{{Key: "dedicated", Effect: corev1.TaintEffectNoSchedule}}
}

func TestTheSignOfANodeIsItsLevelOrItsState(t *testing.T) {
	for _, test := range []struct {
		does   string
		part   int64
		change func(*model.Node)
		want   string
		tone   tone.Tone
	}{
		{"is empty", 0, nil, "▁", tone.Good},
		{"is nearly a half", 399, nil, "▃", tone.Good},
		{"is a half", 500, nil, "▄", tone.Good},
		{"is below tight", 799, nil, "▆", tone.Good},
		{"is tight", 800, nil, "▇", tone.Warning},
		{"is below full", 949, nil, "▇", tone.Warning},
		{"is full", 950, nil, "█", tone.Bad},
		{"has more requested than it has", 2000, nil, "█", tone.Bad},
		{"says nothing of cpu", 0, func(n *model.Node) { n.Allocatable.MilliCPU = 0 }, "?", tone.Unknown},
		{"is cordoned", 990, func(n *model.Node) { n.Cordoned = true }, "C", tone.Warning},
		{"is NotReady and cordoned", 0, func(n *model.Node) { n.Ready, n.Cordoned = corev1.ConditionFalse, true }, "N", tone.Bad},
		{"is silent", 0, func(n *model.Node) { n.Ready = corev1.ConditionUnknown }, "N", tone.Bad},
		{"is new", 0, func(n *model.Node) { n.Ready, n.Lifecycle = corev1.ConditionUnknown, "new: not initialized" }, "n", tone.Warning},
		{"is being removed", 0, func(n *model.Node) { n.Lifecycle = "removing: scale-down" }, "r", tone.Warning},
		{"is under pressure", 500, func(n *model.Node) { n.Pressure = []string{"DiskPressure"} }, "P", tone.Warning},
		{"is under pressure and full", 960, func(n *model.Node) { n.Pressure = []string{"DiskPressure"} }, "█", tone.Bad},
		{"is tainted", 810, tainted, "t", tone.Warning},
		{"is tainted and full", 960, tainted, "█", tone.Bad},
		{"has a taint of Kubernetes", 0, func(n *model.Node) {
			n.Object.Spec.Taints = []corev1.Taint{{Key: corev1.TaintNodeNotReady, Effect: corev1.TaintEffectNoExecute}}
		}, "▁", tone.Good},
		{"would rather not take pods", 0, func(n *model.Node) {
			n.Object.Spec.Taints = []corev1.Taint{{Key: "spot", Effect: corev1.TaintEffectPreferNoSchedule}}
		}, "▁", tone.Good},
	} {
		got := level{name: corev1.ResourceCPU, levels: gauge.DefaultLevels}.cell(ready(test.part, test.change))
		if got.sign != test.want || got.tone != test.tone {
			t.Errorf("a node that %s is %s in tone %d, want %s in %d", test.does, got.sign, got.tone, test.want, test.tone)
		}
	}
}

// TestTheShapeTellsTheLevelWithoutColour holds signs to tones: each sign of a level has
// one tone, whatever the levels are.
func TestTheShapeTellsTheLevelWithoutColour(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tight := rapid.IntRange(1, 99).Draw(t, "tight")
		levels := gauge.Levels{Tight: tight, Full: rapid.IntRange(tight+1, 100).Draw(t, "full")}
		part := rapid.Int64Range(0, 1200).Draw(t, "requested")
		got := level{name: corev1.ResourceCPU, levels: levels}.cell(ready(part, nil))
		want := map[string]tone.Tone{"▇": tone.Warning, "█": tone.Bad}[got.sign]
		if want == tone.Plain {
			want = tone.Good
		}
		if got.tone != want || got.tone != levels.Tone(model.Percent(part, 1000)) {
			t.Fatalf("%d of 1000 is %s in tone %d", part, got.sign, got.tone)
		}
		more := level{name: corev1.ResourceCPU, levels: levels}.cell(ready(part+1, nil))
		if more.sign < got.sign {
			t.Fatalf("%d of 1000 is %s, and one more %s", part, got.sign, more.sign)
		}
	})
}

func TestATaintOfAWholePoolHidesNoLevels(t *testing.T) {
	gpu := func(n *model.Node) { n.Pool = "gpu"; tainted(n) }
	one := func(n *model.Node) { n.Pool = "single"; tainted(n) }
	none := func(n *model.Node) { n.Pool = ""; tainted(n) }
	pools := taintedPools([]*model.Node{
		ready(0, nil), ready(0, tainted), ready(0, gpu), ready(0, gpu), ready(0, one), ready(0, none), ready(0, none),
	})
	r := level{name: corev1.ResourceCPU, levels: gauge.DefaultLevels, pools: pools}
	for _, test := range []struct {
		change func(*model.Node)
		want   string
	}{{gpu, "▄"}, {tainted, "t"}, {one, "t"}, {none, "t"}} {
		if n := ready(500, test.change); r.cell(n).sign != test.want {
			t.Errorf("a tainted node of the pool %q is %s, want %s", n.Pool, r.cell(n).sign, test.want)
		}
	}
}

func TestANodeWithoutAnExtendedResourceIsNotEmpty(t *testing.T) {
	r := level{name: "nvidia.com/gpu", levels: gauge.DefaultLevels}
	without := ready(0, func(n *model.Node) { n.Cordoned = true })
	with := ready(0, func(n *model.Node) {
		n.Allocatable.Scalar = map[corev1.ResourceName]int64{"nvidia.com/gpu": 8}
	})
	if a, b := r.cell(without), r.cell(with); a.sign != noneSign || a.means != "no gpu" || b.sign != "▁" {
		t.Errorf("without GPUs a node is %+v, with 8 free ones %+v", a, b)
	}
}

func TestTheShapeOfAnAge(t *testing.T) {
	asOf := time.Date(2026, 11, 20, 14, 0, 0, 0, time.UTC)
	for _, test := range []struct {
		old  time.Duration
		want string
		tone tone.Tone
	}{
		{-time.Minute, "▁", tone.Marked},
		{0, "▁", tone.Marked},
		{9 * time.Minute, "▁", tone.Marked},
		{10 * time.Minute, "▂", tone.Marked},
		{time.Hour, "▃", tone.Plain},
		{day, "▅", tone.Plain},
		{89 * day, "▇", tone.Plain},
		{90 * day, "█", tone.Plain},
		{2000 * day, "█", tone.Plain},
	} {
		n := ready(0, func(n *model.Node) { n.Object.CreationTimestamp = metav1.NewTime(asOf.Add(-test.old)) })
		if got := (age{asOf}).cell(n); got.sign != test.want || got.tone != test.tone {
			t.Errorf("a node that is %v old is %s in tone %d, want %s in %d", test.old, got.sign, got.tone, test.want, test.tone)
		}
	}
	if got := (age{asOf}).cell(ready(0, nil)); got != unknown {
		t.Errorf("a node of unknown age is %+v", got)
	}
}

// fixedWhy is one reason for all nodes.
type fixedWhy struct {
	Why
	reason string
}

func (f fixedWhy) Reason(string) string { return f.reason }

func TestEachReasonHasOneSign(t *testing.T) {
	signs := map[string]string{}
	for _, f := range families {
		if before, ok := signs[f.sign]; ok {
			t.Errorf("%s is the sign of %s and %s", f.sign, before, f.word)
		}
		signs[f.sign] = f.word
		for _, cause := range f.causes {
			if got := (reasons{fixedWhy{reason: cause}}).cell(ready(0, nil)); got.sign != f.sign || got.means != cause {
				t.Errorf("%s is drawn as %+v", cause, got)
			}
		}
	}
	if got := (reasons{fixedWhy{reason: "MyOwnPlugin"}}).cell(ready(0, nil)); got.sign != others || got.means != "MyOwnPlugin" {
		t.Errorf("the reason of a plugin that is not known is %+v", got)
	}
	if got := (reasons{fixedWhy{}}).cell(ready(0, nil)); got != unknown {
		t.Errorf("no reason is %+v", got)
	}
}

func TestSeveralReasonsWithOneSignGoByOneWord(t *testing.T) {
	for _, test := range []struct {
		causes []string
		want   string
	}{
		{[]string{"node selector", "node selector"}, "node selector"},
		{[]string{"node selector", "anti-affinity"}, "affinity"},
		{[]string{"claim", "volume", "volume"}, "volume"},
		{[]string{"PluginA", "PluginB"}, "other reasons"},
	} {
		var s summary
		for _, cause := range test.causes {
			s.add((reasons{fixedWhy{reason: cause}}).cell(ready(0, nil)))
		}
		if len(s.found) != 1 || s.found[0].means != test.want || s.found[0].nodes != len(test.causes) {
			t.Errorf("%v: %+v, want %s", test.causes, s.found, test.want)
		}
	}
}

func TestLabelsThatDivideNodesAreOffered(t *testing.T) {
	var nodes []*model.Node
	for i := range 40 {
		nodes = append(nodes, ready(0, func(n *model.Node) {
			n.Object.Labels = map[string]string{
				corev1.LabelArchStable: []string{"amd64", "arm64"}[i%2], corev1.LabelTopologyZone: []string{"a", "b"}[i%2],
				"team": []string{"a", "b", "c"}[i%3], "constant": "yes", "each": string(rune('A' + i)), "a/b": []string{"x", "y"}[i/20],
			}
		}))
	}
	var names []string
	for _, g := range groupings(nodes) {
		names = append(names, g.name)
	}
	want := "pool and zone, pool, zone, arch, b, team"
	if got := strings.Join(names, ", "); got != want {
		t.Errorf("offered are %q, want %q", got, want)
	}
}

func TestUsageIsALevelToo(t *testing.T) {
	usage := &model.Usage{Nodes: map[string]model.Amount{"std-a-01": {MilliCPU: 960}}}
	cpu := level{name: corev1.ResourceCPU, usage: usage, levels: gauge.DefaultLevels}
	elsewhere := func(n *model.Node) { n.Name = "std-a-02" }
	for _, test := range []struct {
		does   string
		l      level
		change func(*model.Node)
		want   string
	}{
		{"is measured", cpu, nil, "█"},
		{"is cordoned", cpu, func(n *model.Node) { n.Cordoned = true }, "C"},
		{"is not measured", cpu, elsewhere, "?"},
		{"says nothing of memory", level{name: corev1.ResourceMemory, usage: usage, levels: gauge.DefaultLevels}, nil, "?"},
	} {
		if got := test.l.cell(ready(0, test.change)); got.sign != test.want {
			t.Errorf("a node that %s is %s, want %s", test.does, got.sign, test.want)
		}
	}
	if got := cpu.title() + ", " + cpu.word(); got != "cpu used, cpu used" {
		t.Errorf("it is named %q", got)
	}
}

// whyOf is a reason by the name of the node.
type whyOf struct {
	Why
	reasons map[string]string
}

func (w whyOf) Reason(node string) string { return w.reasons[node] }

func (w whyOf) Verdict() (words string, ok bool) {
	return fmt.Sprintf("0 of %d nodes fit", len(w.reasons)), true
}

func TestAReasonIsTheSameOnlyWhereItsWordIs(t *testing.T) {
	named := func(name string) *model.Node { return ready(0, func(n *model.Node) { n.Name = name }) }
	of := reasons{whyOf{reasons: map[string]string{"a1": "PluginA", "a2": "PluginB", "b1": "taint", "b2": "taint", "c1": Fits, "c2": Fits}}}
	got := of.uniform([]part{
		{"zone-a", []*model.Node{named("a1"), named("a2")}},
		{"zone-b", []*model.Node{named("b1"), named("b2")}},
		{"zone-c", []*model.Node{named("c1"), named("c2")}},
	})
	if want := "zone-b: taint"; strings.Join(got, ", ") != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestReasonsAreCountedBeforeTheZonesWithOneReason(t *testing.T) {
	named := func(name string) *model.Node {
		return ready(0, func(n *model.Node) { n.Name, n.Zone = name, name[:1] })
	}
	of := reasons{whyOf{reasons: map[string]string{"a1": "taint", "a2": "taint", "a3": "taint", "b1": "cpu", "b2": "memory"}}}
	s := summary{grid: &grid{}, nodes: []*model.Node{named("a1"), named("a2"), named("a3"), named("b1"), named("b2")}}
	for _, n := range s.nodes {
		s.add(of.cell(n))
	}
	want := []string{"0 of 5 nodes fit: taint 3, cpu 1, memory 1.", "0 of 5 nodes fit: taint 3, cpu 1, …", "0 of 5 nodes fit: taint 3, …", "0 of 5 nodes fit."}
	if got := slices.Compact(of.answer(&s)); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestTheAnswerCountsWhatIsUnknownOrGoing(t *testing.T) {
	going := func(n *model.Node) { n.Lifecycle = "removing: scale-down" }
	silent := func(n *model.Node) { n.Allocatable.MilliCPU = 0 }
	cpu := level{name: corev1.ResourceCPU, levels: gauge.DefaultLevels}
	for _, test := range []struct {
		nodes []*model.Node
		of    measure
		want  string
	}{
		{[]*model.Node{ready(960, nil), ready(0, nil), ready(0, going), ready(0, silent)}, cpu, "4 nodes: 1 at 95%+, 1 unknown, 1 removing."},
		{[]*model.Node{ready(0, silent), ready(0, silent)}, cpu, "2 nodes: cpu requested unknown."},
		{[]*model.Node{ready(0, nil), ready(0, going)}, states{}, "2 nodes: 2 Ready, 1 removing."},
	} {
		if got := test.of.answer(&summary{grid: &grid{}, nodes: test.nodes})[0]; got != test.want {
			t.Errorf("%q, want %q", got, test.want)
		}
	}
}
