package scheduler

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	corev1 "k8s.io/api/core/v1"
	versionutil "k8s.io/apimachinery/pkg/util/version"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	clientfeatures "k8s.io/client-go/features"
	"k8s.io/component-base/featuregate"
	v1helper "k8s.io/kubernetes/pkg/apis/core/v1/helper"
	"k8s.io/kubernetes/pkg/features"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/model"
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

// emulate sets the version of the gates.
func emulate(minor int) {
	if minor == 0 || minor >= MinorOf(Version) {
		return
	}
	KeepClientGates()
	// It fails only for gates that were set by hand and that the version lacks;
	// then the gates stay, and the caveats say whose they are.
	_ = utilfeature.DefaultMutableFeatureGate.SetEmulationVersion(versionutil.MajorMinor(1, uint(max(minor, oldestMinor))))
}

// KeepClientGates keeps client-go's feature gates as they are, whatever version the plugins emulate afterwards: how
// lists are read, and when an informer has synced, is the matter of the client that is linked in. Those of 1.32, for
// one, count informers as synced before the last object is there (DeltaFIFO.Pop in client-go/tools/cache).
func KeepClientGates() {
	kept := clientGates{}
	_ = clientfeatures.AddVersionedFeaturesToExistingFeatureGates(kept) // it never fails
	clientfeatures.ReplaceFeatureGates(kept)
}

// clientGates are client-go's feature gates, as they were when they were kept.
type clientGates map[clientfeatures.Feature]bool

// Enabled implements client-go's Gates.
func (g clientGates) Enabled(gate clientfeatures.Feature) bool { return g[gate] }

