package ui

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"

	tea "charm.land/bubbletea/v2"

	"github.com/kubectl-fathom/kubectl-fathom/model"
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
func (n *connections) contextEntries() []entry {
	if n.app.Session == nil {
		return nil
	}
	var entries []entry
	for _, c := range n.app.Session.Contexts() {
		what := c.Cluster
		if !n.app.Demo {
			what = ""
		}
		if c.Name == n.app.Context {
			what = "current"
		}
		entries = append(entries, entry{n.contextWord() + " " + c.Name, what, "", func() tea.Cmd { return n.connect(c) }})
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
	n.app.observed.Domain, n.app.usage = "", false
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
