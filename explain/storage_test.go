package explain

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	storagehelpers "k8s.io/component-helpers/storage/volume"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"
	"pgregory.net/rapid"

	"github.com/kubectl-fathom/kubectl-fathom/explain/plugins"
	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/explain/scheduler"
)

// aClaim is a claim namespace/name for 10Gi of class, not bound.
func aClaim(fullName, class string, edits ...func(*corev1.PersistentVolumeClaim)) *corev1.PersistentVolumeClaim {
	namespace, name, _ := strings.Cut(fullName, "/")
	claim := &corev1.PersistentVolumeClaim{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name, UID: types.UID("claim-" + fullName)},
		Spec: corev1.PersistentVolumeClaimSpec{
			AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce}, StorageClassName: &class,
			Resources: corev1.VolumeResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("10Gi")}},
		},
		Status: corev1.PersistentVolumeClaimStatus{Phase: corev1.ClaimPending},
	}
	for _, edit := range edits {
		edit(claim)
	}
	return claim
}

// boundTo binds the claim to a volume.
func boundTo(volume string) func(*corev1.PersistentVolumeClaim) {
	return func(c *corev1.PersistentVolumeClaim) {
		c.Spec.VolumeName, c.Status.Phase = volume, corev1.ClaimBound
		metav1.SetMetaDataAnnotation(&c.ObjectMeta, storagehelpers.AnnBindCompleted, "yes")
	}
}

// selectedFor has a volume provisioned for the claim on a node.
func selectedFor(node string) func(*corev1.PersistentVolumeClaim) {
	return func(c *corev1.PersistentVolumeClaim) {
		metav1.SetMetaDataAnnotation(&c.ObjectMeta, storagehelpers.AnnSelectedNode, node)
	}
}

// classless leaves the class of a claim to the default one.
func classless(c *corev1.PersistentVolumeClaim) { c.Spec.StorageClassName = nil }

func claimMode(modes ...corev1.PersistentVolumeAccessMode) func(*corev1.PersistentVolumeClaim) {
	return func(c *corev1.PersistentVolumeClaim) { c.Spec.AccessModes = modes }
}

// aVolume is an available volume of 10Gi and class, served by csi.example.com.
func aVolume(name, class string, edits ...func(*corev1.PersistentVolume)) *corev1.PersistentVolume {
	volume := &corev1.PersistentVolume{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{}},
		Spec: corev1.PersistentVolumeSpec{
			AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce}, StorageClassName: class,
			Capacity:               corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("10Gi")},
			PersistentVolumeSource: corev1.PersistentVolumeSource{CSI: &corev1.CSIPersistentVolumeSource{Driver: "csi.example.com", VolumeHandle: name}},
		},
		Status: corev1.PersistentVolumeStatus{Phase: corev1.VolumeAvailable},
	}
	for _, edit := range edits {
		edit(volume)
	}
	return volume
}

func volumeLabel(key, value string) func(*corev1.PersistentVolume) {
	return func(v *corev1.PersistentVolume) { v.Labels[key] = value }
}

func volumeOn(key, value string) func(*corev1.PersistentVolume) {
	return func(v *corev1.PersistentVolume) {
		v.Spec.NodeAffinity = &corev1.VolumeNodeAffinity{Required: &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{{
			MatchExpressions: []corev1.NodeSelectorRequirement{{Key: key, Operator: corev1.NodeSelectorOpIn, Values: []string{value}}},
		}}}}
	}
}

func volumeSize(size string) func(*corev1.PersistentVolume) {
	return func(v *corev1.PersistentVolume) { v.Spec.Capacity[corev1.ResourceStorage] = resource.MustParse(size) }
}

// volumeOf is bound to a claim, or kept for it.
func volumeOf(fullName string) func(*corev1.PersistentVolume) {
	namespace, name, _ := strings.Cut(fullName, "/")
	return func(v *corev1.PersistentVolume) {
		v.Spec.ClaimRef = &corev1.ObjectReference{Namespace: namespace, Name: name, UID: types.UID("claim-" + fullName)}
		v.Status.Phase = corev1.VolumeBound
	}
}

