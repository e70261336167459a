package ui

import (
	"context"
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page/fixes"
)

// partFixer tells the first fixes before it goes on, which the test has to let it do.
type partFixer struct {
	*fakeCluster
	first    int
	unsorted bool // the first are in another order than at the end
	proceed  chan struct{}
}

func (c *partFixer) Ask(ctx context.Context, q report.Query) (*report.Report, error) {
	if q.Parts.Has(report.FixesPart) {
		all := checkoutFixes().Tried
		if c.unsorted {
			slices.Reverse(all[:c.first])
		}
		q.Progress(&report.Fixes{Tried: all[:c.first], Left: len(all) - c.first})
		<-c.proceed
	}
	return c.fakeCluster.Ask(ctx, q)
}

// inBackground runs the Cmds of a batch, each on its own, and brings their messages.
func inBackground(cmd tea.Cmd, messages chan<- tea.Msg) {
	if cmd == nil {
		return
	}
	go func() {
		msg := cmd()
		if batch, ok := msg.(tea.BatchMsg); ok {
			for _, one := range batch {
				inBackground(one, messages)
			}
			return
		}
		messages <- msg
	}()
}

func TestWhyShowsTheFirstFixesBeforeTheLast(t *testing.T) {
	s := newProdEU().snapshot()
	cluster := &partFixer{&fakeCluster{
		reports: map[types.UID]*report.Report{checkoutUID: checkoutReport()}, fixes: map[types.UID]*report.Fixes{checkoutUID: checkoutFixes()},
	}, 2, false, make(chan struct{})}
	app := newTestAppWith(t, 80, 24, s, cluster.fakeCluster, nil)
	app.Cluster = cluster
	pod, _ := s.PodNamed("shop", checkoutName)
	messages := make(chan tea.Msg)
	inBackground(app.history.open(newWhy(app, pod)), messages)
	until := func(n int, want string) {
		t.Helper()
		for !strings.Contains(row(app, n), want) {
			_, cmd := app.Update(<-messages)
			inBackground(cmd, messages)
		}
	}
	until(17, "simulating, 2 of")
	requireScreen(t, app)
	close(cluster.proceed)
	until(17, "FIXES (simulated): ")
}

func TestTheFirstRowStaysSelectedWhileFixesAreSimulated(t *testing.T) {
	for _, test := range []struct {
		name, key, want string
	}{
		{"nobody moved the cursor", "", "▸$ ✓ request cpu 3.6"},
		{"the user moved it", "k", "▸$ ✓ remove node selector"},
	} {
		t.Run(test.name, func(t *testing.T) {
			prod := newProdEU()
			s := prod.snapshot()
			cluster := &partFixer{&fakeCluster{
				reports: verdictsOf(s), fixes: map[types.UID]*report.Fixes{checkoutUID: checkoutFixes()},
			}, 4, true, make(chan struct{})}
			app := newTestAppWith(t, 80, 24, s, cluster.fakeCluster, nil)
			app.Cluster = cluster
			pod, _ := s.PodNamed("shop", checkoutName)
			messages := make(chan tea.Msg)
			inBackground(app.history.open(fixes.New(&app.host, pod)), messages)
			until := func(want string) {
				t.Helper()
				for !strings.Contains(screen(app), want) {
					_, cmd := app.Update(<-messages)
					inBackground(cmd, messages)
				}
			}
			until("4 of")
			requireRow(t, app, 4, "▸$ ✓ remove node selector")
			if test.key != "" {
				app.Update(keyPress(test.key))
			}
			close(cluster.proceed)
			until("fixes work")
			if !strings.Contains(screen(app), test.want) {
				t.Errorf("not selected: %q in\n%s", test.want, screen(app))
			}
		})
	}
}
