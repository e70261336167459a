package random

import (
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// The drivers of devices; each has a DeviceClass of its name.
const (
	gpuDriver  = "gpu.example"
	nicDriver  = "nic.example"
	fpgaDriver = "fpga.example"
)

// FPGA is the extended resource that devices of a class stand for.
const FPGA = "example.com/fpga"

// addDevices adds classes, devices on some nodes, claims and templates.
func (c *Cluster) addDevices() {
	for _, driver := range []string{gpuDriver, nicDriver, fpgaDriver} {
		class := &resourcev1.DeviceClass{ObjectMeta: metav1.ObjectMeta{Name: driver}, Spec: resourcev1.DeviceClassSpec{
			Selectors: selectors(fmt.Sprintf("device.driver == %q", driver)),
		}}
		if driver == fpgaDriver {
			class.Spec.ExtendedResourceName = new(FPGA)
		}
		c.others = append(c.others, class)
	}
	for _, node := range c.Nodes {
		if c.one(2) {
			c.addSlice(gpuDriver, node.Name, 1+c.rand.IntN(4))
		}
		if c.one(2) {
			c.addSlice(nicDriver, node.Name, 1+c.rand.IntN(2))
		}
		if c.one(4) {
			c.addSlice(fpgaDriver, node.Name, 1)
		}
	}
	zonal := c.addSlice(nicDriver, "", 2)
	zonal.Spec.NodeName, zonal.Spec.NodeSelector = nil, &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{in(zoneLabel, "a")}}
	c.others = append(c.others, &resourcev1.DeviceTaintRule{ObjectMeta: metav1.ObjectMeta{Name: c.prefix}, Spec: resourcev1.DeviceTaintRuleSpec{
		DeviceSelector: &resourcev1.DeviceTaintSelector{Driver: new(gpuDriver), Pool: new(c.pool(pick(c, c.Nodes...).Name))},
		Taint:          resourcev1.DeviceTaint{Key: "example.com/repair", Effect: resourcev1.DeviceTaintEffectNoSchedule},
	}})
	for _, namespace := range c.namespaces {
		c.addDeviceClaims(namespace)
	}
}

// pool is the pool of a node. Its name is the seed's: the claims of others that
// are left over hold nothing of it.
func (c *Cluster) pool(node string) string { return strings.TrimSuffix(c.prefix+"-"+node, "-") }

// addSlice adds the devices of a driver on a node.
func (c *Cluster) addSlice(driver, node string, count int) *resourcev1.ResourceSlice {
	slice := &resourcev1.ResourceSlice{
		ObjectMeta: metav1.ObjectMeta{Name: driver + "-" + c.pool(node)},
		Spec: resourcev1.ResourceSliceSpec{
			Driver: driver, NodeName: &node, Pool: resourcev1.ResourcePool{Name: c.pool(node), Generation: 1, ResourceSliceCount: 1},
		},
	}
	for i := range count {
		device := resourcev1.Device{
			Name: fmt.Sprintf("%s-%d", strings.TrimSuffix(driver, ".example"), i),
			Attributes: map[resourcev1.QualifiedName]resourcev1.DeviceAttribute{
				"model": {StringValue: new(pick(c, "large", "small", "small"))},
				"numa":  {IntValue: new(int64(i % 2))},
			},
			Capacity: map[resourcev1.QualifiedName]resourcev1.DeviceCapacity{"memory": {Value: resource.MustParse(pick(c, "16Gi", "40Gi"))}},
		}
		if driver == gpuDriver && c.one(8) {
			device.Taints = []resourcev1.DeviceTaint{{Key: "example.com/hot", Value: "yes", Effect: resourcev1.DeviceTaintEffectNoSchedule}}
		}
		slice.Spec.Devices = append(slice.Spec.Devices, device)
	}
	c.others = append(c.others, slice)
	return slice
}

// selectors are one selector.
func selectors(expression string) []resourcev1.DeviceSelector {
	return []resourcev1.DeviceSelector{{CEL: &resourcev1.CELDeviceSelector{Expression: expression}}}
}

// Expressions of requests.
const (
	large = `device.attributes["gpu.example"].model == "large"`
	roomy = `device.capacity["gpu.example"].memory.compareTo(quantity("32Gi")) >= 0`
)

// request asks for devices of a class.
func request(name, class string, count int64, expressions ...string) resourcev1.DeviceRequest {
	exactly := &resourcev1.ExactDeviceRequest{DeviceClassName: class, AllocationMode: resourcev1.DeviceAllocationModeExactCount, Count: count}
	for _, expression := range expressions {
		exactly.Selectors = append(exactly.Selectors, selectors(expression)...)
	}
	return resourcev1.DeviceRequest{Name: name, Exactly: exactly}
}

// wishes are what claims ask for, by name.
func wishes() map[string]resourcev1.DeviceClaim {
	all := request("all", gpuDriver, 0)
	all.Exactly.AllocationMode = resourcev1.DeviceAllocationModeAll
	tolerant := request("gpu", gpuDriver, 3)
	tolerant.Exactly.Tolerations = []resourcev1.DeviceToleration{{Operator: resourcev1.DeviceTolerationOpExists}}
	either := resourcev1.DeviceRequest{Name: "gpu", FirstAvailable: []resourcev1.DeviceSubRequest{
		{Name: "large", DeviceClassName: gpuDriver, Selectors: selectors(large), AllocationMode: resourcev1.DeviceAllocationModeExactCount, Count: 1},
		{Name: "small", DeviceClassName: gpuDriver, AllocationMode: resourcev1.DeviceAllocationModeExactCount, Count: 3},
	}}
	numa := resourcev1.FullyQualifiedName("gpu.example/numa")
	of := func(requests ...resourcev1.DeviceRequest) resourcev1.DeviceClaim {
		return resourcev1.DeviceClaim{Requests: requests}
	}
	alike := of(request("gpu", gpuDriver, 2))
	alike.Constraints = []resourcev1.DeviceConstraint{{MatchAttribute: &numa}}
	return map[string]resourcev1.DeviceClaim{
		"gpu":      of(request("gpu", gpuDriver, 1)),
		"pair":     of(request("gpu", gpuDriver, 2)),
		"large":    of(request("gpu", gpuDriver, 1, large)),
		"roomy":    of(request("gpu", gpuDriver, 2, roomy)),
		"nic":      of(request("nic", nicDriver, 1)),
		"both":     of(request("gpu", gpuDriver, 1), request("nic", nicDriver, 2)),
		"all":      of(all),
		"tolerant": of(tolerant),
		"either":   of(either),
		"alike":    alike,
	}
}

// wanted are the names of the wishes.
var wanted = []string{"gpu", "pair", "large", "roomy", "nic", "both", "all", "tolerant", "either", "alike"}

// addDeviceClaims adds a template for each wish, and claims that pods share.
func (c *Cluster) addDeviceClaims(namespace string) {
	all := wishes()
	for _, name := range wanted {
		c.others = append(c.others, &resourcev1.ResourceClaimTemplate{
			ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name},
			Spec:       resourcev1.ResourceClaimTemplateSpec{Spec: resourcev1.ResourceClaimSpec{Devices: all[name]}},
		})
	}
	for name, devices := range map[string]resourcev1.DeviceClaim{
		"shared-gpu": all["large"], "shared-nic": all["nic"],
		"hopeless": {Requests: []resourcev1.DeviceRequest{request("tpu", "tpu.example", 1)}},
	} {
		c.others = append(c.others, &resourcev1.ResourceClaim{
			ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}, Spec: resourcev1.ResourceClaimSpec{Devices: devices},
		})
	}
}
