package cli

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/adrg/xdg"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
)

// crash is a panic that was caught. It is told in one line; its stack goes to a file.
type crash struct {
	value any
	file  string // where the stack is, "" if it could not be written
}

// newCrash keeps what is known about a panic. Call it while it is recovered.
func newCrash(value any) *crash { return writeCrash(value, debug.Stack()) }

func writeCrash(value any, stack []byte) *crash {
	c := &crash{value: value}
	file, err := xdg.StateFile("fathom/crash.log")
	if err != nil {
		return c
	}
	text := fmt.Sprintf("fathom %s: %v\n\n%s", buildVersion(), value, stack)
	if err := os.WriteFile(file, []byte(text), 0o600); err == nil {
		c.file = file
	}
	return c
}

// Error tells the panic in one line.
func (c *crash) Error() string {
	if c.file == "" {
		return fmt.Sprintf("internal error: %v; please report it", c.value)
	}
	return fmt.Sprintf("internal error: %v; please report it with %s", c.value, c.file)
}

// guard is the dashboard with its panics caught. Bubble Tea restores the terminal
// too, but prints the stack over it.
type guard struct {
	app   tea.Model
	quit  func()        // ends the dashboard; set before it runs
	kill  func()        // restores the terminal, whatever the dashboard does; set before it runs
	abort func(error)   // ends the program
	ended chan struct{} // closed once the terminal is restored

	mu    sync.Mutex
	crash *crash // the first one
	view  tea.View
}

// shown is the dashboard that is on the terminal, nil without one.
var shown atomic.Pointer[guard]

// patience is how long each step of ending the dashboard may take.
const patience = time.Second

// insist ends a dashboard that is to end and does not, since its event loop does
// something else: the terminal is restored, and the program aborted.
func (g *guard) insist() {
	if g.within(g.ended) {
		return
	}
	killed := make(chan struct{})
	go func() {
		g.kill()
		close(killed)
	}()
	g.within(killed)
	g.abort(newHang())
}

// within says whether something was done in time.
func (g *guard) within(done <-chan struct{}) bool {
	select {
	case <-done:
		return true
	case <-time.After(patience):
		return false
	}
}

// catchPanics makes the panics of all goroutines that end in HandleCrash, as those
// of client-go and of this program do, restore the terminal and be told in one
// line. abort ends the program. All of the process is concerned, so only the whole
// program calls it.
func catchPanics(abort func(error)) {
	utilruntime.PanicHandlers = []func(context.Context, any){func(_ context.Context, value any) {
		g := shown.Load()
		if g == nil {
			abort(newCrash(value))
			return
		}
		g.caught(value)
		g.insist()
		time.Sleep(patience) // who ran the dashboard tells it, unless it waits for this goroutine
		abort(g.failure())
	}}
}

// abort ends the process at once, with an error in one line.
func (a *app) abort(err error) {
	say(a.stderr, a.name, err)
	os.Exit(exitUnknown)
}

// newHang keeps what all goroutines do when the dashboard does not end.
func newHang() *crash {
	stacks := make([]byte, 1<<20)
	return writeCrash("the dashboard did not end", stacks[:runtime.Stack(stacks, true)])
}

// caught keeps the first panic and ends the program.
func (g *guard) caught(value any) {
	g.mu.Lock()
	first := g.crash == nil
	if first {
		g.crash = newCrash(value)
	}
	g.mu.Unlock()
	if first {
		go g.quit() // Update and View must not wait for the event loop
	}
}

// failure is the panic that ended the program, nil without one.
func (g *guard) failure() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.crash == nil {
		return nil
	}
	return g.crash
}

// Init implements tea.Model.
func (g *guard) Init() (cmd tea.Cmd) {
	defer g.recovered()
	return g.guarded(g.app.Init())
}

// Update implements tea.Model.
func (g *guard) Update(msg tea.Msg) (model tea.Model, cmd tea.Cmd) {
	model = g
	defer g.recovered()
	var next tea.Cmd
	g.app, next = g.app.Update(msg)
	return g, g.guarded(next)
}

// View implements tea.Model. After a panic the last view stays.
func (g *guard) View() (view tea.View) {
	view = g.view
	defer g.recovered()
	view = g.app.View()
	g.view = view
	return view
}

// recovered catches a panic of the method that defers it.
func (g *guard) recovered() {
	if r := recover(); r != nil {
		g.caught(r)
	}
}

// guarded is a Cmd with its panics caught, and those of the Cmds that it makes.
func (g *guard) guarded(cmd tea.Cmd) tea.Cmd {
	if cmd == nil {
		return nil
	}
	return func() (msg tea.Msg) {
		defer g.recovered()
		msg = cmd()
		if batch, ok := msg.(tea.BatchMsg); ok {
			for i := range batch {
				batch[i] = g.guarded(batch[i])
			}
		}
		return msg
	}
}
