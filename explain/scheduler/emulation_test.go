package scheduler

import (
	"testing"

	versionutil "k8s.io/apimachinery/pkg/util/version"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	clientfeatures "k8s.io/client-go/features"
	featuregatetesting "k8s.io/component-base/featuregate/testing"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"
)

// emulated gives the rest of a test the feature gates of a minor version.
func emulated(t *testing.T, minor int) {
	t.Helper()
	now := versionutil.MajorMinor(1, uint(MinorOf(Version)))
	featuregatetesting.SetFeatureGateEmulationVersionDuringTest(t, utilfeature.DefaultFeatureGate, now) // puts it back
	emulate(minor)
}

func TestAnOlderClustersPluginsAreRunWithItsFeatureGates(t *testing.T) {
	for _, test := range []struct {
		cluster string
		gates   int
		dra     bool
		caveat  string
	}{
		{"v1.37.1", 37, true, ""},
		{"v1.38.0", 37, true, "the cluster runs v1.38.0, the plugins are from v1.37.1"},
		{"v1.37.0-eks-1", 37, true, "the cluster runs v1.37.0-eks-1, the plugins are from v1.37.1"},
		{"v1.34.3", 34, true, "the cluster runs v1.34.3, the plugins are from v1.37.1 with the feature gates of 1.34"},
		{"v1.33.2+k3s1", 33, false, "the cluster runs v1.33.2+k3s1, the plugins are from v1.37.1 with the feature gates of 1.33"},
		{"v1.24.0", 30, false, "the cluster runs v1.24.0, the plugins are from v1.37.1 with the feature gates of 1.30, the oldest that they support"},
		{"", 37, true, ""},
	} {
		t.Run(test.cluster, func(t *testing.T) {
			emulated(t, MinorOf(test.cluster))
			if gatesOf() != test.gates {
				t.Errorf("the gates are those of 1.%d", gatesOf())
			}
			for _, gate := range []clientfeatures.Feature{clientfeatures.WatchListClient, clientfeatures.InOrderInformers, clientfeatures.AtomicFIFO} {
				if !clientfeatures.FeatureGates().Enabled(gate) {
					t.Errorf("the client's %s is off", gate)
				}
			}
			same(t, VersionCaveat(test.cluster), test.caveat)
			pod := testPod("x", "9")
			profile := startScheduler(t, Options{}, testNode("std-a-01", "4")).Profile(pod)
			if has := profile.IndexOf(names.DynamicResources) >= 0; has != test.dra {
				t.Errorf("DynamicResources is run: %t", has)
			}
			m, err := profile.Evaluate(t.Context(), pod)
			if fits := m.Fits(0); err != nil || fits == nil || *fits {
				t.Errorf("it fits: %v, %v", fits, err)
			}
		})
	}
}

func TestASecondClusterOfAnotherVersionIsTold(t *testing.T) {
	emulated(t, 34)
	same(t, VersionCaveat("v1.36.0"), "the cluster runs v1.36.0, the plugins are from v1.37.1 with the feature gates of 1.34, those of the first cluster that was opened")
	same(t, VersionCaveat("v1.37.0"), "the cluster runs v1.37.0, the plugins are from v1.37.1 with the feature gates of 1.34, those of the first cluster that was opened")
}
