package ui

import (
	"testing"

	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-fathom/kubectl-fathom/explain"
	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// whyOf is Why of shop/checkout, opened as a user does.
func whyOf(t testing.TB, width, height int, report *explain.Report, events []model.Event) *App {
	t.Helper()
	app, _ := whyOn(t, width, height, report, events)
	return app
}

// whyOn is whyOf with the cluster that it asks.
func whyOn(t testing.TB, width, height int, report *explain.Report, events []model.Event) (*App, *fakeCluster) {
	t.Helper()
	prod := newProdEU()
	s := prod.snapshot()
	s.Usage = prod.usage
	cluster := &fakeCluster{
		reports: map[types.UID]*explain.Report{types.UID(report.Pod.UID): report},
		events:  map[string][]model.Event{checkoutName: events},
	}
	app := newTestAppWith(t, width, height, s, cluster, nil)
	pod, _ := s.PodNamed("shop", checkoutName)
	run(t, app, app.open(newWhy(app, pod)), 0)
	return app, cluster
}
