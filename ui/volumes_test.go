package ui

import (
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/modeltest"
)

// withVolumes is prod-eu with claims, of which two are pending, a volume whose claim was
// deleted, and a node to which nothing more can be attached.
func withVolumes(s *model.Snapshot) *fakeCluster {
	late := storagev1.VolumeBindingWaitForFirstConsumer
	claim := func(namespace, name, class, volume string, phase corev1.PersistentVolumeClaimPhase) *corev1.PersistentVolumeClaim {
		return &corev1.PersistentVolumeClaim{
			ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name},
			Spec: corev1.PersistentVolumeClaimSpec{
				StorageClassName: &class, VolumeName: volume, Resources: corev1.VolumeResourceRequirements{Requests: modeltest.Quantities("storage", "20Gi")},
			},
			Status: corev1.PersistentVolumeClaimStatus{Phase: phase},
		}
	}
	volume := func(name, zone string, phase corev1.PersistentVolumePhase, claim string) *corev1.PersistentVolume {
		v := &corev1.PersistentVolume{
			ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{corev1.LabelTopologyZone: zone}},
			Spec:       corev1.PersistentVolumeSpec{StorageClassName: "zonal-ssd", Capacity: modeltest.Quantities("storage", "100Gi")},
			Status:     corev1.PersistentVolumeStatus{Phase: phase},
		}
		if claim != "" {
			v.Spec.ClaimRef = &corev1.ObjectReference{Namespace: "search", Name: claim}
		}
		return v
	}
	node := func(name string, limit int32) *storagev1.CSINode {
		return &storagev1.CSINode{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: storagev1.CSINodeSpec{Drivers: []storagev1.CSINodeDriver{{
			Name: "ebs.csi.aws.com", Allocatable: &storagev1.VolumeNodeResources{Count: &limit},
		}}}}
	}
	attach := func(name, node string) *storagev1.VolumeAttachment {
		return &storagev1.VolumeAttachment{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: storagev1.VolumeAttachmentSpec{NodeName: node, Attacher: "ebs.csi.aws.com"}}
	}
	return &fakeCluster{reports: verdictsOf(s), objects: map[string][]runtime.Object{
		"storageclasses": {&storagev1.StorageClass{ObjectMeta: metav1.ObjectMeta{Name: "zonal-ssd"}, Provisioner: "ebs.csi.aws.com", VolumeBindingMode: &late}},
		"persistentvolumeclaims": {
			claim("search", "data-index-0", "zonal-ssd", "pvc-131084d8", corev1.ClaimBound), claim("search", "data-index-2", "zonal-ssd", "", corev1.ClaimPending),
			claim("data", "scratch", "fast-nvme", "", corev1.ClaimPending),
		},
		"persistentvolumes": {volume("pvc-131084d8", "eu-1b", corev1.VolumeBound, "data-index-0"), volume("pvc-9f0c77aa", "eu-1c", corev1.VolumeReleased, "data-index-9")},
		"csinodes":          {node("std-b-01", 2), node("std-b-02", 27)},
		"volumeattachments": {attach("a", "std-b-01"), attach("b", "std-b-01"), attach("c", "std-b-02")},
	}}
}

func TestVolumesScreen(t *testing.T) {
	for _, size := range []struct{ width, height int }{{80, 24}, {120, 40}} {
		t.Run(fmt.Sprintf("%dx%d", size.width, size.height), func(t *testing.T) {
			s := newProdEU().snapshot()
			app := newTestAppWith(t, size.width, size.height, s, withVolumes(s), nil)
			runPalette(t, app, "volumes")
			requireScreen(t, app)
		})
	}
}

func TestVolumesOfANamespaceAreItsClaims(t *testing.T) {
	s := newProdEU().snapshot()
	app := newTestAppWith(t, 80, 24, s, withVolumes(s), func(o *Options) { o.Namespace = "search" })
	runPalette(t, app, "volumes")
	requireScreen(t, app)
}

func TestVolumesThatMayNotBeListedAreUnknown(t *testing.T) {
	s := newProdEU().snapshot()
	c := withVolumes(s)
	c.unread = map[string]string{
		"persistentvolumes": "not allowed to list persistentvolumes", "storageclasses": "not allowed to list storageclasses",
		"volumeattachments": "not allowed to list volumeattachments",
	}
	app := newTestAppWith(t, 120, 24, s, c, nil)
	runPalette(t, app, "volumes")
	requireScreen(t, app)
}

func TestAClaimWithoutAStatusIsNotBound(t *testing.T) {
	s := newProdEU().snapshot()
	c := withVolumes(s)
	c.objects["persistentvolumeclaims"][0].(*corev1.PersistentVolumeClaim).Status = corev1.PersistentVolumeClaimStatus{}
	app := newTestAppWith(t, 80, 24, s, c, func(o *Options) { o.Namespace = "search" })
	runPalette(t, app, "volumes")
	if got, want := app.history.top().Answer(80), "2 claims: 1 Pending, 1 unknown."; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
