package ui

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/ui/cells"
	"github.com/kubectl-fathom/kubectl-fathom/ui/keymap"
)

// screenRow is a row of the screen, the first is 1, without the blanks behind.
func screenRow(app *App, n int) string {
	rows := strings.Split(screen(app), "\n")
	if n < 0 {
		n += len(rows) + 1
	}
	return strings.TrimRight(rows[n-1], " ")
}

const (
	header = 1
	answer = 2
	first  = 4 // of a table's rows

	firstPending = first + 1 // below the gauges
	message      = -2
	footer       = -1
)

func TestWhatKeysLeadTo(t *testing.T) {
	for _, c := range []struct {
		does string
		keys string
		row  int
		want string
	}{
		{"enter on a waiting pod asks why", "enter", header, "prod-eu › all › pending › payments/ledger-0"},
		{"o goes to the pod's node", "2 / 2 k q 8 x enter o", header, "prod-eu › all › nodes"},
		{"which is selected there", "2 / 2 k q 8 x enter o", firstPending + 9, "▸  std-b-02"},
		{"even if a filter would hide it", "3 / g p u enter 2 / 2 k q 8 x enter o", firstPending + 9, "▸  std-b-02"},
		{"a pod that is nominated has that node", "o", firstPending + 10, "▸  std-c-01"},
		{"a pod without a node says so", "j o", message, "o node: search/index-2 has no node yet."},
		{"enter on a node lists its pods", "3 j enter", header, "prod-eu › all › pods › gpu-b-01"},
		{"and counts them", "3 j enter", answer, "20 pods: 20 Running."},
		{"esc goes back", "3 esc", header, "prod-eu › all › pending"},
		{"esc clears a filter before it goes back", "3 / g p u enter esc", header, "prod-eu › all › nodes"},
		{"and shows all again", "3 / g p u enter esc", answer, "12 nodes: 11 Ready (1 cordoned), 1 NotReady."},
		{"where it began esc says so", "esc", message, "This is the first page. 1 2 3 open the views, ctrl-c quits."},
		{"- goes to the last view and back", "2 3 - -", header, "prod-eu › all › nodes"},
		{"[ and ] walk the history", "2 3 [ [ ]", header, "prod-eu › all › pods"},
		{"n lists namespaces", "n p a y enter", header, "prod-eu › payments › pending"},
		{"the rows are of that namespace", "n p a y enter", firstPending, "▸  ledger-0             100000  12s  preempting     std-c-01: evicts 2, 18s left"},
		{"0 shows all namespaces", "n p a y enter 0", header, "prod-eu › all › pending"},
		{"n 1 goes to the recent namespace", "n p a y enter 0 n 1", header, "prod-eu › payments › pending"},
		{"another namespace leaves no gone rows", "n s h o p enter", firstPending, "▸  checkout ×3               0  14m  cpu            std-b-02 needs 350m more"},
		{"the palette goes to a view", ": n o d enter", header, "prod-eu › all › nodes"},
		{"tab completes", ": p o d tab", message, ":pods▏"},
		{"s and a letter sort, from the top", "2 j s a", first, "▸  payments/ledger-0               0/1 Pending           Burst             12s"},
		{"+ unfolds a kind", "j j j j +", firstPending + 5, "…6c9d8b7f4-x2x1p"},
		{"ctrl-k says that nothing is killed", "ctrl+k", message, "ctrl-k does nothing. e evicts the pod, after a preview."},
		{"a key that cannot act says why", "+", message, "+ unfold: this row is a single pod."},
		{"a half typed filter says what is missing", "2 / c p u >", message, "/cpu>▏"},
		{"a filter that keeps nothing says how to get out", "2 / c h e k o u t t enter", answer, "No pod matches chekoutt; 412 rows are hidden. esc clears the filter."},
		{"? shows the keys", "? q", header, "prod-eu › all › pending"},
	} {
		app := newTestApp(t, 80, 24, newProdEU().snapshot())
		press(t, app, strings.Fields(c.keys)...)
		if got := screenRow(app, c.row); !strings.HasPrefix(strings.TrimSpace(got), c.want) {
			t.Errorf("%s: row %d is\n%s\nwant\n%s", c.does, c.row, got, c.want)
		}
	}
}

