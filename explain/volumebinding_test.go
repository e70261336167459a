package explain

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	storagehelpers "k8s.io/component-helpers/storage/volume"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
)

// binding are the words about the pod data/x, which mounts db, on n in zone b.
func binding(t *testing.T, objects ...runtime.Object) report.Rejection {
	t.Helper()
	objects = append(objects, testNode("n", "4", nodeLabel(corev1.LabelTopologyZone, "b")), aClass("local", storagehelpers.NotSupportedProvisioner))
	return rejectionsOf(t, names.VolumeBinding, "n", testPod("data/x", "", "", mounting("db")), objects...)
}

func TestAClaimThatNoNodeCanServeIsToldWithWhatItWaitsFor(t *testing.T) {
	lost := func(c *corev1.PersistentVolumeClaim) { c.Status.Phase = corev1.ClaimLost }
	ending := func(c *corev1.PersistentVolumeClaim) {
		c.DeletionTimestamp, c.Finalizers = new(metav1.NewTime(testNow)), []string{"example.com/hold"}
	}
	naming := func(volume string) func(*corev1.PersistentVolumeClaim) {
		return func(c *corev1.PersistentVolumeClaim) { c.Spec.VolumeName = volume }
	}
	for name, c := range map[string]struct {
		objects     []runtime.Object
		what, short string
	}{
		"missing": {nil, "claim data/db does not exist, so it cannot be bound", "claim data/db does not exist"},
		"lost": {
			[]runtime.Object{aClaim("data/db", "csi", boundTo("pv-1"), lost)},
			"claim data/db is Lost: volume pv-1 does not exist", "volume pv-1 of claim data/db does not exist",
		},
		"lost to an earlier claim": {
			[]runtime.Object{aClaim("data/db", "csi", boundTo("pv-1"), lost), aVolume("pv-1", "csi", volumeOf("data/db"), func(v *corev1.PersistentVolume) { v.Spec.ClaimRef.UID = "earlier" })},
			"claim data/db is Lost: volume pv-1 still belongs to an earlier claim of the same name", "claim data/db has lost its volume pv-1",
		},
		"lost to another claim": {
			[]runtime.Object{aClaim("data/db", "csi", boundTo("pv-1"), lost), aVolume("pv-1", "csi", volumeOf("shop/db"))},
			"claim data/db is Lost: volume pv-1 belongs to claim shop/db", "claim data/db has lost its volume pv-1",
		},
		"lost, without a volume": {[]runtime.Object{aClaim("data/db", "csi", lost)}, "claim data/db is Lost: it names no volume", "claim data/db is Lost: it names no volume"},
		"lost, and about to be bound again": {
			[]runtime.Object{aClaim("data/db", "csi", boundTo("pv-1"), lost), aVolume("pv-1", "csi")},
			"claim data/db has lost its volume pv-1", "claim data/db has lost its volume pv-1",
		},
		"deleted": {[]runtime.Object{aClaim("data/db", "csi", ending)}, "claim data/db is being deleted", "claim data/db is being deleted"},
		"no class": {
			[]runtime.Object{aClaim("data/db", "fast")},
			"claim data/db (10Gi ReadWriteOnce) is unbound: class fast does not exist", "claim data/db is unbound: class fast does not exist",
		},
		"provisioned at once": {
			[]runtime.Object{aClaim("data/db", "now"), aClass("now", "csi.example.com", atOnce)},
			"claim data/db (10Gi ReadWriteOnce) is unbound: class now has volumeBindingMode Immediate, and csi.example.com has not provisioned a volume", "claim data/db is unbound",
		},
		"no provisioner": {
			[]runtime.Object{aClaim("data/db", "static"), aClass("static", storagehelpers.NotSupportedProvisioner, atOnce), aVolume("pv-1", "static", volumeSize("5Gi")), aVolume("pv-2", "static")},
			"claim data/db (10Gi ReadWriteOnce) is unbound: class static has volumeBindingMode Immediate and no provisioner: pv-2 matches and is not bound yet; pv-1 has 5Gi, the claim requests 10Gi", "claim data/db is unbound",
		},
		"no class named": {
			[]runtime.Object{aClaim("data/db", "")},
			"claim data/db (10Gi ReadWriteOnce) is unbound and has no StorageClass: no volume has this class", "claim data/db is unbound",
		},
		"names a volume that is not there": {
			[]runtime.Object{aClaim("data/db", "local", naming("pv-1"))},
			"claim data/db (10Gi ReadWriteOnce) is unbound: it requests volume pv-1, which does not exist", "claim data/db is unbound",
		},
		"names another's volume": {
			[]runtime.Object{aClaim("data/db", "local", naming("pv-1")), aVolume("pv-1", "local", volumeOf("shop/db"))},
			"claim data/db (10Gi ReadWriteOnce) is unbound: it requests volume pv-1, which belongs to claim shop/db", "claim data/db is unbound",
		},
	} {
		rejection := binding(t, c.objects...)
		if rejection.What != c.what || rejection.Short != c.short || !rejection.PreFilter {
			t.Errorf("%s: got\n%s\n%s\nwant\n%s\n%s", name, rejection.What, rejection.Short, c.what, c.short)
		}
	}
}

