// Package nodefacts draws a node in depth, over the list of its pods: its resources, from
// capacity to what is free, its conditions, taints and Lease, its versions and images.
package nodefacts

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/kubectl-fathom/kubectl-fathom/ui/page"
)

const (
	// renewal is how often the Lease is read while the page is on top: a kubelet renews it
	// every 10 s.
	renewal = 10 * time.Second
	// listRows are those that the list under it keeps, with its head.
	listRows = 9
	// leastHeight is that of a page from which the facts are drawn.
	leastHeight = 20
)

// Facts are a node in depth.
type Facts struct {
	host  page.Host
	self  page.View // the page that they are on
	node  string
	lease page.Poll[lease]
	shown int // how often the page was shown; only the newest one asks again
}

// lease is what was read of a node's Lease.
type lease struct {
	read    bool
	renewed time.Time // zero where there is no Lease, or it was never renewed
}

// renewMsg asks for the Lease again.
type renewMsg struct{ shown int }

// New are the facts of a node, on a page.
func New(h page.Host, self page.View, node string) *Facts {
	return &Facts{host: h, self: self, node: node}
}

// Rows is how many rows are drawn on a page of a size.
func (f *Facts) Rows(width, height int) int {
	node, ok := f.host.Observed().Snapshot.Node(f.node)
	if !ok || height < leastHeight {
		return 0
	}
	return min(len(f.drawn(node, width, height-listRows)), height-listRows)
}

// Draw draws the node in so many rows.
func (f *Facts) Draw(width, rows int) []string {
	var drawn []string
	if node, ok := f.host.Observed().Snapshot.Node(f.node); ok {
		drawn = f.drawn(node, width, rows)
	}
	for len(drawn) < rows {
		drawn = append(drawn, "")
	}
	return drawn[:rows]
}

// Update takes the messages that are about the Lease; all others are left to the page.
func (f *Facts) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case page.SnapshotMsg:
		if !msg.Shown {
			return nil
		}
		f.shown++
		return tea.Batch(f.ask(), f.later())
	case renewMsg:
		if msg.shown != f.shown || !f.host.Shown(f.self) {
			return nil
		}
		return tea.Batch(f.ask(), f.later())
	}
	_, cmd := f.lease.Update(f.host, f.self, msg)
	return cmd
}

// Leave cancels what nobody will look at.
func (f *Facts) Leave() { f.lease.Leave() }

func (f *Facts) later() tea.Cmd { return f.host.Later(f.self, renewal, renewMsg{f.shown}) }

// ask reads the Lease.
func (f *Facts) ask() tea.Cmd {
	return f.lease.AskNow(f.host, f.self, func(ctx context.Context, cluster page.Cluster) (lease, error) {
		renewed, err := cluster.NodeLease(ctx, f.node)
		return lease{true, renewed}, err
	})
}