func TestAWrongFilterLeavesTheLastGoodOne(t *testing.T) {
	app := newTestApp(t, 80, 24, newProdEU().snapshot())
	press(t, app, "3", "/")
	send(t, app, tea.PasteMsg{Content: "cpu.free>20"})
	kept := screenRow(app, answer)
	send(t, app, tea.PasteMsg{Content: " mem.free>"})
	if screenRow(app, answer) != kept || !strings.Contains(kept, ": 3 match.") {
		t.Errorf("kept %q, then %q", kept, screenRow(app, answer))
	}
	write(t, app, "x")
	if got := screenRow(app, message); !strings.Contains(got, "mem.free>x▏  ") {
		t.Errorf("nothing says what is wrong: %q", got)
	}
}

// TestATermThatIsNotCompleteHidesNoRows: the name of its field was a word to look for a key before.
func TestATermThatIsNotCompleteHidesNoRows(t *testing.T) {
	s := newProdEU().snapshot()
	for _, c := range []struct{ typed, kept string }{{"used>50%", ""}, {"shop used>50%", "shop"}, {"shop -l a=(", "shop"}, {"shop percent>50 used>", "shop percent>50"}} {
		app := newTestAppWith(t, 80, 24, s, withQuotas(s), nil)
		press(t, app, "8", "/")
		write(t, app, c.typed)
		if got := app.pages.quotas.InForce; got != c.kept {
			t.Errorf("after %q in force is %q, want %q", c.typed, got, c.kept)
		}
		if got := screenRow(app, answer); strings.Contains(got, "No ") {
			t.Errorf("after %q row 2 is %q", c.typed, got)
		}
	}
}

// What is typed is mended or left: enter never keeps a filter that was not typed.
func TestEnterDoesNotTakeAWrongFilter(t *testing.T) {
	for _, typed := range []string{"nosuchfield=3", "cpu>many", "age<"} {
		app := newTestApp(t, 80, 24, newProdEU().snapshot())
		press(t, app, "/")
		write(t, app, typed)
		press(t, app, "enter")
		if got := screenRow(app, message); !strings.Contains(got, "/"+typed+"▏  ") {
			t.Errorf("after enter on %s the row above the keys is %q: it wants the input, and what is wrong", typed, got)
		}
		press(t, app, "esc")
		if got := screenRow(app, answer); strings.Contains(got, " match") || strings.Contains(got, "hidden") {
			t.Errorf("esc leaves a filter in force: %q", got)
		}
	}
}

func TestItStartsOnNodesWhereNothingIsPending(t *testing.T) {
	calm := newProdEU()
	calm.keep(func(p *corev1.Pod) bool { return p.Status.Phase != corev1.PodPending })
	app := newTestApp(t, 80, 24, calm.snapshot())
	if got := screenRow(app, header); !strings.Contains(got, "› nodes") {
		t.Errorf("starts on %s", got)
	}
	app = newTestApp(t, 80, 24, newProdEU().snapshot())
	if got := screenRow(app, header); !strings.Contains(got, "› pending") {
		t.Errorf("starts on %s where pods wait", got)
	}
}

func TestItStaysWhereTheUserWentWhileReading(t *testing.T) {
	calm := newProdEU()
	calm.keep(func(p *corev1.Pod) bool { return p.Status.Phase != corev1.PodPending })
	reading := liveStatus()
	reading.Reading = map[string]int{"pods": 1}
	app := newTestApp(t, 80, 24, calm.at(1, reading))
	press(t, app, "2")
	send(t, app, snapshotMsg{snapshot: calm.at(2, liveStatus())})
	if got := screenRow(app, header); !strings.Contains(got, "› pods") {
		t.Errorf("went away from Pods: %s", got)
	}
}

