package explain

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// TestDevicesAreCountedByNodeAndClass has a node with two GPUs, of which a claim has one, a
// tainted one and a NIC, a node whose pool misses a slice, and one without devices. The
// selector of the class broken fails on each device.
func TestDevicesAreCountedByNodeAndClass(t *testing.T) {
	tainted := aDevice("gpu-2", "gpu", func(d *resourcev1.Device) {
		d.Taints = []resourcev1.DeviceTaint{{Key: "ecc", Effect: resourcev1.DeviceTaintEffectNoSchedule}}
	})
	updated := aSlice("b", aDevice("gpu-0", "gpu"))
	updated.Spec.Pool.ResourceSliceCount = 2
	broken := &resourcev1.DeviceClass{ObjectMeta: metav1.ObjectMeta{Name: "broken"}, Spec: resourcev1.DeviceClassSpec{Selectors: []resourcev1.DeviceSelector{
		{CEL: &resourcev1.CELDeviceSelector{Expression: `device.attributes["gpu.example.com"].missing == "x"`}},
	}}}
	held := &resourcev1.ResourceClaim{ObjectMeta: metav1.ObjectMeta{Namespace: "ml", Name: "held"}, Status: resourcev1.ResourceClaimStatus{
		Allocation: &resourcev1.AllocationResult{Devices: resourcev1.DeviceAllocationResult{Results: []resourcev1.DeviceRequestAllocationResult{
			{Request: "gpu", Driver: "gpu.example.com", Pool: "a", Device: "gpu-0"},
		}}},
	}}
	named := func(name string) *corev1.Node { return &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name}} }
	e := startDevices(t, named("a"), named("b"), named("c"), gpuClass(), broken, held, updated,
		aSlice("a", aDevice("gpu-0", "gpu"), aDevice("gpu-1", "gpu"), tainted, aDevice("nic-0", "nic")))
	got, err := Devices(t.Context(), e, []*model.Node{{Name: "a", Object: named("a")}, {Name: "b", Object: named("b")}, {Name: "c", Object: named("c")}})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]map[string]model.DeviceCount{
		"a": {"gpu": {Free: 1, Total: 3}, "broken": {Unknown: true}},
		"b": {"gpu": {Unknown: true}, "broken": {Unknown: true}},
		"c": {},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestNoDevicesAreCountedWithoutADeviceClass(t *testing.T) {
	got, err := Devices(t.Context(), startDevices(t, aSlice("a", aDevice("gpu-0", "gpu"))), []*model.Node{{Name: "a", Object: &corev1.Node{}}})
	if err != nil || got != nil {
		t.Errorf("%v, %v", got, err)
	}
}
