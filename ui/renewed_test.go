package ui

import (
	"testing"
	"time"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page/pending"
)

// A verdict costs milliseconds, and a cluster changes all the time.
func TestAVerdictIsRenewedOnlyWhereAChangeBearsOnIt(t *testing.T) {
	c := newProdEU()
	first := c.snapshot()
	first.Moved = first.Revision
	app := newTestApp(t, 120, 40, first)
	at := app.Now()
	app.Now = func() time.Time { return at }
	cluster, ok := app.Cluster.(*fakeCluster)
	if !ok {
		t.Fatalf("the cluster is a %T", app.Cluster)
	}
	kinds := len(first.Pending)
	revision := first.Revision
	renewed := func(change func(*model.Snapshot)) int {
		revision++
		s := *first
		s.Revision = revision
		change(&s)
		before := len(cluster.explained)
		send(t, app, snapshotMsg{snapshot: &s})
		for range kinds + 1 {
			send(t, app, resultMsg{app.opened, app.history.top(), pending.RestedMsg{}})
		}
		return len(cluster.explained) - before
	}
	nothing := func(*model.Snapshot) {}
	if got := renewed(nothing); got != 0 {
		t.Errorf("%d verdicts were renewed although nothing changed that bears on them", got)
	}
	if got := renewed(func(s *model.Snapshot) { s.Moved = s.Revision }); got != kinds {
		t.Errorf("%d of %d verdicts were renewed after a change that bears on them", got, kinds)
	}
	moved := revision
	if got := renewed(func(s *model.Snapshot) {
		s.Moved = moved
		kind := *s.Pending[0]
		s.Pending = append([]*model.EquivalenceClass{&kind}, s.Pending[1:]...)
	}); got != 1 {
		t.Errorf("%d verdicts were renewed after a pod of one kind changed", got)
	}
	at = at.Add(time.Minute)
	if got := renewed(func(s *model.Snapshot) { s.Moved = moved }); got != kinds {
		t.Errorf("%d of %d verdicts were renewed after a minute", got, kinds)
	}
}

func TestWhyIsRenewedOnlyWhereAChangeBearsOnIt(t *testing.T) {
	app, cluster, prod := whyOn(t, 80, 24, checkoutReport(), nil)
	first := prod.at(2, liveStatus())
	first.Moved = 2
	at := app.Now()
	app.Now = func() time.Time { return at }
	send(t, app, snapshotMsg{snapshot: first})
	passes(t, app, page.RestLeast)
	revision := first.Revision
	asked := func(change func(*model.Snapshot)) int {
		revision++
		s := *first
		s.Revision = revision
		change(&s)
		before := len(cluster.explained)
		send(t, app, snapshotMsg{snapshot: &s})
		passes(t, app, page.RestLeast)
		return len(cluster.explained) - before
	}
	if got := asked(func(*model.Snapshot) {}); got != 0 {
		t.Errorf("asked %d times although nothing changed that bears on it", got)
	}
	if got := asked(func(s *model.Snapshot) { s.Moved = s.Revision }); got != 1 {
		t.Errorf("asked %d times after a change that bears on it", got)
	}
	moved := revision
	if got := asked(func(s *model.Snapshot) {
		s.Moved, s.Pods = moved, prod.at(2, liveStatus()).Pods // other pointers
	}); got != 1 {
		t.Errorf("asked %d times after the pod changed", got)
	}
	at = at.Add(time.Minute)
	if got := asked(func(s *model.Snapshot) { s.Moved = moved }); got != 1 {
		t.Errorf("asked %d times after a minute", got)
	}
}