func TestTheSelectedPodStaysSelectedAcrossSnapshots(t *testing.T) {
	c := newProdEU()
	app := newTestApp(t, 80, 24, c.snapshot())
	press(t, app, "2", "j", "j", "j")
	before, line := app.history.top().Selected().Copy, app.pages.pods.Table.Chosen-app.pages.pods.Table.Top
	c.keep(func(p *corev1.Pod) bool { return p.Name != "report-0" })
	send(t, app, snapshotMsg{snapshot: c.at(2, liveStatus())})
	table := app.pages.pods.Table
	if app.history.top().Selected().Copy != before || table.Chosen-table.Top != line {
		t.Errorf("%s on line %d became %s on line %d", before, line, app.history.top().Selected().Copy, table.Chosen-table.Top)
	}
	if got := screenRow(app, first+1); !strings.Contains(got, "report-0") || !strings.Contains(got, "gone") {
		t.Errorf("the vanished pod is not marked: %q", got)
	}
	press(t, app, "j")
	if strings.Contains(screen(app), "report-0") {
		t.Error("the vanished pod is still there after a key")
	}
}

func TestOnAPodThatIsGoneNothingCanBeDone(t *testing.T) {
	c := newProdEU()
	app := newTestApp(t, 80, 24, c.snapshot())
	press(t, app, "2")
	name := app.history.top().Selected().Copy
	c.keep(func(p *corev1.Pod) bool { return p.Namespace+"/"+p.Name != name })
	send(t, app, snapshotMsg{snapshot: c.at(2, liveStatus())})
	press(t, app, "enter")
	if got := screenRow(app, message); !strings.Contains(got, name+" was deleted.") {
		t.Errorf("says %q", got)
	}
}

func TestTheMouseSelectsOpensScrollsAndSorts(t *testing.T) {
	app := newTestApp(t, 80, 24, newProdEU().snapshot())
	press(t, app, "3")
	click := func(x, y int) { send(t, app, tea.MouseClickMsg{X: x, Y: y, Button: tea.MouseLeft}) }
	click(10, firstPending+4)
	if got := app.history.top().Selected().Copy; got != "spot-c-01" {
		t.Errorf("a click selects %s", got)
	}
	click(44, 3)
	if got := screenRow(app, firstPending); !strings.Contains(got, "gpu-b-01") {
		t.Errorf("a click on FREE sorts %s to the top", got)
	}
	click(44, 3)
	if got := screenRow(app, firstPending); !strings.Contains(got, "std-b-01") {
		t.Errorf("a second click on FREE sorts %s to the top", got)
	}
	click(10, firstPending)
	click(10, firstPending)
	if got := screenRow(app, header); !strings.Contains(got, "pods › spot-b-01") && !strings.Contains(got, "› pods ›") {
		t.Errorf("a second click opens %s", got)
	}
	press(t, app, "2")
	send(t, app, tea.MouseWheelMsg{Button: tea.MouseWheelDown})
	if got := app.pages.pods.Table.Top; got != keymap.WheelRows {
		t.Errorf("the wheel scrolls %d rows", got)
	}
}

