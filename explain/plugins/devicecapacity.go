package plugins

import (
	"fmt"
	"maps"
	"math"
	"slices"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/utils/ptr"

	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
)

// capacityOf is how much of a device's capacity a request takes: what it asks for, rounded up
// as the capacity's requestPolicy says, and without a word the policy's default or all of it
// (calculateConsumedCapacity of k8s.io/dynamic-resource-allocation/structured).
func capacityOf(want deviceWant, name resourcev1.QualifiedName, capacity resourcev1.DeviceCapacity) resource.Quantity {
	policy := capacity.RequestPolicy
	requested, asked := resource.Quantity{}, false
	if want.capacity != nil {
		requested, asked = want.capacity.Requests[name]
	}
	switch {
	case !asked && policy != nil && policy.Default != nil:
		return *policy.Default
	case !asked:
		return capacity.Value
	case policy == nil:
		return requested
	case policy.ValidRange != nil && policy.ValidRange.Min != nil:
		return roundUp(requested, policy.ValidRange)
	}
	for _, valid := range policy.ValidValues {
		if requested.Cmp(valid) <= 0 {
			return valid
		}
	}
	return requested
}

// roundUp is the least amount of a range, in its steps, that is not below what is asked for.
func roundUp(asked resource.Quantity, of *resourcev1.CapacityRequestPolicyRange) resource.Quantity {
	switch {
	case asked.Cmp(*of.Min) < 0:
		return *of.Min
	case of.Step == nil || of.Step.Sign() <= 0:
		return asked
	}
	rounded, fraction := inSteps(asked, of)
	if fraction {
		rounded.Add(*of.Step)
	}
	return rounded
}

// inSteps is the largest amount in the steps of a range that is not above this one, which is
// not below its minimum; fraction says that it is below it.
func inSteps(amount resource.Quantity, of *resourcev1.CapacityRequestPolicyRange) (steps resource.Quantity, fraction bool) {
	unit, scale := (*resource.Quantity).Value, int64(1)
	if amount.CmpInt64(math.MaxInt64/1000) < 0 { // thousandths can be counted
		unit, scale = (*resource.Quantity).MilliValue, 1000
	}
	step := max(unit(of.Step), 1)
	rest := (unit(&amount) - unit(of.Min)) % step
	whole := unit(&amount) - rest
	if scale == 1 || whole%scale == 0 {
		return *resource.NewQuantity(whole/scale, of.Step.Format), rest > 0
	}
	return *resource.NewMilliQuantity(whole, of.Step.Format), rest > 0
}

// tooSmall is why a device never has the capacity that is asked for.
func (d *desk) tooSmall(want deviceWant, seen seenDevice) string {
	if want.capacity == nil || !d.features.ConsumableCapacity {
		return ""
	}
	for _, name := range slices.Sorted(maps.Keys(want.capacity.Requests)) {
		capacity, ok := seen.Capacity[name]
		if !ok {
			return fmt.Sprintf("has no capacity %s", name)
		}
		wanted := capacityOf(want, name, capacity)
		if capacity.Value.Cmp(wanted) < 0 {
			return fmt.Sprintf("capacity %s is %s, %s needed", name, capacity.Value.String(), want.needs(name, wanted))
		}
		if most, limited := mostOf(capacity); limited && most.Cmp(wanted) < 0 {
			return fmt.Sprintf("capacity %s: a request may ask for %s at most, %s needed", name, most.String(), want.needs(name, wanted))
		}
	}
	return ""
}

// needs words an amount that a request takes: "8Gi", "8Gi (7Gi rounded up by its requestPolicy)".
func (w deviceWant) needs(name resourcev1.QualifiedName, takes resource.Quantity) string {
	if w.capacity == nil {
		return takes.String()
	}
	asked, ok := w.capacity.Requests[name]
	if !ok || asked.Cmp(takes) == 0 {
		return takes.String()
	}
	return fmt.Sprintf("%s (%s rounded up by its requestPolicy)", takes.String(), asked.String())
}

// mostOf is the most that one request may take of a capacity, if its policy says so.
func mostOf(capacity resourcev1.DeviceCapacity) (most resource.Quantity, limited bool) {
	switch policy := capacity.RequestPolicy; {
	case policy == nil:
	case policy.ValidRange != nil && policy.ValidRange.Max != nil:
		return *policy.ValidRange.Max, true
	case policy.ValidRange == nil && len(policy.ValidValues) > 0:
		return policy.ValidValues[len(policy.ValidValues)-1], true
	}
	return most, false
}

