package explain

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"pgregory.net/rapid"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/model"
)

func TestFitAddsNodesLikeOneThatExists(t *testing.T) {
	agent := podControlledBy("apps/v1", "DaemonSet", "agent")
	zone := nodeLabel(corev1.LabelTopologyZone, "eu-1a")
	large := testNode("large", "8", nodeTaint("dedicated", "gpu", corev1.TaintEffectNoSchedule))
	objects := []runtime.Object{
		testNode("std", "4", zone, cordoned), large,
		testPod("sys/agent-1", "std", "500m", agent), testPod("shop/old", "std", "3"),
	}
	for name, test := range map[string]struct {
		pod      *corev1.Pod
		replicas int
		added    report.NewNodes
		says     string
		placed   []report.PlacedOn
		pods     int
	}{
		"without the pods and the cordon of the old node": {
			testPod("shop/web", "", "1"), 3,
			report.NewNodes{Like: "std", Count: 1},
			"With 1 more node like std, 3 of 3 fit. Without it none fits.",
			[]report.PlacedOn{{Node: "new-node-1", Pods: 3}},
			1,
		},
		"with the pods of DaemonSets": {
			testPod("shop/web", "", "1"), 8,
			report.NewNodes{Like: "std", Count: 2},
			"With 2 more nodes like std, 6 of 8 fit. Without them none fits. The 7th needs cpu 500m more on new-node-1, the closest of 4 nodes.",
			[]report.PlacedOn{{Node: "new-node-1", Pods: 3}, {Node: "new-node-2", Pods: 3}},
			1,
		},
		"with the taints of the old node": {
			testPod("shop/web", "", "1"), 1,
			report.NewNodes{Like: "large", Count: 1},
			"With 1 more node like large, 0 of 1 fits. Without it the same number fits. ", nil, 0,
		},
	} {
		t.Run(name, func(t *testing.T) {
			e := startEngine(t, Options{Lookups: Lookups{Quotas: noQuotas}}, objects...)
			got := mustFit(t, e, report.FitQuery{Pod: test.pod, Replicas: test.replicas, Admittance: report.Admittance{Admitted: true}, New: test.added})
			if says := got.Sentence(); !strings.HasPrefix(says, test.says) {
				t.Errorf("it says %q, want %q …", says, test.says)
			}
			if !slices.Equal(got.Placed, test.placed) {
				t.Errorf("placed %v, want %v", got.Placed, test.placed)
			}
			if a := got.Added; a.Like != test.added.Like || len(a.Nodes) != test.added.Count || a.DaemonPods != test.pods {
				t.Errorf("added %+v", a)
			}
			if again := mustFit(t, e, report.FitQuery{Pod: test.pod, Replicas: 1, Admittance: report.Admittance{Admitted: true}}); len(again.Placed) > 0 || again.Added != nil {
				t.Errorf("the new nodes stay: %+v", again.Placed)
			}
		})
	}
}

func TestFitAddsNoNodeLikeOneThatIsNotThere(t *testing.T) {
	e := startEngine(t, Options{Lookups: Lookups{Quotas: noQuotas}}, testNode("std", "4"))
	_, err := e.Fit(t.Context(), report.FitQuery{Pod: testPod("shop/web", "", "1"), Replicas: 1, New: report.NewNodes{Like: "none", Count: 1}})
	if err == nil || !strings.Contains(err.Error(), "no such node") {
		t.Errorf("error %v", err)
	}
}

func TestFitLeavesTheDevicesOfNewNodesOpen(t *testing.T) {
	e := startEngine(t, Options{Lookups: Lookups{Quotas: noQuotas}}, testNode("std", "4"))
	pod := testPod("shop/web", "", "1")
	pod.Spec.ResourceClaims = []corev1.PodResourceClaim{{Name: "gpu", ResourceClaimName: new("gpu")}}
	got := mustFit(t, e, report.FitQuery{Pod: pod, Replicas: 1, Admittance: report.Admittance{Admitted: true}, New: report.NewNodes{Like: "std", Count: 1}})
	if len(got.Unknown) == 0 || got.Unknown[len(got.Unknown)-1].Why != "the devices of a new node are not known" {
		t.Errorf("unknown %v", got.Unknown)
	}
}

// TestAddedNodesAreAsNodesThatExist compares the simulated nodes with a cluster that has
// them, with CSINodes of their own.
func TestAddedNodesAreAsNodesThatExist(t *testing.T) {
	decided := 0
	rapid.Check(t, func(rt *rapid.T) {
		d := drawn(rt)
		c := newRandomCluster(d, 4, 10, 1)
		pod := c.Pending[0]
		pod.Spec.SchedulingGates, pod.Spec.ResourceClaims = nil, nil
		like := c.Nodes[d(len(c.Nodes))]
		if d.Chance(50) {
			c.Bound = append(c.Bound, testPod("sys/agent", like.Name, "100m", podControlledBy("apps/v1", "DaemonSet", "agent")))
		}
		c.Pending = nil
		q := report.FitQuery{Pod: pod, Replicas: 6, Admittance: report.Admittance{Admitted: true}}
		real := c.Objects()
		for n := 1; n <= 2; n++ {
			node := model.NodeLike(like, fmt.Sprintf("new-node-%d", n))
			real = append(real, node)
			for _, object := range c.Others {
				if csi, ok := object.(*storagev1.CSINode); ok && csi.Name == like.Name {
					copied := csi.DeepCopy()
					copied.ObjectMeta = metav1.ObjectMeta{Name: node.Name}
					real = append(real, copied)
				}
			}
		}
		simulated := q
		simulated.New = report.NewNodes{Like: like.Name, Count: 2}
		got := mustFit(t, startEngine(t, Options{Lookups: Lookups{Quotas: noQuotas}}, c.Objects()...), simulated)
		for _, node := range got.Added.Nodes {
			if got.Added.DaemonPods > 0 {
				real = append(real, testPod("sys/agent-"+node, node, "100m", podControlledBy("apps/v1", "DaemonSet", "agent")))
			}
		}
		want := mustFit(t, startEngine(t, Options{Lookups: Lookups{Quotas: noQuotas}}, real...), q)
		if fmt.Sprint(got.Placed) != fmt.Sprint(want.Placed) || got.Stopped() != want.Stopped() || (got.Fits == nil) != (want.Fits == nil) {
			rt.Errorf("with new nodes like %s placed %v, stopped %v; in truth %v, %v", like.Name, got.Placed, got.Stopped(), want.Placed, want.Stopped())
		}
		if len(got.Placed) > 0 {
			decided++
		}
	})
	if decided == 0 {
		t.Error("no pod fits in any cluster")
	}
}

