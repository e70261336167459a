package ui

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// Contexts are three, two of which are short for the same.
func (fakeSession) Contexts() []model.Context {
	return []model.Context{
		{Name: "arn:aws:eks:eu-west-1:1234:cluster/shop"},
		{Name: "gke_acme_europe-west1_shop"},
		{Name: "prod-eu"},
	}
}

func (s fakeSession) Open(context.Context, string) (Cluster, error) {
	if s.cluster == nil {
		return nil, errors.New("no such host")
	}
	return s.cluster, nil
}

func TestAContextIsNamedByItsLastPartIfThatIsUnique(t *testing.T) {
	for _, c := range []struct {
		context string
		session Session
		want    string
	}{
		{"prod-eu", fakeSession{}, "prod-eu"},
		{"arn:aws:eks:eu-west-1:1234:cluster/shop", nil, "shop"},
		{"gke_acme_europe-west1_shop", nil, "shop"},
		{"gke_acme_europe-west1_shop", fakeSession{}, "gke_acme_europe-west1_shop"},
		{"ends/", nil, "ends/"},
	} {
		app := New(Options{Context: c.context, Session: c.session})
		if app.head.short != c.want {
			t.Errorf("%s is shown as %s, want %s", c.context, app.head.short, c.want)
		}
	}
}

func TestAnotherContextClosesTheOldCluster(t *testing.T) {
	old, next := &fakeCluster{}, &fakeCluster{}
	app := newTestAppWith(t, 80, 24, newProdEU().snapshot(), old, func(o *Options) { o.Session = fakeSession{next} })
	press(t, app, "3")
	send(t, app, connectedMsg{context: model.Context{Name: "staging-eu", Namespace: "shop"}, cluster: next})
	if !old.closed {
		t.Error("the old cluster was not closed")
	}
	if got := screen(app); !strings.Contains(got, "staging-eu › shop › pending") || strings.Contains(got, "PROD") {
		t.Errorf("want staging-eu, which is being read:\n%s", got)
	}
	before := screen(app)
	send(t, app, snapshotMsg{opened: 0, snapshot: newProdEU().snapshot()})
	if screen(app) != before {
		t.Error("a snapshot of the old cluster was drawn")
	}
}

func TestAContextThatCannotBeOpenedChangesNothing(t *testing.T) {
	old := &fakeCluster{}
	app := newTestAppWith(t, 80, 24, newProdEU().snapshot(), old, func(o *Options) { o.Session = fakeSession{} })
	c := &connecting{ctx: t.Context(), session: app.Session, name: "staging-eu"}
	err := c.Run()
	send(t, app, connectedMsg{context: model.Context{Name: "staging-eu"}, err: err})
	if got := screen(app); old.closed || !strings.Contains(got, "open staging-eu: no such host") || !strings.Contains(got, "prod-eu") {
		t.Errorf("want prod-eu and the error:\n%s", got)
	}
}
