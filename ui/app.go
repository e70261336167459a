package ui

import (
	"context"
	"errors"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/themes"
	"github.com/kubectl-fathom/kubectl-fathom/ui/dialog"
	"github.com/kubectl-fathom/kubectl-fathom/ui/dialog/edit"
	"github.com/kubectl-fathom/kubectl-fathom/ui/figures"
	"github.com/kubectl-fathom/kubectl-fathom/ui/gauge"
	"github.com/kubectl-fathom/kubectl-fathom/ui/keymap"
	"github.com/kubectl-fathom/kubectl-fathom/ui/lesson"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page/budgets"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page/nodes"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page/pending"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page/pods"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page/pools"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page/priorities"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page/quotas"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page/taints"
)

// Columns are more columns of Nodes and Pods.
type Columns = page.Columns

// Options are what the dashboard starts with.
type Options struct {
	Cluster   Cluster
	Opening   Opening        // opens Cluster, where that is nil; its error ends the dashboard
	Server    string         // what Opening connects to
	Recording Recording      // nil unless it is a recording
	Session   Session        // nil where there are no other contexts
	Context   string         // the kubeconfig's name for the cluster, whole
	Namespace string         // "" is all
	Selector  string         // of labels, as kubectl's -l; "" is none
	Theme     string         // one of Themes; "" is auto
	Themes    themes.Gallery // the built-in ones and the user's
	Keys      keymap.Map     // nil is keymap.Default
	Columns   Columns        // of the user's own
	ASCII     bool           // draw only with ASCII, see WantsASCII
	ReadOnly  bool           // refuse every change
	Demo      bool           // it is the embedded cluster
	Large     bool           // draw large and plain, as for a projector
	NoPreview bool           // lists have no preview of the selected row; v turns it
	// KeepPreview keeps whether lists have a preview for the next start, off the event loop; nil keeps
	// nothing.
	KeepPreview func(shown bool)
	Levels      gauge.Levels     // where gauges turn; zero is gauge.DefaultLevels
	Production  string           // a pattern of context names, "*prod*"; "" is none
	Warning     error            // shown on the message row until a key is pressed; nil is none
	Now         func() time.Time // nil is time.Now
}

// App is the dashboard: it routes messages to the open view and draws the frame
// around it.
type App struct {
	Options
	ctx     context.Context // of the cluster; cancelled when another one is opened
	cancel  context.CancelFunc
	opened  int // clusters so far: messages of an earlier one are dropped
	after   func(time.Duration, func(time.Time) tea.Msg) tea.Cmd
	theme   themes.Theme
	dark    bool // the terminal's background
	colours bool // the terminal has some

	width, height int
	observed      page.Observed
	verdicts      pending.Verdicts
	touched       bool  // a key was pressed
	pages         pages // the three views
	history       history
	prompt        page.Prompt  // nil while no input is open
	box           *dialog.Box  // nil while none is open
	dialog        dialog.Modal // nil while none is open
	acts          acts
	jobs          jobs
	follows       follows
	said          said
	started       time.Time
	failed        error // why the first cluster could not be opened
	ticker        ticker
	usage         bool // the last argument of ShowUsage
	lesson        lesson.Panel
	lessons       lessons
	training      training
	steps         stepping
	contexts      connections
	commands      commands
	keyboard      keyboard
	opener        opener
	host          host
	boxes         boxes
	head          headerRow
	layout        layout
	unchanged     bool // the last message changed nothing: frame is up to date
	frame         tea.View
}

// New makes the dashboard. Run it with tea.NewProgram.
func New(o Options) *App {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Levels == (gauge.Levels{}) {
		o.Levels = gauge.DefaultLevels
	}
	if o.Keys == nil {
		o.Keys = keymap.Default()
	}
	a := &App{
		Options: o, after: tea.Tick, dark: true, colours: true, width: 80, height: 24,
		observed: page.Observed{Snapshot: &model.Snapshot{Status: model.Status{Context: o.Context, Reading: unreadYet()}}, At: o.Now(), Columns: o.Columns},
	}
	a.wire()
	a.ctx, a.cancel = context.WithCancel(context.Background())
	a.started = a.observed.At
	a.dress()
	a.begin()
	if o.Warning != nil {
		a.said.sayError(o.Warning)
	}
	return a
}