// aClass is a class that waits for the first consumer.
func aClass(name, provisioner string, edits ...func(*storagev1.StorageClass)) *storagev1.StorageClass {
	class := &storagev1.StorageClass{
		ObjectMeta: metav1.ObjectMeta{Name: name}, Provisioner: provisioner,
		VolumeBindingMode: new(storagev1.VolumeBindingWaitForFirstConsumer),
	}
	for _, edit := range edits {
		edit(class)
	}
	return class
}

func atOnce(c *storagev1.StorageClass) { c.VolumeBindingMode = new(storagev1.VolumeBindingImmediate) }

// mounting adds a volume for each claim.
func mounting(claims ...string) func(*corev1.Pod) {
	return func(p *corev1.Pod) {
		for _, claim := range claims {
			p.Spec.Volumes = append(p.Spec.Volumes, corev1.Volume{Name: claim, VolumeSource: corev1.VolumeSource{
				PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: claim},
			}})
		}
	}
}

// mountingNew adds an ephemeral volume.
func mountingNew(name string) func(*corev1.Pod) {
	return func(p *corev1.Pod) {
		p.Spec.Volumes = append(p.Spec.Volumes, corev1.Volume{Name: name, VolumeSource: corev1.VolumeSource{Ephemeral: &corev1.EphemeralVolumeSource{}}})
	}
}

// rejectionsOf are what plugin has against pod on node, as the report tells it.
func rejectionsOf(t testing.TB, plugin, node string, pod *corev1.Pod, objects ...runtime.Object) report.Rejection {
	t.Helper()
	return refusalIn(t, mustExplain(t, startEngine(t, Options{}, objects...), pod), plugin, node)
}

func refusalIn(t testing.TB, r *report.Report, plugin, node string) report.Rejection {
	t.Helper()
	for _, n := range r.Nodes {
		for _, rejection := range n.Rejections {
			if n.Name == node && rejection.Plugin == plugin {
				return rejection
			}
		}
	}
	t.Fatalf("%s does not refuse %s: %s", plugin, node, r.Summary)
	return report.Rejection{}
}

// storageFinds says what the explainers of storage plugins find on one node.
var storageFinds = map[string]func(*plugins.Question, plugins.NodeRejection) []plugins.Reason{
	names.VolumeRestrictions: plugins.RestrictionReasons,
	names.VolumeBinding:      plugins.BindingReasons,
	names.VolumeZone:         plugins.ZoneReasons,
	names.NodeVolumeLimits:   plugins.LimitReasons,
}

func TestAStorageExplainerHasSomethingToSayExactlyWhereItsPluginRefuses(t *testing.T) {
	no, yes := map[string]int{}, map[string]int{}
	rapid.Check(t, func(rt *rapid.T) {
		pod, objects := anyStorage(rt)
		e := startEngine(t, Options{}, objects...)
		x := e.begin(t.Context(), pod)
		m, err := e.scheduler.Profile(pod).Evaluate(t.Context(), pod)
		if err != nil {
			rt.Fatal(err)
		}
		for k, plugin := range m.Profile.Plugins {
			find := storageFinds[plugin.Name]
			if find == nil || m.Answers[k].Skipped || scheduler.Failed(m.Answers[k].Pre) {
				continue
			}
			for i, node := range m.Nodes {
				r := plugins.NodeRejection{Plugin: plugin.Name, Node: node, State: m.State}
				if m.Rejects(k, i) == nil {
					if scheduler.Failed(m.Answers[k].Column[i]) {
						continue
					}
					yes[plugin.Name]++
					if found := find(x.question, r); len(found) > 0 {
						rt.Fatalf("%s accepts %s, and its explainer says %s", plugin.Name, r.Name(), found[0].What())
					}
					continue
				}
				no[plugin.Name]++
				r = m.Rejection(k, i)
				if len(find(x.question, r)) == 0 {
					rt.Fatalf("%s refuses %s (%s), and its explainer finds nothing", plugin.Name, r.Name(), r.OwnReason())
				}
				w := plugins.Explainers[plugin.Name].Words(x.question, []plugins.NodeRejection{r})
				if !strings.HasPrefix(w.What, r.Name()) || w.Short == "" {
					rt.Fatalf("%s on %s is told as %+v", plugin.Name, r.Name(), w)
				}
			}
		}
	})
	t.Logf("rejections %v, acceptances %v", no, yes)
	for name := range storageFinds {
		if !testing.Short() && (no[name] == 0 || yes[name] == 0) { // few are drawn then
			t.Errorf("%s: %d rejections and %d acceptances were looked at: the drawn clusters show nothing", name, no[name], yes[name])
		}
	}
}

