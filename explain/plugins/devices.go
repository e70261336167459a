package plugins

import (
	"context"
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strconv"
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
	resource    corev1.ResourceName
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
	device      *resourcev1.Device
	want, class string
}

func deskOf(q *Question) *desk {
	type deskKey struct{}
	return Remember(q, deskKey{}, func() *desk {
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
	share := 1.0
	for _, tally := range tallies {
		share = min(share, tally.share())
		kinds = append(kinds, tally.kind())
		if said := tally.short(); !slices.Contains(shorts, said) {
			shorts = append(shorts, said)
		}
	}
	return Reason{kind: strings.Join(kinds, ", or "), short: strings.Join(shorts, ", or "), share: share, What: func() string {
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
	total   int                 // devices of the node
	classed int                 // of the class
	matches int                 // of those, as the selectors and the capacity want
	free    int                 // of those, to be had
	idle    int                 // to be had, whether they match or not
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
			if why != notOfClass(want.class) {
				t.classed++
			}
			asked := want
			if why != "" {
				asked.capacity = nil // it is not asked for any
			}
			blocked := d.blocked(asked, seen, pool, node)
			if blocked == "" {
				t.idle++
			}
			if why == "" {
				t.matches++
				why = blocked
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

// How far a node is from serving a request for devices, as a share of what is wanted: the devices of one that serves a
// part of it are in use, of another have no free one that matches, are of another class or not known, or there is none.
const (
	deviceInUse     = 0.9
	deviceUnmatched = 0.95
	deviceOfNoClass = 0.99
	deviceNotThere  = 1
)

// share is how far the node is from serving the request.
func (t deviceTally) share() float64 {
	wanted := int(t.want.count)
	if t.want.all {
		wanted = t.matches
	}
	switch {
	case t.free > 0 && wanted > t.free:
		return deviceInUse * float64(wanted-t.free) / float64(wanted)
	case t.matches > 0:
		return deviceInUse
	case t.classed > 0:
		return deviceUnmatched
	case t.total > 0 || len(t.open) > 0:
		return deviceOfNoClass
	}
	return deviceNotThere
}

// kind tells nodes that have devices of the class from those that have none.
func (t deviceTally) kind() string {
	if t.classed == 0 && len(t.open) == 0 {
		return fmt.Sprintf("no %s devices for %s", t.want.class, t.want.name())
	}
	return fmt.Sprintf("not enough %s devices for %s", t.want.class, t.want.name())
}

// short is the clause: "1 of 2 gpu.example.com devices free for claim data/gpu".
func (t deviceTally) short() string {
	switch {
	case t.matches == 0 && t.classed > 0:
		return fmt.Sprintf("no %s device matches %s", t.want.class, t.want.of)
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
		all = append(all, t.howMany())
	}
	for _, why := range t.reasons {
		all = append(all, why+": "+grammar.List(t.devices[why], grammar.Many))
	}
	return said + ": " + strings.Join(append(all, t.open...), "; ")
}

// howMany is how many devices could be allocated, where others are free as well: how many match.
func (t deviceTally) howMany() string {
	if t.idle == t.free {
		return fmt.Sprintf("%d free of %s on the node", t.free, grammar.Plural(t.total, "device"))
	}
	return fmt.Sprintf("%s, of %d on the node", grammar.Count(t.free, "free device matches", "free devices match"), t.total)
}

// mismatch is why the device is not what the request is about.
func (d *desk) mismatch(want deviceWant, seen seenDevice) string {
	if why := d.unselected(want, seen); why != "" {
		return why
	}
	return d.tooSmall(want, seen)
}

// unselected is why the selectors of the class or of the request do not match the device.
func (d *desk) unselected(want deviceWant, seen seenDevice) string {
	key := verdictKey{seen.Device, want.name(), want.class}
	why, ok := d.verdicts[key]
	if !ok {
		why = d.evaluate(want, seen)
		d.verdicts[key] = why
	}
	return why
}

func (d *desk) evaluate(want deviceWant, seen seenDevice) string {
	class, err := d.q.DRA.DeviceClasses().Get(want.class)
	if err != nil {
		return "" // the plugin fails, and does not refuse
	}
	if d.fails(class.Spec.Selectors, seen) != "" {
		return notOfClass(want.class)
	}
	if expression := d.fails(want.selectors, seen); expression != "" {
		return "not " + ansi.Truncate(strings.Join(strings.Fields(expression), " "), expressionWidth, "…") + named(expression, seen)
	}
	return ""
}

// notOfClass is why a device is none of a class.
func notOfClass(class string) string { return "not of class " + class }

// word is a name in an expression.
var word = regexp.MustCompile(`[A-Za-z_][A-Za-z0-9_]*`)

// named are the attributes and capacities of a device that an expression names, with what the device
// has: " (memory 81559Mi)". It only quotes them: the expression is evaluated, not read.
func named(expression string, seen seenDevice) string {
	words := map[string]bool{}
	for _, w := range word.FindAllString(expression, -1) {
		words[w] = true
	}
	has := map[string]string{}
	for name, value := range seen.Attributes {
		if id := path.Base(string(name)); words[id] {
			has[id] = attributeText(value)
		}
	}
	for name, value := range seen.Capacity {
		if id := path.Base(string(name)); words[id] {
			has[id] = value.Value.String()
		}
	}
	var all []string
	for _, id := range slices.Sorted(maps.Keys(has)) {
		if has[id] != "" {
			all = append(all, id+" "+has[id])
		}
	}
	if len(all) == 0 {
		return ""
	}
	return " (" + grammar.List(all, grammar.Few) + ")"
}

// attributeText is the value of an attribute; "" for a list of values.
func attributeText(value resourcev1.DeviceAttribute) string {
	switch {
	case value.StringValue != nil:
		return ansi.Truncate(*value.StringValue, expressionWidth, "…")
	case value.VersionValue != nil:
		return *value.VersionValue
	case value.IntValue != nil:
		return strconv.FormatInt(*value.IntValue, 10)
	case value.BoolValue != nil:
		return strconv.FormatBool(*value.BoolValue)
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
	if taints := d.untolerated(want, seen); len(taints) > 0 {
		return "untolerated taint " + TaintOfDevice(&taints[0])
	}
	if why := d.usedUp(want, seen, id); why != "" {
		return why
	}
	return d.countersShort(seen, pool, id)
}

// untolerated are the taints that keep a device from being allocated.
func (d *desk) untolerated(want deviceWant, seen seenDevice) (taints []resourcev1.DeviceTaint) {
	if !d.features.DeviceTaints {
		return nil
	}
	for _, taint := range seen.Taints {
		if taint.Effect != resourcev1.DeviceTaintEffectNoSchedule && taint.Effect != resourcev1.DeviceTaintEffectNoExecute {
			continue
		}
		tolerated := func(t resourcev1.DeviceToleration) bool { return resourceclaim.ToleratesTaint(t, taint) }
		if !slices.ContainsFunc(want.tolerations, tolerated) {
			taints = append(taints, taint)
		}
	}
	return taints
}

// TaintOfDevice is a taint of a device in words.
func TaintOfDevice(taint *resourcev1.DeviceTaint) string {
	return fmt.Sprintf("%s=%s:%s", taint.Key, taint.Value, taint.Effect)
}

// taintOf is the one taint that a request would have to tolerate for the node to have enough devices; nil where that is not enough,
// and of taints with the effect NoExecute, which say that a device is not to be used.
func (d *desk) taintOf(want deviceWant, node *corev1.Node) *resourcev1.DeviceTaint {
	tried := map[string]bool{}
	for _, pool := range d.poolsOf(node) {
		for _, seen := range pool.devices {
			taints := d.untolerated(want, seen)
			if len(taints) != 1 || taints[0].Effect != resourcev1.DeviceTaintEffectNoSchedule || tried[TaintOfDevice(&taints[0])] {
				continue
			}
			tried[TaintOfDevice(&taints[0])] = true
			tolerant := want
			tolerant.tolerations = append(slices.Clone(want.tolerations), Tolerating(&taints[0]))
			if d.tally(tolerant, node).enough() {
				return &taints[0]
			}
		}
	}
	return nil
}

// Tolerating is the toleration of a taint of devices.
func Tolerating(taint *resourcev1.DeviceTaint) resourcev1.DeviceToleration {
	return resourcev1.DeviceToleration{Key: taint.Key, Operator: resourcev1.DeviceTolerationOpEqual, Value: taint.Value, Effect: taint.Effect}
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

// mostClasses is how many other DeviceClasses are named at most.
const mostClasses = 3

// DeviceShortage is a request for which a node has too few devices.
type DeviceShortage struct {
	// Claim has the request and is not allocated; nil for an extended resource.
	Claim *resourcev1.ResourceClaim
	// Template is the ResourceClaimTemplate that the claim is made from; "" if the pod names it.
	Template string
	// Request is the request's index in the claim.
	Request int
	// Resource is the extended resource that the devices stand for; "" for a claim.
	Resource corev1.ResourceName
	// Class is the DeviceClass of the devices.
	Class string
	// Wanted is how many devices are requested, 0 for all of the node, and Free how many of them
	// it could have.
	Wanted, Free int64
	// Classes are other DeviceClasses of which the node has as many free, by name.
	Classes []string
	// Capacity is the one capacity that keeps a device from being allocated; nil where it is
	// another thing.
	Capacity *CapacityShortage
	// Taint is the one taint of devices without which the node has enough of them; nil where it is another thing.
	Taint *resourcev1.DeviceTaint
}

// DeviceShortages are the requests of the pod for which r's node has too few devices; none
// where something else is wrong with a claim, too.
func DeviceShortages(q *Question, r NodeRejection) []DeviceShortage {
	if r.Node == nil {
		return nil
	}
	desk, node := deskOf(q), r.Node.Node()
	var all []DeviceShortage
	for _, use := range claimUses(q) {
		switch {
		case use.none:
			continue
		case use.claim == nil:
			return nil
		case use.claim.Status.Allocation != nil:
			if _, elsewhere := allocatedElsewhere(use.claim, node); elsewhere {
				return nil
			}
			continue
		}
		wants, requests := claimWants(use.claim), use.claim.Spec.Devices.Requests
		if len(wants) != len(requests) {
			return nil // one asks for nothing, which no API server lets pass
		}
		for i, request := range requests {
			if _, short := desk.short(wants[i], node); !short {
				continue
			}
			if request.Exactly == nil {
				return nil // it has alternatives already
			}
			one := desk.shortage(wants[i][0], node)
			one.Claim, one.Request, one.Template = use.claim, i, ptr.Deref(use.pod.ResourceClaimTemplateName, "")
			all = append(all, one)
		}
	}
	wants, impossible := extendedWants(q, r.Node)
	if len(impossible) > 0 {
		return nil
	}
	for _, alternatives := range wants {
		if _, short := desk.short(alternatives, node); short {
			one := desk.shortage(alternatives[0], node)
			one.Resource = alternatives[0].resource
			all = append(all, one)
		}
	}
	return all
}

// shortage is what a node has for a request.
func (d *desk) shortage(want deviceWant, node *corev1.Node) DeviceShortage {
	short := DeviceShortage{Class: want.class, Wanted: want.count, Free: int64(d.tally(want, node).free), Capacity: d.roomiest(want, node), Taint: d.taintOf(want, node)}
	if want.all {
		short.Wanted = 0
	}
	classes, err := d.q.DRA.DeviceClasses().List()
	if err != nil {
		return short
	}
	for _, class := range classes {
		other := want
		if other.class = class.Name; other.class != want.class && d.tally(other, node).enough() {
			short.Classes = append(short.Classes, class.Name)
		}
	}
	slices.Sort(short.Classes)
	short.Classes = short.Classes[:min(len(short.Classes), mostClasses)]
	return short
}