func TestBadgesAndFreshness(t *testing.T) {
	for _, c := range []struct {
		does   string
		status func(*model.Status)
		with   func(*Options)
		want   string
	}{
		{"production is shown", nil, nil, "PROD  live"},
		{"staging is not production", nil, func(o *Options) { o.Context = "staging-eu" }, "      live"},
		{"a run that changes nothing", nil, func(o *Options) { o.ReadOnly = true }, "PROD READ-ONLY  live"},
		{"a certificate that nobody checked", func(s *model.Status) { s.Insecure = true }, nil, "PROD INSECURE  live"},
		{"what was not read is counted, but for metrics, which only some pages ask for", func(s *model.Status) {
			s.Unread = []model.Unread{{Resource: "persistentvolumes"}}
			s.MetricsNote = "no metrics"
		}, nil, "PROD  ! 1 not read  live"},
		{"a server that says nothing", func(s *model.Status) {
			s.Connection = model.Connection{Heard: now.Add(-4 * time.Second), Problem: model.Silent}
		}, nil, "PROD  no answer for 4s"},
		{"a try that is under way", func(s *model.Status) {
			s.Connection = model.Connection{Heard: now.Add(-12 * time.Second), Err: "i/o timeout", Problem: model.Unreachable}
		}, nil, "PROD  no answer for 12s, reconnecting"},
		{"a server that is not ready", func(s *model.Status) {
			s.Connection = model.Connection{Heard: now.Add(-12 * time.Second), Err: "not ready: etcd", Problem: model.NotReady, Retry: now.Add(3 * time.Second)}
		}, nil, "PROD  12s old, retry in 3s"},
		{"a server that does not answer", func(s *model.Status) {
			s.Connection = model.Connection{Heard: now.Add(-90 * time.Second), Err: "EOF", Retry: now.Add(4 * time.Second)}
		}, nil, "PROD  no answer for 1m30s, retry in 4s"},
	} {
		status := liveStatus()
		if c.status != nil {
			c.status(&status)
		}
		s := newProdEU().at(1, status)
		app := newTestAppWith(t, 80, 24, s, &fakeCluster{reports: verdictsOf(s)}, c.with)
		if got := screenRow(app, header); !strings.HasSuffix(got, c.want) {
			t.Errorf("%s: %q, want %q at its end", c.does, got, c.want)
		}
	}
}

func TestTheMessageSaysWhatIsWrongWithTheConnection(t *testing.T) {
	for problem, c := range map[model.Problem]struct{ err, want string }{
		model.Silent:       {"", " Waiting for an answer from https://10.0.0.1:6443. ctrl-r retries."},
		model.Unreachable:  {"i/o timeout", " No answer from https://10.0.0.1:6443: i/o timeout (2 tries). ctrl-r retries."},
		model.Unauthorized: {"Unauthorized", " https://10.0.0.1:6443 does not accept the credentials (2 tries). Log in again; ctrl-r retries."},
		model.NotReady:     {"not ready: etcd", " https://10.0.0.1:6443: not ready: etcd (2 tries). ctrl-r retries."},
		model.Failing:      {"etcdserver: request timed out", " https://10.0.0.1:6443: etcdserver: request timed out (2 tries). ctrl-r retries."},
		model.Throttled:    {"too many requests", " Waiting for https://10.0.0.1:6443: too many requests (2 tries)."},
		model.NotAnAPI: {
			"an object without kind and resourceVersion",
			" https://10.0.0.1:6443: an object without kind and resourceVersion. A proxy in front of it may need a login; ctrl-r ret…",
		},
	} {
		status := liveStatus()
		status.Connection = model.Connection{Heard: now.Add(-9 * time.Second), Err: c.err, Problem: problem, Tries: 2}
		s := newProdEU().at(1, status)
		app := newTestAppWith(t, 120, 40, s, &fakeCluster{reports: verdictsOf(s)}, nil)
		if got := strings.TrimRight(screenRow(app, message), " "); got != c.want {
			t.Errorf("problem %d: %q, want %q", problem, got, c.want)
		}
		if strings.HasSuffix(screenRow(app, header), "live") {
			t.Errorf("problem %d counts as live: %q", problem, screenRow(app, header))
		}
	}
}

