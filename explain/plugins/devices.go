package plugins

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"
	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/dynamic-resource-allocation/cel"
	"k8s.io/dynamic-resource-allocation/resourceclaim"
	"k8s.io/dynamic-resource-allocation/structured"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/dynamicresources"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/feature"
	"k8s.io/utils/ptr"

	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
)

// expressionWidth is how much of a selector's expression a sentence quotes.
const expressionWidth = 80

// deviceWant is one request for devices.
type deviceWant struct {
	of          string // "claim data/gpu", "resource example.com/gpu"
	request     string // "" where of says it all
	class       string
	selectors   []resourcev1.DeviceSelector
	all         bool
	count       int64
	admin       bool
	tolerations []resourcev1.DeviceToleration
	capacity    *resourcev1.CapacityRequirements
}

func (w deviceWant) name() string {
	if w.request == "" {
		return w.of
	}
	return "request " + w.request + " of " + w.of
}

// claimWants are the requests of claim, each with its alternatives.
func claimWants(claim *resourcev1.ResourceClaim) [][]deviceWant {
	of := "claim " + claim.Namespace + "/" + claim.Name
	var wants [][]deviceWant
	for _, request := range claim.Spec.Devices.Requests {
		if exactly := request.Exactly; exactly != nil {
			wants = append(wants, []deviceWant{{
				of: of, request: request.Name, class: exactly.DeviceClassName, selectors: exactly.Selectors,
				all: exactly.AllocationMode == resourcev1.DeviceAllocationModeAll, count: exactly.Count,
				admin: ptr.Deref(exactly.AdminAccess, false), tolerations: exactly.Tolerations, capacity: exactly.Capacity,
			}})
			continue
		}
		var alternatives []deviceWant
		for _, sub := range request.FirstAvailable {
			alternatives = append(alternatives, deviceWant{
				of: of, request: request.Name + "/" + sub.Name, class: sub.DeviceClassName, selectors: sub.Selectors,
				all: sub.AllocationMode == resourcev1.DeviceAllocationModeAll, count: sub.Count,
				tolerations: sub.Tolerations, capacity: sub.Capacity,
			})
		}
		if len(alternatives) > 0 {
			wants = append(wants, alternatives)
		}
	}
	return wants
}

// desk looks at devices one by one, as far as that goes: what the requests take
// from each other is the allocator's business.
type desk struct {
	q        *Question
	features structured.Features
	cel      *cel.Cache
	onNode   map[string][]*resourcev1.ResourceSlice // of one node alone
	shared   []*resourcev1.ResourceSlice            // of nodes by other means
	byPool   map[poolKey][]*resourcev1.ResourceSlice
	holders  map[string][]deviceHolder // by device
	verdicts map[verdictKey]string
	pools    map[string][]devicePool // by node
}

// deviceHolder is a claim that a device is allocated to.
type deviceHolder struct {
	claim  string
	shared bool
	result resourcev1.DeviceRequestAllocationResult
}

type verdictKey struct {
	device *resourcev1.Device
	want   string
}

func deskOf(q *Question) *desk {
	type deskKey struct{}
	return remember(q, deskKey{}, func() *desk {
		gates := feature.NewSchedulerFeaturesFromGates(utilfeature.DefaultFeatureGate)
		d := &desk{
			q: q, features: dynamicresources.AllocatorFeatures(gates),
			cel: cel.NewCache(10, cel.Features{
				EnableConsumableCapacity: gates.EnableDRAConsumableCapacity, EnableListTypeAttributes: gates.EnableDRAListTypeAttributes,
			}),
			holders: map[string][]deviceHolder{}, verdicts: map[verdictKey]string{}, pools: map[string][]devicePool{},
			onNode: map[string][]*resourcev1.ResourceSlice{}, byPool: map[poolKey][]*resourcev1.ResourceSlice{},
		}
		d.sort()
		claims, _ := q.DRA.ResourceClaims().List()
		for _, claim := range claims {
			d.hold(claim)
		}
		for _, holders := range d.holders { // drivers and old schedulers may have given a device twice
			slices.SortFunc(holders, func(a, b deviceHolder) int { return strings.Compare(a.claim, b.claim) })
		}
		return d
	})
}

// hold notes the devices that are allocated to claim; admin access takes none.
func (d *desk) hold(claim *resourcev1.ResourceClaim) {
	if claim.Status.Allocation == nil {
		return
	}
	for _, result := range claim.Status.Allocation.Devices.Results {
		if ptr.Deref(result.AdminAccess, false) {
			continue
		}
		id := result.Driver + "/" + result.Pool + "/" + result.Device
		d.holders[id] = append(d.holders[id], deviceHolder{
			claim: claim.Namespace + "/" + claim.Name, shared: d.features.ConsumableCapacity && result.ShareID != nil, result: result,
		})
	}
}