// anyStorage draws a small cluster with claims and volumes in every state, and a
// pod that mounts some of them.
func anyStorage(t *rapid.T) (*corev1.Pod, []runtime.Object) {
	d := drawn(t)
	objects := []runtime.Object{
		aClass("local", storagehelpers.NotSupportedProvisioner), aClass("csi", "csi.example.com"),
		aClass("now", "csi.example.com", atOnce),
		aClass("zonal", "csi.example.com", func(c *storagev1.StorageClass) {
			c.AllowedTopologies = []corev1.TopologySelectorTerm{{MatchLabelExpressions: []corev1.TopologySelectorLabelRequirement{{Key: corev1.LabelTopologyZone, Values: []string{"a"}}}}}
		}),
		&storagev1.CSIDriver{ObjectMeta: metav1.ObjectMeta{Name: "csi.example.com"}, Spec: storagev1.CSIDriverSpec{
			StorageCapacity: new(d.Chance(50)), PreventPodSchedulingIfMissing: new(d.Chance(30)),
		}},
	}
	for i := range 1 + d(3) {
		objects = append(objects, anyStorageNode(d, fmt.Sprintf("n%d", i))...)
	}
	classes := []string{"local", "csi", "now", "zonal", "missing", ""}
	for i := range 3 + d(3) {
		volume := anyVolume(d, fmt.Sprintf("pv-%d", i), classes)
		size := volume.Spec.Capacity[corev1.ResourceStorage]
		size.Add(*resource.NewQuantity(int64(i), resource.BinarySI)) // of equal volumes any may be chosen
		volume.Spec.Capacity[corev1.ResourceStorage] = size
		objects = append(objects, volume)
	}
	var claims []string
	for i := range 1 + d(3) {
		name := fmt.Sprintf("claim-%d", i)
		claims = append(claims, name)
		if !d.Chance(3) {
			objects = append(objects, anyClaim(d, "shop/"+name, classes))
		}
	}
	for i := range d(5) {
		objects = append(objects, anyStoragePod(d, fmt.Sprintf("shop/p%d", i), claims, fmt.Sprintf("n%d", d(1))))
	}
	pod := anyStoragePod(d, "shop/asked", claims, "")
	return pod, objects
}

func anyStorageNode(d dice, name string) []runtime.Object {
	node := testNode(name, "4")
	if d.Chance(70) {
		node.Labels[corev1.LabelTopologyZone] = one(d, "a", "b")
	}
	if d.Chance(20) {
		node.Labels[corev1.LabelFailureDomainBetaRegion] = one(d, "r", "s")
	}
	objects := []runtime.Object{node}
	if d.Chance(70) {
		csi := &storagev1.CSINode{ObjectMeta: metav1.ObjectMeta{Name: name}}
		if d.Chance(80) {
			csi.Spec.Drivers = append(csi.Spec.Drivers, storagev1.CSINodeDriver{Name: "csi.example.com", NodeID: name})
			if d.Chance(80) {
				csi.Spec.Drivers[0].Allocatable = &storagev1.VolumeNodeResources{Count: new(int32(d(3)))}
			}
		}
		if d.Chance(70) {
			csi.Spec.Drivers = append(csi.Spec.Drivers, storagev1.CSINodeDriver{Name: "ebs.csi.aws.com", NodeID: name, Allocatable: &storagev1.VolumeNodeResources{Count: new(int32(d(2)))}})
		}
		objects = append(objects, csi)
	}
	if d.Chance(50) {
		capacity := &storagev1.CSIStorageCapacity{
			ObjectMeta: metav1.ObjectMeta{Namespace: "kube-system", Name: "capacity-" + name}, StorageClassName: one(d, "csi", "zonal"),
			NodeTopology: &metav1.LabelSelector{MatchLabels: map[string]string{corev1.LabelHostname: name}},
			Capacity:     resourceQuantity(one(d, "1Gi", "100Gi")),
		}
		if d.Chance(30) {
			capacity.MaximumVolumeSize = resourceQuantity(one(d, "1Gi", "100Gi"))
		}
		objects = append(objects, capacity)
	}
	if d.Chance(40) {
		objects = append(objects, &storagev1.VolumeAttachment{ObjectMeta: metav1.ObjectMeta{Name: "attached-" + name}, Spec: storagev1.VolumeAttachmentSpec{
			Attacher: "csi.example.com", NodeName: name, Source: storagev1.VolumeAttachmentSource{PersistentVolumeName: new(fmt.Sprintf("pv-%d", d(4)))},
		}})
	}
	return objects
}

