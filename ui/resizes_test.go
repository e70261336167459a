package ui

import (
	"fmt"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/modeltest"
)

// resizing is prod-eu with three pods that are resized: search/index-0 is deferred, one is
// in progress, and one is infeasible.
func resizing() *model.Snapshot {
	c := newProdEU()
	states := map[string][3]string{
		"search": {string(corev1.PodResizePending), corev1.PodReasonDeferred, "Node didn't have enough resource: cpu, requested: 8000, used: 12250, capacity: 15900"},
		"shop":   {string(corev1.PodResizeInProgress), "", ""},
		"batch":  {string(corev1.PodResizePending), corev1.PodReasonInfeasible, "Node didn't have enough capacity: cpu, requested: 64000, capacity: 15900"},
	}
	desired := map[string]string{"search": "8", "shop": "2500m", "batch": "64"}
	for _, p := range c.pods {
		state, ok := states[p.Namespace]
		if !ok || p.Spec.NodeName == "" || p.Status.Phase == corev1.PodFailed {
			continue
		}
		delete(states, p.Namespace)
		if len(p.Status.ContainerStatuses) == 0 {
			p.Status.ContainerStatuses = []corev1.ContainerStatus{{Name: p.Spec.Containers[0].Name}}
		}
		before := p.Spec.Containers[0].Resources.Requests
		p.Status.ContainerStatuses[0].AllocatedResources = before.DeepCopy()
		p.Spec.Containers[0].Resources.Requests = modeltest.Quantities("cpu", desired[p.Namespace], "memory", before.Memory().String())
		p.Status.Conditions = append(p.Status.Conditions, corev1.PodCondition{
			Type: corev1.PodConditionType(state[0]), Status: corev1.ConditionTrue, Reason: state[1], Message: state[2],
			LastTransitionTime: metav1.NewTime(now.Add(-7 * time.Minute)),
		})
	}
	return c.snapshot()
}

func TestResizesScreen(t *testing.T) {
	for _, size := range []struct{ width, height int }{{80, 24}, {120, 40}} {
		t.Run(fmt.Sprintf("%dx%d", size.width, size.height), func(t *testing.T) {
			s := resizing()
			app := newTestAppWith(t, size.width, size.height, s, &fakeCluster{reports: verdictsOf(s)}, nil)
			runPalette(t, app, "resizes")
			press(t, app, "j")
			requireScreen(t, app)
		})
	}
}

func TestNoResizes(t *testing.T) {
	s := newProdEU().snapshot()
	app := newTestAppWith(t, 80, 24, s, &fakeCluster{reports: verdictsOf(s)}, nil)
	runPalette(t, app, "resizes")
	requireScreen(t, app)
}

// TestResizesAreRowsOfPending after the pending pods, with what the kubelet waits for.
func TestResizesAreRowsOfPending(t *testing.T) {
	s := resizing()
	reports := verdictsOf(s)
	whys := []string{"infeasible: cpu 15.9 allocatable on std-b-02", "deferred: needs cpu 1.35 more on std-b-02", "in progress on std-b-02"}
	var last *model.Pod
	for i, kind := range s.Resizing {
		p := kind.First()
		state := map[string]int{"batch": 0, "search": 1, "shop": 2}[p.Object.Namespace]
		reports[p.Object.UID] = &report.Report{
			Pod: podRef(p), Verdict: report.Scheduled, State: "running", BlockedBy: report.ResizeWaits, Why: whys[state],
			Summary: "Scheduled to std-b-02 3h ago, all containers started. Its resize is " + whys[state] + ".", Revision: s.Revision,
		}
		if i == len(s.Resizing)-1 {
			last = p
		}
	}
	fake := &fakeCluster{reports: reports}
	app := newTestAppWith(t, 80, 24, s, fake, nil)
	press(t, app, "G")
	requireScreen(t, app)
	if pod := app.history.top().Selected().Pod; pod != last {
		t.Errorf("the last row is of %v", pod)
	}
	filterBy(t, app, "blocked=resize")
	if got := pendingNames(app); got != "index-0 cart-7b5c4d9f8-2kq8x report-1" {
		t.Errorf("filtered by what blocks: %q", got)
	}
}