// short is the reason of a request that node has too few devices for, whichever
// alternative is taken.
func (d *desk) short(alternatives []deviceWant, node *corev1.Node) (Reason, bool) {
	var tallies []deviceTally
	for _, want := range alternatives {
		tally := d.tally(want, node)
		if tally.enough() {
			return Reason{}, false
		}
		tallies = append(tallies, tally)
	}
	var kinds, shorts []string
	for _, tally := range tallies {
		kinds = append(kinds, fmt.Sprintf("not enough %s devices for %s", tally.want.class, tally.want.name()))
		if said := tally.short(); !slices.Contains(shorts, said) {
			shorts = append(shorts, said)
		}
	}
	return Reason{kind: strings.Join(kinds, ", or "), short: strings.Join(shorts, ", or "), What: func() string {
		var all []string
		for _, tally := range tallies {
			all = append(all, tally.sentence())
		}
		return strings.Join(all, "; or ")
	}}, true
}

// deviceTally sorts the devices of a node by what they are for one request.
type deviceTally struct {
	want    deviceWant
	total   int // devices of the node
	matches int // of the class and as the selectors want
	free    int
	open    []string            // pools that are being updated
	reasons []string            // as first met
	devices map[string][]string // by reason
}

func (d *desk) tally(want deviceWant, node *corev1.Node) deviceTally {
	t := deviceTally{want: want, devices: map[string][]string{}}
	for _, pool := range d.poolsOf(node) {
		if pool.wrong != "" {
			t.open = append(t.open, fmt.Sprintf("pool %s of %s %s", pool.name, pool.driver, pool.wrong))
			continue
		}
		for _, seen := range pool.devices {
			t.total++
			why := d.mismatch(want, seen)
			if why == "" {
				t.matches++
				why = d.blocked(want, seen, pool, node)
			}
			if why == "" {
				t.free++
				continue
			}
			if t.devices[why] == nil {
				t.reasons = append(t.reasons, why)
			}
			t.devices[why] = append(t.devices[why], seen.Name)
		}
	}
	return t
}

func (t deviceTally) enough() bool {
	if t.want.all {
		return t.matches > 0 && t.free == t.matches && len(t.open) == 0
	}
	return int64(t.free) >= t.want.count
}

// short is the clause: "1 of 2 gpu.example.com devices free for claim data/gpu".
func (t deviceTally) short() string {
	switch {
	case t.matches == 0:
		return fmt.Sprintf("no %s device for %s", t.want.class, t.want.of)
	case t.want.all:
		return fmt.Sprintf("%d of all %d %s devices free for %s", t.free, t.matches, t.want.class, t.want.of)
	case t.free == 0:
		return fmt.Sprintf("no %s device free for %s", t.want.class, t.want.of)
	}
	return fmt.Sprintf("%d of %d %s devices free for %s", t.free, t.want.count, t.want.class, t.want.of)
}

// sentence goes through the devices.
func (t deviceTally) sentence() string {
	wanted := grammar.Plural(int(t.want.count), "device")
	if t.want.all {
		wanted = "all devices"
	}
	said := fmt.Sprintf("%s needs %s of class %s", t.want.name(), wanted, t.want.class)
	var all []string
	if t.total == 0 && len(t.open) == 0 {
		return said + ", and no driver publishes any for this node"
	}
	if t.total > 0 {
		all = append(all, fmt.Sprintf("%d free of %s on the node", t.free, grammar.Plural(t.total, "device")))
	}
	for _, why := range t.reasons {
		all = append(all, why+": "+grammar.List(t.devices[why], grammar.Many))
	}
	return said + ": " + strings.Join(append(all, t.open...), "; ")
}

// mismatch is why the device is not what the request is about.
func (d *desk) mismatch(want deviceWant, seen seenDevice) string {
	key := verdictKey{seen.Device, want.name()}
	why, ok := d.verdicts[key]
	if !ok {
		why = d.unselected(want, seen)
		d.verdicts[key] = why
	}
	return why
}