// usedUp is why a device that claims share has too little left.
func (d *desk) usedUp(want deviceWant, seen seenDevice, id string) string {
	if !d.features.ConsumableCapacity || !ptr.Deref(seen.AllowMultipleAllocations, false) {
		return ""
	}
	for _, name := range slices.Sorted(maps.Keys(seen.Capacity)) {
		left, claims := d.capacityLeft(seen, id, name)
		if takes := capacityOf(want, name, seen.Capacity[name]); left.Cmp(takes) < 0 && len(claims) > 0 {
			return fmt.Sprintf("capacity %s: %s left, %s needed, shared with claim %s", name, left.String(), want.needs(name, takes), grammar.List(claims, grammar.Few))
		}
	}
	return ""
}

// capacityLeft is what claims that share a device leave of a capacity.
func (d *desk) capacityLeft(seen seenDevice, id string, name resourcev1.QualifiedName) (left resource.Quantity, claims []string) {
	left = seen.Capacity[name].Value.DeepCopy()
	for _, by := range d.holders[id] {
		if used, ok := by.result.ConsumedCapacity[name]; ok && by.shared {
			left.Sub(used)
			claims = append(claims, by.claim)
		}
	}
	return left, claims
}

// CapacityShortage is a capacity of which the device of a node that has most has too little left.
type CapacityShortage struct {
	Name resourcev1.QualifiedName
	// Asked is what the request asks for; Left, less than that, what it could ask for at most.
	Asked, Left resource.Quantity
}

// roomiest is the capacity that a request has to ask less of for a device of the node, and of
// the devices the one that has most left; nil where no device is short of one capacity alone.
func (d *desk) roomiest(want deviceWant, node *corev1.Node) *CapacityShortage {
	if want.capacity == nil || want.count != 1 || !d.features.ConsumableCapacity {
		return nil
	}
	var most *CapacityShortage
	for _, pool := range d.poolsOf(node) {
		for _, seen := range pool.devices {
			short := d.shortCapacity(want, seen, pool, node)
			if short != nil && (most == nil || short.Name == most.Name && short.Left.Cmp(most.Left) > 0) {
				most = short
			}
		}
	}
	return most
}

// shortCapacity is what the request would have to ask less of for this device to be allocated;
// nil if it is another thing, or nothing is left.
func (d *desk) shortCapacity(want deviceWant, seen seenDevice, pool devicePool, node *corev1.Node) *CapacityShortage {
	if pool.wrong != "" || d.unselected(want, seen) != "" {
		return nil
	}
	id := pool.driver + "/" + pool.name + "/" + seen.Name
	var short *CapacityShortage
	for _, name := range slices.Sorted(maps.Keys(want.capacity.Requests)) {
		capacity, ok := seen.Capacity[name]
		if !ok {
			return nil
		}
		left, _ := d.capacityLeft(seen, id, name)
		if most, limited := mostOf(capacity); limited && most.Cmp(left) < 0 {
			left = most
		}
		if left.Cmp(capacityOf(want, name, capacity)) >= 0 {
			continue
		}
		if short != nil || left.Sign() <= 0 {
			return nil
		}
		if left, ok = roundDown(left, capacity.RequestPolicy); !ok {
			return nil
		}
		short = &CapacityShortage{Name: name, Asked: want.capacity.Requests[name], Left: left}
	}
	if short == nil || short.Left.Cmp(short.Asked) >= 0 {
		return nil
	}
	less := want
	less.capacity = want.capacity.DeepCopy()
	less.capacity.Requests[short.Name] = short.Left
	if d.blocked(less, seen, pool, node) != "" {
		return nil
	}
	return short
}

// roundDown is the largest amount that a policy allows up to this one, if there is any.
func roundDown(amount resource.Quantity, policy *resourcev1.CapacityRequestPolicy) (resource.Quantity, bool) {
	switch {
	case policy == nil:
		return amount, true
	case policy.ValidRange != nil && policy.ValidRange.Min != nil:
		of := policy.ValidRange
		if amount.Cmp(*of.Min) < 0 || of.Step == nil || of.Step.Sign() <= 0 {
			return amount, amount.Cmp(*of.Min) >= 0
		}
		steps, _ := inSteps(amount, of)
		return steps, true
	case len(policy.ValidValues) > 0:
		for _, valid := range slices.Backward(policy.ValidValues) {
			if valid.Cmp(amount) <= 0 {
				return valid, true
			}
		}
		return amount, false
	}
	return amount, true
}
