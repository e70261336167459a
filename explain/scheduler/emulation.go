package scheduler

import (
	"fmt"
	"sync"

	versionutil "k8s.io/apimachinery/pkg/util/version"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	clientfeatures "k8s.io/client-go/features"
	"k8s.io/component-base/featuregate"
	"k8s.io/kubernetes/pkg/features"
)

// Version is the Kubernetes release whose plugins are linked in.
const Version = "v1.37.1"

// oldestMinor is the oldest minor version whose feature gates are kept apart.
const oldestMinor = 30

var emulating sync.Once

// Emulate gives the plugins the feature gates of an older cluster. Gates belong
// to the process, so the first cluster decides, and it has to be known before
// anything asks a gate: call it after connecting and before New. A cluster that
// is newer, or that does not say its version, changes nothing.
func Emulate(cluster string) {
	emulating.Do(func() { emulate(MinorOf(cluster)) })
}

// emulate sets the version of the gates. That would also turn off the streaming
// of lists, which is the client's matter and not the scheduler's.
func emulate(minor int) {
	if minor == 0 || minor >= MinorOf(Version) {
		return
	}
	gates := utilfeature.DefaultMutableFeatureGate
	name := string(clientfeatures.WatchListClient)
	if clientfeatures.FeatureGates().Enabled(clientfeatures.WatchListClient) {
		_ = gates.SetFromMap(map[string]bool{name: true}) // without it lists are read in pages
	}
	// It fails only for gates that were set by hand and that the version lacks;
	// then the gates stay, and the caveats say whose they are.
	_ = gates.SetEmulationVersion(versionutil.MajorMinor(1, uint(max(minor, oldestMinor))))
}

// ScheduleGroups turns on the scheduling of PodGroups, which is off by default: the API server of the
// cluster serves them. Like all gates it belongs to the process, and has to be known before New; pods
// that name no PodGroup are scheduled as before.
func ScheduleGroups(composite bool) {
	wanted := map[string]bool{}
	for _, gate := range []struct {
		name featuregate.Feature
		on   bool
	}{{features.GenericWorkload, true}, {features.TopologyAwareWorkloadScheduling, composite}, {features.CompositePodGroup, composite}} {
		if gate.on && !utilfeature.DefaultFeatureGate.Enabled(gate.name) {
			wanted[string(gate.name)] = true
		}
	}
	if len(wanted) > 0 {
		// It fails only for gates that were set by hand, or that an emulated version lacks; then
		// the verdicts about groups are unknown.
		_ = utilfeature.DefaultMutableFeatureGate.SetFromMap(wanted)
	}
}

// MinorOf is the minor version of Kubernetes 1; 0 where that is not known.
func MinorOf(version string) int {
	v, err := versionutil.ParseGeneric(version)
	if err != nil || v.Major() != 1 {
		return 0
	}
	return int(v.Minor())
}

// gatesOf is the minor version whose feature gates the plugins have.
func gatesOf() int {
	return int(utilfeature.DefaultMutableFeatureGate.EmulationVersion().Minor())
}

// VersionCaveat says how the cluster's scheduler may differ from the plugins
// here; "" where both are of one release.
func VersionCaveat(cluster string) string {
	if cluster == "" || cluster == Version {
		return ""
	}
	said := fmt.Sprintf("the cluster runs %s, the plugins are from %s", cluster, Version)
	minor, gates := MinorOf(cluster), gatesOf()
	switch {
	case gates == MinorOf(Version):
		return said
	case minor == gates:
		return fmt.Sprintf("%s with the feature gates of 1.%d", said, gates)
	case minor < oldestMinor && gates == oldestMinor:
		return fmt.Sprintf("%s with the feature gates of 1.%d, the oldest that they support", said, gates)
	}
	return fmt.Sprintf("%s with the feature gates of 1.%d, those of the first cluster that was opened", said, gates)
}
