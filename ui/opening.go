package ui

import (
	"context"
	"fmt"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// openedMsg is the cluster that the dashboard starts with.
type openedMsg struct {
	opened  int
	cluster Cluster
	err     error
}

// openFirst waits for the cluster that the dashboard starts with, where the
// screen is drawn before it is open.
func (a *App) openFirst() tea.Cmd {
	if a.Cluster != nil || a.Opening == nil {
		return nil
	}
	ctx, open, opened := a.ctx, a.Opening, a.opened
	return func() tea.Msg {
		cluster, err := open(ctx)
		return openedMsg{opened, cluster, err}
	}
}

// onOpened begins with the cluster; without one there is nothing to show.
func (a *App) onOpened(msg openedMsg) tea.Cmd {
	switch {
	case msg.opened != a.opened: // another context was chosen meanwhile
		return func() tea.Msg {
			if msg.cluster != nil {
				msg.cluster.Close()
			}
			return nil
		}
	case msg.err != nil:
		a.failed = msg.err
		return tea.Quit
	}
	a.Cluster, a.usage = msg.cluster, false
	return tea.Batch(a.nextSnapshot(), a.nextJobs())
}

// Err is why the cluster that the dashboard started with could not be opened.
func (a *App) Err() error { return a.failed }

// isConnecting reports whether the first cluster is not open yet.
func (a *App) isConnecting() bool { return a.Cluster == nil && a.Opening != nil }

// connectingWords say what is connected to, and for how long.
func (a *App) connectingWords() string {
	words := fmt.Sprintf("Connecting to %s…", model.Clean(a.Server))
	if since := a.at.Sub(a.started); since >= time.Second {
		words += " " + clock(since)
	}
	return words
}

// Opening opens the cluster that the dashboard starts with.
type Opening func(context.Context) (Cluster, error)
