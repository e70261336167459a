package session

import (
	"os"
	"os/signal"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"

	"github.com/kubectl-fathom/kubectl-fathom/demo"
	"github.com/kubectl-fathom/kubectl-fathom/themes"
	"github.com/kubectl-fathom/kubectl-fathom/ui"
)

// stage is the dashboard on the embedded cluster, in a bubble whose clock goes on
// only when nothing has anything left to do: what it shows depends on the seed and
// the keys alone, and five minutes take a second.
type stage struct {
	app  *ui.App
	msgs chan tea.Msg
	gone chan struct{}
}

// onStage shows a story to a test, in a bubble that ends with it. Whatever still
// runs then fails the test.
func onStage(t *testing.T, story demo.Story, theme string, test func(*testing.T, *stage)) {
	t.Helper()
	onStageWith(t, story, theme, themes.Gallery{}, test)
}

// onStageWith is onStage with the themes of a user.
func onStageWith(t *testing.T, story demo.Story, theme string, gallery themes.Gallery, test func(*testing.T, *stage)) {
	t.Helper()
	inBubble(t, func(t *testing.T) {
		clusters := &Demo{Story: story}
		cluster, err := clusters.Open(t.Context(), demo.Context)
		if err != nil {
			t.Fatal(err)
		}
		s := newStage(ui.Options{Cluster: cluster, Session: clusters, Context: demo.Context, Demo: true, Theme: theme, Themes: gallery})
		defer s.close()
		test(t, s)
	})
}

// The handler of errors that nobody takes waits a while after the one before, which
// it takes to be as old as the process: in a bubble, whose time is before that, for
// ever.
func init() { utilruntime.ErrorHandlers = utilruntime.ErrorHandlers[:1] }

// inBubble runs a test in a bubble of time.
func inBubble(t *testing.T, test func(*testing.T)) {
	t.Helper()
	// The scheduler listens for a signal; what the runtime starts for the first
	// one must not belong to the bubble.
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGHUP)
	signal.Stop(signals)
	synctest.Test(t, test)
}

// newStage shows the dashboard until close.
func newStage(o ui.Options) *stage {
	s := &stage{app: ui.New(o), msgs: make(chan tea.Msg), gone: make(chan struct{})}
	s.work(s.app.Init())
	s.take(tea.WindowSizeMsg{Width: 80, Height: 24})
	return s
}

func (s *stage) close() {
	close(s.gone)
	s.app.Close()
	time.Sleep(time.Hour) // what waits for a time ends with it
}

// work runs a command; live takes its message.
func (s *stage) work(cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	go func() {
		msg := cmd()
		if batch, ok := msg.(tea.BatchMsg); ok {
			for _, cmd := range batch {
				s.work(cmd)
			}
			return
		}
		select {
		case s.msgs <- msg:
		case <-s.gone:
		}
	}()
}

func (s *stage) take(msg tea.Msg) {
	_, cmd := s.app.Update(msg)
	s.work(cmd)
}

// live lets so much time go by.
func (s *stage) live(d time.Duration) {
	ends := time.After(d)
	for {
		select {
		case msg := <-s.msgs:
			s.take(msg)
		case <-ends:
			return
		}
	}
}

// press presses keys one by one, as slowly as people do.
func (s *stage) press(keys ...rune) {
	for _, key := range keys {
		msg := tea.KeyPressMsg{Code: key}
		if key >= ' ' && key < tea.KeyExtended && key != tea.KeyBackspace {
			msg.Text = string(key)
		}
		s.take(msg)
		s.live(time.Second)
	}
}

// frame is what is on the screen, colors and all.
func (s *stage) frame() string { return s.app.View().Content }
