package ui

import (
	"fmt"
	"strings"
	"testing"

	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// withDevices is prod-eu with a driver of GPUs on two nodes, one of which has a tainted one
// and one not all of its slices, devices of a fabric, and a pending claim.
func withDevices(s *model.Snapshot) *fakeCluster {
	slice := func(driver, pool string, slices int64, devices ...resourcev1.Device) *resourcev1.ResourceSlice {
		made := &resourcev1.ResourceSlice{
			ObjectMeta: metav1.ObjectMeta{Name: pool + "-" + driver},
			Spec:       resourcev1.ResourceSliceSpec{Driver: driver, Pool: resourcev1.ResourcePool{Name: pool, ResourceSliceCount: slices}, Devices: devices},
		}
		if pool == "fabric" {
			made.Spec.AllNodes = new(true)
		} else {
			made.Spec.NodeName = &pool
		}
		return made
	}
	claim := func(name string, devices ...string) *resourcev1.ResourceClaim {
		made := &resourcev1.ResourceClaim{
			ObjectMeta: metav1.ObjectMeta{Namespace: "ml", Name: name},
			Spec: resourcev1.ResourceClaimSpec{Devices: resourcev1.DeviceClaim{Requests: []resourcev1.DeviceRequest{
				{Name: "gpu", Exactly: &resourcev1.ExactDeviceRequest{DeviceClassName: "gpu.nvidia.com"}},
			}}},
		}
		if len(devices) > 0 {
			made.Status.Allocation = &resourcev1.AllocationResult{}
		}
		for _, device := range devices {
			made.Status.Allocation.Devices.Results = append(made.Status.Allocation.Devices.Results,
				resourcev1.DeviceRequestAllocationResult{Driver: "gpu.nvidia.com", Pool: "gpu-a-01", Device: device})
		}
		return made
	}
	broken := resourcev1.Device{Name: "gpu-3", Taints: []resourcev1.DeviceTaint{{Key: "ecc", Effect: resourcev1.DeviceTaintEffectNoExecute}}}
	return &fakeCluster{reports: verdictsOf(s), objects: map[string][]runtime.Object{
		"resourceslices": {
			slice("gpu.nvidia.com", "gpu-a-01", 1, resourcev1.Device{Name: "gpu-0"}, resourcev1.Device{Name: "gpu-1"}, resourcev1.Device{Name: "gpu-2"}, broken),
			slice("gpu.nvidia.com", "gpu-b-01", 2, resourcev1.Device{Name: "gpu-0"}),
			slice("nic.example.com", "fabric", 1, resourcev1.Device{Name: "nic-0", AllowMultipleAllocations: new(true)}),
		},
		"resourceclaims": {claim("train-0", "gpu-0", "gpu-1"), claim("notebook")},
		"deviceclasses":  {&resourcev1.DeviceClass{ObjectMeta: metav1.ObjectMeta{Name: "gpu.nvidia.com"}}},
	}}
}

func TestDevicesScreen(t *testing.T) {
	for _, size := range []struct{ width, height int }{{80, 24}, {120, 40}} {
		t.Run(fmt.Sprintf("%dx%d", size.width, size.height), func(t *testing.T) {
			s := newProdEU().snapshot()
			app := newTestAppWith(t, size.width, size.height, s, withDevices(s), nil)
			runPalette(t, app, "devices")
			requireScreen(t, app)
		})
	}
}

func TestDevicesWithoutTheRightToListClaims(t *testing.T) {
	s := newProdEU().snapshot()
	c := withDevices(s)
	c.unread = map[string]string{"resourceclaims": "not allowed to list resourceclaims"}
	app := newTestAppWith(t, 80, 24, s, c, nil)
	runPalette(t, app, "devices")
	requireScreen(t, app)
}

func TestDevicesOfWhichNoneIsKnown(t *testing.T) {
	s := newProdEU().snapshot()
	c := withDevices(s)
	c.objects["resourceslices"], c.objects["resourceclaims"] = c.objects["resourceslices"][1:2], nil
	c.unread = map[string]string{"deviceclasses": "not allowed to list deviceclasses"}
	app := newTestAppWith(t, 140, 24, s, c, nil)
	runPalette(t, app, "devices")
	want := "How many devices are free is unknown: slices of 1 pool are missing. DeviceClasses are unknown: not allowed to list deviceclasses."
	if got := app.history.top().Answer(140); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestNodesHasAColumnForEachDeviceClass has two classes of GPUs, one of them of a node whose
// pool is being updated, and a class of which no node has a device.
func TestNodesHasAColumnForEachDeviceClass(t *testing.T) {
	s := newProdEU().snapshot()
	c := withDevices(s)
	c.devices = map[string]map[string]model.DeviceCount{
		"gpu-a-01": {"gpu.nvidia.com": {Free: 1, Total: 4}, "nic.example.com": {Free: 2, Total: 2}},
		"gpu-b-01": {"gpu.nvidia.com": {Unknown: true}, "nic.example.com": {Free: 0, Total: 2}},
		"std-a-01": {},
	}
	app := newTestAppWith(t, 120, 40, s, c, nil)
	press(t, app, "3")
	requireScreen(t, app)
	if got := screenRow(app, 4); !strings.Contains(got, "GPU FREE  NIC FREE") {
		t.Errorf("the heads are %q", got)
	}
}

func TestDeviceClassesThatBeginAlikeHaveTheirWholeNameAsHead(t *testing.T) {
	s := newProdEU().snapshot()
	c := withDevices(s)
	c.devices = map[string]map[string]model.DeviceCount{"gpu-a-01": {"gpu.nvidia.com": {Free: 1, Total: 4}, "gpu.amd.com": {Free: 2, Total: 2}}}
	app := newTestAppWith(t, 160, 40, s, c, func(o *Options) { o.NoPreview = true })
	press(t, app, "3")
	if got := screenRow(app, 4); !strings.Contains(got, "GPU.AMD.COM FREE  GPU.NVIDIA.COM FREE") {
		t.Errorf("the heads are %q", got)
	}
}
