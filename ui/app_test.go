package ui

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/exp/golden"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-fathom/kubectl-fathom/explain/kubelet"
	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/ui/dialog"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page"
)

// now is when all screens of the tests are seen.
var now = time.Date(2026, 11, 20, 14, 4, 41, 0, time.UTC)

// fakeCluster answers from memory.
type fakeCluster struct {
	mu         sync.Mutex
	reports    map[types.UID]*report.Report
	fixes      map[types.UID]*report.Fixes
	events     map[string][]model.Event // by name
	answers    map[types.UID]report.NodeAnswer
	onNode     func([]types.UID) // called for each question about answers
	evictions  map[types.UID]report.Eviction
	plans      map[types.UID]*report.Report // with Plan
	planned    []string                     // the nodes that plans were asked for
	objects    map[string][]runtime.Object  // by resource
	schedulers map[string]model.Liveness    // with the leases
	devices    map[string]map[string]model.DeviceCount
	unread     map[string]string // resources that Objects cannot list
	fit        *report.Fit       // of every pod
	fitted     []types.UID       // the pods that fit was asked of
	text       string            // of Describe and YAML
	err        error             // of everything, if set
	explained  []types.UID
	fixed      []types.UID
	actor      Actor
	usage      []bool
	retries    int
	evicted    int // how often was asked about evictions
	closed     bool
	renewed    time.Time       // the Lease of each node
	leaseErr   error           // of NodeLease, if set
	kubelet    *kubelet.Config // of KubeletConfig; nil: it may not be read
	leases     []string        // the nodes whose Leases were asked for
}

func (c *fakeCluster) Actor() Actor { return c.actor }

// Next has nothing more than the test has sent.
func (c *fakeCluster) Next(context.Context) (*model.Snapshot, error) { return nil, context.Canceled }

func (c *fakeCluster) Ask(_ context.Context, q report.Query) (*report.Report, error) {
	uid := q.Target.UID()
	c.mu.Lock()
	defer c.mu.Unlock()
	answers := c.reports
	switch {
	case q.Parts.Has(report.FixesPart):
		c.fixed = append(c.fixed, uid)
		fixes, ok := c.fixes[uid]
		if !ok {
			fixes = &report.Fixes{None: "no known change to the pod or to nodes would help"}
		}
		return &report.Report{Tried: fixes}, c.err
	case q.Parts.Has(report.PreemptionPart):
		c.planned = append(c.planned, q.Node)
		answers = c.plans
	default:
		c.explained = append(c.explained, uid)
	}
	r, ok := answers[uid]
	if !ok && c.err == nil {
		return nil, fmt.Errorf("explain %s: no such pod", uid)
	}
	return r, c.err
}

func (c *fakeCluster) OnNode(_ context.Context, uids []types.UID, _ string) (answers []report.NodeAnswer, err error) {
	if c.onNode != nil {
		c.onNode(uids)
	}
	for _, uid := range uids {
		if answer, ok := c.answers[uid]; ok {
			answers = append(answers, answer)
		}
	}
	return answers, c.err
}

func (c *fakeCluster) Evictions(_ context.Context, _ types.UID, _ string, pods []types.UID) (told []report.Eviction, err error) {
	c.evicted++
	for _, uid := range pods {
		if eviction, ok := c.evictions[uid]; ok {
			told = append(told, eviction)
		}
	}
	return told, c.err
}

func (c *fakeCluster) Fit(_ context.Context, uid types.UID, replicas int) (*report.Fit, error) {
	c.fitted = append(c.fitted, uid)
	if c.fit == nil {
		return nil, fmt.Errorf("fit %s: no such pod", uid)
	}
	answer := *c.fit
	answer.Asked = replicas
	return &answer, c.err
}

// KubeletConfig is that of every node.
func (c *fakeCluster) KubeletConfig(context.Context, string) (*kubelet.Config, error) {
	if c.kubelet == nil {
		return nil, errors.New("read the kubelet's configuration: not allowed to get nodes/proxy")
	}
	return c.kubelet, nil
}

func (c *fakeCluster) NodeLease(_ context.Context, node string) (time.Time, error) {
	c.leases = append(c.leases, node)
	return c.renewed, cmp.Or(c.leaseErr, c.err)
}

func (c *fakeCluster) Describe(_ context.Context, ref model.Ref) (string, error) {
	return fmt.Sprintf("Name: %s\n%s", ref.Name, c.text), c.err
}

func (c *fakeCluster) YAML(_ context.Context, ref model.Ref) (string, error) {
	return fmt.Sprintf("metadata:\n  name: %s\n%s", ref.Name, c.text), c.err
}

func (c *fakeCluster) Events(_ context.Context, ref model.Ref) ([]model.Event, error) {
	return c.events[ref.Name], c.err
}

func (c *fakeCluster) Objects(_ context.Context, resources ...string) (*model.Objects, error) {
	o := &model.Objects{Lists: map[string][]runtime.Object{}, Unread: map[string]string{}}
	for _, resource := range resources {
		if why, ok := c.unread[resource]; ok {
			o.Unread[resource] = why
			continue
		}
		o.Lists[resource] = c.objects[resource]
	}
	o.Schedulers, o.Devices = c.schedulers, c.devices
	return o, c.err
}

func (c *fakeCluster) ShowUsage(on bool) { c.usage = append(c.usage, on) }
func (c *fakeCluster) Retry()            { c.retries++ }
func (c *fakeCluster) Close()            { c.closed = true }

// newTestApp is the dashboard on prod-eu with a terminal of that size, after
// that snapshot. Its comingLater never fire.
func newTestApp(t testing.TB, width, height int, s *model.Snapshot) *App {
	t.Helper()
	return newTestAppWith(t, width, height, s, &fakeCluster{reports: verdictsOf(s)}, nil)
}

