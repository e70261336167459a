package inventory

import (
	"fmt"
	"maps"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/modeltest"
)

func claim(name, class string, phase corev1.PersistentVolumeClaimPhase, change func(*corev1.PersistentVolumeClaim)) *corev1.PersistentVolumeClaim {
	c := &corev1.PersistentVolumeClaim{
		ObjectMeta: metav1.ObjectMeta{Namespace: "dev", Name: name},
		Spec: corev1.PersistentVolumeClaimSpec{
			StorageClassName: &class,
			Resources:        corev1.VolumeResourceRequirements{Requests: modeltest.Quantities("storage", "10Gi")},
		},
		Status: corev1.PersistentVolumeClaimStatus{Phase: phase},
	}
	if change != nil {
		change(c)
	}
	return c
}

// storage are two classes, and objects of the other kinds.
func storage(others map[string][]runtime.Object) *model.Objects {
	late := storagev1.VolumeBindingWaitForFirstConsumer
	o := &model.Objects{Unread: map[string]string{}, Lists: map[string][]runtime.Object{"storageclasses": {
		&storagev1.StorageClass{ObjectMeta: metav1.ObjectMeta{Name: "late"}, Provisioner: "disk.example.com", VolumeBindingMode: &late},
		&storagev1.StorageClass{ObjectMeta: metav1.ObjectMeta{Name: "soon"}, Provisioner: "disk.example.com"},
		&storagev1.StorageClass{ObjectMeta: metav1.ObjectMeta{Name: "local"}, Provisioner: "kubernetes.io/no-provisioner"},
	}}}
	maps.Copy(o.Lists, others)
	return o
}

func TestWhatAPendingClaimWaitsFor(t *testing.T) {
	uses := modeltest.NewPod("dev/web-0", "", "1", "1Gi", 0, func(p *corev1.Pod) {
		p.Spec.Volumes = []corev1.Volume{
			{Name: "data", VolumeSource: corev1.VolumeSource{PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: "used"}}},
			{Name: "scratch", VolumeSource: corev1.VolumeSource{Ephemeral: &corev1.EphemeralVolumeSource{}}},
		}
	})
	taken := &corev1.PersistentVolume{
		ObjectMeta: metav1.ObjectMeta{Name: "taken"}, Status: corev1.PersistentVolumeStatus{Phase: corev1.VolumeBound},
		Spec: corev1.PersistentVolumeSpec{ClaimRef: &corev1.ObjectReference{Namespace: "dev", Name: "other", UID: "other"}},
	}
	earlier := taken.DeepCopy()
	earlier.Name, earlier.Spec.ClaimRef.Name, earlier.Spec.ClaimRef.UID = "earlier", "a", "deleted"
	for _, test := range []struct {
		claim *corev1.PersistentVolumeClaim
		why   string
	}{
		{claim("a", "late", corev1.ClaimPending, nil), "waiting for a pod that uses it"},
		{claim("used", "late", corev1.ClaimPending, nil), "waiting for pod web-0 to be scheduled"},
		{claim("web-0-scratch", "late", corev1.ClaimPending, nil), "waiting for pod web-0 to be scheduled"},
		{claim("a", "late", corev1.ClaimPending, func(c *corev1.PersistentVolumeClaim) {
			c.Annotations = map[string]string{"volume.kubernetes.io/selected-node": "n1"}
		}), "waiting for disk.example.com to provision it for node n1"},
		{claim("a", "soon", corev1.ClaimPending, nil), "waiting for disk.example.com to provision it"},
		{claim("a", "local", corev1.ClaimPending, nil), "waiting for a volume of its class: it has no provisioner"},
		{claim("a", "", corev1.ClaimPending, nil), "it names no StorageClass: waiting for a volume that matches"},
		{claim("a", "none", corev1.ClaimPending, nil), `StorageClass "none" does not exist`},
		{claim("a", "soon", corev1.ClaimPending, func(c *corev1.PersistentVolumeClaim) { c.Spec.VolumeName = "pv-1" }), "waiting to be bound to volume pv-1"},
		{claim("a", "soon", corev1.ClaimLost, func(c *corev1.PersistentVolumeClaim) { c.Spec.VolumeName = "pv-1" }), "it lost its volume pv-1"},
		{claim("a", "soon", corev1.ClaimLost, func(c *corev1.PersistentVolumeClaim) { c.Spec.VolumeName = "taken" }), "its volume taken is bound to another claim"},
		{claim("a", "soon", corev1.ClaimLost, func(c *corev1.PersistentVolumeClaim) { c.Spec.VolumeName = "earlier" }), "its volume earlier still belongs to an earlier claim of the same name"},
		{claim("a", "soon", corev1.ClaimLost, nil), "it lost its volume"},
		{claim("a", "soon", corev1.ClaimBound, nil), ""},
		{claim("a", "soon", corev1.ClaimBound, func(c *corev1.PersistentVolumeClaim) {
			c.Status.Conditions = []corev1.PersistentVolumeClaimCondition{{Type: corev1.PersistentVolumeClaimFileSystemResizePending, Status: corev1.ConditionTrue}}
		}), "FileSystemResizePending"},
	} {
		got := Volumes(snapshotOf(model.Status{}, nil, uses), storage(map[string][]runtime.Object{"persistentvolumeclaims": {test.claim}, "persistentvolumes": {taken, earlier}}))
		if len(got) != 1 || got[0].Why != test.why {
			t.Errorf("%s of class %q: %+v, want %s", test.claim.Name, classOf(test.claim), got, test.why)
		}
	}
}

