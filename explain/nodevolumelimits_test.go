package explain

import (
	"fmt"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
)

func aCSINode(name, driver string, limit int32) *storagev1.CSINode {
	return &storagev1.CSINode{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: storagev1.CSINodeSpec{
		Drivers: []storagev1.CSINodeDriver{{Name: driver, NodeID: name, Allocatable: &storagev1.VolumeNodeResources{Count: &limit}}},
	}}
}

// attached are claims data/v0 to data/v(n-1) with their volumes.
func attached(n int) (objects []runtime.Object) {
	for i := range n {
		volume := fmt.Sprintf("pv-%d", i)
		objects = append(objects, aClaim(fmt.Sprintf("data/v%d", i), "csi", boundTo(volume)), aVolume(volume, "csi"))
	}
	return objects
}

// Two pods share v0; v1 is attached without a pod; v2 and v3 are wanted.
func TestTheCountBehindAVolumeLimitIsTold(t *testing.T) {
	objects := append(attached(4), testNode("n", "4"), aCSINode("n", "csi.example.com", 3), aClass("csi", "csi.example.com"),
		testPod("data/a", "n", "", mounting("v0")), testPod("data/b", "n", "", mounting("v0")),
		&storagev1.VolumeAttachment{ObjectMeta: metav1.ObjectMeta{Name: "at"}, Spec: storagev1.VolumeAttachmentSpec{
			Attacher: "csi.example.com", NodeName: "n", Source: storagev1.VolumeAttachmentSource{PersistentVolumeName: new("pv-1")},
		}})
	rejection := rejectionsOf(t, names.NodeVolumeLimits, "n", testPod("data/x", "", "", mounting("v0", "v2", "v3")), objects...)
	same(t, rejection.What, "n: attach limit of CSI driver csi.example.com: 1 too many: the pod needs 2 volumes for claim data/v2, claim data/v3, 2 of 3 are in use, 1 of them by VolumeAttachments of no pod on the node")
	same(t, rejection.Short, "attach limit of csi.example.com: 2 of 3 in use, 1 for no pod on the node")
	want := report.Number{Resource: "attachable-volumes-csi-csi.example.com", Wanted: "2", Requested: "2", Allocatable: "3", Short: "1"}
	if len(rejection.Numbers) != 1 || rejection.Numbers[0] != want {
		t.Errorf("got %+v, want %+v", rejection.Numbers, want)
	}
}

// An attachment of no pod counts until its driver has detached the volume. It is said of one only where the
// volumes of all pods on the node are known.
func TestAttachmentsOfNoPodAreToldWithHowLongTheyHaveBeenDetached(t *testing.T) {
	attachment := func(volume int, deleted time.Duration) *storagev1.VolumeAttachment {
		made := &storagev1.VolumeAttachment{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("at-%d", volume)}, Spec: storagev1.VolumeAttachmentSpec{
			Attacher: "csi.example.com", NodeName: "n", Source: storagev1.VolumeAttachmentSource{PersistentVolumeName: new(fmt.Sprintf("pv-%d", volume))},
		}}
		if deleted > 0 {
			made.DeletionTimestamp, made.Finalizers = &metav1.Time{Time: testNow.Add(-deleted)}, []string{"external-attacher/csi-example-com"}
		}
		return made
	}
	const hour = time.Hour
	for name, c := range map[string]struct {
		others []runtime.Object
		uses   string
		what   string
	}{
		"of a pod":              {[]runtime.Object{attachment(0, 0)}, "v0", "1 of 1 are in use"},
		"of none":               {[]runtime.Object{attachment(0, 0), attachment(1, 0)}, "v0", "2 of 1 are in use, 1 of them by VolumeAttachments of no pod on the node"},
		"being detached":        {[]runtime.Object{attachment(1, 50*hour)}, "v0", "2 of 1 are in use, 1 of them by VolumeAttachments of no pod on the node (1 being detached for 2d)"},
		"the longest":           {[]runtime.Object{attachment(1, 5*hour), attachment(2, 75*hour), attachment(3, 0)}, "v0", "4 of 1 are in use, 3 of them by VolumeAttachments of no pod on the node (2 being detached, the longest for 3d)"},
		"a pod's claim is gone": {[]runtime.Object{attachment(0, 0), attachment(1, 0)}, "gone", "2 of 1 are in use"},
	} {
		objects := append(attached(6), testNode("n", "4"), aCSINode("n", "csi.example.com", 1), aClass("csi", "csi.example.com"), testPod("data/a", "n", "", mounting(c.uses)))
		report := mustExplain(t, startEngine(t, Options{}, append(objects, c.others...)...), testPod("data/x", "", "", mounting("v5")))
		_, told, _ := strings.Cut(refusalIn(t, report, names.NodeVolumeLimits, "n").What, "claim data/v5, ")
		if told != c.what {
			t.Errorf("%s: got %q, want %q", name, told, c.what)
		}
	}
}