func TestFitPendingCountsWhatNewNodesTake(t *testing.T) {
	web := podControlledBy("apps/v1", "ReplicaSet", "web")
	gpu := selecting("accelerator", "gpu")
	app := podLabel("app", "web")
	e := startEngine(t, Options{},
		testNode("std", "4"), testPod("shop/old", "std", "3"),
		aPod("web-1", "3", web, app), aPod("web-2", "3", web, app), aPod("web-3", "3", web, app),
		aPod("small", "1"), aPod("train", "1", gpu), aPod("held", "1", gatedBy("hold")))
	got, err := FitPending(t.Context(), e, report.NewNodes{Like: "std", Count: 2})
	if err != nil {
		t.Fatal(err)
	}
	same(t, got.Text(80, func(string) string { return "" }), `With 2 more nodes like std, 3 of 5 pending pods fit. Without them 1 fits.

Added: new-node-1, new-node-2, like std, without pods.

WORKLOAD       PODS  FITS  NODES, OR REASON
default/small     1     1  new-node-1
default/train     1     0  node selector accelerator=gpu: no node has the label
default/web       3     2  new-node-1, new-node-2; new-node-2 needs cpu 2 more
1 more pending pod is not waiting for a node: gated, or of a scheduler that
fathom does not simulate.
`)
	if got.Asked != 5 || got.Fits == nil || *got.Fits != 3 || got.Stopped() {
		t.Errorf("asked %d, fits %v", got.Asked, got.Fits)
	}
	next := got.Next
	if next == nil || *next.Pod != (report.PodName{Namespace: "default", Name: "train"}) || len(next.Groups) == 0 || len(next.Rejections) > 0 {
		t.Fatalf("what stops the first pod that is not placed: %+v", next)
	}
	nodes := 0
	for _, group := range next.Groups {
		nodes += group.Count
	}
	if nodes != 3 || !strings.Contains(next.Summary, "node selector") && !strings.Contains(next.Summary, "accelerator") {
		t.Errorf("%d nodes reject it: %s", nodes, next.Summary)
	}
	if all, err := FitPending(t.Context(), e, report.NewNodes{Like: "std", Count: 0}); err != nil || all.Next == nil {
		t.Errorf("without new nodes: %+v, %v", all, err)
	}
}

func TestFitPendingTellsWorkloadsThatCompeteForANewNode(t *testing.T) {
	e := startEngine(t, Options{}, testNode("std", "4"), testPod("shop/old", "std", "3"),
		aPod("web-1", "3", podControlledBy("apps/v1", "ReplicaSet", "web"), podLabel("app", "web")),
		aPod("api-1", "3", podControlledBy("apps/v1", "ReplicaSet", "api"), podLabel("app", "api")))
	got, err := FitPending(t.Context(), e, report.NewNodes{Like: "std", Count: 1})
	if err != nil {
		t.Fatal(err)
	}
	same(t, got.Text(80, func(string) string { return "" }), `With 1 more node like std, 1 of 2 pending pods fit. Without it none fits.

Added: new-node-1, like std, without pods.

WORKLOAD     PODS  FITS  NODES, OR REASON
default/api     1   0–1  new-node-1; depends on the order of the pending pods
default/web     1   0–1  new-node-1 needs cpu 2 more
They compete: how many of a workload fit depends on which pods come first.
`)
}

func TestFitPendingIsUnknownWhereNodesMayNotBeRead(t *testing.T) {
	e := startEngineForbidding(t, Options{}, []string{"nodes"}, aPod("shop/small", "1"))
	got, err := FitPending(t.Context(), e, report.NewNodes{})
	if err != nil {
		t.Fatal(err)
	}
	if got.Fits != nil || len(got.Unknown) != 1 {
		t.Errorf("fits %v, unknown %v", got.Fits, got.Unknown)
	}
}

func TestNothingStopsPendingPodsThatAllFit(t *testing.T) {
	e := startEngine(t, Options{}, testNode("std", "4"), testPod("shop/old", "std", "3"), aPod("web", "3"))
	got, err := FitPending(t.Context(), e, report.NewNodes{Like: "std", Count: 1})
	if err != nil {
		t.Fatal(err)
	}
	if got.Fits == nil || *got.Fits != 1 || got.Next != nil {
		t.Errorf("fits %v, next %+v", got.Fits, got.Next)
	}
}