// AddVersioned implements client-go's VersionedRegistry.
func (g clientGates) AddVersioned(known map[clientfeatures.Feature]clientfeatures.VersionedSpecs) error {
	now := clientfeatures.FeatureGates()
	for gate := range known {
		g[gate] = now.Enabled(gate)
	}
	return nil
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

// Where gates of a cluster are read from.
const (
	CommandLine = "kube-scheduler's command line"
	Metrics     = "kube-apiserver's metrics"
)

// Gates are the feature gates that a cluster was found to have.
type Gates struct {
	Source string `json:"source"` // CommandLine or Metrics
	// Set are the gates as they were read: those of a command line, or all of the metrics. AllAlpha
	// and AllBeta stand for many.
	Set map[string]bool `json:"set"`
	// Emulated is the version that the scheduler emulates ("1.36"); "" for its own.
	Emulated string `json:"emulated,omitempty"`
}

// concerns are the gates that kube-scheduler and its plugins ask (pkg/scheduler and
// pkg/scheduler/framework/plugins/feature), with the pods whose verdict they may change; nil: those of
// none, only speed or ranking.
var concerns = map[featuregate.Feature]func(*corev1.Pod) bool{
	features.DynamicResourceAllocation:       claimsDevices,
	features.DRAAdminAccess:                  claimsDevices,
	features.DRAConsumableCapacity:           claimsDevices,
	features.DRADerivedAttributes:            claimsDevices,
	features.DRADeviceBindingConditions:      claimsDevices,
	features.DRADeviceCompatibilityGroups:    claimsDevices,
	features.DRADeviceTaintRules:             claimsDevices,
	features.DRADeviceTaints:                 claimsDevices,
	features.DRAExtendedResource:             requestsExtended,
	features.DRAFractionalCapacityRange:      claimsDevices,
	features.DRAListTypeAttributes:           claimsDevices,
	features.DRANodeAllocatableResources:     claimsDevices,
	features.DRAOptionalNodeOperations:       claimsDevices,
	features.DRAPartitionableDevices:         claimsDevices,
	features.DRAPrioritizedList:              claimsDevices,
	features.DRAResourceClaimDeviceStatus:    claimsDevices,
	features.DRASchedulerFilterTimeout:       claimsDevices,
	features.DRAWorkloadResourceClaims:       claimsDevices,
	features.VolumeAttributesClass:           usesVolumes,
	features.VolumeLimitScaling:              usesVolumes,
	features.StorageCapacityScoring:          nil,
	features.NodeDeclaredFeatures:            always,
	features.PodLevelResources:               func(p *corev1.Pod) bool { return p.Spec.Resources != nil },
	features.InPlacePodVerticalScaling:       always, // requests of pods that are being resized
	features.TopologyAwareWorkloadScheduling: inGroup,
	features.GenericWorkload:                 inGroup,
	features.CompositePodGroup:               inGroup,
	features.PodGroupPreemptionPolicy:        inGroup,

	features.NodeInclusionPolicyInPodTopologySpread:       spreads,
	features.MatchLabelKeysInPodTopologySpread:            spreads,
	features.TaintTolerationComparisonOperators:           comparesTaints,
	features.InPlacePodLevelResourcesVerticalScaling:      always,
	features.InPlacePodVerticalScalingSchedulerPreemption: nil,
	features.InterPodAffinityHostnameFastPath:             nil,
	features.NominatedNodeNameForExpectation:              nil,
	features.OpportunisticBatching:                        nil,
	features.SchedulerAsyncPreemption:                     nil,
}

func always(*corev1.Pod) bool { return true }

func claimsDevices(p *corev1.Pod) bool { return len(p.Spec.ResourceClaims) > 0 || requestsExtended(p) }

// requestsExtended says of a pod that it may get devices for an extended resource.
func requestsExtended(p *corev1.Pod) bool {
	for _, c := range slices.Concat(p.Spec.InitContainers, p.Spec.Containers) {
		for name := range c.Resources.Requests {
			if v1helper.IsExtendedResourceName(name) {
				return true
			}
		}
	}
	return false
}

func usesVolumes(p *corev1.Pod) bool { return len(p.Spec.Volumes) > 0 }

func inGroup(p *corev1.Pod) bool { return p.Spec.SchedulingGroup != nil }

func spreads(p *corev1.Pod) bool { return len(p.Spec.TopologySpreadConstraints) > 0 }

func comparesTaints(p *corev1.Pod) bool {
	return slices.ContainsFunc(p.Spec.Tolerations, func(t corev1.Toleration) bool {
		return t.Operator == corev1.TolerationOpGt || t.Operator == corev1.TolerationOpLt
	})
}

// Concerns says whether a gate may change the verdict about a pod.
func Concerns(gate string, pod *corev1.Pod) bool {
	of := concerns[featuregate.Feature(gate)]
	return of != nil && of(pod)
}

var using sync.Once

// UseGates gives the plugins the gates of the cluster, after those of its version (Emulate). Like these
// they belong to the process, so the first cluster decides; call it before New. Nil changes nothing.
func UseGates(g *Gates, cluster string) {
	if g == nil {
		return
	}
	using.Do(func() { useGates(g, cluster) })
}

func useGates(g *Gates, cluster string) {
	if minor := MinorOf(g.Emulated); minor > 0 && minor < gatesOf() {
		emulate(minor)
	}
	wanted := map[string]bool{}
	for _, gate := range g.differing(cluster) {
		wanted[gate.Name] = gate.Enabled
	}
	if len(wanted) == 0 {
		return
	}
	// Each is set alone where they cannot be set together, which is where one is locked here, or
	// depends on one that is off. Those stay, and the caveats say which.
	if !set(wanted) {
		for _, name := range slices.Sorted(maps.Keys(wanted)) {
			set(map[string]bool{name: wanted[name]})
		}
	}
	model.CompareTolerations(utilfeature.DefaultFeatureGate.Enabled(features.TaintTolerationComparisonOperators))
}

// set sets gates of the process, if they can be set together. They are tried on a copy first: a gate
// remembers what it could not be set to, and fails from then on.
func set(wanted map[string]bool) bool {
	gates := utilfeature.DefaultMutableFeatureGate
	return gates.DeepCopy().SetFromMap(wanted) == nil && gates.SetFromMap(wanted) == nil
}

// defaults are the gates of a minor version, none of them set.
func defaults(minor int) featuregate.MutableVersionedFeatureGate {
	fresh := utilfeature.DefaultMutableFeatureGate.DeepCopyAndReset()
	if minor > 0 && minor <= MinorOf(Version) {
		// It fails only for gates that are set, of which there are none.
		_ = fresh.SetEmulationVersion(versionutil.MajorMinor(1, uint(max(minor, oldestMinor))))
	}
	return fresh
}

// differing are the gates of the scheduler that the cluster has otherwise than its version, by name.
func (g *Gates) differing(cluster string) []report.Gate {
	minor := MinorOf(g.Emulated)
	if minor == 0 {
		minor = MinorOf(cluster)
	}
	usual, as := defaults(minor), defaults(minor)
	for _, many := range []string{"AllAlpha", "AllBeta"} {
		if on, ok := g.Set[many]; ok {
			_ = as.SetFromMap(map[string]bool{many: on}) // fails where what it turns on depends on what is off
		}
	}
	all := []report.Gate{}
	for name := range concerns {
		if _, known := usual.GetAllVersioned()[name]; !known {
			continue
		}
		enabled, read := g.Set[string(name)]
		if !read {
			enabled = as.Enabled(name)
		}
		if enabled != usual.Enabled(name) {
			all = append(all, report.Gate{
				Name: string(name), Enabled: enabled, Source: g.Source, Applied: utilfeature.DefaultFeatureGate.Enabled(name) == enabled,
			})
		}
	}
	slices.SortFunc(all, func(a, b report.Gate) int { return strings.Compare(a.Name, b.Name) })
	return all
}

// Differing are the gates of the scheduler that the cluster has otherwise than its version's defaults,
// sorted by name, and whether the plugins have them so; none where the gates are not known. Call it after
// UseGates.
func (g *Gates) Differing(cluster string) []report.Gate {
	if g == nil {
		return []report.Gate{}
	}
	return g.differing(cluster)
}

// From is where the gates were read; "" where they were not.
func (g *Gates) From() string {
	if g == nil {
		return ""
	}
	return g.Source
}