func (d *desk) unselected(want deviceWant, seen seenDevice) string {
	class, err := d.q.DRA.DeviceClasses().Get(want.class)
	if err != nil {
		return "" // the plugin fails, and does not refuse
	}
	if d.fails(class.Spec.Selectors, seen) != "" {
		return "not of class " + want.class
	}
	if expression := d.fails(want.selectors, seen); expression != "" {
		return "not " + ansi.Truncate(strings.Join(strings.Fields(expression), " "), expressionWidth, "…")
	}
	if want.capacity == nil || !d.features.ConsumableCapacity {
		return ""
	}
	for _, name := range slices.Sorted(maps.Keys(want.capacity.Requests)) {
		wanted := want.capacity.Requests[name]
		capacity, ok := seen.Capacity[name]
		if !ok {
			return fmt.Sprintf("has no capacity %s", name)
		}
		if capacity.Value.Cmp(wanted) < 0 {
			return fmt.Sprintf("capacity %s is %s, %s needed", name, capacity.Value.String(), wanted.String())
		}
	}
	return ""
}

// fails is the first expression that does not hold for the device.
func (d *desk) fails(selectors []resourcev1.DeviceSelector, seen seenDevice) string {
	for _, selector := range selectors {
		if selector.CEL == nil {
			continue
		}
		compiled := d.cel.GetOrCompile(selector.CEL.Expression)
		if compiled.Error != nil {
			continue // the plugin fails, and does not refuse
		}
		matches, _, err := compiled.DeviceMatches(context.Background(), cel.Device{
			Driver: seen.slice.Spec.Driver, AllowMultipleAllocations: seen.AllowMultipleAllocations,
			Attributes: seen.Attributes, Capacity: seen.Capacity,
		})
		if err == nil && !matches {
			return selector.CEL.Expression
		}
	}
	return ""
}

// blocked is why a device that matches cannot be allocated.
func (d *desk) blocked(want deviceWant, seen seenDevice, pool devicePool, node *corev1.Node) string {
	if d.features.OptionalNodeOperations && len(seen.slice.Spec.SkipNodeOperations) > 0 && !takesOptionalOperations(node) {
		return "needs node feature " + optionalOperations
	}
	id := pool.driver + "/" + pool.name + "/" + seen.Name
	if !want.admin {
		for _, by := range d.holders[id] {
			if !by.shared {
				return "allocated to claim " + by.claim
			}
		}
	}
	if d.features.DeviceTaints {
		for _, taint := range seen.Taints {
			if taint.Effect != resourcev1.DeviceTaintEffectNoSchedule && taint.Effect != resourcev1.DeviceTaintEffectNoExecute {
				continue
			}
			tolerated := func(t resourcev1.DeviceToleration) bool { return resourceclaim.ToleratesTaint(t, taint) }
			if !slices.ContainsFunc(want.tolerations, tolerated) {
				return fmt.Sprintf("untolerated taint %s=%s:%s", taint.Key, taint.Value, taint.Effect)
			}
		}
	}
	if why := d.usedUp(want, seen, id); why != "" {
		return why
	}
	return d.countersShort(seen, pool, id)
}

// usedUp is why a device that claims share has too little left.
func (d *desk) usedUp(want deviceWant, seen seenDevice, id string) string {
	if want.capacity == nil || !d.features.ConsumableCapacity {
		return ""
	}
	for _, name := range slices.Sorted(maps.Keys(want.capacity.Requests)) {
		wanted := want.capacity.Requests[name]
		left := seen.Capacity[name].Value.DeepCopy()
		var claims []string
		for _, by := range d.holders[id] {
			if used, ok := by.result.ConsumedCapacity[name]; ok && by.shared {
				left.Sub(used)
				claims = append(claims, by.claim)
			}
		}
		if left.Cmp(wanted) < 0 {
			return fmt.Sprintf("capacity %s: %s left, %s needed, shared with claim %s", name, left.String(), wanted.String(), grammar.List(claims, grammar.Few))
		}
	}
	return ""
}

// countersShort is why the parts of a device that others are made of too do not
// suffice. A further share of a device that is in use needs none.
func (d *desk) countersShort(seen seenDevice, pool devicePool, id string) string {
	if !d.features.PartitionableDevices || (ptr.Deref(seen.AllowMultipleAllocations, false) && len(d.holders[id]) > 0) {
		return ""
	}
	for _, consumption := range seen.ConsumesCounters {
		for _, name := range slices.Sorted(maps.Keys(consumption.Counters)) {
			needed := consumption.Counters[name]
			left, known := pool.counters[consumption.CounterSet+"/"+name]
			if known && left.Cmp(needed.Value) < 0 {
				return fmt.Sprintf("counter %s/%s: %s left, %s needed", consumption.CounterSet, name, left.String(), needed.Value.String())
			}
		}
	}
	return ""
}
