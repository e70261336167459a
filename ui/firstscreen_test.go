package ui

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/modeltest"
)

// sound is a cluster in which nothing is wrong: three nodes in each of two zones, each with
// four pods of namespace shop that request a twentieth of it.
type sound struct {
	nodes []*corev1.Node
	pods  []*corev1.Pod
	lists map[string][]runtime.Object
}

func newSound() *sound {
	c := &sound{lists: map[string][]runtime.Object{
		"resourcequotas": {quota("shop", "compute", modeltest.Quantities("pods", "50"), modeltest.Quantities("pods", "24"))},
	}}
	for i := range 6 {
		zone := []string{"eu-1a", "eu-1b"}[i/3]
		node := modeltest.NewNode(fmt.Sprintf("std-%s-%d", zone[3:], i), zone, "10", "40Gi")
		node.Labels["eks.amazonaws.com/nodegroup"] = "std"
		node.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}}
		c.nodes = append(c.nodes, node)
		for n := range 4 {
			p := ran(pod("shop", fmt.Sprintf("web-%d-%d", i, n), "500m", "1Gi", time.Hour), node.Name)
			p.Labels = map[string]string{"app": "shop"}
			c.pods = append(c.pods, p)
		}
	}
	return c
}

// onFirstScreen is the first screen at 80×24: Nodes, as no pod is pending.
func (c *sound) onFirstScreen(t *testing.T) string {
	t.Helper()
	return ansi.Strip(c.opened(t, 24).View().Content)
}

// opened is the dashboard at 80 columns.
func (c *sound) opened(t *testing.T, height int) *App {
	t.Helper()
	b := model.NewBuilder()
	for _, node := range c.nodes {
		b.Node(nil, node)
	}
	for _, p := range c.pods {
		b.Pod(nil, p)
	}
	return newTestAppWith(t, 80, height, b.Build(1, liveStatus(), nil), &fakeCluster{objects: c.lists}, nil)
}

// TestWhatLimitsTheClusterFollowsTheLastPendingPod where rows are free, in full, and else stands
// in the first line in short.
func TestWhatLimitsTheClusterFollowsTheLastPendingPod(t *testing.T) {
	const (
		cordoned = "   ! Cordoned: all 3 nodes of std in eu-1b. Press 3 for Nodes."
		quotas   = "   ! Quota full: shop/compute (pods 100%). Press 8 for Quotas."
	)
	cluster := newSound()
	for _, node := range cluster.nodes[3:] {
		node.Spec.Unschedulable = true
	}
	cluster.lists["resourcequotas"] = []runtime.Object{quota("shop", "compute", modeltest.Quantities("pods", "24"), modeltest.Quantities("pods", "24"))}
	cluster.pods = append(cluster.pods, pod("shop", "web-new", "5", "1Gi", time.Minute))
	app := cluster.opened(t, 24)
	for n, want := range map[int]string{6: "", 7: cordoned, 8: quotas, 9: ""} {
		if got := strings.TrimRight(row(app, n), " "); got != want {
			t.Errorf("row %d is %q, want %q", n, got, want)
		}
	}
	press(t, app, "3")
	if text := screen(app); !strings.Contains(text, "› nodes") {
		t.Errorf("3 does not open Nodes:\n%s", text)
	}
	for i := range 9 { // a workload each: one row is left, which the first warning takes
		cluster.pods = append(cluster.pods, pod("shop", fmt.Sprintf("other-%d", i), fmt.Sprintf("%dm", 6000+i), "1Gi", time.Minute))
	}
	text := screen(cluster.opened(t, 24))
	if !strings.Contains(text, cordoned) || strings.Contains(text, quotas) {
		t.Errorf("want one of the warnings after the list:\n%s", text)
	}
	for i := range 20 {
		cluster.pods = append(cluster.pods, pod("shop", fmt.Sprintf("more-%d", i), fmt.Sprintf("%dm", 7000+i), "1Gi", time.Minute))
	}
	text = screen(cluster.opened(t, 24))
	if strings.Contains(text, " ! ") {
		t.Errorf("no row is free:\n%s", text)
	}
}

// TestNodesNamesNoKeyOfItsOwn, and counts nodes under pressure once.
func TestNodesNamesNoKeyOfItsOwn(t *testing.T) {
	cluster := newSound()
	cluster.nodes[0].Status.Conditions = append(cluster.nodes[0].Status.Conditions, corev1.NodeCondition{Type: corev1.NodeMemoryPressure, Status: corev1.ConditionTrue})
	for _, node := range cluster.nodes[3:] {
		node.Spec.Unschedulable = true
	}
	text := cluster.onFirstScreen(t)
	for _, want := range []string{
		" 6 nodes: 6 Ready (3 cordoned, 1 MemoryPressure).\n",
		"   ! MemoryPressure on std-1a-0.", "   ! Cordoned: all 3 nodes of std in eu-1b.",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("want %q", want)
		}
	}
	for _, no := range []string{"(3)", "Press 3"} {
		if strings.Contains(text, no) {
			t.Errorf("%q leads to where one is", no)
		}
	}
	if t.Failed() {
		t.Log(text)
	}
}

