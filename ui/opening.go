package ui

import (
	"context"
	"fmt"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/ui/figures"
)

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
