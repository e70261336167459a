package ui

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/ui/page/nodes"
)

// unreadyApp is Nodes with the cursor on spot-b-01, which is not Ready, and the cluster
// that it asks.
func unreadyApp(t *testing.T, width, height int) (*App, *fakeCluster) {
	t.Helper()
	c := newProdEU()
	c.mixed()
	s := c.snapshot()
	cluster := &fakeCluster{reports: verdictsOf(s), renewed: now.Add(-4*time.Minute - 40*time.Second), answers: map[types.UID]report.NodeAnswer{}}
	notReady := func(keys ...string) report.Rejection {
		rejection := report.Rejection{Plugin: "TaintToleration"}
		for _, key := range keys {
			rejection.Taints = append(rejection.Taints, corev1.Taint{Key: key, Effect: corev1.TaintEffectNoExecute})
		}
		return rejection
	}
	for _, kind := range s.Pending {
		uid := kind.First().Object.UID
		answer := report.NodeAnswer{UID: uid, Fits: new(false), Rejections: []report.Rejection{notReady(corev1.TaintNodeNotReady, "dedicated")}}
		switch kind.First().Object.Name {
		case checkoutName:
			answer.Rejections = []report.Rejection{notReady(corev1.TaintNodeNotReady)}
		case "index-2":
			answer.Rejections = []report.Rejection{notReady(corev1.TaintNodeNotReady), {Plugin: "NodeResourcesFit"}}
		case "etl-m2k9q":
			answer.Fits, answer.Rejections = nil, nil
		}
		cluster.answers[uid] = answer
	}
	app := newTestAppWith(t, width, height, s, cluster, nil)
	press(t, app, "3")
	selectNode(t, app, "spot-b-01")
	return app, cluster
}

func TestANodeThatIsNotReadyIsAskedAboutOnceTheCursorRests(t *testing.T) {
	app, cluster := unreadyApp(t, 80, 24)
	if len(cluster.leases) > 0 {
		t.Errorf("before that it asked for the Leases of %v", cluster.leases)
	}
	passes(t, app, nodes.RestAfter)
	if got := fmt.Sprint(cluster.leases); got != "[spot-b-01]" {
		t.Errorf("it asked for the Leases of %s", got)
	}
	text := screen(app)
	for _, want := range []string{
		"   NotReady for 4m, Lease renewed 4m ago: container runtime network not ready",
		"   pending pods that would fit if it were Ready: shop/checkout ×3 (1 unknown)",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("it lacks %q:\n%s", want, text)
		}
	}
	press(t, app, "k")
	passes(t, app, nodes.RestAfter)
	if len(cluster.leases) != 1 || strings.Contains(screen(app), "would fit") {
		t.Errorf("it asks about a node that is Ready: %v\n%s", cluster.leases, screen(app))
	}
}

func TestThePreviewOfANodeThatIsNotReadyIsDrawn(t *testing.T) {
	for _, size := range []struct{ width, height int }{{80, 24}, {120, 40}} {
		t.Run(fmt.Sprintf("%dx%d", size.width, size.height), func(t *testing.T) {
			app, _ := unreadyApp(t, size.width, size.height)
			passes(t, app, nodes.RestAfter)
			requireScreen(t, app)
		})
	}
}

func TestWhatCannotBeAskedAboutANodeIsUnknown(t *testing.T) {
	app, cluster := unreadyApp(t, 120, 40)
	cluster.err = errors.New("not allowed to get leases")
	passes(t, app, nodes.RestAfter)
	for _, want := range []string{"Lease unknown", "would fit if it were Ready: ? (not allowed to get leases)"} {
		if text := screen(app); !strings.Contains(text, want) {
			t.Errorf("it lacks %q:\n%s", want, text)
		}
	}
}

func TestANodeWithoutALeaseHasNone(t *testing.T) {
	app, cluster := unreadyApp(t, 80, 24)
	cluster.renewed = time.Time{}
	passes(t, app, nodes.RestAfter)
	requireRow(t, app, 18, "   NotReady for 4m, no Lease: container runtime")
}
