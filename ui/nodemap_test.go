package ui

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/ui/keymap"
)

// fleet is nodes in three zones: three of four in the pool general, of which eu-1b is full,
// the others in the pools batch and gpu. The gpu nodes are tainted, some nodes are cordoned
// or NotReady.
type fleet struct {
	nodes []*corev1.Node
	pods  []*corev1.Pod
}

func newFleet(n int) *fleet {
	f := &fleet{}
	for i := range n {
		zone := i % 3
		pool := []string{"general", "general", "general", "batch", "general", "general", "general", "gpu"}[i/3%8]
		percent := 50 + (i/3*37+zone*11)%48 - (i/7*13)%50
		if zone == 1 && pool == "general" {
			percent = 94 + (i/3*7)%6
		}
		f.add(i, pool, "eu-1"+string(rune('a'+zone)), percent)
	}
	return f
}

func (f *fleet) add(i int, pool, zone string, percent int) {
	m := machine{fmt.Sprintf("ip-10-0-%d-%d.eu-west-1.compute.internal", i/250, i%250), zone, "15.9", "60Gi", "0", "0", 110, 0, time.Duration(i%120+1) * 23 * time.Hour}
	n := m.object()
	n.Labels["eks.amazonaws.com/nodegroup"] = pool
	n.Labels[corev1.LabelInstanceTypeStable] = []string{"m6i.4xlarge", "m7i.4xlarge"}[i%2]
	if pool == "gpu" {
		n.Labels[corev1.LabelInstanceTypeStable] = "g5.8xlarge"
		n.Status.Allocatable["nvidia.com/gpu"] = resource.MustParse("8")
		n.Spec.Taints = []corev1.Taint{{Key: "dedicated", Value: "gpu", Effect: corev1.TaintEffectNoSchedule}}
	}
	since := metav1.NewTime(now.Add(-4 * time.Minute))
	switch i % 41 {
	case 7:
		n.Spec.Unschedulable = true
	case 31:
		n.Spec.Taints = append(n.Spec.Taints, corev1.Taint{Key: "maintenance", Effect: corev1.TaintEffectNoSchedule})
	case 19:
		n.Status.Conditions[0].Status, n.Status.Conditions[0].LastTransitionTime = corev1.ConditionFalse, since
	}
	f.nodes = append(f.nodes, n)
	p := ran(pod("team-a", fmt.Sprintf("worker-%d", i), fmt.Sprintf("%dm", 159*percent), fmt.Sprintf("%dMi", 614*(100-percent)), time.Hour), n.Name)
	if pool == "gpu" {
		p.Spec.Containers[0].Resources.Requests["nvidia.com/gpu"] = *resource.NewQuantity(int64(i%9), resource.DecimalSI)
	}
	f.pods = append(f.pods, p)
}

// at is the fleet at a revision.
func (f *fleet) at(revision int64, status model.Status) *model.Snapshot {
	b := model.NewBuilder()
	for _, n := range f.nodes {
		b.Node(nil, n)
	}
	for _, p := range f.pods {
		b.Pod(nil, p)
	}
	return b.Build(revision, status, nil)
}

// mapOf is the map of a fleet.
func mapOf(t testing.TB, nodes, width, height int, with func(*Options)) *App {
	t.Helper()
	app := newTestAppWith(t, width, height, newFleet(nodes).at(1, liveStatus()), &fakeCluster{}, with)
	press(t, app, "3", "m")
	return app
}

func TestTheNodeMapIsDrawnAsDesigned(t *testing.T) {
	for _, test := range []struct {
		name          string
		nodes         int
		width, height int
		keys          []string
		with          func(*Options)
	}{
		{"20-80x24", 20, 80, 24, nil, nil},
		{"20-120x40", 20, 120, 40, nil, nil},
		{"412-80x24", 412, 80, 24, []string{"j", "j", "j", "j", "l"}, nil},
		{"500-80x24", 500, 80, 24, []string{"j", "j", "right", "right"}, nil},
		{"500-120x40", 500, 120, 40, nil, nil},
		{"5000-80x24", 5000, 80, 24, nil, nil},
		{"5000-80x24-end", 5000, 80, 24, []string{"G", "k"}, nil},
		{"5000-120x40", 5000, 120, 40, []string{"ctrl+f"}, nil},
		{"500-80x24-ascii", 500, 80, 24, nil, func(o *Options) { o.ASCII = true }},
		{"gpu-80x24", 412, 80, 24, []string{"tab", "tab"}, nil},
		{"age-80x24", 412, 80, 24, []string{"tab", "tab", "tab"}, nil},
		{"state-120x40", 412, 120, 40, []string{"shift+tab"}, nil},
		{"by-zone-80x24", 412, 80, 24, []string{"w", "w"}, nil},
		{"by-label-80x24", 412, 80, 24, []string{"w", "w", "w"}, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			app := mapOf(t, test.nodes, test.width, test.height, test.with)
			press(t, app, test.keys...)
			requireFrame(t, app, test.name)
			requireScreen(t, app)
		})
	}
}

