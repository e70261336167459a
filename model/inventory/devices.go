package inventory

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// DeviceResources are what Devices needs, as RBAC names it.
var DeviceResources = []string{"resourceslices", "resourceclaims", "deviceclasses"}

// The kinds of a Device row.
const (
	PoolKind        = "Pool"
	DeviceClaimKind = "ResourceClaim"
	ClassKind       = "DeviceClass"
)

// Device is the devices of one driver and pool on one node, a ResourceClaim without
// devices, or a DeviceClass with the devices that it selects.
type Device struct {
	Kind      string `json:"kind"`
	Namespace string `json:"namespace"`
	Name      string `json:"name"` // of a claim or a class; of a pool its own
	Driver    string `json:"driver"`
	// Node is where the devices are; "" is not one node.
	Node string `json:"nodeName"`
	// Devices is how many a pool has, as its driver says; nil while not all its slices are
	// there. Of a class it is how many the class selects; nil where that cannot be evaluated, or where
	// not all devices are on one node each. Allocated is how many ResourceClaims hold; nil where claims
	// could not be read.
	Devices   *int `json:"devices"`
	Allocated *int `json:"allocated"`
	// Free is the rest, without those that are Tainted; of a class what a claim without tolerations
	// could get now. It is an estimate where devices are
	// Shared: they share counters, or one can be allocated several times.
	Free    *int `json:"free"`
	Tainted int  `json:"tainted"`
	Shared  bool `json:"shared"`
	// Classes are the DeviceClasses that a claim requests.
	Classes []string `json:"deviceClasses"`
	// Claims and PendingClaims are how many request a class; nil where they could not be read.
	Claims        *int `json:"claims"`
	PendingClaims *int `json:"pendingClaims"`
	// Nodes are those that have access to devices of a class.
	Nodes []DevicesOnNode `json:"nodes,omitempty"`

	Object runtime.Object `json:"-"` // of a pool one of its slices
}

// DevicesOnNode is what a node has of a DeviceClass. Nil is not known: a pool is being updated, or a
// selector cannot be evaluated.
type DevicesOnNode struct {
	Node    string `json:"nodeName"`
	Devices *int   `json:"devices"`
	Free    *int   `json:"free"`
}

// Devices are the claims without devices, then what each driver offers, pool by pool and
// node by node, then the DeviceClasses.
func Devices(o *model.Objects) []Device {
	resourceSlices, _ := model.ListOf[*resourcev1.ResourceSlice](o, "resourceslices")
	claims, unread := model.ListOf[*resourcev1.ResourceClaim](o, "resourceclaims")
	classes, _ := model.ListOf[*resourcev1.DeviceClass](o, "deviceclasses")
	all := pools(resourceSlices, claims, unread == "")
	counts, pending := map[string]int{}, map[string]int{}
	for _, claim := range claims {
		waits := claim.Status.Allocation == nil && claim.DeletionTimestamp == nil
		requested := classesOf(claim)
		for _, class := range requested {
			counts[class]++
			if waits {
				pending[class]++
			}
		}
		if waits {
			all = append(all, Device{Kind: DeviceClaimKind, Namespace: claim.Namespace, Name: claim.Name, Classes: requested, Object: claim})
		}
	}
	for _, class := range classes {
		row := Device{Kind: ClassKind, Name: class.Name, Classes: []string{}, Object: class}
		if unread == "" {
			row.Claims, row.PendingClaims = new(counts[class.Name]), new(pending[class.Name])
			row.selects(o.Devices, resourceSlices)
		}
		all = append(all, row)
	}
	rank := map[string]int{DeviceClaimKind: 0, PoolKind: 1, ClassKind: 2}
	slices.SortFunc(all, func(a, b Device) int {
		return cmp.Or(cmp.Compare(rank[a.Kind], rank[b.Kind]), strings.Compare(a.Namespace, b.Namespace), strings.Compare(a.Node, b.Node),
			strings.Compare(a.Driver, b.Driver), strings.Compare(a.Name, b.Name))
	})
	return all
}

// selects counts the devices that a class selects, by node. A device that several nodes have access to
// would be counted on each, so then there is no sum.
func (d *Device) selects(on map[string]map[string]model.DeviceCount, resourceSlices []*resourcev1.ResourceSlice) {
	for _, node := range slices.Sorted(maps.Keys(on)) {
		count, has := on[node][d.Name]
		switch {
		case !has:
		case count.Unknown:
			d.Nodes = append(d.Nodes, DevicesOnNode{Node: node})
		default:
			d.Nodes = append(d.Nodes, DevicesOnNode{node, new(count.Total), new(count.Free)})
		}
	}
	if len(resourceSlices) > 0 && len(on) == 0 || !areOnNodes(resourceSlices) {
		return // they were not counted, or cannot be added up
	}
	all, free := 0, 0
	for _, n := range d.Nodes {
		if n.Devices == nil {
			return
		}
		all, free = all+*n.Devices, free+*n.Free
	}
	d.Devices, d.Free = &all, &free
}

