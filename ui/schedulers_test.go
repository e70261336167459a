package ui

import (
	"fmt"
	"testing"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/ui/keymap"
)

// withSchedulers is prod-eu with the Leases of its control plane: the cloud controller
// manager's was not renewed, and ml-scheduler has none.
func withSchedulers(s *model.Snapshot) *fakeCluster {
	lease := componentLease
	return &fakeCluster{
		reports: verdictsOf(s),
		objects: map[string][]runtime.Object{"leases": {
			lease("kube-scheduler", "cp-1_4c1e", 2*time.Second), lease("kube-controller-manager", "cp-2_77aa", time.Second),
			lease("cloud-controller-manager", "cp-1_0b2d", 4*time.Minute),
		}},
		schedulers: map[string]model.Liveness{
			"default-scheduler": {Alive: true, Known: true, Why: "Lease last renewed 2s ago (kube-system/kube-scheduler)", Lease: "kube-scheduler"},
			"ml-scheduler":      {Known: true, Why: "no Lease, no events, no pods bound by it", Lease: "ml-scheduler"},
		},
	}
}

// componentLease is the Lease of a component in kube-system that was renewed so long ago.
func componentLease(name, holder string, ago time.Duration) *coordinationv1.Lease {
	at := metav1.NewMicroTime(now.Add(-ago))
	return &coordinationv1.Lease{
		ObjectMeta: metav1.ObjectMeta{Namespace: metav1.NamespaceSystem, Name: name},
		Spec:       coordinationv1.LeaseSpec{HolderIdentity: &holder, LeaseDurationSeconds: new(int32(15)), RenewTime: &at},
	}
}

func TestSchedulersScreen(t *testing.T) {
	for _, size := range []struct{ width, height int }{{80, 24}, {120, 40}} {
		t.Run(fmt.Sprintf("%dx%d", size.width, size.height), func(t *testing.T) {
			s := newProdEU().snapshot()
			app := newTestAppWith(t, size.width, size.height, s, withSchedulers(s), nil)
			runPalette(t, app, "schedulers")
			requireScreen(t, app)
		})
	}
}

func TestSchedulersAreJudgedWithoutTheRightToListLeases(t *testing.T) {
	s := newProdEU().snapshot()
	c := withSchedulers(s)
	c.unread = map[string]string{"leases": "not allowed to list leases"}
	app := newTestAppWith(t, 80, 24, s, c, nil)
	runPalette(t, app, "schedulers")
	requireScreen(t, app)
	want := "the Lease of ml-scheduler is unknown: not allowed to list leases."
	if got := app.history.top().Off(keymap.Describe); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestASchedulerThatWasSeenMinutesAgoIsNotSaidToRun(t *testing.T) {
	for name, test := range map[string]struct {
		why, want string
		pending   bool
	}{
		"where pods are pending": {"last seen 3m24s ago: bound pod shop/web", "default-scheduler: judged by pods and events. 1 scheduler, 1 other component.", true},
		"but where none is":      {"last seen 3m24s ago: bound pod shop/web", "All are running. 1 scheduler, 1 other component.", false},
	} {
		t.Run(name, func(t *testing.T) {
			prod := newProdEU()
			prod.keep(func(p *corev1.Pod) bool { return test.pending || p.Spec.NodeName != "" })
			s := prod.snapshot()
			c := withSchedulers(s)
			c.objects["leases"] = c.objects["leases"][1:2] // the controller manager's
			c.schedulers = map[string]model.Liveness{"default-scheduler": {Alive: true, Known: true, Why: test.why, Lease: "kube-scheduler"}}
			app := newTestAppWith(t, 80, 24, s, c, nil)
			runPalette(t, app, "schedulers")
			requireRow(t, app, 2, test.want)
		})
	}
}

// runPalette runs what the palette has under a name.
func runPalette(t testing.TB, app *App, name string) {
	t.Helper()
	keys := []string{":"}
	for _, letter := range name {
		keys = append(keys, string(letter))
	}
	press(t, app, append(keys, "enter")...)
}