func TestAnEphemeralVolumesClaimIsToldAsThat(t *testing.T) {
	pod := testPod("data/x", "", "", mountingNew("scratch"))
	rejection := rejectionsOf(t, names.VolumeBinding, "n", pod, testNode("n", "4"))
	same(t, rejection.Short, "claim data/x-scratch of an ephemeral volume does not exist yet")
	rejection = rejectionsOf(t, names.VolumeBinding, "n", pod, testNode("n", "4"), aClaim("data/x-scratch", "local"))
	same(t, rejection.What, "claim data/x-scratch has the name that the pod's ephemeral volume needs, but was not created for this pod")
}

// One volume for each thing that can be wrong with it.
func TestEveryVolumeIsToldWithWhatIsWrongWithIt(t *testing.T) {
	edited := func(name string, edit func(*corev1.PersistentVolume)) *corev1.PersistentVolume {
		return aVolume(name, "local", volumeLabel("tier", "fast"), edit)
	}
	rejection := binding(
		t,
		aClaim("data/db", "local", func(c *corev1.PersistentVolumeClaim) {
			c.Spec.Selector = &metav1.LabelSelector{MatchLabels: map[string]string{"tier": "fast"}}
		}),
		edited("pv-affinity", volumeOn(corev1.LabelTopologyZone, "a")),
		edited("pv-attributes", func(v *corev1.PersistentVolume) { v.Spec.VolumeAttributesClassName = new("gold") }),
		edited("pv-label", volumeLabel("tier", "slow")),
		edited("pv-mode", func(v *corev1.PersistentVolume) { v.Spec.VolumeMode = new(corev1.PersistentVolumeBlock) }),
		edited("pv-modes", func(v *corev1.PersistentVolume) {
			v.Spec.AccessModes = []corev1.PersistentVolumeAccessMode{corev1.ReadOnlyMany}
		}),
		edited("pv-phase", func(v *corev1.PersistentVolume) { v.Status.Phase = corev1.VolumeReleased }),
		edited("pv-small", volumeSize("5Gi")),
		edited("pv-taken", volumeOf("shop/db")),
		aVolume("pv-slow", "slow", volumeLabel("tier", "fast")),
		aVolume("pv-slow-too", "slow"),
	)
	same(t, rejection.What, "n: claim data/db requests 10Gi ReadWriteOnce of class local, which has no provisioner: "+
		"pv-affinity is only in zone a; pv-attributes has VolumeAttributesClass gold, the claim requests \"\"; "+
		"pv-label does not match the claim's selector tier=fast; pv-mode has volumeMode Block, the claim requests Filesystem; pv-modes has access modes ReadOnlyMany, the claim requests ReadWriteOnce; "+
		"pv-phase is Released; pv-small has 5Gi, the claim requests 10Gi; bound to other claims: pv-taken (shop/db); pv-slow matches except for its class slow")
	same(t, rejection.Short, "no local volume for claim data/db")
}

func TestOneVolumeDoesNotServeTwoClaims(t *testing.T) {
	rejection := rejectionsOf(t, names.VolumeBinding, "n", testPod("data/x", "", "", mounting("large", "small")), testNode("n", "4"),
		aClass("local", storagehelpers.NotSupportedProvisioner), aClaim("data/small", "local"),
		aClaim("data/large", "local", func(c *corev1.PersistentVolumeClaim) {
			c.Spec.Resources.Requests[corev1.ResourceStorage] = resource.MustParse("20Gi")
		}), aVolume("pv-1", "local", volumeSize("20Gi")))
	same(t, rejection.What, "n: claim data/large requests 20Gi ReadWriteOnce of class local, which has no provisioner: pv-1 is used for another claim of the pod")
}

func TestABoundVolumeIsToldWithWhereItIs(t *testing.T) {
	rejection := binding(t, aClaim("data/db", "csi", boundTo("pv-1")), aVolume("pv-1", "csi", volumeOn(corev1.LabelTopologyZone, "a"), volumeOf("data/db")))
	same(t, rejection.What, "n: claim data/db requires nodes with topology.kubernetes.io/zone=a, the node has topology.kubernetes.io/zone=b (volume pv-1)")
	same(t, rejection.Short, "volume of claim db is only in zone a, which has no node")
	for _, c := range []struct{ key, value, where string }{
		{corev1.LabelHostname, "gone", "is only on node gone, which does not exist"},
		{"rack", "r1", "is only for nodes with rack=r1: there are none"},
	} {
		rejection = binding(t, aClaim("data/db", "csi", boundTo("pv-1")), aVolume("pv-1", "csi", volumeOn(c.key, c.value), volumeOf("data/db")))
		same(t, rejection.Short, "volume of claim db "+c.where)
	}
	rejection = binding(t, testNode("other", "4", nodeLabel("rack", "r1")), aClaim("data/db", "csi", boundTo("pv-1")), aVolume("pv-1", "csi", volumeOn("rack", "r1"), volumeOf("data/db")))
	same(t, rejection.Short, "volume of claim db is only for nodes with rack=r1")
	rejection = binding(t, aClaim("data/db", "csi", boundTo("pv-1")))
	same(t, rejection.What, "n: volume pv-1 of claim data/db does not exist")
}

