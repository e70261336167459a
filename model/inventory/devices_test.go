package inventory

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// slice is a ResourceSlice of a pool on a node, of a generation with so many slices.
func slice(name, pool, node string, generation, count int64, devices ...resourcev1.Device) *resourcev1.ResourceSlice {
	s := &resourcev1.ResourceSlice{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: resourcev1.ResourceSliceSpec{
			Driver: "gpu.example.com", Pool: resourcev1.ResourcePool{Name: pool, Generation: generation, ResourceSliceCount: count}, Devices: devices,
		},
	}
	if node == "" {
		s.Spec.AllNodes = new(true)
	} else {
		s.Spec.NodeName = &node
	}
	return s
}

func device(name string, change func(*resourcev1.Device)) resourcev1.Device {
	d := resourcev1.Device{Name: name}
	if change != nil {
		change(&d)
	}
	return d
}

// deviceClaim is a claim of a class that holds devices of a pool; none is a pending claim.
func deviceClaim(name, class, pool string, devices ...string) *resourcev1.ResourceClaim {
	c := &resourcev1.ResourceClaim{
		ObjectMeta: metav1.ObjectMeta{Namespace: "dev", Name: name},
		Spec: resourcev1.ResourceClaimSpec{Devices: resourcev1.DeviceClaim{Requests: []resourcev1.DeviceRequest{
			{Name: "gpu", Exactly: &resourcev1.ExactDeviceRequest{DeviceClassName: class}},
		}}},
	}
	if len(devices) > 0 {
		c.Status.Allocation = &resourcev1.AllocationResult{}
		for _, device := range devices {
			c.Status.Allocation.Devices.Results = append(c.Status.Allocation.Devices.Results, resourcev1.DeviceRequestAllocationResult{
				Request: "gpu", Driver: "gpu.example.com", Pool: pool, Device: device,
			})
		}
	}
	return c
}

func deviceClass(name string) *resourcev1.DeviceClass {
	return &resourcev1.DeviceClass{ObjectMeta: metav1.ObjectMeta{Name: name}}
}

// deviceWords are rows in short; ? is not known.
func deviceWords(rows []Device) (words []string) {
	figure := func(n *int) string {
		if n == nil {
			return "?"
		}
		return fmt.Sprint(*n)
	}
	for _, r := range rows {
		switch r.Kind {
		case PoolKind:
			words = append(words, fmt.Sprintf("%s on %q: %s devices, %s allocated, %s free, %d tainted, shared %t", r.Name, r.Node, figure(r.Devices), figure(r.Allocated), figure(r.Free), r.Tainted, r.Shared))
		case DeviceClaimKind:
			words = append(words, fmt.Sprintf("claim %s/%s of %v", r.Namespace, r.Name, r.Classes))
		case ClassKind:
			words = append(words, fmt.Sprintf("class %s: %s claims, %s pending", r.Name, figure(r.Claims), figure(r.PendingClaims)))
		}
	}
	return words
}