func TestTheNodeMapInEachTheme(t *testing.T) {
	for _, theme := range []string{"dark", "light", "color-blind", "mono"} {
		t.Run(theme, func(t *testing.T) {
			app := mapOf(t, 60, 80, 24, func(o *Options) { o.Theme = theme })
			requireColours(t, app)
		})
	}
}

// onMap is the name of the node under the cursor of a map.
func onMap(t testing.TB, app *App) string {
	t.Helper()
	node := app.history.top().Selected().Node
	if node == nil {
		t.Fatalf("no node is selected on\n%s", screen(app))
	}
	return node.Name
}

func TestTheCursorReachesEveryNodeOfTheMap(t *testing.T) {
	for _, keys := range []struct{ on, back string }{{"l", "h"}, {"right", "left"}} {
		app := mapOf(t, 300, 60, 15, nil)
		press(t, app, "g")
		var seen []string
		for range 300 {
			seen = append(seen, onMap(t, app))
			if rows := screen(app); strings.Count(rows, "▸") != 1 || !strings.Contains(rows, "\n "+app.observed.NodeName(onMap(t, app))+" · ") {
				t.Fatalf("%s is not drawn as selected:\n%s", onMap(t, app), rows)
			}
			press(t, app, keys.on)
		}
		if last := onMap(t, app); last != seen[299] {
			t.Errorf("%s goes on from the last node %s to %s", keys.on, seen[299], last)
		}
		for i := 298; i >= 0; i-- {
			if press(t, app, keys.back); onMap(t, app) != seen[i] {
				t.Fatalf("%s is at %s, want %s", keys.back, onMap(t, app), seen[i])
			}
		}
		slices.Sort(seen)
		if got := len(slices.Compact(seen)); got != 300 {
			t.Errorf("%s reaches %d of 300 nodes", keys.on, got)
		}
	}
}

func TestTheCursorOfTheMapKeepsItsColumn(t *testing.T) {
	app := mapOf(t, 412, 80, 24, nil)
	press(t, app, "g", "G", "g", "j", "j", "j")
	for range 40 {
		press(t, app, "l")
	}
	from := onMap(t, app)
	press(t, app, "k") // a shorter line
	if onMap(t, app) == from {
		t.Fatal("k does not move")
	}
	press(t, app, "j")
	if got := onMap(t, app); got != from {
		t.Errorf("down and up again is at %s, not at %s", got, from)
	}
	press(t, app, "pgdown", "pgup", "ctrl+d", "ctrl+u")
	if got := screenRow(app, 3); !strings.HasPrefix(got, "▸") {
		t.Errorf("pages up do not end at the first line: %q", got)
	}
}

func TestTheMapKeepsItsSelectionByUID(t *testing.T) {
	f := newFleet(60)
	app := newTestAppWith(t, 80, 24, f.at(1, liveStatus()), &fakeCluster{}, nil)
	press(t, app, "3", "m", "j", "j", "l", "l", "l")
	at := onMap(t, app)
	for i := range 20 {
		f.add(1000+i, "general", "eu-1a", 40)
	}
	send(t, app, snapshotMsg{snapshot: f.at(2, liveStatus())})
	if got := onMap(t, app); got != at {
		t.Errorf("new nodes move the cursor from %s to %s", at, got)
	}

	gone := slices.IndexFunc(f.nodes, func(n *corev1.Node) bool { return n.Name == at })
	replaced := f.nodes[gone].DeepCopy()
	replaced.UID = "another"
	f.nodes[gone] = replaced
	send(t, app, snapshotMsg{snapshot: f.at(3, liveStatus())})
	if got := app.history.top().Selected(); got.Node == nil || got.Node.Object.UID == "another" {
		t.Errorf("the cursor went to the node that replaced it")
	}
	if text := screen(app); !strings.Contains(text, app.observed.NodeName(at)+" was deleted") {
		t.Errorf("nothing says that %s is gone:\n%s", at, text)
	}
	press(t, app, "enter")
	if text := screen(app); !strings.Contains(text, "map of cpu requested") || !strings.Contains(text, at+" was deleted.") {
		t.Errorf("enter on a node that is gone:\n%s", text)
	}
	if got := app.history.top().Selected(); got.Node == nil || strings.Contains(screen(app), "· was deleted") || app.history.top().Off(keymap.Open) != "" {
		t.Errorf("after the key %+v is selected", got.Ref)
	}
	if got := strings.Count(app.history.top().Answer(200), "80 nodes"); got != 1 {
		t.Errorf("the answer is %q", app.history.top().Answer(200))
	}
}