func TestWhereAClassProvisionsIsTold(t *testing.T) {
	zonal := aClass("zonal", "csi.example.com", func(c *storagev1.StorageClass) {
		c.AllowedTopologies = []corev1.TopologySelectorTerm{{MatchLabelExpressions: []corev1.TopologySelectorLabelRequirement{{Key: corev1.LabelTopologyZone, Values: []string{"a", "c"}}}}}
	})
	rejection := binding(t, aClaim("data/db", "zonal"), zonal)
	same(t, rejection.What, "n: claim data/db requests 10Gi ReadWriteOnce of class zonal, which provisions only for nodes with "+
		"topology.kubernetes.io/zone in (a, c), the node has topology.kubernetes.io/zone=b")
	same(t, rejection.Short, "class zonal provisions only for zone in (a, c), which no node has")
	other := testNode("elsewhere", "4", nodeLabel(corev1.LabelTopologyZone, "c"))
	same(t, binding(t, aClaim("data/db", "zonal"), zonal, other).Short, "class zonal provisions only for zone in (a, c)")
}

func TestAVolumeThatIsBeingMadeElsewhereIsTold(t *testing.T) {
	started := func(node string) func(*corev1.PersistentVolumeClaim) {
		return func(c *corev1.PersistentVolumeClaim) {
			c.Annotations = map[string]string{storagehelpers.AnnSelectedNode: node}
		}
	}
	csi := aClass("csi", "csi.example.com")
	rejection := binding(t, aClaim("data/db", "csi", started("m")), csi, testNode("m", "4"))
	same(t, rejection.Short, "claim data/db is being provisioned for m")
	same(t, binding(t, aClaim("data/db", "csi", started("gone")), csi).What,
		"n: claim data/db is being provisioned for gone, which does not exist (its annotation volume.kubernetes.io/selected-node)")
}

func TestTheStorageThatADriverLacksIsTold(t *testing.T) {
	pool := func(name, size, largest string) *storagev1.CSIStorageCapacity {
		capacity := &storagev1.CSIStorageCapacity{
			ObjectMeta: metav1.ObjectMeta{Namespace: "kube-system", Name: name}, StorageClassName: "csi",
			NodeTopology: &metav1.LabelSelector{MatchLabels: map[string]string{corev1.LabelHostname: "n"}}, Capacity: resourceQuantity(size),
		}
		if largest != "" {
			capacity.MaximumVolumeSize = resourceQuantity(largest)
		}
		return capacity
	}
	asked := []runtime.Object{
		aClaim("data/db", "csi"), aClass("csi", "csi.example.com"),
		&storagev1.CSIDriver{ObjectMeta: metav1.ObjectMeta{Name: "csi.example.com"}, Spec: storagev1.CSIDriverSpec{StorageCapacity: new(true)}},
	}
	rejection := binding(t, append(asked, pool("a", "2Gi", ""), pool("b", "100Gi", "4Gi"))...)
	same(t, rejection.What, "n: claim data/db needs storage 6Gi more: it requests 10Gi ReadWriteOnce of class csi, driver csi.example.com has at most 4Gi for this node (CSIStorageCapacity kube-system/b)")
	same(t, rejection.Short, "claim data/db needs storage 6Gi more")
	want := report.Number{Resource: "storage", Wanted: "10Gi", Requested: "0", Allocatable: "4Gi", Short: "6Gi"}
	if len(rejection.Numbers) != 1 || rejection.Numbers[0] != want {
		t.Errorf("got %+v, want %+v", rejection.Numbers, want)
	}
	rejection = binding(t, asked...)
	same(t, rejection.What, "n: claim data/db requests 10Gi ReadWriteOnce of class csi, and driver csi.example.com publishes no CSIStorageCapacity for this node")
}

// What the plugin did not need may be unreadable: nothing is said of it.
func TestNothingIsSaidOfVolumesThatCouldNotBeRead(t *testing.T) {
	e := startEngineForbidding(t, Options{}, []string{"persistentvolumes"}, testNode("n", "4"), aClaim("data/db", "static"),
		aClass("static", storagehelpers.NotSupportedProvisioner, atOnce))
	report := mustExplain(t, e, testPod("data/x", "", "", mounting("db")))
	same(t, refusalIn(t, report, names.VolumeBinding, "n").What,
		"claim data/db (10Gi ReadWriteOnce) is unbound: class static has volumeBindingMode Immediate and no provisioner: its volumes could not be read")
}