func TestCrumbsGiveWayInTheMiddle(t *testing.T) {
	whole := []string{"prod-eu", "all", "pending", "shop/checkout-6c9d8b7f4-x2x1p", "fit alone"}
	for _, c := range []struct {
		width int
		want  string
	}{
		{80, "prod-eu › all › pending › shop/checkout-6c9d8b7f4-x2x1p › fit alone"},
		{71, "prod-eu › … › shop/checkout-6c9d8b7f4-x2x1p › fit alone"},
		{60, "prod-eu › … › shop/checkout-6c9d8b7f4-x2x1p › fit alone"},
		{30, "prod-eu › … › fit alone"},
		{20, "prod-eu › … › fit…"},
	} {
		if got := strings.Join(fitCrumbs(slices.Clone(whole), c.width), " › "); got != c.want {
			t.Errorf("in %d cells: %s, want %s", c.width, got, c.want)
		}
	}
}

func TestATitleLosesWholeWords(t *testing.T) {
	for _, c := range []struct {
		title string
		width int
		want  string
	}{
		{"map of cpu requested", 20, "map of cpu requested"},
		{"map of cpu requested", 14, "map of cpu…"},
		{"map of cpu requested", 10, "map of…"},
		{"reasons of all", 5, "re…ll"},
		{"payments/ledger-0", 11, "payme…ger-0"},
	} {
		got := c.title
		if cells.Width(got) > c.width {
			got = shortTitle(got, c.width)
		}
		if got != c.want {
			t.Errorf("%q in %d cells: %q, want %q", c.title, c.width, got, c.want)
		}
	}
}

func TestUsageIsAskedForOnlyWhileShown(t *testing.T) {
	s := newProdEU().snapshot()
	cluster := &fakeCluster{reports: verdictsOf(s)}
	app := newTestAppWith(t, 120, 40, s, cluster, nil)
	press(t, app, "3", "1", "3")
	send(t, app, tea.WindowSizeMsg{Width: 80, Height: 24})
	if want := []bool{true, false, true, false}; !slices.Equal(cluster.usage, want) {
		t.Errorf("usage was switched %v, want %v", cluster.usage, want)
	}
}

func TestRetryAsksTheClusterAgain(t *testing.T) {
	cluster := &fakeCluster{}
	app := newTestAppWith(t, 80, 24, newProdEU().snapshot(), cluster, nil)
	press(t, app, "ctrl+r")
	if cluster.retries != 1 {
		t.Errorf("asked %d times", cluster.retries)
	}
}

func TestTheEndOfAClusterIsTold(t *testing.T) {
	app := newTestApp(t, 80, 24, newProdEU().snapshot())
	send(t, app, endedMsg{err: errors.New("watch pods: token expired")})
	if got := screenRow(app, message); !strings.Contains(got, "watch pods: token expired") {
		t.Errorf("says %q", got)
	}
}

func TestALabelSelectorIsAFilterFromTheStart(t *testing.T) {
	s := newProdEU().snapshot()
	app := newTestAppWith(t, 80, 24, s, &fakeCluster{reports: verdictsOf(s)}, func(o *Options) {
		o.Selector = "pod-template-hash in (6c9d8b7f4)"
	})
	if got := screenRow(app, firstPending) + screenRow(app, firstPending+1); !strings.HasPrefix(got, "▸  shop/checkout ×3") || !strings.HasSuffix(got, "350m more") {
		t.Errorf("shows %s", got)
	}
}

func TestATerminalThatIsTooSmallSaysWhatIsNeeded(t *testing.T) {
	app := newTestApp(t, 40, 10, newProdEU().snapshot())
	if got := screenRow(app, 1); got != " Needs 60×15, has 40×10. ctrl-c quits." && got != "Needs 60×15, has 40×10. ctrl-c quits." {
		t.Errorf("says %q", got)
	}
	press(t, app, "2", "/")
	send(t, app, tea.WindowSizeMsg{Width: 80, Height: 24})
	if got := screenRow(app, header); !strings.Contains(got, "› pending") {
		t.Errorf("keys acted unseen: %s", got)
	}
}