func TestTheMapIsOfTheNodesThatTheFilterKeeps(t *testing.T) {
	for _, nodes := range []int{120, 1500} { // filtered at once, and by a command
		f := newFleet(nodes)
		app := newTestAppWith(t, 100, 30, f.at(1, liveStatus()), &fakeCluster{}, nil)
		press(t, app, "3")
		filterBy(t, app, "pool=gpu")
		want := len(app.pages.nodes.Result.Rows)
		press(t, app, "m")
		requireRow(t, app, 2, fmt.Sprintf("/pool=gpu keeps %s: ", model.FormatCount(want)+" nodes"))
		if text := screen(app); strings.Contains(text, "general") || strings.Contains(text, "batch") {
			t.Errorf("of %d nodes others are drawn:\n%s", nodes, text)
		}
		f.add(9999, "gpu", "eu-1c", 10)
		send(t, app, snapshotMsg{snapshot: f.at(2, liveStatus())})
		requireRow(t, app, 2, fmt.Sprintf("/pool=gpu keeps %s: ", model.FormatCount(want+1)+" nodes"))
		press(t, app, "/")
		requireRow(t, app, 29, "/ filter: filter Nodes (3)")
	}
}

func TestTheMapSaysWhatIsUnknown(t *testing.T) {
	status := liveStatus()
	status.Unread = []model.Unread{{Resource: "pods", Why: "not allowed to list pods"}}
	app := newTestAppWith(t, 80, 24, newFleet(60).at(1, status), &fakeCluster{}, nil)
	press(t, app, "3", "m")
	requireRow(t, app, 2, "60 nodes: requests unknown, 2 cordoned, 1 NotReady; not allowed to list pods.")
	text := screen(app)
	if strings.ContainsAny(text, "▁▂▃▄▅▆▇█%") || !strings.Contains(text, "? unknown") || !strings.Contains(text, "cpu ? · mem ? · pods ?") {
		t.Errorf("what is requested is drawn:\n%s", text)
	}
	status.Unread = []model.Unread{{Resource: "nodes", Why: "not allowed to list nodes"}}
	app = newTestAppWith(t, 80, 24, (&fleet{}).at(1, status), &fakeCluster{}, nil)
	press(t, app, "3", "m", "j", "l", "w", "tab", "enter")
	requireRow(t, app, 2, "Nodes are unknown: not allowed to list nodes.")
}

func TestKeysActOnTheNodeOfTheMap(t *testing.T) {
	opens := map[string]string{"enter": "pods", "x": "why not here", "d": "describe", "y": "YAML"}
	for key, crumb := range opens {
		app := mapOf(t, 60, 100, 30, nil)
		press(t, app, "j", "l")
		name := app.observed.NodeName(onMap(t, app))
		press(t, app, key)
		if got := screenRow(app, header); !strings.Contains(got, name) {
			t.Errorf("%s opens %q, want %s of %s", key, got, crumb, name)
		}
		press(t, app, "esc")
		if got := app.observed.NodeName(onMap(t, app)); got != name {
			t.Errorf("back from %s is %s selected, not %s", key, got, name)
		}
	}
	app := mapOf(t, 60, 100, 30, nil)
	press(t, app, "j", "l", "c")
	if app.dialog == nil || !strings.Contains(screen(app), "Cordon "+app.observed.NodeName(onMap(t, app))) {
		t.Errorf("c opens\n%s", screen(app))
	}
}

