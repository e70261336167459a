package ui

import (
	"context"
	"fmt"
	"io"
	"maps"
	"os"
	"os/signal"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
	"github.com/kubectl-fathom/kubectl-fathom/ui/figures"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page"
	"github.com/kubectl-fathom/kubectl-fathom/ui/palette"
)

// connections opens clusters, and switches from one to another.
type connections struct{ app *App }

// connectedMsg is the cluster of another context.
type connectedMsg struct {
	context model.Context
	cluster Cluster
	err     error
}

// contextEntries are the contexts of the kubeconfig, named whole.
func (n *connections) contextEntries() []palette.Entry {
	if n.app.Session == nil {
		return nil
	}
	var entries []palette.Entry
	for _, c := range n.app.Session.Contexts() {
		what := c.Cluster
		if !n.app.Demo {
			what = ""
		}
		if c.Name == n.app.Context {
			what = "current"
		}
		entries = append(entries, palette.Entry{Name: n.contextWord() + " " + c.Name, What: what, Run: func() tea.Cmd { return n.connect(c) }})
	}
	return entries
}

// contextWord is what the palette calls a context: the embedded cluster's are lessons.
func (n *connections) contextWord() string {
	if n.app.Demo {
		return "lesson"
	}
	return "ctx"
}

// connecting opens a cluster while the terminal is released, because the
// credential plugins of a kubeconfig may ask something on it.
type connecting struct {
	ctx     context.Context
	session Session
	name    string
	out     io.Writer
	cluster Cluster
}

// Run opens the cluster.
func (c *connecting) Run() (err error) {
	if c.out != nil {
		_, _ = fmt.Fprintf(c.out, "Connecting to %s …\n", model.Clean(c.name))
	}
	ctx, stop := signal.NotifyContext(c.ctx, os.Interrupt) // ctrl-c cancels
	defer stop()
	c.cluster, err = c.session.Open(ctx, c.name)
	return err
}

// SetStdin is not needed: what asks opens the terminal itself.
func (c *connecting) SetStdin(io.Reader) {}

// SetStdout sets where progress is written.
func (c *connecting) SetStdout(w io.Writer) { c.out = w }

// SetStderr is not needed.
func (c *connecting) SetStderr(io.Writer) {}

// connect goes to another context.
func (n *connections) connect(to model.Context) tea.Cmd {
	if to.Name == n.app.Context && !n.app.Demo {
		return nil // only a lesson can begin again
	}
	if n.app.Demo {
		return n.connectDemo(to)
	}
	return n.app.jobs.beforeSwitch(to.Name, func() tea.Cmd { return n.open(to) })
}

// open opens the cluster of another context.
func (n *connections) open(to model.Context) tea.Cmd {
	c := &connecting{ctx: context.Background(), session: n.app.Session, name: to.Name}
	return tea.Exec(c, func(err error) tea.Msg { return connectedMsg{to, c.cluster, err} })
}

// connectDemo is connect on the embedded cluster, which does not need the terminal.
func (n *connections) connectDemo(to model.Context) tea.Cmd {
	if n.app.training.opening {
		return n.app.said.say("Another cluster is already being opened.")
	}
	n.app.training.opening = true
	session := n.app.Session
	return tea.Batch(n.app.said.say("Opening "+to.Name+" …"), func() tea.Msg {
		cluster, err := session.Open(context.Background(), to.Name)
		return connectedMsg{to, cluster, err}
	})
}

// onConnected leaves the old cluster for the new one; on an error nothing changes.
func (n *connections) onConnected(msg connectedMsg) tea.Cmd {
	n.app.training.opening = false
	if msg.err != nil {
		return n.app.said.sayError(fmt.Errorf("open %s: %w", msg.context.Name, msg.err))
	}
	n.app.Context, n.app.Namespace = msg.context.Name, msg.context.Namespace
	n.app.commands.recent, n.app.touched, n.app.said.text = nil, false, ""
	return n.swap(msg.cluster)
}

// swap leaves the cluster for another one.
func (n *connections) swap(to Cluster) tea.Cmd {
	n.app.cancel()
	old := n.app.Cluster
	n.app.Cluster, n.app.Opening = to, nil
	n.app.opened++
	n.app.ctx, n.app.cancel = context.WithCancel(context.Background())
	n.app.observed.Snapshot = &model.Snapshot{Status: model.Status{Context: n.app.Context, Reading: unreadYet()}}
	n.app.acts, n.app.jobs, n.app.dialog = acts{app: n.app}, jobs{app: n.app}, nil
	n.app.follows, n.app.observed.Followed = follows{app: n.app}, nil
	n.app.observed.Domain, n.app.observed.Waiting, n.app.usage = "", page.Waiting{}, false
	n.app.begin()
	return tea.Batch(n.app.nextSnapshot(), n.app.jobs.nextJobs(), n.app.lessons.nextLesson(), func() tea.Msg {
		if old != nil {
			old.Close()
		}
		return nil
	})
}

// unreadYet is what is being read before the first snapshot arrives.
func unreadYet() map[string]int { return map[string]int{"nodes": 0, "pods": 0} }

// openedMsg is the cluster that the dashboard starts with.
type openedMsg struct {
	opened  int
	cluster Cluster
	err     error
}

// openFirst opens the cluster that the dashboard starts with, where the screen is
// drawn before it is open.
func (n *connections) openFirst() tea.Cmd {
	if n.app.Cluster != nil || n.app.Opening == nil {
		return nil
	}
	ctx, open, opened := n.app.ctx, n.app.Opening, n.app.opened
	return func() tea.Msg {
		cluster, err := open(ctx)
		return openedMsg{opened, cluster, err}
	}
}

// onOpened starts with the cluster; on an error the dashboard ends.
func (n *connections) onOpened(msg openedMsg) tea.Cmd {
	switch {
	case msg.opened != n.app.opened: // another context was chosen meanwhile
		return func() tea.Msg {
			if msg.cluster != nil {
				msg.cluster.Close()
			}
			return nil
		}
	case msg.err != nil:
		n.app.failed = msg.err
		return tea.Quit
	}
	n.app.Cluster, n.app.usage = msg.cluster, false
	return tea.Batch(n.app.nextSnapshot(), n.app.jobs.nextJobs())
}

// Err is why the cluster that the dashboard started with could not be opened.
func (a *App) Err() error { return a.failed }

// isConnecting reports whether the first cluster is not open yet.
func (n *connections) isConnecting() bool { return n.app.Cluster == nil && n.app.Opening != nil }

// connectingWords say which server is being connected to, and for how long.
func (n *connections) connectingWords() string {
	words := fmt.Sprintf("Connecting to %s…", model.Clean(n.app.Server))
	if since := n.app.observed.At.Sub(n.app.started); since >= time.Second {
		words += " " + figures.Clock(since)
	}
	return words
}

// Opening opens the cluster that the dashboard starts with.
type Opening func(context.Context) (Cluster, error)

// readingWords say how much is read so far.
func (n *connections) readingWords() string {
	if n.isConnecting() {
		return n.connectingWords()
	}
	reading := n.app.observed.Snapshot.Status.Reading
	words := "Reading the cluster"
	if n, ok := reading["pods"]; ok {
		words = "Reading pods: " + model.FormatCount(n) + " so far"
	} else if len(reading) > 0 {
		words = "Reading " + grammar.List(slices.Sorted(maps.Keys(reading)), grammar.Few)
	}
	if n := len(n.app.observed.Snapshot.Nodes); n > 0 {
		words += "; " + figures.Count(n, "node read", "nodes read")
	}
	return words + ". Reasons follow when all are read."
}
