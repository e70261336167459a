package scheduler

import (
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/component-base/featuregate"
	featuregatetesting "k8s.io/component-base/featuregate/testing"
	"k8s.io/kubernetes/pkg/features"

	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// used gives the rest of a test the gates of a cluster, and puts its own back.
func used(t *testing.T, g *Gates, cluster string) {
	t.Helper()
	emulated(t, MinorOf(cluster))
	for name := range g.Set {
		if gate := featuregate.Feature(name); concerns[gate] != nil && gate != features.DynamicResourceAllocation { // which is locked
			featuregatetesting.SetFeatureGateDuringTest(t, utilfeature.DefaultFeatureGate, gate, utilfeature.DefaultFeatureGate.Enabled(gate))
		}
	}
	t.Cleanup(func() { model.CompareTolerations(false) })
	useGates(g, cluster)
}

func TestGatesThatDifferFromTheVersionAreNamedAndApplied(t *testing.T) {
	const comparing = "TaintTolerationComparisonOperators"
	for name, c := range map[string]struct {
		gates    Gates
		cluster  string
		want     string
		compares bool
	}{
		"none is set":         {Gates{Source: CommandLine}, Version, "[]", false},
		"as by default":       {Gates{Source: CommandLine, Set: map[string]bool{comparing: false, "PodLevelResources": true}}, Version, "[]", false},
		"one is on":           {Gates{Source: CommandLine, Set: map[string]bool{comparing: true}}, Version, "[{" + comparing + " true kube-scheduler's command line true}]", true},
		"by the metrics":      {Gates{Source: Metrics, Set: map[string]bool{comparing: true, "SomethingElse": true}}, Version, "[{" + comparing + " true kube-apiserver's metrics true}]", true},
		"a name of no gate":   {Gates{Source: CommandLine, Set: map[string]bool{"NoSuchGate": true}}, Version, "[]", false},
		"one that is locked":  {Gates{Source: CommandLine, Set: map[string]bool{"DynamicResourceAllocation": false, comparing: true}}, Version, "[{DynamicResourceAllocation false kube-scheduler's command line false} {" + comparing + " true kube-scheduler's command line true}]", true},
		"a newer one is not":  {Gates{Source: CommandLine, Set: map[string]bool{}}, "v1.34.2", "[]", false},
		"an emulated version": {Gates{Source: CommandLine, Emulated: "1.34"}, Version, "[]", false},
	} {
		t.Run(name, func(t *testing.T) {
			used(t, &c.gates, c.cluster)
			if got := fmt.Sprint(c.gates.Differing(c.cluster)); got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
			if on := utilfeature.DefaultFeatureGate.Enabled(features.TaintTolerationComparisonOperators); on != c.compares || model.ComparesTolerations() != c.compares {
				t.Errorf("numbers are compared: %t, by the model %t", on, model.ComparesTolerations())
			}
			if c.gates.Emulated != "" && gatesOf() != MinorOf(c.gates.Emulated) {
				t.Errorf("the gates are those of 1.%d", gatesOf())
			}
		})
	}
	var unknown *Gates
	if len(unknown.Differing(Version)) != 0 || unknown.From() != "" {
		t.Error("gates that were not read differ")
	}
}

// TestAllAlphaStandsForMany wants a gate that is set by name to count before AllAlpha.
func TestAllAlphaStandsForMany(t *testing.T) {
	g := Gates{Source: CommandLine, Set: map[string]bool{"AllAlpha": true, "TopologyAwareWorkloadScheduling": false}}
	emulated(t, MinorOf(Version))
	found := map[string]bool{}
	for _, gate := range g.Differing(Version) {
		found[gate.Name] = gate.Enabled
		if !gate.Enabled || gate.Applied {
			t.Errorf("%+v", gate)
		}
	}
	if _, set := found["TopologyAwareWorkloadScheduling"]; set || !found["DRADerivedAttributes"] {
		t.Errorf("%v", found)
	}
}

func TestAGateConcernsThePodsThatUseIt(t *testing.T) {
	plain := testPod("x", "1")
	compares := testPod("x", "1")
	compares.Spec.Tolerations = []corev1.Toleration{{Key: "sla", Operator: corev1.TolerationOpGt, Value: "900"}}
	claims := testPod("x", "1")
	claims.Spec.ResourceClaims = []corev1.PodResourceClaim{{Name: "gpu"}}
	for _, c := range []struct {
		gate string
		pod  *corev1.Pod
		want bool
	}{
		{"TaintTolerationComparisonOperators", plain, false},
		{"TaintTolerationComparisonOperators", compares, true},
		{"DRAPartitionableDevices", plain, false},
		{"DRAPartitionableDevices", claims, true},
		{"NodeDeclaredFeatures", plain, true},
		{"OpportunisticBatching", claims, false},
		{"NoSuchGate", plain, false},
	} {
		if got := Concerns(c.gate, c.pod); got != c.want {
			t.Errorf("%s: got %t", c.gate, got)
		}
	}
}