func anyVolume(d dice, name string, classes []string) *corev1.PersistentVolume {
	volume := aVolume(name, one(d, classes...), volumeSize(one(d, "5Gi", "10Gi", "20Gi")))
	if d.Chance(50) {
		volume.Spec.StorageClassName = "local"
	}
	if d.Chance(15) {
		volume.Spec.AccessModes = []corev1.PersistentVolumeAccessMode{corev1.ReadOnlyMany}
	}
	if d.Chance(15) {
		volume.Spec.VolumeMode = new(corev1.PersistentVolumeBlock)
	}
	if d.Chance(15) {
		volume.Status.Phase = one(d, corev1.VolumeReleased, corev1.VolumeFailed, corev1.VolumePending)
	}
	if d.Chance(10) {
		volume.DeletionTimestamp, volume.Finalizers = new(metav1.NewTime(testNow)), []string{"example.com/hold"}
	}
	if d.Chance(60) {
		volumeLabel(one(d, corev1.LabelTopologyZone, corev1.LabelFailureDomainBetaZone, corev1.LabelTopologyRegion, corev1.LabelFailureDomainBetaRegion), one(d, "a", "b", "a__b", "a__b", ""))(volume)
	}
	if d.Chance(30) {
		volumeOn(one(d, corev1.LabelTopologyZone, corev1.LabelHostname), one(d, "a", "n0"))(volume)
	}
	if d.Chance(30) {
		volumeOf(fmt.Sprintf("shop/claim-%d", d(4)))(volume)
	}
	if d.Chance(20) {
		volume.Spec.PersistentVolumeSource = corev1.PersistentVolumeSource{AWSElasticBlockStore: &corev1.AWSElasticBlockStoreVolumeSource{VolumeID: name}}
	}
	return volume
}

func anyClaim(d dice, name string, classes []string) *corev1.PersistentVolumeClaim {
	claim := aClaim(name, one(d, classes...))
	if d.Chance(80) {
		claim.Spec.StorageClassName = new(one(d, "local", "csi"))
	}
	if d.Chance(20) {
		claim.Spec.AccessModes = []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOncePod}
	}
	if d.Chance(15) {
		claim.Spec.Selector = &metav1.LabelSelector{MatchLabels: map[string]string{corev1.LabelTopologyZone: "a"}}
	}
	if d.Chance(10) {
		claim.Spec.VolumeAttributesClassName = new("gold")
	}
	switch {
	case d.Chance(60):
		boundTo(fmt.Sprintf("pv-%d", d(4)))(claim)
	case d.Chance(10):
		claim.Spec.VolumeName = fmt.Sprintf("pv-%d", d(5))
	case d.Chance(20):
		metav1.SetMetaDataAnnotation(&claim.ObjectMeta, storagehelpers.AnnSelectedNode, one(d, "n0", "n1", "gone"))
	}
	if d.Chance(3) {
		claim.Status.Phase = corev1.ClaimLost
	}
	if d.Chance(3) {
		claim.DeletionTimestamp, claim.Finalizers = new(metav1.NewTime(testNow)), []string{"example.com/hold"}
	}
	return claim
}

