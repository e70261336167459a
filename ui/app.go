package ui

import (
	"context"
	"errors"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/themes"
)

// Options are what the dashboard starts with.
type Options struct {
	Cluster    Cluster
	Opening    Opening          // opens Cluster, where that is nil; its error ends the dashboard
	Server     string           // what Opening connects to
	Recording  Recording        // nil where what is shown was not recorded
	Session    Session          // nil where there are no contexts to go to
	Context    string           // the kubeconfig's name for the cluster, whole
	Namespace  string           // "" is all
	Selector   string           // of labels, as kubectl's -l; "" is none
	Theme      string           // one of themes.Names; "" is auto
	ASCII      bool             // draw with ASCII alone, see WantsASCII
	ReadOnly   bool             // refuse every change
	Demo       bool             // it is the embedded cluster
	Large      bool             // draw large and plain, as for a projector
	Production string           // a pattern of context names, "*prod*"; "" is none
	Version    string           // fathom's own
	Warning    error            // stands on the message row at first, until a key is pressed; nil is none
	Now        func() time.Time // nil is time.Now
}

// App is the dashboard: it routes messages to the open view and draws the frame
// around it.
type App struct {
	Options
	short   string          // the context's name as it is shown
	ctx     context.Context // of the cluster; cancelled when another one is opened
	cancel  context.CancelFunc
	opened  int // clusters so far: messages of an earlier one are dropped
	after   func(time.Duration, func(time.Time) tea.Msg) tea.Cmd
	at      time.Time // the newest message's; ages are counted to it
	theme   themes.Theme
	dark    bool // the terminal's background
	colours bool // the terminal has some

	width, height int
	snapshot      *model.Snapshot // never nil; Revision 0 until the first came
	domain        string          // that all nodes' names share
	verdicts      verdicts
	touched       bool     // a key was pressed
	pages         pages    // those that are there once
	trail         []view   // history
	here, last    int      // in trail: what is shown, and what was before
	recent        []string // namespaces, newest first
	prompt        prompt   // nil while no input is open
	box           *box     // nil while none is open
	dialog        dialog   // nil while none is open
	acts          acts
	said          said
	started       time.Time
	failed        error // why the first cluster could not be opened
	ticking       int   // the newest tick that was asked for
	tickEvery     time.Duration
	usage         bool // ShowUsage was told so
	lesson        lessonPanel
	steps         stepping
	anew          bool // the cluster is being begun anew
	unchanged     bool // the last message changed nothing: frame is as good as new
	frame         tea.View
}

// New makes the dashboard. Run it with tea.NewProgram.
func New(o Options) *App {
	if o.Now == nil {
		o.Now = time.Now
	}
	a := &App{
		Options: o, after: tea.Tick, at: o.Now(), dark: true, colours: true, width: 80, height: 24,
		snapshot: &model.Snapshot{Status: model.Status{Context: o.Context, Reading: unreadYet()}},
	}
	a.ctx, a.cancel = context.WithCancel(context.Background())
	a.started = a.at
	a.dress()
	a.begin()
	if o.Warning != nil {
		a.sayError(o.Warning)
	}
	return a
}

// begin starts on Pending, with nothing known.
func (a *App) begin() {
	a.beginLesson()
	a.short = a.shortContext()
	a.verdicts = verdicts{known: map[string]verdict{}}
	a.pages = pages{pending: newPending(a), pods: newPods(a), nodes: newNodes(a)}
	if a.Selector != "" {
		a.pages.pending.filter, a.pages.pods.filter = selects(a.Selector), selects(a.Selector)
	}
	a.trail, a.here, a.last = []view{a.pages.pending}, 0, 0
	a.verdicts.hidden = a.lesson.hides()
	a.fit()
	a.showLesson()
}

// Init waits for the first snapshot and asks the terminal for its background.
func (a *App) Init() tea.Cmd {
	return tea.Batch(a.openFirst(), a.nextSnapshot(), a.nextLesson(), a.nextJobs(), tea.RequestBackgroundColor, a.tick())
}

// Close ends what the dashboard has started. Call it when the program has ended.
func (a *App) Close() {
	a.cancel()
	if a.Cluster != nil {
		a.Cluster.Close()
	}
}

