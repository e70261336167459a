package plugins

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/dynamic-resource-allocation/cel"
	"k8s.io/dynamic-resource-allocation/structured"
	"k8s.io/utils/ptr"

	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
)

// quantities are amounts by counter set and counter.
type quantities map[string]resource.Quantity

// devicePool is what a driver offers on one node from one of its pools.
type devicePool struct {
	driver, name string
	devices      []seenDevice
	counters     quantities // what is left of the pool's shared counters
	wrong        string     // why none of its devices can be allocated
}

// seenDevice is a device that a node has access to.
type seenDevice struct {
	*resourcev1.Device
	slice *resourcev1.ResourceSlice
}

// poolKey is a pool of one driver.
type poolKey struct{ driver, name string }

// sort parts the slices by where they are looked for.
func (d *desk) sort() {
	all, err := d.q.DRA.ResourceSlices().ListWithDeviceTaintRules()
	if err != nil {
		return
	}
	all = slices.Clone(all)
	slices.SortFunc(all, func(a, b *resourcev1.ResourceSlice) int { return strings.Compare(a.Name, b.Name) })
	for _, slice := range all {
		key := poolKey{slice.Spec.Driver, slice.Spec.Pool.Name}
		d.byPool[key] = append(d.byPool[key], slice)
		if name := slice.Spec.NodeName; name != nil {
			d.onNode[*name] = append(d.onNode[*name], slice)
			continue
		}
		d.shared = append(d.shared, slice)
	}
}

// poolsOf are the pools that node has access to, by driver and name. Slices of
// an older generation than the newest that the node sees are passed over.
func (d *desk) poolsOf(node *corev1.Node) []devicePool {
	if known, ok := d.pools[node.Name]; ok {
		return known
	}
	slicesOf := map[poolKey][]*resourcev1.ResourceSlice{}
	for _, slice := range slices.Concat(d.onNode[node.Name], d.shared) {
		if !d.sliceReaches(slice, node) {
			continue
		}
		key := poolKey{slice.Spec.Driver, slice.Spec.Pool.Name}
		before := slicesOf[key]
		switch {
		case len(before) > 0 && before[0].Spec.Pool.Generation > slice.Spec.Pool.Generation:
		case len(before) > 0 && before[0].Spec.Pool.Generation < slice.Spec.Pool.Generation:
			slicesOf[key] = []*resourcev1.ResourceSlice{slice}
		default:
			slicesOf[key] = append(before, slice)
		}
	}
	var pools []devicePool
	for key, here := range slicesOf {
		pool := devicePool{driver: key.driver, name: key.name}
		if d.fill(&pool, here, node) {
			pools = append(pools, pool)
		}
	}
	slices.SortFunc(pools, func(a, b devicePool) int {
		return cmp.Or(strings.Compare(a.driver, b.driver), strings.Compare(a.name, b.name))
	})
	d.pools[node.Name] = pools
	return pools
}

// fill notes the devices of a pool's slices that node sees; false if the pool is
// replaced by a newer generation that the node sees nothing of.
func (d *desk) fill(pool *devicePool, here []*resourcev1.ResourceSlice, node *corev1.Node) bool {
	generation, wanted := here[0].Spec.Pool.Generation, here[0].Spec.Pool.ResourceSliceCount
	var whole []*resourcev1.ResourceSlice
	newer := false
	for _, slice := range d.byPool[poolKey{pool.driver, pool.name}] {
		newer = newer || slice.Spec.Pool.Generation > generation
		if slice.Spec.Pool.Generation == generation {
			whole = append(whole, slice)
		}
	}
	if int64(len(here)) != wanted {
		switch {
		case newer:
			return false
		case int64(len(whole)) != wanted:
			pool.wrong = fmt.Sprintf("is being updated: %d of its %s exist", len(whole), grammar.Plural(int(wanted), "slice"))
			return true
		}
	}
	if d.features.PartitionableDevices {
		if pool.wrong = invalid(whole); pool.wrong != "" {
			return true
		}
	}
	for _, slice := range here {
		for i := range slice.Spec.Devices {
			seen := seenDevice{&slice.Spec.Devices[i], slice}
			if ptr.Deref(slice.Spec.PerDeviceNodeSelection, false) &&
				!d.reaches(node, ptr.Deref(seen.NodeName, ""), ptr.Deref(seen.AllNodes, false), seen.NodeSelector) {
				continue
			}
			if d.features.DeviceBindingAndStatus || len(seen.BindingConditions) == 0 {
				pool.devices = append(pool.devices, seen)
			}
		}
	}
	pool.counters = d.countersLeft(whole)
	return true
}

// invalid is why the scheduler takes nothing from a pool.
func invalid(pool []*resourcev1.ResourceSlice) string {
	counters, names := map[string]bool{}, map[string]bool{}
	for _, slice := range pool {
		for _, set := range slice.Spec.SharedCounters {
			for name := range set.Counters {
				counters[set.Name+"/"+name] = true
			}
		}
	}
	for _, slice := range pool {
		for _, device := range slice.Spec.Devices {
			if names[device.Name] {
				return fmt.Sprintf("is invalid: two devices are named %s", device.Name)
			}
			names[device.Name] = true
			for _, consumption := range device.ConsumesCounters {
				for _, name := range slices.Sorted(maps.Keys(consumption.Counters)) {
					if !counters[consumption.CounterSet+"/"+name] {
						return fmt.Sprintf("is invalid: device %s needs counter %s/%s, which does not exist", device.Name, consumption.CounterSet, name)
					}
				}
			}
		}
	}
	return ""
}