func TestDevicesOfPoolsAndWhatClaimsHold(t *testing.T) {
	admin := deviceClaim("admin", "gpu", "n1", "gpu-3")
	admin.Status.Allocation.Devices.Results[0].AdminAccess = new(true)
	either := deviceClaim("either", "", "")
	either.Spec.Devices.Requests[0] = resourcev1.DeviceRequest{Name: "any", FirstAvailable: []resourcev1.DeviceSubRequest{
		{Name: "big", DeviceClassName: "gpu"}, {Name: "small", DeviceClassName: "mig"}, {Name: "least", DeviceClassName: "mig"},
	}}
	o := &model.Objects{Lists: map[string][]runtime.Object{
		"resourceslices": {
			slice("old", "n1", "n1", 1, 1, device("gone", nil)),
			slice("a", "n1", "n1", 2, 2, device("gpu-0", nil), device("gpu-1", nil)),
			slice("b", "n1", "n1", 2, 2, device("gpu-2", func(d *resourcev1.Device) {
				d.Taints = []resourcev1.DeviceTaint{{Key: "broken", Effect: resourcev1.DeviceTaintEffectNoSchedule}}
			}), device("gpu-3", nil)),
			slice("c", "n2", "n2", 1, 2, device("gpu-0", nil)),
			slice("d", "fabric", "", 1, 1, device("nic-0", func(d *resourcev1.Device) { d.AllowMultipleAllocations = new(true) })),
		},
		"resourceclaims": {deviceClaim("holds", "gpu", "n1", "gpu-0"), deviceClaim("waits", "gpu", ""), admin, either},
		"deviceclasses":  {deviceClass("gpu"), deviceClass("mig"), deviceClass("unused")},
	}}
	want := []string{
		"claim dev/either of [gpu mig]", "claim dev/waits of [gpu]",
		`fabric on "": 1 devices, 0 allocated, 1 free, 0 tainted, shared true`,
		`n1 on "n1": 4 devices, 1 allocated, 2 free, 1 tainted, shared false`,
		`n2 on "n2": ? devices, 0 allocated, ? free, 0 tainted, shared false`,
		"class gpu: 4 claims, 2 pending", "class mig: 1 claims, 1 pending", "class unused: 0 claims, 0 pending",
	}
	if diff := cmp.Diff(want, deviceWords(Devices(o))); diff != "" {
		t.Error(diff)
	}
	delete(o.Lists, "resourceclaims")
	want = []string{
		`fabric on "": 1 devices, ? allocated, ? free, 0 tainted, shared true`,
		`n1 on "n1": 4 devices, ? allocated, ? free, 1 tainted, shared false`,
		`n2 on "n2": ? devices, ? allocated, ? free, 0 tainted, shared false`,
		"class gpu: ? claims, ? pending", "class mig: ? claims, ? pending", "class unused: ? claims, ? pending",
	}
	if diff := cmp.Diff(want, deviceWords(Devices(o))); diff != "" {
		t.Errorf("without claims: %s", diff)
	}
}

func TestDevicesThatAClassSelectsByNode(t *testing.T) {
	o := &model.Objects{
		Lists: map[string][]runtime.Object{
			"resourceslices": {slice("a", "n1", "n1", 1, 1, device("gpu-0", nil)), slice("b", "n2", "n2", 1, 1, device("gpu-0", nil))},
			"resourceclaims": {}, "deviceclasses": {deviceClass("gpu"), deviceClass("unused")},
		},
		Devices: map[string]map[string]model.DeviceCount{"n2": {"gpu": {Free: 1, Total: 4}}, "n1": {"gpu": {Free: 2, Total: 4}}, "n3": {}},
	}
	class := func() (gpu, unused Device) {
		rows := Devices(o)
		return rows[len(rows)-2], rows[len(rows)-1]
	}
	gpu, unused := class()
	want := []DevicesOnNode{{"n1", new(4), new(2)}, {"n2", new(4), new(1)}}
	if diff := cmp.Diff(want, gpu.Nodes); diff != "" || *gpu.Devices != 8 || *gpu.Free != 3 {
		t.Errorf("%d of %d free: %s", *gpu.Free, *gpu.Devices, diff)
	}
	if unused.Devices == nil || *unused.Devices != 0 || unused.Nodes != nil {
		t.Errorf("a class that selects nothing: %+v", unused)
	}
	o.Devices["n2"]["gpu"] = model.DeviceCount{Unknown: true}
	if gpu, _ := class(); gpu.Devices != nil || gpu.Free != nil || gpu.Nodes[1].Free != nil || *gpu.Nodes[0].Free != 2 {
		t.Errorf("a node that could not be counted: %+v", gpu)
	}
	o.Devices["n2"]["gpu"] = model.DeviceCount{Free: 1, Total: 4}
	o.Lists["resourceslices"] = append(o.Lists["resourceslices"], slice("c", "fabric", "", 1, 1, device("nic-0", nil)))
	if gpu, _ := class(); gpu.Devices != nil || gpu.Free != nil || len(gpu.Nodes) != 2 {
		t.Errorf("devices of several nodes are added up: %+v", gpu)
	}
	o.Devices = nil
	if gpu, unused := class(); gpu.Devices != nil || unused.Free != nil || gpu.Nodes != nil {
		t.Errorf("devices that were not counted: %+v", gpu)
	}
}