func anyStoragePod(d dice, name string, claims []string, node string) *corev1.Pod {
	pod := testPod(name, node, "")
	for _, claim := range claims {
		if d.Chance(50) {
			mounting(claim)(pod)
		}
	}
	if d.Chance(5) {
		mountingNew("scratch")(pod)
	}
	if d.Chance(25) {
		pod.Spec.Volumes = append(pod.Spec.Volumes, corev1.Volume{Name: "disk", VolumeSource: one(
			d,
			corev1.VolumeSource{GCEPersistentDisk: &corev1.GCEPersistentDiskVolumeSource{PDName: "pd", ReadOnly: d.Chance(50)}},
			corev1.VolumeSource{AWSElasticBlockStore: &corev1.AWSElasticBlockStoreVolumeSource{VolumeID: "ebs"}},
			corev1.VolumeSource{ISCSI: &corev1.ISCSIVolumeSource{IQN: "iqn", ReadOnly: d.Chance(50)}},
			corev1.VolumeSource{RBD: &corev1.RBDVolumeSource{CephMonitors: []string{one(d, "a", "b")}, RBDImage: "image", ReadOnly: d.Chance(50)}},
		)})
	}
	return pod
}

// Four plugins meet the same missing claim; the group says it once.
func TestAMissingClaimIsToldOnce(t *testing.T) {
	report := mustExplain(t, startEngine(t, Options{}, testNode("n", "4")), testPod("data/load", "", "", mounting("warehouse")))
	same(t, report.Groups[0].Words, "claim data/warehouse does not exist")
	same(t, report.Summary, "No node fits: claim data/warehouse does not exist.")
	var told []string
	for _, rejection := range report.Groups[0].Rejections {
		told = append(told, rejection.What)
	}
	slices.Sort(told)
	if len(slices.Compact(told)) != len(told) || len(told) < 2 {
		t.Errorf("each rejection has its own words, got %q", told)
	}
}

// A pod whose claim does not exist is rejected before any node is looked at: what to do about the claim is said,
// and no change of nodes is tried. Where claims may not be read, none is said to be missing.
func TestOnlyTheMissingClaimIsToMend(t *testing.T) {
	cordoned := testNode("n", "4")
	cordoned.Spec.Unschedulable = true
	alone := "Create the claim or correct its name: before that nothing else helps."
	for _, test := range []struct {
		says    string
		objects []runtime.Object
		edit    func(*corev1.Pod)
		unread  []string
		want    string // of None; "" where fixes are tried
	}{
		{"no claim is like it", []runtime.Object{cordoned, aClaim("data/lake", "fast")}, mounting("warehouse"), nil, alone},
		{"one is like it", []runtime.Object{cordoned, aClaim("data/warehouses", "fast")}, mounting("warehouse"), nil, "Claim warehouses exists: correct the name in the pod, or create the claim."},
		{"two are missing", []runtime.Object{cordoned}, func(pod *corev1.Pod) { mounting("warehouse")(pod); mounting("lake")(pod) }, nil, "Create the claims or correct their names: before that nothing else helps."},
		{"a StatefulSet makes it", []runtime.Object{cordoned, aClaim("data/warehouses", "fast")}, func(pod *corev1.Pod) {
			mounting("warehouse")(pod)
			podControlledBy("apps/v1", "StatefulSet", "db")(pod)
		}, nil, "StatefulSet db creates claims of its template itself: its events say why it has not."},
		{"one of another namespace is like it", []runtime.Object{cordoned, aClaim("shop/warehouses", "fast")}, mounting("warehouse"), nil, alone},
		{"a controller makes it", []runtime.Object{cordoned}, mountingNew("scratch"), nil, ""},
		{"claims may not be read", []runtime.Object{cordoned}, mounting("warehouse"), []string{"persistentvolumeclaims"}, ""},
		{"there is no claim", []runtime.Object{cordoned}, func(*corev1.Pod) {}, nil, ""},
	} {
		t.Run(test.says, func(t *testing.T) {
			pod := testPod("data/load", "", "", test.edit)
			e := startEngineForbidding(t, Options{}, test.unread, append(test.objects, pod)...)
			found, err := fixesOf(t.Context(), e, report.PodOf(pod.UID))
			if err != nil {
				t.Fatal(err)
			}
			if test.want == "" {
				if strings.Contains(found.None, "claim") {
					t.Errorf("it says %q", found.None)
				}
				if test.unread == nil && len(found.Tried) == 0 {
					t.Errorf("nothing was tried: %q", found.None)
				}
				return
			}
			if found.None != test.want || len(found.Tried) > 0 {
				t.Errorf("it says %q, want %q; tried: %+v", found.None, test.want, found.Tried)
			}
		})
	}
}
