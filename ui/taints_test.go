package ui

import (
	"fmt"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// withTolerations is prod-eu with the tolerations that such pods have: all tolerate a lost
// node for five minutes, those of team-a for less, and gpu pods the gpu nodes. Some are in
// the wrong place.
func withTolerations(s *model.Snapshot) *model.Snapshot {
	awhile := func(seconds int64) corev1.Toleration {
		return corev1.Toleration{Key: corev1.TaintNodeNotReady, Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoExecute, TolerationSeconds: &seconds}
	}
	gpu := corev1.Toleration{Key: "dedicated", Value: "gpu"}
	for i, pod := range s.Pods {
		spec := &pod.Object.Spec
		spec.Tolerations = []corev1.Toleration{awhile(300)}
		if strings.HasPrefix(spec.NodeName, "gpu-") && i%5 == 0 { // pods of another team
			pod.Object.Namespace = "team-b"
			*pod = *model.NewPod(pod.Object)
		}
		switch on := spec.NodeName; {
		case strings.HasPrefix(on, "gpu-") && i%5 > 0:
			spec.Tolerations = append(spec.Tolerations, gpu)
			spec.NodeSelector = map[string]string{"eks.amazonaws.com/nodegroup": "gpu"}
		case strings.HasPrefix(on, "gpu-") && i%2 == 0:
			spec.Tolerations = append(spec.Tolerations, corev1.Toleration{Operator: corev1.TolerationOpExists})
		case on == "std-b-01" && i%9 == 0:
			spec.Tolerations = append(spec.Tolerations, gpu)
		case on == "spot-b-01" && i%3 == 0:
			spec.Tolerations = []corev1.Toleration{awhile(296)}
		}
	}
	return s
}

// taintsPage is the page of taints of a snapshot.
func taintsPage(t *testing.T, width, height int, s *model.Snapshot, keys ...string) *App {
	t.Helper()
	app := newTestAppWith(t, width, height, s, &fakeCluster{reports: verdictsOf(s)}, nil)
	press(t, app, append([]string{"5"}, keys...)...)
	return app
}

func TestTaintsScreen(t *testing.T) {
	for _, size := range []struct{ width, height int }{{80, 24}, {120, 40}, {160, 40}} {
		t.Run(fmt.Sprintf("%dx%d", size.width, size.height), func(t *testing.T) {
			requireScreen(t, taintsPage(t, size.width, size.height, withTolerations(newProdEU().snapshot())))
		})
	}
}

func TestAReservedPoolShowsThePodsInTheWrongPlace(t *testing.T) {
	for _, height := range []int{24, 40} {
		t.Run(fmt.Sprintf("80x%d", height), func(t *testing.T) {
			requireScreen(t, taintsPage(t, 80, height, withTolerations(newProdEU().snapshot()), "j"))
		})
	}
}

func TestATaintOfAnAutoscalerIsPutInWords(t *testing.T) {
	s := newProdEU().snapshot()
	for i, node := range s.Nodes {
		node.Object.Spec.Taints = nil
		if i < 2 {
			node.Object.Spec.Taints = []corev1.Taint{{Key: "ToBeDeletedByClusterAutoscaler", Value: "1781000000", Effect: corev1.TaintEffectNoSchedule}}
		}
	}
	requireScreen(t, taintsPage(t, 80, 24, s))
}

func TestTaintsWithoutPodsAreUnknown(t *testing.T) {
	status := liveStatus()
	status.Unread = []model.Unread{{Resource: "pods", Why: "not allowed to list pods"}}
	requireScreen(t, taintsPage(t, 80, 24, newProdEU().at(1, status)))
}

func TestTaintsOfAClusterWithoutAny(t *testing.T) {
	s := newProdEU().snapshot()
	for _, node := range s.Nodes {
		node.Object.Spec.Taints = nil
	}
	requireScreen(t, taintsPage(t, 80, 24, s))
}

// TestPodsThatStayUnderTaintsOfTheSystemAreCounted has taints that evict nothing, set by
// Kubernetes: one, then two.
func TestPodsThatStayUnderTaintsOfTheSystemAreCounted(t *testing.T) {
	for name, c := range map[string]struct {
		taints map[string]string // by node
		want   string
	}{
		"one":  {map[string]string{"spot-b-01": corev1.TaintNodeMemoryPressure}, "No evictions; 9 pods do not tolerate the taint memory-pressure of their nodes."},
		"two":  {map[string]string{"spot-b-01": corev1.TaintNodeMemoryPressure, "spot-c-01": corev1.TaintNodeUnschedulable}, "pods do not tolerate the taints of their nodes."},
		"none": {map[string]string{}, "No node has a taint."},
	} {
		s := newProdEU().snapshot()
		for _, node := range s.Nodes {
			node.Object.Spec.Taints = nil
			if key := c.taints[node.Name]; key != "" {
				node.Object.Spec.Taints = []corev1.Taint{{Key: key, Effect: corev1.TaintEffectNoSchedule}}
			}
		}
		if got := screenRow(taintsPage(t, 80, 24, s), answer); !strings.Contains(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

func TestEnterOpensTheNodesThatHaveATaint(t *testing.T) {
	requireScreen(t, taintsPage(t, 80, 24, withTolerations(newProdEU().snapshot()), "j", "enter"))
}

// TestZonesThatEvictNothing has a zone in PartialDisruption, then all in FullDisruption.
func TestZonesThatEvictNothing(t *testing.T) {
	for name, lost := range map[string]func(*model.Node) bool{
		"partial": func(n *model.Node) bool { return n.Zone == "eu-1b" && n.Name != "gpu-b-01" },
		"full":    func(*model.Node) bool { return true },
	} {
		t.Run(name, func(t *testing.T) {
			s := withTolerations(newProdEU().snapshot())
			for _, node := range s.Nodes {
				if !lost(node) {
					continue
				}
				node.Ready = corev1.ConditionUnknown
				since := metav1.NewTime(now.Add(-time.Minute))
				node.Object.Spec.Taints = []corev1.Taint{{Key: corev1.TaintNodeUnreachable, Effect: corev1.TaintEffectNoSchedule, TimeAdded: &since}}
			}
			requireScreen(t, taintsPage(t, 120, 40, s))
		})
	}
}

// TestACountdownTicksBySeconds lets time pass: the page asks for the next second only while
// a countdown shows seconds, and draws what is left.
func TestACountdownTicksBySeconds(t *testing.T) {
	clock := now
	s := withTolerations(newProdEU().snapshot())
	app := newTestAppWith(t, 80, 24, s, &fakeCluster{reports: verdictsOf(s)}, func(o *Options) { o.Now = func() time.Time { return clock } })
	press(t, app, "5")
	for _, step := range []struct {
		after time.Duration
		want  string
		every time.Duration
	}{
		{0, "9 pods will be evicted, the first 3 in 56s from spot-b-01", brisk},
		{time.Second, "9 pods will be evicted, the first 3 in 55s from spot-b-01", brisk},
		{57 * time.Second, "9 pods will be evicted, the first 3 now from spot-b-01", brisk},
		{5 * time.Minute, "3 pods were to be evicted 4m4s ago from spot-b-01", calm},
	} {
		clock = now.Add(step.after)
		app.ticker.every = 0
		asked := timers(app)
		send(t, app, tickMsg{app.ticker.nth})
		if got := screen(app); !strings.Contains(got, step.want) {
			t.Errorf("after %s there is no %q on\n%s", step.after, step.want, got)
		}
		if len(*asked) != 1 || (*asked)[0] != step.every {
			t.Errorf("after %s it waits %v, want %s", step.after, *asked, step.every)
		}
	}
}

// BenchmarkFrameOfTaintsOf5000Nodes is a key of Taints where all nodes are lost and their
// pods have a countdown.
func BenchmarkFrameOfTaintsOf5000Nodes(b *testing.B) {
	s := withTolerations(crowd())
	since := metav1.NewTime(now.Add(-time.Minute))
	for _, node := range s.Nodes {
		node.Object.Spec.Taints = []corev1.Taint{
			{Key: corev1.TaintNodeNotReady, Effect: corev1.TaintEffectNoExecute, TimeAdded: &since},
			{Key: corev1.TaintNodeNotReady, Effect: corev1.TaintEffectNoSchedule, TimeAdded: &since},
		}
	}
	app := newTestApp(b, 200, 60, s)
	press(b, app, "5")
	i := 0
	for b.Loop() {
		pressed(b, app, keyPress([]string{"j", "k"}[i%2]))
		i++
	}
}

func TestTaintsWhosePodsHaveJustBeenRead(t *testing.T) {
	status := liveStatus()
	status.Unread = []model.Unread{{Resource: "pods", Why: "not allowed to list pods"}}
	app := taintsPage(t, 80, 24, newProdEU().at(1, status))
	app.Update(snapshotMsg{snapshot: newProdEU().at(2, liveStatus())}) // the rows are those of before
	if got, want := app.history.top().Answer(80), "4 taints on 5 nodes; their pods are unknown."; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := screen(app); !strings.Contains(got, "pods: ?\n") {
		t.Errorf("the preview:\n%s", got)
	}
}
