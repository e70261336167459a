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

// connectedMsg is the cluster of another context.
type connectedMsg struct {
	context model.Context
	cluster Cluster
	err     error
}

// contextEntries are the contexts of the kubeconfig, named whole.
func (a *App) contextEntries() []entry {
	if a.Session == nil {
		return nil
	}
	var entries []entry
	for _, c := range a.Session.Contexts() {
		what := c.Cluster
		if !a.Demo {
			what = ""
		}
		if c.Name == a.Context {
			what = "this one"
		}
		entries = append(entries, entry{a.contextWord() + " " + c.Name, what, "", func() tea.Cmd { return a.connect(c) }})
	}
	return entries
}

// contextWord is what the palette calls a context: the embedded cluster's are lessons.
func (a *App) contextWord() string {
	if a.Demo {
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
	ctx, stop := signal.NotifyContext(c.ctx, os.Interrupt) // ctrl-c gives up waiting
	defer stop()
	c.cluster, err = c.session.Open(ctx, c.name)
	return err
}

// SetStdin is not needed: what asks opens the terminal itself.
func (c *connecting) SetStdin(io.Reader) {}

// SetStdout says where to tell what is going on.
func (c *connecting) SetStdout(w io.Writer) { c.out = w }

// SetStderr is not needed.
func (c *connecting) SetStderr(io.Writer) {}

// connect goes to another context.
func (a *App) connect(to model.Context) tea.Cmd {
	if to.Name == a.Context && !a.Demo {
		return nil // a lesson can begin again
	}
	if a.Demo {
		return a.connectDemo(to)
	}
	c := &connecting{ctx: context.Background(), session: a.Session, name: to.Name}
	return tea.Exec(c, func(err error) tea.Msg { return connectedMsg{to, c.cluster, err} })
}

// connectDemo is connect on the embedded cluster, which asks nothing on the terminal.
func (a *App) connectDemo(to model.Context) tea.Cmd {
	if a.anew {
		return a.say("A cluster is being opened already.")
	}
	a.anew = true
	session := a.Session
	return tea.Batch(a.say("Opening "+to.Name+" …"), func() tea.Msg {
		cluster, err := session.Open(context.Background(), to.Name)
		return connectedMsg{to, cluster, err}
	})
}

// onConnected leaves the old cluster for the new one; on an error nothing changes.
func (a *App) onConnected(msg connectedMsg) tea.Cmd {
	a.anew = false
	if msg.err != nil {
		return a.sayError(fmt.Errorf("open %s: %w", msg.context.Name, msg.err))
	}
	a.Context, a.Namespace = msg.context.Name, msg.context.Namespace
	a.recent, a.touched, a.said.text = nil, false, ""
	return a.swap(msg.cluster)
}

// swap leaves the cluster for another one.
func (a *App) swap(to Cluster) tea.Cmd {
	a.cancel()
	old := a.Cluster
	a.Cluster, a.Opening = to, nil
	a.opened++
	a.ctx, a.cancel = context.WithCancel(context.Background())
	a.snapshot = &model.Snapshot{Status: model.Status{Context: a.Context, Reading: unreadYet()}}
	a.acts, a.dialog = acts{}, nil
	a.domain, a.usage = "", false
	a.begin()
	return tea.Batch(a.nextSnapshot(), a.nextJobs(), a.nextLesson(), func() tea.Msg {
		if old != nil {
			old.Close()
		}
		return nil
	})
}

// unreadYet is what is being read before the first snapshot came.
func unreadYet() map[string]int { return map[string]int{"nodes": 0, "pods": 0} }