// TestTheFirstScreenSaysWhatIsWrongWithACluster breaks one thing in each.
func TestTheFirstScreenSaysWhatIsWrongWithACluster(t *testing.T) {
	for _, c := range []struct {
		name  string
		spoil func(*sound)
		want  []string
	}{
		{"nothing", func(*sound) {}, []string{"6 nodes: 6 Ready."}},
		{"a zone is lost", func(c *sound) {
			for _, node := range c.nodes[3:] {
				node.Status.Conditions[0].Status, node.Status.Conditions[0].LastTransitionTime = corev1.ConditionUnknown, metav1.NewTime(now.Add(-4*time.Minute))
			}
		}, []string{"6 nodes: 3 Ready, 3 NotReady (all of eu-1b)."}},
		{"pods are evicted from a lost zone", func(c *sound) {
			since := metav1.NewTime(now.Add(-2 * time.Minute))
			for _, node := range c.nodes[3:] {
				node.Status.Conditions[0].Status, node.Status.Conditions[0].LastTransitionTime = corev1.ConditionUnknown, since
				node.Spec.Taints = []corev1.Taint{{Key: corev1.TaintNodeUnreachable, Effect: corev1.TaintEffectNoExecute, TimeAdded: &since}}
			}
			for _, p := range c.pods {
				p.Spec.Tolerations = []corev1.Toleration{{Key: corev1.TaintNodeUnreachable, Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoExecute, TolerationSeconds: new(int64(300))}}
			}
		}, []string{"6 nodes: 3 Ready, 3 NotReady (all of eu-1b). 12 evictions start at 14:07 UTC."}},
		{"kube-controller-manager is not running", func(c *sound) {
			c.lists["leases"] = []runtime.Object{componentLease("kube-scheduler", "a", time.Second), componentLease("kube-controller-manager", "a", time.Hour)}
		}, []string{" kube-controller-manager is not running: no pods are created. 6 nodes: 6 Ready.", "its Lease was renewed 59m ago. No\n", "Type :schedulers for Schedulers."}},
		{"all nodes are cordoned", func(c *sound) {
			for _, node := range c.nodes {
				node.Spec.Unschedulable = true
			}
		}, []string{"6 nodes: 6 Ready (6 cordoned)."}},
		{"a pool is full", func(c *sound) {
			for _, node := range c.nodes {
				c.pods = append(c.pods, ran(pod("shop", "large-"+node.Name, "7800m", "1Gi", time.Hour), node.Name))
			}
		}, []string{"Pool full: std (cpu 98%)"}},
		{"a taint evicts", func(c *sound) {
			c.nodes[1].Spec.Taints = []corev1.Taint{{Key: "maintenance", Value: "true", Effect: corev1.TaintEffectNoExecute}}
		}, []string{"maintenance=true:NoExecute on std-1a-1"}},
		{"a quota is full", func(c *sound) {
			c.lists["resourcequotas"] = []runtime.Object{quota("shop", "compute", modeltest.Quantities("pods", "24"), modeltest.Quantities("pods", "24"))}
		}, []string{"Quota full: shop/compute (pods 100%)"}},
		{"a budget blocks drains", func(c *sound) {
			c.lists["poddisruptionbudgets"] = []runtime.Object{budget("shop", "web", "shop", 0, 24, 24)}
		}, []string{"1 PDB blocks drains of 6 of 6 nodes (press 9)."}},
	} {
		t.Run(c.name, func(t *testing.T) {
			cluster := newSound()
			c.spoil(cluster)
			screen := cluster.onFirstScreen(t)
			for _, want := range c.want {
				if !strings.Contains(screen, want) {
					t.Errorf("%q is not on it:\n%s", want, screen)
				}
			}
		})
	}
}

// TestTheGaugesOfANamespace are what its pods request: of what its quotas allow, else of the cluster.
func TestTheGaugesOfANamespace(t *testing.T) {
	for name, test := range map[string]struct {
		namespace string
		want      string // of the row of gauges
	}{
		"with a quota": {"shop", "cpu █████████▋ 96%!  pods 62%  requested of 2 quotas: compute, gpus"},
		"without one":  {"search", "cpu ▍········· 3%  mem ▍········· 4%  pods <1%  requested by search"},
	} {
		t.Run(name, func(t *testing.T) {
			c := newSound()
			c.lists["resourcequotas"] = []runtime.Object{
				quota("shop", "compute", modeltest.Quantities("pods", "40", "requests.cpu", "13500m"), modeltest.Quantities("pods", "1", "requests.cpu", "1")),
				quota("shop", "gpus", modeltest.Quantities("requests.cpu", "20", "requests.nvidia.com/gpu", "0"), nil),
			}
			c.pods = append(c.pods, pod("shop", "waits", "1", "1Gi", time.Minute), ran(pod("search", "api", "2", "10Gi", time.Hour), c.nodes[0].Name), pod("search", "waits", "64", "1Gi", time.Minute))
			done := ran(pod("shop", "done", "4", "1Gi", time.Hour), c.nodes[0].Name)
			done.Status.Phase = corev1.PodSucceeded
			c.pods = append(c.pods, done)
			app := c.opened(t, 24)
			press(t, app, "1", "n")
			write(t, app, test.namespace)
			press(t, app, "enter")
			if got := strings.TrimSpace(screenRow(app, header+2)); got != test.want {
				t.Errorf("got  %q\nwant %q", got, test.want)
			}
		})
	}
}
