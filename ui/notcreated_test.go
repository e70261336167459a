package ui

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// onRefused shows Pending with the cursor on the pods that were not created.
func onRefused(t *testing.T, width, height int) (*App, *prodEU) {
	t.Helper()
	c := newProdEU()
	app := newTestApp(t, width, height, c.snapshot())
	press(t, app, "G")
	return app, c
}

func TestWhyAPodWasNotCreated(t *testing.T) {
	for name, size := range map[string][2]int{"80x24": {80, 24}, "120x40": {120, 40}} {
		t.Run(name, func(t *testing.T) {
			app, _ := onRefused(t, size[0], size[1])
			press(t, app, "enter")
			requireScreen(t, app)
		})
	}
}

// TestThePreviewQuotesKubeAPIServerToTheEnd where nothing else explains why a pod was not created: what is wrong stands last.
func TestThePreviewQuotesKubeAPIServerToTheEnd(t *testing.T) {
	s := newProdEU().snapshot()
	reports := verdictsOf(s)
	told := apiReport()
	told.BlockedBy, told.Why, told.Admission.Rejections = "admission", `failed calling webhook "pods.policy.example"`, nil
	told.Summary = `Not created: kube-apiserver rejected it 9m ago: failed calling webhook "pods.image-policy.corp.example": failed to call webhook: ` +
		`Post "https://image-policy-webhook.image-policy.svc:8443/admit?timeout=10s": no endpoints available for service "image-policy-webhook".`
	reports[model.NotCreatedUID("rs-api-6c9")] = told
	app := newTestAppWith(t, 80, 24, s, &fakeCluster{reports: reports}, nil)
	press(t, app, "G")
	if text := screen(app); !strings.Contains(text, `endpoints available for service "image-policy-webhook".`) {
		t.Errorf("its end is missing:\n%s", text)
	}
}

func TestWordsOfTheAPIServerAboutAPodThatWasNotCreated(t *testing.T) {
	app, _ := onRefused(t, 80, 24)
	press(t, app, "W")
	requireScreen(t, app)
}

func TestKeysOnAPodThatDoesNotExistActOnItsController(t *testing.T) {
	for _, page := range []string{"", "enter"} {
		app, _ := onRefused(t, 80, 24)
		if page != "" {
			press(t, app, page)
		}
		want := model.Ref{Resource: "replicasets.apps", Namespace: "team-a", Name: "api-6c9", UID: "rs-api-6c9"}
		if got := app.history.top().Selected().Ref; got != want {
			t.Errorf("%q: acts on %+v, want %+v", page, got, want)
		}
		press(t, app, "o")
		requireRow(t, app, 23, "o node: no pod of team-a/api was created.")
		press(t, app, "d")
		requireRow(t, app, 3, "Name: api-6c9")
	}
}

func TestPodsThatAreCreatedAfterAllAreGoneFromTheList(t *testing.T) {
	app, c := onRefused(t, 80, 24)
	press(t, app, "enter")
	c.refused = nil
	send(t, app, snapshotMsg{snapshot: c.at(2, liveStatus())})
	requireRow(t, app, 2, "No pods are missing any more. Before: Not created: ResourceQuota team-a")
	press(t, app, "esc")
	if strings.Contains(screen(app), "team-a/api") {
		t.Errorf("still listed:\n%s", screen(app))
	}
	requireRow(t, app, 2, "13 pending: 7 unschedulable, 1 preempting, 1 gated, 1 no scheduler, 3 other.")
}

func TestOnlyRefusedPodsAreCountedAsSuch(t *testing.T) {
	c := newProdEU()
	refused := c.refused
	c.keep(func(p *corev1.Pod) bool { return p.Status.Phase != corev1.PodPending })
	c.refused = refused
	s := c.snapshot()
	app := newTestAppWith(t, 80, 24, s, &fakeCluster{reports: verdictsOf(s)}, nil)
	requireRow(t, app, 2, "No pending pods. 2 rejected by quota.")
	press(t, app, "/")
	write(t, app, "state=\"not created\" pods=2")
	press(t, app, "enter")
	requireRow(t, app, firstPending, "team-a/api ×2")
	if r := app.verdicts.Of(s.Pending[0]); r.Verdict != report.NotCreated {
		t.Errorf("got %s", r.Verdict)
	}
}

func TestPodsThatDoNotExistNeverCountAsWaiting(t *testing.T) {
	s := newProdEU().snapshot()
	app := newTestAppWith(t, 80, 24, s, &fakeCluster{}, nil) // nothing is explained yet
	requireRow(t, app, 2, "13 pending: 13 being explained. 2 could not be created.")
}

func TestRefusalsAreSaidShorterWhereThereIsLessRoom(t *testing.T) {
	app := newTestApp(t, 80, 24, newProdEU().snapshot())
	for width, want := range map[int]string{
		119: "13 pending: 7 unschedulable, 1 preempting, 1 gated, 1 no scheduler, 2 image, 1 fits now. 2 rejected by quota.",
		106: "13 pending: 7 unschedulable, 1 preempting, 1 gated, 1 no scheduler, 2 image, 1 fits now. 2 not created.",
		79:  "13 pending: 7 unschedulable, 1 preempting, 1 gated, 4 other. 2 not created.",
		60:  "13 pending: 7 unschedulable, 6 other. 2 not created.",
		40:  "13 pending: 7 unschedulable, 6 other.",
	} {
		if got := app.pages.pending.Answer(width); got != want {
			t.Errorf("in %d cells: %s", width, got)
		}
	}
}

func TestReplicasThatCouldNotBeCreatedAreCountedWhereTheWorkloadIsScaled(t *testing.T) {
	app, c := onRefused(t, 80, 24)
	owner := c.snapshot().Pending[len(c.snapshot().Pending)-1].First().Owner
	if got := app.observed.Replicas("team-a", owner); got != "0 pods; 2 of 4 not created" {
		t.Errorf("it has %q", got)
	}
}
