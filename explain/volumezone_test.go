package explain

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"
)

func TestTheZoneOfAVolumeIsToldBesideTheNodes(t *testing.T) {
	inZone := func(name, key, value string) *corev1.Node { return testNode(name, "4", nodeLabel(key, value)) }
	for name, c := range map[string]struct {
		node        *corev1.Node
		volume      *corev1.PersistentVolume
		what, short string
	}{
		"another zone": {
			inZone("n", corev1.LabelTopologyZone, "b"), aVolume("pv-1", "csi", volumeLabel(corev1.LabelTopologyZone, "a")),
			"n: volume pv-1 of claim data/db is in topology.kubernetes.io/zone=a, the node is in b", "volume pv-1 is in zone a",
		},
		"two zones by an old label": {
			inZone("n", corev1.LabelTopologyZone, "c"), aVolume("pv-1", "csi", volumeLabel(corev1.LabelFailureDomainBetaZone, "a__b")),
			"n: volume pv-1 of claim data/db is in failure-domain.beta.kubernetes.io/zone=a__b, the node is in c", "volume pv-1 is in zone a, b",
		},
		"no such label": {
			inZone("n", corev1.LabelTopologyZone, "a"), aVolume("pv-1", "csi", volumeLabel(corev1.LabelTopologyRegion, "r")),
			"n: volume pv-1 of claim data/db is in topology.kubernetes.io/region=r, the node has no label topology.kubernetes.io/region", "volume pv-1 is in region r",
		},
	} {
		rejection := rejectionsOf(t, names.VolumeZone, "n", testPod("data/x", "", "", mounting("db")), c.node, c.volume, aClaim("data/db", "csi", boundTo("pv-1")))
		if rejection.What != c.what || rejection.Short != c.short {
			t.Errorf("%s: got\n%s\n%s\nwant\n%s\n%s", name, rejection.What, rejection.Short, c.what, c.short)
		}
	}
}

func TestAVolumeThatCannotBePlacedIsToldAsThat(t *testing.T) {
	for name, c := range map[string]struct {
		objects []runtime.Object
		what    string
	}{
		"no claim":        {nil, "claim data/db does not exist, so its volume's zone is unknown"},
		"no volume":       {[]runtime.Object{aClaim("data/db", "csi", boundTo("pv-1"))}, "volume pv-1 of claim data/db does not exist"},
		"no class named":  {[]runtime.Object{aClaim("data/db", "")}, "claim data/db is unbound and has no StorageClass, so its volume's zone is unknown"},
		"no class":        {[]runtime.Object{aClaim("data/db", "fast")}, "claim data/db is unbound: class fast does not exist, so its volume's zone is unknown"},
		"class binds now": {[]runtime.Object{aClaim("data/db", "now"), aClass("now", "csi.example.com", atOnce)}, "claim data/db is unbound although its class now has volumeBindingMode Immediate, so its volume's zone is unknown"},
	} {
		rejection := rejectionsOf(t, names.VolumeZone, "n", testPod("data/x", "", "", mounting("db")), append(c.objects, testNode("n", "4"))...)
		if rejection.What != c.what || !rejection.PreFilter {
			t.Errorf("%s: got\n%s\nwant\n%s", name, rejection.What, c.what)
		}
	}
}