// newTestAppWith is newTestApp on a cluster, with other options.
func newTestAppWith(t testing.TB, width, height int, s *model.Snapshot, c *fakeCluster, with func(*Options)) *App {
	t.Helper()
	if c.actor == nil {
		c.actor = &fakeActor{snapshot: s}
	}
	o := Options{
		Cluster: c, Context: s.Status.Context, Production: "*prod*", Theme: "dark",
		Now: func() time.Time { return now },
	}
	if with != nil {
		with(&o)
	}
	app := New(o)
	app.after = func(d time.Duration, msg func(time.Time) tea.Msg) tea.Cmd {
		if d == dialog.GuardAlone {
			return func() tea.Msg { return msg(now) } // no other key follows
		}
		comingLater[app] = append(comingLater[app], dueMsg{d, msg(now)})
		return nil
	}
	t.Cleanup(func() { delete(comingLater, app) })
	send(t, app, tea.WindowSizeMsg{Width: width, Height: height}, snapshotMsg{snapshot: s})
	return app
}

// dueMsg is a message that the App gets after a while, where a test lets it pass.
type dueMsg struct {
	after time.Duration
	msg   tea.Msg
}

var comingLater = map[*App][]dueMsg{}

// passes gives the app the messages that are due after d, oldest first, but for those
// of Pending, which explains on its own.
func passes(t testing.TB, app *App, d time.Duration) {
	t.Helper()
	var messages []tea.Msg
	comingLater[app] = slices.DeleteFunc(comingLater[app], func(due dueMsg) bool {
		to, ok := due.msg.(resultMsg)
		if due.after != d || ok && to.to == page.View(app.pages.pending) {
			return false
		}
		messages = append(messages, due.msg)
		return true
	})
	send(t, app, messages...)
}

// send gives the app messages, and what its commands answer.
func send(t testing.TB, app *App, messages ...tea.Msg) {
	t.Helper()
	for _, msg := range messages {
		_, cmd := app.Update(msg)
		run(t, app, cmd, 0)
	}
}

func run(t testing.TB, app *App, cmd tea.Cmd, depth int) {
	t.Helper()
	if cmd == nil {
		return
	}
	if depth > 1000 {
		t.Fatal("a command answers itself for ever")
	}
	switch msg := cmd().(type) {
	case nil:
	case tea.BatchMsg:
		for _, cmd := range msg {
			run(t, app, cmd, depth+1)
		}
	default:
		_, cmd := app.Update(msg)
		run(t, app, cmd, depth+1)
	}
}

// resultOf is the first result that commands bring to a page; the App does not get it yet.
func resultOf(t testing.TB, cmd tea.Cmd) tea.Msg {
	t.Helper()
	msg := firstResult(cmd)
	if msg == nil {
		t.Fatal("nothing was asked")
	}
	return msg
}

func firstResult(cmd tea.Cmd) tea.Msg {
	if cmd == nil {
		return nil
	}
	switch msg := cmd().(type) {
	case tea.BatchMsg:
		for _, cmd := range msg {
			if result := firstResult(cmd); result != nil {
				return result
			}
		}
	case resultMsg:
		return msg
	}
	return nil
}

// press types keys: one name as the terminal gives it ("enter", "ctrl+d", "j") each.
func press(t testing.TB, app *App, keys ...string) {
	t.Helper()
	for _, name := range keys {
		send(t, app, keyPress(name))
	}
}

// write types text, one letter after the other.
func write(t testing.TB, app *App, text string) {
	t.Helper()
	for _, r := range text {
		send(t, app, tea.KeyPressMsg{Code: r, Text: string(r)})
	}
}

var namedKeys = map[string]rune{
	"enter": tea.KeyEnter, "esc": tea.KeyEscape, "tab": tea.KeyTab, "up": tea.KeyUp, "down": tea.KeyDown,
	"left": tea.KeyLeft, "right": tea.KeyRight, "space": tea.KeySpace, "backspace": tea.KeyBackspace,
	"home": tea.KeyHome, "end": tea.KeyEnd, "pgup": tea.KeyPgUp, "pgdown": tea.KeyPgDown,
}

func keyPress(name string) tea.KeyPressMsg {
	key := tea.KeyPressMsg{}
	for {
		rest, ctrl := strings.CutPrefix(name, "ctrl+")
		rest, shift := strings.CutPrefix(rest, "shift+")
		if !ctrl && !shift {
			break
		}
		name = rest
		if ctrl {
			key.Mod |= tea.ModCtrl
		}
		if shift {
			key.Mod |= tea.ModShift
		}
	}
	if code, ok := namedKeys[name]; ok {
		key.Code = code
		if code == tea.KeySpace && key.Mod == 0 {
			key.Text = " "
		}
		return key
	}
	key.Code = []rune(name)[0]
	if key.Mod == 0 {
		key.Text = name
	}
	return key
}

// screen is what stands on the terminal, without colours.
func screen(app *App) string { return ansi.Strip(app.View().Content) }

// requireScreen compares the screen, without colours, with the golden file of the test.
func requireScreen(t *testing.T, app *App) {
	t.Helper()
	golden.RequireEqual(t, screen(app))
}

// requireColours is requireScreen with the styles.
func requireColours(t *testing.T, app *App) {
	t.Helper()
	golden.RequireEqual(t, app.View().Content)
}

// requireText compares text with the golden file of the test.
func requireText(t *testing.T, text string) {
	t.Helper()
	golden.RequireEqual(t, text)
}