func TestTheMouseSelectsInTheMap(t *testing.T) {
	app := mapOf(t, 412, 80, 24, nil)
	click := func(x, y int) { send(t, app, tea.MouseClickMsg{Button: tea.MouseLeft, X: x, Y: y}) }
	press(t, app, "g", "l", "l", "l")
	want := onMap(t, app)
	press(t, app, "G")
	click(17+3, 2)
	if got := onMap(t, app); got != want {
		t.Errorf("a click selects %s, want %s", got, want)
	}
	for _, beside := range [][2]int{{3, 2}, {79, 2}, {40, 20}, {20, 22}} {
		if click(beside[0], beside[1]); onMap(t, app) != want || !strings.Contains(screen(app), "map of") {
			t.Errorf("a click at %v selects %s", beside, onMap(t, app))
		}
	}
	click(17+3, 2)
	if got := screenRow(app, header); !strings.Contains(got, app.observed.NodeName(want)) {
		t.Errorf("a click on the selected node opens %q", got)
	}
}

func TestTheAnswerOfTheMapNamesWhatIsFull(t *testing.T) {
	for _, test := range []struct {
		does string
		full func(pool, zone string) bool
		keys []string
		want string
	}{
		{"nothing is", func(string, string) bool { return false }, nil, "none at 95%+."},
		{"a zone is", func(_, zone string) bool { return zone == "eu-1b" }, nil, " at 95%+. eu-1b is full."},
		{"two zones are", func(_, zone string) bool { return zone != "eu-1b" }, nil, " at 95%+. eu-1a, eu-1c are full."},
		{"a pool is", func(pool, _ string) bool { return pool == "std" }, nil, " at 95%+. std is full."},
		{"a pool of a zone is", func(pool, zone string) bool { return pool == "std" && zone == "eu-1c" }, nil, " at 95%+. std in eu-1c is full."},
		{"by pool", func(pool, zone string) bool { return pool == "std" && zone == "eu-1c" }, []string{"w"}, " at 95%+."},
		{"all are", func(string, string) bool { return true }, nil, " at 95%+. Together they are full."},
	} {
		f := &fleet{}
		for i := range 24 {
			pool, zone := []string{"std", "spot"}[i%2], "eu-1"+string(rune('a'+i/2%3))
			percent := 60
			if test.full(pool, zone) {
				percent = 98
			}
			f.add(i*41, pool, zone, percent) // none of them cordoned or NotReady
		}
		app := newTestAppWith(t, 100, 24, f.at(1, liveStatus()), &fakeCluster{}, nil)
		press(t, app, "3", "m")
		press(t, app, test.keys...)
		if got := strings.TrimSpace(screenRow(app, answer)); !strings.HasSuffix(got, test.want) {
			t.Errorf("%s: %q, want %q at the end", test.does, got, test.want)
		}
	}
}

func TestTheMapShowsUsageWhereThereAreMetrics(t *testing.T) {
	f := newFleet(60)
	cluster := &fakeCluster{}
	app := newTestAppWith(t, 100, 30, f.at(1, liveStatus()), cluster, nil)
	press(t, app, "3", "m")
	if n := len(cluster.usage); n == 0 || !cluster.usage[n-1] {
		t.Errorf("usage was asked for: %v", cluster.usage)
	}
	s := f.at(2, liveStatus())
	s.Usage = &model.Usage{Nodes: map[string]model.Amount{}}
	for i, n := range s.Nodes {
		if i > 0 { // the first one is not measured
			s.Usage.Nodes[n.Name] = model.Amount{MilliCPU: n.Allocatable.MilliCPU * 96 / 100, Memory: n.Allocatable.Memory / 2}
		}
	}
	send(t, app, snapshotMsg{snapshot: s})
	press(t, app, "shift+tab", "shift+tab")
	requireRow(t, app, 1, "map of cpu used")
	requireRow(t, app, 2, "60 nodes: 59 at 95%+, 1 unknown, 2 cordoned, 1 NotReady. Together they are full.")
	if text := screen(app); strings.Count(text, "?") != 3 || !strings.Contains(text, "? unknown") { // a cell, the legend, the help
		t.Errorf("the node that is not measured is not unknown:\n%s", text)
	}
	press(t, app, "tab", "l")
	requireRow(t, app, 2, "60 nodes: none at 95%+, 1 unknown, 2 cordoned, 1 NotReady.")
	requireRow(t, app, 29, "%, used 96% · mem ")
}