func TestAClaimThatIsNotBoundCountsByItsClass(t *testing.T) {
	e := startEngine(t, Options{}, append(attached(1), testNode("m", "4"), testNode("n", "4"), aCSINode("m", "csi.example.com", 0), aCSINode("n", "csi.example.com", 1),
		aClass("csi", "csi.example.com"), aClaim("data/new", "csi"), testPod("data/a", "n", "", mounting("v0")))...)
	report := mustExplain(t, e, testPod("data/x", "", "", mounting("new")))
	same(t, refusalIn(t, report, names.NodeVolumeLimits, "n").What,
		"n: attach limit of CSI driver csi.example.com: 1 too many: the pod needs 1 volume for claim data/new, 1 of 1 are in use")
	same(t, report.Groups[0].Words, "attach limit of csi.example.com reached")
	same(t, report.Summary, "0 of 2 nodes fit. Closest: m and 1 more, attach limit of csi.example.com reached.")
	same(t, longest(&report.Groups[0], 100), "m: attach limit of csi.example.com: 0 of 0 in use; n: attach limit of csi.example.com: 1 of 1 in use")
}

func TestVolumesOfMigratedPluginsCount(t *testing.T) {
	ebs := func(name string) func(*corev1.Pod) {
		return func(p *corev1.Pod) {
			p.Spec.Volumes = append(p.Spec.Volumes, corev1.Volume{Name: name, VolumeSource: corev1.VolumeSource{
				AWSElasticBlockStore: &corev1.AWSElasticBlockStoreVolumeSource{VolumeID: "vol-" + name},
			}})
		}
	}
	rejection := rejectionsOf(t, names.NodeVolumeLimits, "n", testPod("data/x", "", "", ebs("b")),
		testNode("n", "4"), aCSINode("n", "ebs.csi.aws.com", 1), testPod("data/a", "n", "", ebs("a")))
	same(t, rejection.What, "n: attach limit of CSI driver ebs.csi.aws.com: 1 too many: the pod needs 1 volume for volume b, 1 of 1 are in use")
}

func TestADriverThatANodeMustHaveIsNamed(t *testing.T) {
	driver := &storagev1.CSIDriver{ObjectMeta: metav1.ObjectMeta{Name: "csi.example.com"}, Spec: storagev1.CSIDriverSpec{PreventPodSchedulingIfMissing: new(true)}}
	rejection := rejectionsOf(t, names.NodeVolumeLimits, "n", testPod("data/x", "", "", mounting("v0")),
		append(attached(1), testNode("n", "4"), driver, aCSINode("n", "other.example.com", 1))...)
	same(t, rejection.What, "n: the node has no CSI driver csi.example.com, which claim data/v0 needs")
	same(t, rejection.Short, "no CSI driver csi.example.com")
	if len(rejection.Numbers) > 0 {
		t.Errorf("a missing driver is no number: %+v", rejection.Numbers)
	}
}