// wire connects the parts of the App to it.
func (a *App) wire() {
	a.history.app, a.keyboard.app, a.opener.app, a.commands.app, a.host.app = a, a, a, a, a
	a.layout.app, a.head.app, a.boxes.app = a, a, a
	a.acts.app, a.jobs.app, a.contexts.app, a.follows.app = a, a, a, a
	a.lessons.app, a.training.app, a.steps.app = a, a, a
	a.said.app, a.ticker.app = a, a
}

// begin starts on Pending, before anything is read.
func (a *App) begin() {
	a.lessons.beginLesson()
	a.head.short = a.head.shortContext()
	a.verdicts = pending.NewVerdicts(&a.host)
	a.pages = pages{
		pending:    pending.New(&a.host, &a.verdicts, a.Recording),
		pods:       pods.New(&a.host),
		nodes:      nodes.New(&a.host),
		pools:      pools.New(&a.host),
		taints:     taints.New(&a.host),
		priorities: priorities.New(&a.host),
		quotas:     quotas.New(&a.host),
		budgets:    budgets.New(&a.host),
	}
	if a.Selector != "" {
		a.pages.pending.Filter, a.pages.pods.Filter = selects(a.Selector), selects(a.Selector)
	}
	a.history.trail, a.history.here, a.history.last = []page.View{a.pages.pending}, 0, 0
	a.verdicts.Hidden = a.lesson.Hides()
	a.history.fit()
	a.layout.showLesson()
}

// Init waits for the first snapshot and asks the terminal for its background.
func (a *App) Init() tea.Cmd {
	return tea.Batch(a.contexts.openFirst(), a.nextSnapshot(), a.lessons.nextLesson(), a.jobs.nextJobs(), tea.RequestBackgroundColor, a.ticker.tick())
}

// Close ends everything that the dashboard started. Call it when the program has ended.
func (a *App) Close() {
	a.cancel()
	if a.Cluster != nil {
		a.Cluster.Close()
	}
}

type (
	// snapshotMsg brings a newer snapshot.
	snapshotMsg struct {
		opened   int
		snapshot *model.Snapshot
	}
	// endedMsg says that there will be no more snapshots.
	endedMsg struct {
		opened int
		err    error
	}
	// resultMsg brings the result of a Cmd to the view that asked for it.
	resultMsg struct {
		opened int
		to     page.View
		msg    tea.Msg
	}
)

// Update routes each message to the method that owns it.
func (a *App) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	a.observed.At = a.Now()
	if a.unchanged = a.keyboard.takesNoMore(msg); a.unchanged {
		return a, nil
	}
	a.frame = tea.View{}
	cmd := a.route(msg)
	return a, tea.Batch(cmd, a.watchCells(msg), a.wantUsage(), a.acts.wantRights(), a.ticker.tick())
}

func (a *App) route(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.KeyPressMsg:
		return a.keyboard.onKey(msg)
	case tea.PasteMsg:
		return a.keyboard.onPaste(msg.Content)
	case tea.MouseMsg:
		return a.keyboard.onMouse(msg)
	case snapshotMsg:
		return a.onSnapshot(msg)
	case resultMsg:
		if msg.opened == a.opened {
			return msg.to.Update(msg.msg)
		}
	case endedMsg:
		if msg.opened == a.opened {
			return a.said.sayError(msg.err)
		}
	case openedMsg:
		return a.contexts.onOpened(msg)
	case connectedMsg:
		return a.contexts.onConnected(msg)
	case tickMsg:
		return a.ticker.onTick(msg)
	case forgetMsg:
		a.said.forget(msg)
	case tea.WindowSizeMsg, tea.BackgroundColorMsg, tea.ColorProfileMsg:
		return a.onTerminal(msg)
	default:
		return a.routeActing(msg)
	}
	return nil
}

