package inventory

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/kubernetes/pkg/controller/nodelifecycle"
	"pgregory.net/rapid"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/modeltest"
)

// zoneNodes are nodes of a zone, so many of which are not Ready.
func zoneNodes(zone string, nodes, notReady int) []*corev1.Node {
	made := make([]*corev1.Node, nodes)
	for i := range made {
		made[i] = modeltest.NewNode(zone+"-"+string(rune('a'+i/26))+string(rune('a'+i%26)), zone, "8", "8Gi")
		if i < notReady {
			made[i].Status.Conditions[0].Status = []corev1.ConditionStatus{corev1.ConditionFalse, corev1.ConditionUnknown}[i%2]
		}
	}
	return made
}

func TestZonesAsTheNodeLifecycleControllerSeesThem(t *testing.T) {
	tainted := zoneNodes("a", 4, 2)
	tainted[0].Spec.Taints = []corev1.Taint{{Key: corev1.TaintNodeNotReady, Effect: corev1.TaintEffectNoExecute}}
	tainted[1].Spec.Taints = []corev1.Taint{{Key: corev1.TaintNodeUnreachable, Effect: corev1.TaintEffectNoSchedule}}
	excluded := zoneNodes("a", 3, 1)
	excluded[0].Labels[excludesFromDisruption] = ""
	unheard := zoneNodes("a", 2, 0)
	unheard[0].Status.Conditions = nil
	both := func(a, b []*corev1.Node) []*corev1.Node { return append(slices.Clip(a), b...) }
	for _, test := range []struct {
		name  string
		nodes []*corev1.Node
		want  []EvictionZone
	}{
		{"all Ready", zoneNodes("a", 3, 0), []EvictionZone{{Zone: "a", Nodes: 3, State: NormalZone, Rate: 0.1}}},
		{"some have their taint", tainted, []EvictionZone{{Zone: "a", Nodes: 4, NotReady: 2, Waiting: 1, State: NormalZone, Rate: 0.1}}},
		{"a small zone stops", zoneNodes("a", 5, 3), []EvictionZone{{Zone: "a", Nodes: 5, NotReady: 3, Waiting: 3, State: PartialDisruption}}},
		{"two nodes are no disruption", zoneNodes("a", 3, 2), []EvictionZone{{Zone: "a", Nodes: 3, NotReady: 2, Waiting: 2, State: NormalZone, Rate: 0.1}}},
		{"a large zone slows", zoneNodes("a", 60, 40), []EvictionZone{{Zone: "a", Nodes: 60, NotReady: 40, Waiting: 40, State: PartialDisruption, Rate: 0.01}}},
		{"one zone is lost", both(zoneNodes("a", 3, 0), zoneNodes("b", 2, 2)), []EvictionZone{
			{Zone: "b", Nodes: 2, NotReady: 2, Waiting: 2, State: FullDisruption, Rate: 0.1}, {Zone: "a", Nodes: 3, State: NormalZone, Rate: 0.1},
		}},
		{"all zones are lost", both(zoneNodes("a", 1, 1), zoneNodes("b", 2, 2)), []EvictionZone{
			{Zone: "b", Nodes: 2, NotReady: 2, Waiting: 2, State: FullDisruption}, {Zone: "a", Nodes: 1, NotReady: 1, Waiting: 1, State: FullDisruption},
		}},
		{"excluded nodes do not count", excluded, []EvictionZone{{Zone: "a", Nodes: 2, State: NormalZone, Rate: 0.1}}},
		{"a node without conditions is not Ready", unheard, []EvictionZone{{Zone: "a", Nodes: 2, NotReady: 1, Waiting: 1, State: NormalZone, Rate: 0.1}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := EvictionZones(snapshotOf(model.Status{}, test.nodes))
			if diff := cmp.Diff(test.want, got, cmpopts.IgnoreUnexported(EvictionZone{})); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestZonesEqualTheControllers compares with ComputeZoneState and the rates of the node
// lifecycle controller, made with what kube-controller-manager's flags are by default
// (cmd/kube-controller-manager/app/options/nodelifecyclecontroller.go).
func TestZonesEqualTheControllers(t *testing.T) {
	factory := informers.NewSharedInformerFactory(fake.NewClientset(), 0)
	controller, err := nodelifecycle.NewNodeLifecycleController(t.Context(), factory.Coordination().V1().Leases(), factory.Core().V1().Pods(),
		factory.Core().V1().Nodes(), factory.Apps().V1().DaemonSets(), fake.NewClientset(), time.Second, time.Minute, time.Minute,
		nodeEvictionRate, secondaryNodeEvictionRate, largeClusterSizeThreshold, unhealthyZoneThreshold)
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(t *rapid.T) {
		nodes := rapid.IntRange(1, 120).Draw(t, "nodes")
		notReady := rapid.IntRange(0, nodes).Draw(t, "not Ready")
		conditions := make([]*corev1.NodeCondition, nodes)
		for i := notReady; i < nodes; i++ {
			conditions[i] = &corev1.NodeCondition{Type: corev1.NodeReady, Status: corev1.ConditionTrue}
		}
		_, want := controller.ComputeZoneState(conditions)
		state := zoneState(notReady, nodes)
		rate := controller.HealthyQPSFunc(nodes)
		if want == nodelifecycle.ZoneState(PartialDisruption) {
			rate = controller.ReducedQPSFunc(nodes)
		}
		if string(state) != string(want) || float32(zoneRate(state, nodes)) != rate {
			t.Fatalf("%d of %d not Ready: %s at %v, by the controller %s at %v", notReady, nodes, state, zoneRate(state, nodes), want, rate)
		}
	})
}
