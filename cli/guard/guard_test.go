package guard

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/adrg/xdg"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
)

// fragile panics where it is told to.
type fragile struct{ where string }

type goMsg struct{}

func (f fragile) Init() tea.Cmd {
	if f.where == "Init" {
		panic("broken in Init")
	}
	return func() tea.Msg { return goMsg{} }
}

func (f fragile) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	if _, ok := msg.(goMsg); !ok {
		return f, nil
	}
	broken := func() tea.Msg { panic("broken in " + f.where) }
	switch f.where {
	case "Update":
		panic("broken in Update")
	case "Cmd":
		return f, broken
	case "Batch":
		return f, tea.Batch(broken, func() tea.Msg { return nil })
	}
	return f, tea.Quit
}

func (f fragile) View() tea.View {
	if f.where == "View" {
		panic("broken in View")
	}
	return tea.NewView("hello")
}

func notAborted(t *testing.T) func(error) {
	return func(err error) { t.Errorf("the program was aborted: %v", err) }
}

func TestPanicEndsTheDashboardInOneLine(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	xdg.Reload()
	for _, where := range []string{"Init", "Update", "View", "Cmd", "Batch"} {
		t.Run(where, func(t *testing.T) {
			var out bytes.Buffer
			err := Run(t.Context(), fragile{where}, strings.NewReader(""), &out, notAborted(t))
			if err == nil {
				t.Fatal("the panic was lost")
			}
			if !strings.Contains(err.Error(), "internal error: broken in "+where) || strings.Contains(err.Error(), "\n") {
				t.Errorf("error %q", err)
			}
		})
	}
	t.Run("nowhere", func(t *testing.T) {
		if err := Run(t.Context(), fragile{}, strings.NewReader(""), &bytes.Buffer{}, notAborted(t)); err != nil {
			t.Errorf("error %v without a panic", err)
		}
	})
}

// stuck never comes back from where it is told to hang.
type stuck struct {
	where   string
	out     *lockedBuffer
	reached chan struct{}
	once    *sync.Once
	release chan struct{}
}

func (s stuck) hang(where string) {
	if s.where == where {
		s.once.Do(func() { close(s.reached) })
		<-s.release
	}
}

// Init goes on once the first frame is on the terminal.
func (s stuck) Init() tea.Cmd {
	return func() tea.Msg {
		for !strings.Contains(s.out.String(), altScreenOn) {
			time.Sleep(time.Millisecond)
		}
		return goMsg{}
	}
}

func (s stuck) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	if _, ok := msg.(goMsg); ok {
		s.hang("Update")
		return s, func() tea.Msg { s.hang("Cmd"); return nil }
	}
	return s, nil
}

func (s stuck) View() tea.View {
	view := tea.NewView("hello")
	view.AltScreen = true
	return view
}

const (
	altScreenOn  = "\x1b[?1049h"
	altScreenOff = "\x1b[?1049l"
)

func newStuck(where string) stuck {
	return stuck{where: where, out: &lockedBuffer{}, reached: make(chan struct{}), once: &sync.Once{}, release: make(chan struct{})}
}

// requireRestored wants the alternate screen left.
func requireRestored(t *testing.T, out *lockedBuffer) {
	t.Helper()
	if text := out.String(); strings.LastIndex(text, altScreenOff) < strings.LastIndex(text, altScreenOn) {
		t.Errorf("the terminal is left as %q", text)
	}
}

func TestADashboardThatHangsIsEndedWithItsTerminalRestored(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	xdg.Reload()
	s := newStuck("Update")
	ctx, interrupt := context.WithCancel(t.Context())
	defer interrupt()
	aborted := make(chan error, 1)
	over := make(chan struct{})
	go func() {
		defer close(over)
		_ = Run(ctx, s, strings.NewReader(""), s.out, func(err error) { aborted <- err })
	}()
	<-s.reached
	interrupt()
	err := <-aborted
	if !strings.Contains(err.Error(), "the dashboard did not end; please report it with ") || strings.Contains(err.Error(), "\n") {
		t.Errorf("it is told as %q", err)
	}
	requireRestored(t, s.out)
	close(s.release)
	<-over
}

func TestACommandThatHangsDoesNotKeepTheDashboardFromEnding(t *testing.T) {
	s := newStuck("Cmd")
	defer close(s.release)
	ctx, interrupt := context.WithCancel(t.Context())
	go func() {
		<-s.reached
		interrupt()
	}()
	if err := Run(ctx, s, strings.NewReader(""), s.out, notAborted(t)); err != nil {
		t.Error(err)
	}
}

// lockedBuffer is written to and read by several goroutines.
type lockedBuffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

// The panic of a goroutine of a library ends the program as that of the dashboard does.
func TestAPanicOfAnyGoroutineEndsTheDashboardInOneLine(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	xdg.Reload()
	handlers := utilruntime.PanicHandlers
	utilruntime.ReallyCrash = false
	t.Cleanup(func() { utilruntime.PanicHandlers, utilruntime.ReallyCrash = handlers, true })
	aborted := make(chan error, 1)
	CatchPanics(func(err error) { aborted <- err })
	s := newStuck("Cmd")
	defer close(s.release)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		defer utilruntime.HandleCrash()
		<-s.reached
		panic("broken\x1b[31m\nelsewhere")
	}()
	err := Run(t.Context(), s, strings.NewReader(""), s.out, notAborted(t))
	if err == nil || !strings.Contains(err.Error(), "internal error: broken") {
		t.Errorf("the panic is told as %v", err)
	}
	requireRestored(t, s.out)
	if again := <-aborted; !errors.Is(again, err) { // in case that nobody else tells it
		t.Errorf("it is told as %v where nobody else does", again)
	}
	<-ended
}