func TestTheMapOfNoNodesSaysSo(t *testing.T) {
	app := newTestAppWith(t, 80, 24, newFleet(0).at(1, liveStatus()), &fakeCluster{}, nil)
	press(t, app, "3", "m")
	for range 4 {
		requireRow(t, app, 2, "0 nodes.")
		press(t, app, "tab")
	}
}

func TestResourcesWithOneWordHaveAMapEach(t *testing.T) {
	f := newFleet(30)
	for i, n := range f.nodes {
		n.Status.Allocatable[[]corev1.ResourceName{"amd.com/gpu", "nvidia.com/gpu"}[i%2]] = resource.MustParse("8")
	}
	app := newTestAppWith(t, 120, 30, f.at(1, liveStatus()), &fakeCluster{}, nil)
	press(t, app, "3", "m", "tab", "tab", "tab")
	requireRow(t, app, 1, "map of nvidia.com/gpu requested")
	send(t, app, snapshotMsg{snapshot: f.at(2, liveStatus())})
	requireRow(t, app, 1, "map of nvidia.com/gpu requested")
}

func TestRandomKeysNeverBreakTheMap(t *testing.T) {
	keys := []string{"j", "k", "h", "l", "g", "G", "ctrl+d", "ctrl+u", "pgdown", "pgup", "tab", "shift+tab", "w", "enter", "esc", "m", "3", "s", "space"}
	for seed := range uint64(8) {
		random := rand.New(rand.NewPCG(seed, 2))
		f := newFleet(random.IntN(400))
		app := newTestAppWith(t, 80, 24, f.at(1, liveStatus()), &fakeCluster{}, nil)
		press(t, app, "3", "m")
		for step := range 150 {
			switch random.IntN(10) {
			case 0:
				send(t, app, tea.WindowSizeMsg{Width: 1 + random.IntN(200), Height: 1 + random.IntN(60)})
			case 1:
				if n := len(f.nodes); n > 0 {
					at := random.IntN(n)
					f.nodes = slices.Delete(f.nodes, at, min(at+random.IntN(40), n))
				}
				send(t, app, snapshotMsg{snapshot: f.at(int64(step)+2, liveStatus())})
			}
			press(t, app, keys[random.IntN(len(keys))])
			requireFrame(t, app, fmt.Sprintf("seed %d, step %d", seed, step))
		}
	}
}

func TestNamesOfPoolsReachTheTerminalClean(t *testing.T) {
	f := newFleet(30)
	for _, n := range f.nodes {
		n.Labels["eks.amazonaws.com/nodegroup"] = "\x1b]0;owned\x07\x1b[2J名前\u202eevil\nline"
		n.Labels["a\x1b[2Jb/c\td"] = n.Name[:9] + "\x1b[2J"
	}
	app := newTestAppWith(t, 80, 24, f.at(1, liveStatus()), &fakeCluster{}, nil)
	press(t, app, "3", "m")
	for range 8 {
		requireFrame(t, app, "w")
		requireHarmless(t, app)
		press(t, app, "w")
	}
}

// BenchmarkNodeMapOf5000Nodes is a key of the map.
func BenchmarkNodeMapOf5000Nodes(b *testing.B) {
	app := mapOf(b, 5000, 200, 60, nil)
	for _, key := range []string{"l", "j", "G", "tab", "w"} {
		b.Run(key, func(b *testing.B) {
			press(b, app, "g")
			for b.Loop() {
				pressed(b, app, keyPress(key))
			}
		})
	}
}

// BenchmarkNodeMapSnapshotOf5000Nodes is a snapshot on the map.
func BenchmarkNodeMapSnapshotOf5000Nodes(b *testing.B) {
	s := newFleet(5000).at(2, liveStatus())
	app := mapOf(b, 5000, 200, 60, nil)
	for b.Loop() {
		pressed(b, app, snapshotMsg{snapshot: s})
	}
}

func TestTheNodeMapOpensFromListsOfPodsAndFromTaints(t *testing.T) {
	for _, view := range []string{"1", "2", "3", "4", "5"} {
		app := newTestApp(t, 80, 24, newProdEU().snapshot())
		press(t, app, view, "m")
		requireRow(t, app, 22, "one cell a node")
	}
}