// countersLeft is what the allocated devices of a pool leave of its counters.
func (d *desk) countersLeft(pool []*resourcev1.ResourceSlice) quantities {
	left := quantities{}
	for _, slice := range pool {
		for _, set := range slice.Spec.SharedCounters {
			for name, counter := range set.Counters {
				left[set.Name+"/"+name] = counter.Value.DeepCopy()
			}
		}
	}
	for _, slice := range pool {
		for _, device := range slice.Spec.Devices {
			if len(d.holders[slice.Spec.Driver+"/"+slice.Spec.Pool.Name+"/"+device.Name]) == 0 {
				continue
			}
			for _, consumption := range device.ConsumesCounters {
				for name, used := range consumption.Counters {
					key := consumption.CounterSet + "/" + name
					if rest, ok := left[key]; ok {
						rest.Sub(used.Value)
						left[key] = rest
					}
				}
			}
		}
	}
	return left
}

// sliceReaches says whether node has access to some device of slice.
func (d *desk) sliceReaches(slice *resourcev1.ResourceSlice, node *corev1.Node) bool {
	if ptr.Deref(slice.Spec.PerDeviceNodeSelection, false) {
		return slices.ContainsFunc(slice.Spec.Devices, func(device resourcev1.Device) bool {
			return d.reaches(node, ptr.Deref(device.NodeName, ""), ptr.Deref(device.AllNodes, false), device.NodeSelector)
		})
	}
	if slice.Spec.NodeName != nil {
		return *slice.Spec.NodeName == node.Name
	}
	return d.reaches(node, "", ptr.Deref(slice.Spec.AllNodes, false), slice.Spec.NodeSelector)
}

func (d *desk) reaches(node *corev1.Node, name string, all bool, selector *corev1.NodeSelector) bool {
	matches, err := structured.NodeMatches(d.features, node, name, all, selector)
	return err == nil && matches
}

// DeviceCount is how many devices of a DeviceClass a node has access to, and how many of
// them a claim that tolerates no taint could get now.
type DeviceCount struct {
	Free, Total int
	// Unknown: a pool of the node is being updated or is invalid, or a selector of the class
	// cannot be evaluated.
	Unknown bool
}

// DeviceCounter counts devices as the allocator looks at them: one by one, without what
// requests of one claim take from each other.
type DeviceCounter struct {
	desk    *desk
	classes []*resourcev1.DeviceClass
}

// NewDeviceCounter lists classes, slices and claims; it counts those later without looking
// at the state again.
func NewDeviceCounter(q *Question) (*DeviceCounter, error) {
	classes, err := q.DRA.DeviceClasses().List()
	if err != nil {
		return nil, err
	}
	return &DeviceCounter{deskOf(q), classes}, nil
}

// Classes reports whether there is a DeviceClass at all.
func (c *DeviceCounter) Classes() bool { return len(c.classes) > 0 }

// On counts the devices of a node by DeviceClass. A class of which it has none is left out.
func (c *DeviceCounter) On(node *corev1.Node) map[string]DeviceCount {
	counts := map[string]DeviceCount{}
	for _, pool := range c.desk.poolsOf(node) {
		for _, class := range c.classes {
			count := counts[class.Name]
			count.Unknown = count.Unknown || pool.wrong != ""
			for _, seen := range pool.devices {
				c.add(&count, class, seen, pool, node)
			}
			if count != (DeviceCount{}) {
				counts[class.Name] = count
			}
		}
	}
	return counts
}

// add counts a device that is of the class.
func (c *DeviceCounter) add(count *DeviceCount, class *resourcev1.DeviceClass, seen seenDevice, pool devicePool, node *corev1.Node) {
	matches, err := c.desk.selects(class.Spec.Selectors, seen)
	switch {
	case err != nil:
		count.Unknown = true
	case !matches:
	default:
		count.Total++
		if c.desk.blocked(deviceWant{class: class.Name, count: 1}, seen, pool, node) == "" {
			count.Free++
		}
	}
}

// selects reports whether all selectors match a device. An error of one ends an allocation.
func (d *desk) selects(selectors []resourcev1.DeviceSelector, seen seenDevice) (bool, error) {
	for _, selector := range selectors {
		if selector.CEL == nil {
			continue
		}
		compiled := d.cel.GetOrCompile(selector.CEL.Expression)
		if compiled.Error != nil {
			return false, compiled.Error
		}
		matches, _, err := compiled.DeviceMatches(context.Background(), cel.Device{
			Driver: seen.slice.Spec.Driver, AllowMultipleAllocations: seen.AllowMultipleAllocations,
			Attributes: seen.Attributes, Capacity: seen.Capacity,
		})
		if err != nil || !matches {
			return false, err
		}
	}
	return true, nil
}
