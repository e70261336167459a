// Package guard runs the dashboard so that the terminal is restored and the error
// shown, however it ends: by a panic of any goroutine, or because it hangs.
package guard

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/adrg/xdg"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"

	"github.com/kubectl-fathom/kubectl-fathom/cli/build"
)

// Crash is a panic that was caught. It is reported in one line; its stack goes to a file.
type Crash struct {
	value any
	file  string // where the stack is, "" if it could not be written
}

// NewCrash keeps what is known about a panic. Call it while it is recovered.
func NewCrash(value any) *Crash { return writeCrash(value, debug.Stack()) }

func writeCrash(value any, stack []byte) *Crash {
	c := &Crash{value: value}
	file, err := xdg.StateFile("fathom/crash.log")
	if err != nil {
		return c
	}
	text := fmt.Sprintf("fathom %s: %v\n\n%s", build.Version(), value, stack)
	if err := os.WriteFile(file, []byte(text), 0o600); err == nil {
		c.file = file
	}
	return c
}

// Error is the panic in one line.
func (c *Crash) Error() string {
	if c.file == "" {
		return fmt.Sprintf("internal error: %v; please report it", c.value)
	}
	return fmt.Sprintf("internal error: %v; please report it with %s", c.value, c.file)
}

// guard is the dashboard with its panics caught. Bubble Tea restores the terminal
// too, but prints the stack over it.
type guarded struct {
	app   tea.Model
	quit  func()        // ends the dashboard; set before it runs
	kill  func()        // restores the terminal, whatever the dashboard does; set before it runs
	abort func(error)   // ends the program
	ended chan struct{} // closed once the terminal is restored

	mu    sync.Mutex
	crash *Crash // the first one
	view  tea.View

	program *tea.Program
	frames  *frames
	redraw  bool // Bubble Tea draws the last view again
}

// shown is the dashboard that is on the terminal, nil without one.
var shown atomic.Pointer[guarded]

// patience is how long each step of ending the dashboard may take.
const patience = time.Second

// insist ends a dashboard that is to end and does not, since its event loop does
// something else: the terminal is restored, and the program aborted.
func (g *guarded) insist() {
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

// within reports whether something was done in time.
func (g *guarded) within(done <-chan struct{}) bool {
	select {
	case <-done:
		return true
	case <-time.After(patience):
		return false
	}
}

// CatchPanics makes the panics of all goroutines that end in HandleCrash, as those
// of client-go and of this program do, restore the terminal and be told in one
// line. abort ends the program. All of the process is concerned, so only the whole
// program calls it.
func CatchPanics(abort func(error)) {
	utilruntime.PanicHandlers = []func(context.Context, any){func(_ context.Context, value any) {
		g := shown.Load()
		if g == nil {
			abort(NewCrash(value))
			return
		}
		g.caught(value)
		g.insist()
		time.Sleep(patience) // whatever ran the dashboard reports it, unless it waits for this goroutine
		abort(g.failure())
	}}
}

// newHang keeps what all goroutines do when the dashboard does not end.
func newHang() *Crash {
	stacks := make([]byte, 1<<20)
	return writeCrash("the dashboard did not end", stacks[:runtime.Stack(stacks, true)])
}

// caught keeps the first panic and ends the program.
func (g *guarded) caught(value any) {
	g.mu.Lock()
	first := g.crash == nil
	if first {
		g.crash = NewCrash(value)
	}
	g.mu.Unlock()
	if first {
		go g.quit() // Update and View must not wait for the event loop
	}
}

// failure is the panic that ended the program, nil without one.
func (g *guarded) failure() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.crash == nil {
		return nil
	}
	return g.crash
}

// Init implements tea.Model.
func (g *guarded) Init() (cmd tea.Cmd) {
	defer g.recovered()
	return g.guarded(g.app.Init())
}

// Update implements tea.Model.
func (g *guarded) Update(msg tea.Msg) (model tea.Model, cmd tea.Cmd) {
	model = g
	defer g.recovered()
	g.redraw = isTerminals(msg)
	var next tea.Cmd
	g.app, next = g.app.Update(msg)
	return g, g.guarded(next)
}

// View implements tea.Model. After a panic the last view stays.
func (g *guarded) View() (view tea.View) {
	view = g.view
	defer g.recovered()
	view = g.app.View()
	if g.redraw || view.Content != g.view.Content {
		g.frames.of(g.program)
		g.frames.soon()
	}
	g.view = view
	return view
}

// recovered catches a panic of the method that defers it.
func (g *guarded) recovered() {
	if r := recover(); r != nil {
		g.caught(r)
	}
}

// guarded is a Cmd with its panics caught, and those of the Cmds that it makes.
func (g *guarded) guarded(cmd tea.Cmd) tea.Cmd {
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

// Run runs a model until it ends, is interrupted or panics. Where it does
// not end although it is to, abort ends the program.
func Run(ctx context.Context, model tea.Model, in io.Reader, out io.Writer, abort func(error)) error {
	g := &guarded{app: model, abort: abort, ended: make(chan struct{}), frames: newFrames()}
	// Signals end ctx. Bubble Tea's own handler would wait for its loop, which
	// ctx has ended, and the loop's end for the handler.
	program := tea.NewProgram(g, tea.WithContext(ctx), tea.WithoutSignalHandler(), tea.WithInput(in), tea.WithOutput(out))
	g.program, g.quit, g.kill = program, program.Quit, program.Kill
	shown.Store(g)
	defer shown.CompareAndSwap(g, nil)
	defer context.AfterFunc(ctx, g.insist)()
	_, err := program.Run()
	g.frames.end()
	close(g.ended)
	switch {
	case g.failure() != nil:
		return g.failure()
	case errors.Is(err, tea.ErrInterrupted), ctx.Err() != nil:
		return nil
	default:
		return err
	}
}