// areOnNodes reports whether each device is on one node.
func areOnNodes(resourceSlices []*resourcev1.ResourceSlice) bool {
	return !slices.ContainsFunc(resourceSlices, func(s *resourcev1.ResourceSlice) bool {
		return slices.ContainsFunc(s.Spec.Devices, func(d resourcev1.Device) bool { return nodeOf(s, &d) == "" })
	})
}

// classesOf are the DeviceClasses that a claim requests, each once.
func classesOf(claim *resourcev1.ResourceClaim) []string {
	classes := []string{}
	add := func(name string) {
		if name != "" && !slices.Contains(classes, name) {
			classes = append(classes, name)
		}
	}
	for i := range claim.Spec.Devices.Requests {
		request := &claim.Spec.Devices.Requests[i]
		if request.Exactly != nil {
			add(request.Exactly.DeviceClassName)
		}
		for j := range request.FirstAvailable {
			add(request.FirstAvailable[j].DeviceClassName)
		}
	}
	return classes
}

// poolName tells pools apart: each driver has its own.
type poolName struct{ driver, pool string }

// pools are the devices by driver, pool and node. Only slices of a pool's newest generation
// count, and a pool is known once it has as many as they say.
func pools(resourceSlices []*resourcev1.ResourceSlice, claims []*resourcev1.ResourceClaim, claimsKnown bool) []Device {
	newest, there := map[poolName]int64{}, map[poolName]int64{}
	nameOf := func(s *resourcev1.ResourceSlice) poolName { return poolName{s.Spec.Driver, s.Spec.Pool.Name} }
	for _, slice := range resourceSlices {
		newest[nameOf(slice)] = max(newest[nameOf(slice)], slice.Spec.Pool.Generation)
	}
	held := heldDevices(claims)
	type place struct {
		poolName
		node string
	}
	rows := map[place]*Device{}
	counted := map[place]deviceCounts{}
	complete := map[poolName]bool{}
	for _, slice := range resourceSlices {
		name := nameOf(slice)
		if slice.Spec.Pool.Generation != newest[name] {
			continue
		}
		there[name]++
		complete[name] = there[name] == slice.Spec.Pool.ResourceSliceCount
		for i := range slice.Spec.Devices {
			device := &slice.Spec.Devices[i]
			at := place{name, nodeOf(slice, device)}
			if rows[at] == nil {
				rows[at] = &Device{Kind: PoolKind, Name: name.pool, Driver: name.driver, Node: at.node, Classes: []string{}, Object: slice}
			}
			counts := counted[at]
			counts.add(device, held[[3]string{name.driver, name.pool, device.Name}], rows[at])
			counted[at] = counts
		}
	}
	all := make([]Device, 0, len(rows))
	for at, row := range rows {
		if complete[at.poolName] {
			row.Devices = new(counted[at].all)
		}
		if claimsKnown {
			row.Allocated = new(counted[at].held)
		}
		if claimsKnown && complete[at.poolName] {
			row.Free = new(counted[at].free)
		}
		all = append(all, *row)
	}
	return all
}

// deviceCounts count the devices of a pool on a node.
type deviceCounts struct{ all, held, free int }

// add counts a device, and notes on its row what is said of it.
func (c *deviceCounts) add(device *resourcev1.Device, held bool, row *Device) {
	c.all++
	tainted := isTainted(device)
	switch {
	case held:
		c.held++
	case !tainted:
		c.free++
	}
	if tainted {
		row.Tainted++
	}
	several := device.AllowMultipleAllocations != nil && *device.AllowMultipleAllocations
	row.Shared = row.Shared || several || len(device.ConsumesCounters) > 0
}

// nodeOf is the node that a device is on; "" is not one node.
func nodeOf(slice *resourcev1.ResourceSlice, device *resourcev1.Device) string {
	switch {
	case slice.Spec.NodeName != nil:
		return *slice.Spec.NodeName
	case device.NodeName != nil:
		return *device.NodeName
	}
	return ""
}

// heldDevices are the devices that claims hold, by driver, pool and name. Access for
// administration holds none.
func heldDevices(claims []*resourcev1.ResourceClaim) map[[3]string]bool {
	held := map[[3]string]bool{}
	for _, claim := range claims {
		if claim.Status.Allocation == nil {
			continue
		}
		for i := range claim.Status.Allocation.Devices.Results {
			result := &claim.Status.Allocation.Devices.Results[i]
			if result.AdminAccess == nil || !*result.AdminAccess {
				held[[3]string{result.Driver, result.Pool, result.Device}] = true
			}
		}
	}
	return held
}

// isTainted reports whether a claim has to tolerate a taint of the device.
func isTainted(device *resourcev1.Device) bool {
	return slices.ContainsFunc(device.Taints, func(t resourcev1.DeviceTaint) bool {
		return t.Effect == resourcev1.DeviceTaintEffectNoSchedule || t.Effect == resourcev1.DeviceTaintEffectNoExecute
	})
}