// routeActing routes what concerns changes of the cluster, lessons and recordings.
func (a *App) routeActing(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case dialog.AnsweredMsg:
		return a.boxes.onAnswered(msg)
	case plannedMsg:
		return a.acts.onPlanned(msg)
	case ranMsg:
		return a.acts.onRan(msg)
	case edit.PreviewedMsg:
		a.boxes.onPreviewed(msg)
	case writesAllowedMsg:
		return a.acts.onWritesAllowed(msg)
	case jobsMsg:
		return a.jobs.onJobs(msg)
	case rightsMsg:
		a.acts.onRights(msg)
	case lessonMsg:
		return a.lessons.onLesson(msg)
	case faultMsg:
		return a.training.onFault(msg)
	case resetMsg:
		return a.training.onReset(msg)
	case lessonFailedMsg:
		return a.said.sayError(msg.err)
	case steppedMsg:
		return a.steps.onStepped(msg)
	case stepSlowMsg:
		a.steps.slow = a.steps.busy && msg.nth == a.steps.nth
	default:
		return a.follows.route(msg)
	}
	return nil
}

// onTerminal takes the terminal's size, background and colors.
func (a *App) onTerminal(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		a.width, a.height = msg.Width, msg.Height
		a.history.fit()
		a.layout.showLesson()
		if a.dialog != nil {
			return a.dialog.Resized()
		}
	case tea.BackgroundColorMsg:
		a.dark = msg.IsDark()
		a.dress()
	case tea.ColorProfileMsg:
		a.colours = msg.Profile > colorprofile.ASCII
		a.dress()
	}
	return nil
}

// later sends msg to v after a duration.
func (a *App) later(v page.View, d time.Duration, msg tea.Msg) tea.Cmd {
	opened := a.opened
	return a.after(d, func(time.Time) tea.Msg { return resultMsg{opened, v, msg} })
}

// nextSnapshot waits, off the event loop, for the next thing to draw.
func (a *App) nextSnapshot() tea.Cmd {
	if a.Cluster == nil {
		return nil
	}
	ctx, cluster, opened := a.ctx, a.Cluster, a.opened
	return func() tea.Msg {
		s, err := cluster.Next(ctx)
		switch {
		case errors.Is(err, context.Canceled):
			return nil // the cluster was left
		case err != nil:
			return endedMsg{opened, err}
		}
		return snapshotMsg{opened: opened, snapshot: s}
	}
}

// onSnapshot swaps the snapshot. The first complete one decides the first page.
func (a *App) onSnapshot(msg snapshotMsg) tea.Cmd {
	if msg.opened != a.opened {
		return nil
	}
	before := a.observed.Snapshot.Status.Step
	a.observed.Snapshot, a.observed.Domain = msg.snapshot, figures.SharedDomain(msg.snapshot.Nodes)
	a.observed.Waiting.Take(&a.observed, a.namespace())
	if before != 0 && before != a.observed.Snapshot.Status.Step {
		a.steps.onStep()
	}
	news := a.follows.look()
	cmd := tea.Batch(news, a.history.top().Update(page.SnapshotMsg{Snapshot: msg.snapshot}))
	if !a.touched && len(a.observed.Snapshot.Status.Reading) == 0 {
		a.touched = true
		if len(a.observed.Snapshot.Pending)+len(a.observed.Snapshot.Resizing) == 0 && a.observed.NotRead("nodes") == "" {
			a.history.trail = []page.View{a.pages.nodes}
			cmd = tea.Batch(cmd, a.history.show())
		}
	}
	return tea.Batch(cmd, a.nextSnapshot())
}

// selects is the filter for a label selector.
func selects(selector string) string {
	if strings.Contains(selector, " ") {
		selector = `"` + selector + `"`
	}
	return "-l " + selector
}