type (
	// snapshotMsg brings a newer snapshot. Views get it also when they are shown again.
	snapshotMsg struct {
		opened   int
		snapshot *model.Snapshot
		shown    bool // the view was not on top before
	}
	// endedMsg says that no snapshot will come any more.
	endedMsg struct {
		opened int
		err    error
	}
	// resultMsg brings the result of a Cmd to the view that asked for it.
	resultMsg struct {
		opened int
		to     view
		msg    tea.Msg
	}
)

// Update routes each message to the method that owns it.
func (a *App) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	a.at = a.Now()
	if a.unchanged = a.takesNoMore(msg); a.unchanged {
		return a, nil
	}
	a.frame = tea.View{}
	cmd := a.route(msg)
	return a, tea.Batch(cmd, a.watchCells(msg), a.wantUsage(), a.wantRights(), a.tick())
}

func (a *App) route(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.KeyPressMsg:
		return a.onKey(msg)
	case tea.PasteMsg:
		return a.onPaste(msg.Content)
	case tea.MouseMsg:
		return a.onMouse(msg)
	case snapshotMsg:
		return a.onSnapshot(msg)
	case resultMsg:
		if msg.opened == a.opened {
			return msg.to.update(msg.msg)
		}
	case endedMsg:
		if msg.opened == a.opened {
			return a.sayError(msg.err)
		}
	case openedMsg:
		return a.onOpened(msg)
	case connectedMsg:
		return a.onConnected(msg)
	case tickMsg:
		return a.onTick(msg)
	case forgetMsg:
		a.forget(msg)
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
	case saidYesMsg:
		return a.onSaidYes(msg)
	case plannedMsg:
		return a.onPlanned(msg)
	case ranMsg:
		return a.onRan(msg)
	case editedMsg:
		a.onEdited(msg)
	case raisedMsg:
		return a.onRaised(msg)
	case jobsMsg:
		return a.onJobs(msg)
	case rightsMsg:
		a.onRights(msg)
	case lessonMsg:
		return a.onLesson(msg)
	case faultMsg:
		return a.onFault(msg)
	case againOpenedMsg:
		return a.onAgainOpened(msg)
	case lessonFailedMsg:
		return a.sayError(msg.err)
	case steppedMsg:
		return a.onStepped(msg)
	case stepSlowMsg:
		a.steps.slow = a.steps.busy && msg.nth == a.steps.nth
	}
	return nil
}

// onTerminal takes what the terminal says of itself.
func (a *App) onTerminal(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		a.width, a.height = msg.Width, msg.Height
		a.fit()
		a.showLesson()
		if a.dialog != nil {
			return a.dialog.resized()
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

// ask runs work off the event loop and brings its result to v.update. The
// context ends when the cluster is left.
func (a *App) ask(v view, work func(context.Context) tea.Msg) tea.Cmd {
	ctx, opened := a.ctx, a.opened
	return func() tea.Msg {
		return resultMsg{opened, v, work(ctx)}
	}
}

// later brings msg to v after a while.
func (a *App) later(v view, d time.Duration, msg tea.Msg) tea.Cmd {
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
			return nil // nobody waits for it any more
		case err != nil:
			return endedMsg{opened, err}
		}
		return snapshotMsg{opened: opened, snapshot: s}
	}
}

// onSnapshot swaps the snapshot. The first whole one decides where to start.
func (a *App) onSnapshot(msg snapshotMsg) tea.Cmd {
	if msg.opened != a.opened {
		return nil
	}
	before := a.snapshot.Status.Step
	a.snapshot, a.domain = msg.snapshot, sharedDomain(msg.snapshot.Nodes)
	if before != 0 && before != a.snapshot.Status.Step {
		a.onStep()
	}
	cmd := a.top().update(msg)
	if !a.touched && len(a.snapshot.Status.Reading) == 0 {
		a.touched = true
		if len(a.snapshot.Pending) == 0 && a.notRead("nodes") == "" {
			a.trail = []view{a.pages.nodes}
			cmd = tea.Batch(cmd, a.show())
		}
	}
	return tea.Batch(cmd, a.nextSnapshot())
}

// dress takes the theme that the options and the terminal call for.
func (a *App) dress() {
	name := a.Theme
	if !a.colours {
		name = "mono"
	}
	theme, ok := themes.For(name, a.dark)
	if !ok {
		theme, _ = themes.For(themes.Auto, a.dark)
	}
	if a.Large {
		theme = theme.Plain()
	}
	a.theme = theme
}

// styles are those of the theme in force.
func (a *App) styles() *themes.Styles { return &a.theme.Styles }