func TestAClassThatCouldNotBeReadMayExist(t *testing.T) {
	o := storage(map[string][]runtime.Object{"persistentvolumeclaims": {claim("a", "none", corev1.ClaimPending, nil)}})
	delete(o.Lists, "storageclasses")
	if got := Volumes(snapshotOf(model.Status{}, nil), o); len(got) != 1 || got[0].Why != "unknown: StorageClasses could not be read" {
		t.Errorf("%+v", got)
	}
}

func TestVolumesAndAttachLimits(t *testing.T) {
	zonal := &corev1.PersistentVolume{
		ObjectMeta: metav1.ObjectMeta{Name: "pv-1"},
		Spec: corev1.PersistentVolumeSpec{
			Capacity: modeltest.Quantities("storage", "20Gi"), StorageClassName: "late",
			NodeAffinity: &corev1.VolumeNodeAffinity{Required: &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{{
				MatchExpressions: []corev1.NodeSelectorRequirement{{Key: "topology.disk.example.com/zone", Operator: corev1.NodeSelectorOpIn, Values: []string{"b", "a"}}},
			}}}},
		},
		Status: corev1.PersistentVolumeStatus{Phase: corev1.VolumeBound},
	}
	released := &corev1.PersistentVolume{
		ObjectMeta: metav1.ObjectMeta{Name: "pv-2", Labels: map[string]string{corev1.LabelTopologyZone: "a__b"}},
		Spec:       corev1.PersistentVolumeSpec{ClaimRef: &corev1.ObjectReference{Namespace: "dev", Name: "old"}},
		Status:     corev1.PersistentVolumeStatus{Phase: corev1.VolumeReleased},
	}
	node := func(name string, count *int32) *storagev1.CSINode {
		driver := storagev1.CSINodeDriver{Name: "disk.example.com"}
		if count != nil {
			driver.Allocatable = &storagev1.VolumeNodeResources{Count: count}
		}
		return &storagev1.CSINode{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: storagev1.CSINodeSpec{Drivers: []storagev1.CSINodeDriver{driver}}}
	}
	attach := func(name, node, driver string) *storagev1.VolumeAttachment {
		return &storagev1.VolumeAttachment{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: storagev1.VolumeAttachmentSpec{NodeName: node, Attacher: driver}}
	}
	o := storage(map[string][]runtime.Object{
		"persistentvolumeclaims": {
			claim("bound", "late", corev1.ClaimBound, func(c *corev1.PersistentVolumeClaim) { c.Spec.VolumeName = "pv-1" }), claim("pending", "late", corev1.ClaimPending, nil),
		},
		"persistentvolumes": {zonal, released},
		"csinodes":          {node("n1", new(int32(2))), node("n2", new(int32(2))), node("n3", nil)},
		"volumeattachments": {attach("a", "n1", "disk.example.com"), attach("b", "n1", "disk.example.com"), attach("c", "n1", "other"), attach("d", "n3", "disk.example.com")},
	})
	words := func(all []Volume) (got []string) {
		for _, v := range all {
			limit, attached := "–", "?"
			if v.Limit != nil {
				limit = fmt.Sprint(*v.Limit)
			}
			if v.Attached != nil {
				attached = fmt.Sprint(*v.Attached)
			}
			if v.Kind != NodeKind {
				attached = "–"
			}
			got = append(got, fmt.Sprintf("%s %s %s %v %s/%s %s", v.Kind, v.Name, v.Phase, v.Zones, attached, limit, v.BoundTo))
		}
		return got
	}
	want := []string{
		"CSINode n1  [] 2/2 ",
		"PersistentVolumeClaim pending Pending [] –/– ",
		"PersistentVolumeClaim bound Bound [a b] –/– pv-1",
		"PersistentVolume pv-2 Released [a b] –/– dev/old",
		"CSINode n2  [] 0/2 ",
		"CSINode n3  [] 1/– ",
	}
	if diff := cmp.Diff(want, words(Volumes(snapshotOf(model.Status{}, nil), o))); diff != "" {
		t.Error(diff)
	}
	o.Lists["storageclasses"][0].(*storagev1.StorageClass).Annotations = map[string]string{defaultClass: "true"}
	o.Lists["storageclasses"][1].(*storagev1.StorageClass).AllowedTopologies = []corev1.TopologySelectorTerm{{
		MatchLabelExpressions: []corev1.TopologySelectorLabelRequirement{{Key: corev1.LabelTopologyZone, Values: []string{"b", "a"}}},
	}}
	rest := BoundAndClasses(snapshotOf(model.Status{}, nil), o)
	want = []string{
		"PersistentVolume pv-1 Bound [a b] –/– ", "StorageClass late  [] –/– ", "StorageClass local  [] –/– ", "StorageClass soon  [a b] –/– ",
	}
	if diff := cmp.Diff(want, words(rest)); diff != "" {
		t.Error(diff)
	}
	if got := rest[1].Provision.Words(); got != "default, WaitForFirstConsumer, disk.example.com, 2 claims, 1 pending" {
		t.Errorf("the class is told as %q", got)
	}
	if got := rest[3].Provision.Words(); got != "Immediate, disk.example.com, 0 claims" || rest[3].Provision.ReclaimPolicy != "Delete" {
		t.Errorf("the class is told as %q", got)
	}
	limited := BoundAndClasses(snapshotOf(model.Status{Namespace: "dev"}, nil), o)
	if p := limited[1].Provision; p.Claims != nil || p.Pending != nil || p.Words() != "default, WaitForFirstConsumer, disk.example.com, ? claims" {
		t.Errorf("claims of other namespaces are counted as %s", p.Words())
	}
	delete(o.Lists, "volumeattachments")
	for _, v := range Volumes(snapshotOf(model.Status{}, nil), o) {
		if v.Attached != nil || v.Kind == NodeKind && v.Trouble() {
			t.Errorf("attachments that were not read: %+v", v)
		}
	}
}

func TestAVolumeThatIsReservedForAClaimSaysSo(t *testing.T) {
	claim := &corev1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{Namespace: "store", Name: "data"}}
	for name, want := range map[string]string{"data": "reserved for store/data", "gone": "reserved for store/gone, which does not exist", "": ""} {
		volume := &corev1.PersistentVolume{Status: corev1.PersistentVolumeStatus{Phase: corev1.VolumeAvailable}}
		if name != "" {
			volume.Spec.ClaimRef = &corev1.ObjectReference{Namespace: "store", Name: name}
		}
		row := volumeRow(volume)
		row.reserved(volume, []*corev1.PersistentVolumeClaim{claim})
		if row.Why != want {
			t.Errorf("%q: %q, want %q", name, row.Why, want)
		}
	}
}
