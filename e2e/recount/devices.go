package recount

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

// ask is one request for devices, in one of its alternatives.
type ask struct {
	of          string // the claim, or the extended resource
	request     string
	class       string
	expressions []string // of the class and of the request
	all         bool
	count       int
	tolerations []resourcev1.DeviceToleration
	alike       string // the attribute that all devices of the claim must share
}

// device is a device that a node has access to.
type device struct {
	driver, pool string
	resourcev1.Device
	taints []resourcev1.DeviceTaint // its own, and by rules
	holder string                   // the claim that it is allocated to
}

// id names the device in the cluster.
func (d device) id() string { return d.driver + "/" + d.pool + "/" + d.Name }

// dynamicResources refuses all nodes while a class does not exist, and then
// nodes where a claim's devices are not, or where none can be had.
func (s *State) dynamicResources(pod *corev1.Pod, node *corev1.Node) *Rejection {
	r := &Rejection{Plugin: "DynamicResources"}
	var asks [][]ask
	for _, claim := range s.resourceClaimsOf(pod) {
		if claim.Status.Allocation == nil {
			asks = append(asks, s.asksOf(claim)...)
			continue
		}
		if !selected(claim.Status.Allocation.NodeSelector, node) {
			r.Names = append(r.Names, claim.Namespace+"/"+claim.Name)
		}
	}
	for _, alternatives := range asks {
		for _, a := range alternatives {
			if s.deviceClass(a.class) == nil {
				return rejection("DynamicResources", []string{a.of, a.class})
			}
		}
	}
	extended, impossible := s.extended(pod, node)
	asks = append(asks, extended...)
	r.Names = append(r.Names, impossible...)
	devices := s.devicesOf(node)
	if !serve(asks, devices, map[string]bool{}, map[string]string{}) {
		addShortages(r, asks, devices)
	}
	if r.Names == nil {
		return nil
	}
	return r
}

// resourceClaimsOf are the claims of the pod, also those made for it.
func (s *State) resourceClaimsOf(pod *corev1.Pod) []*resourcev1.ResourceClaim {
	var found []*resourcev1.ResourceClaim
	for _, use := range pod.Spec.ResourceClaims {
		name := ""
		if use.ResourceClaimName != nil {
			name = *use.ResourceClaimName
		}
		for _, made := range pod.Status.ResourceClaimStatuses {
			if made.Name == use.Name && made.ResourceClaimName != nil {
				name = *made.ResourceClaimName
			}
		}
		for i := range s.resourceClaims {
			claim := &s.resourceClaims[i]
			if claim.Namespace == pod.Namespace && claim.Name == name {
				found = append(found, claim)
			}
		}
	}
	return found
}

// asksOf are the requests of a claim.
func (s *State) asksOf(claim *resourcev1.ResourceClaim) [][]ask {
	alike := ""
	for _, constraint := range claim.Spec.Devices.Constraints {
		alike = string(*constraint.MatchAttribute)
	}
	var asks [][]ask
	for _, request := range claim.Spec.Devices.Requests {
		base := ask{of: claim.Namespace + "/" + claim.Name, request: request.Name, alike: alike}
		if exactly := request.Exactly; exactly != nil {
			base.class, base.all, base.count = exactly.DeviceClassName, exactly.AllocationMode == resourcev1.DeviceAllocationModeAll, int(exactly.Count)
			base.tolerations, base.expressions = exactly.Tolerations, s.expressions(exactly.DeviceClassName, exactly.Selectors)
			asks = append(asks, []ask{base})
			continue
		}
		var alternatives []ask
		for _, sub := range request.FirstAvailable {
			a := base
			a.class, a.all, a.count = sub.DeviceClassName, sub.AllocationMode == resourcev1.DeviceAllocationModeAll, int(sub.Count)
			a.tolerations, a.expressions = sub.Tolerations, s.expressions(sub.DeviceClassName, sub.Selectors)
			alternatives = append(alternatives, a)
		}
		asks = append(asks, alternatives)
	}
	return asks
}

// deviceClass finds a class.
func (s *State) deviceClass(name string) *resourcev1.DeviceClass {
	for i := range s.deviceClasses {
		if s.deviceClasses[i].Name == name {
			return &s.deviceClasses[i]
		}
	}
	return nil
}

// expressions are what a device has to satisfy, the class first.
func (s *State) expressions(class string, selectors []resourcev1.DeviceSelector) []string {
	var all []string
	if object := s.deviceClass(class); object != nil {
		selectors = slices.Concat(object.Spec.Selectors, selectors)
	}
	for _, selector := range selectors {
		all = append(all, selector.CEL.Expression)
	}
	return all
}

// extended are the extended resources of the pod that the node gives away as
// devices. Beside such a one, the node must list all others that it asks for.
func (s *State) extended(pod *corev1.Pod, node *corev1.Node) (asks [][]ask, impossible []string) {
	backed := false
	for name, amount := range requests(pod) {
		if !strings.Contains(string(name), "/") || amount.IsZero() {
			continue
		}
		class := s.classFor(name)
		has, listed := node.Status.Allocatable[name]
		switch {
		case class != nil && has.IsZero():
			asks = append(asks, []ask{{of: string(name), class: class.Name, count: int(amount.Value()), expressions: s.expressions(class.Name, nil)}})
		case !listed:
			impossible = append(impossible, string(name))
		}
		backed = backed || class != nil
	}
	if !backed {
		return nil, nil
	}
	return asks, impossible
}

// classFor is the class whose devices stand for an extended resource.
func (s *State) classFor(name corev1.ResourceName) *resourcev1.DeviceClass {
	for i := range s.deviceClasses {
		if extended := s.deviceClasses[i].Spec.ExtendedResourceName; extended != nil && *extended == string(name) {
			return &s.deviceClasses[i]
		}
	}
	return nil
}

// selected tells whether a selector means the node; none means all.
func selected(selector *corev1.NodeSelector, node *corev1.Node) bool {
	if selector == nil {
		return true
	}
	return slices.ContainsFunc(selector.NodeSelectorTerms, func(term corev1.NodeSelectorTerm) bool { return missedRequirements(term, node) == nil })
}

// devicesOf are the devices that a node has access to.
func (s *State) devicesOf(node *corev1.Node) []device {
	var found []device
	for i := range s.slices {
		spec := &s.slices[i].Spec
		if spec.NodeName != nil && *spec.NodeName != node.Name || spec.NodeName == nil && !selected(spec.NodeSelector, node) {
			continue
		}
		for _, each := range spec.Devices {
			d := device{driver: spec.Driver, pool: spec.Pool.Name, Device: each, taints: each.Taints}
			for _, rule := range s.taintRules {
				wanted := rule.Spec.DeviceSelector
				if *wanted.Driver == d.driver && *wanted.Pool == d.pool {
					d.taints = append(slices.Clip(d.taints), rule.Spec.Taint)
				}
			}
			d.holder = s.holders[d.id()]
			found = append(found, d)
		}
	}
	return found
}

// The expressions that the checker understands.
var (
	driverExpression    = regexp.MustCompile(`^device\.driver == "(.*)"$`)
	attributeExpression = regexp.MustCompile(`^device\.attributes\["(.*)"\]\.(\w+) == "(.*)"$`)
	capacityExpression  = regexp.MustCompile(`^device\.capacity\["(.*)"\]\.(\w+)\.compareTo\(quantity\("(.*)"\)\) >= 0$`)
)

// satisfies tells whether an expression holds for the device. An attribute
// without a domain is of the driver's.
func (d device) satisfies(expression string) bool {
	if m := driverExpression.FindStringSubmatch(expression); m != nil {
		return d.driver == m[1]
	}
	if m := attributeExpression.FindStringSubmatch(expression); m != nil {
		value := d.Attributes[resourcev1.QualifiedName(m[2])].StringValue
		return d.driver == m[1] && value != nil && *value == m[3]
	}
	m := capacityExpression.FindStringSubmatch(expression)
	if m == nil {
		panic("recount: no way is known to check " + expression)
	}
	has, wanted := d.Capacity[resourcev1.QualifiedName(m[2])].Value, resource.MustParse(m[3])
	return d.driver == m[1] && has.Cmp(wanted) >= 0
}

// meant tells whether the ask is about the device, whoever has it.
func (a ask) meant(d device) bool {
	return !slices.ContainsFunc(a.expressions, func(e string) bool { return !d.satisfies(e) })
}

// barred is the key of a taint that the ask does not tolerate.
func (a ask) barred(d device) string {
	for _, taint := range d.taints {
		tolerated := slices.ContainsFunc(a.tolerations, func(t resourcev1.DeviceToleration) bool {
			return t.Operator == resourcev1.DeviceTolerationOpExists && (t.Key == "" || t.Key == taint.Key)
		})
		if taint.Effect != resourcev1.DeviceTaintEffectNone && !tolerated {
			return taint.Key
		}
	}
	return ""
}

// serve tells whether all asks can be served at once, by trying everything.
func serve(asks [][]ask, devices []device, taken map[string]bool, alike map[string]string) bool {
	if len(asks) == 0 {
		return true
	}
	return slices.ContainsFunc(asks[0], func(a ask) bool {
		var fit []device
		meant := 0
		for _, d := range devices {
			if !a.meant(d) {
				continue
			}
			meant++
			if d.holder == "" && a.barred(d) == "" && !taken[d.id()] {
				fit = append(fit, d)
			}
		}
		if a.all {
			a.count = meant
		}
		return a.count > 0 && len(fit) >= a.count && serveOne(a, a.count, fit, asks[1:], devices, taken, alike)
	})
}

// serveOne chooses wanted more of the devices that fit, and goes on with the rest.
func serveOne(a ask, wanted int, fit []device, rest [][]ask, devices []device, taken map[string]bool, alike map[string]string) bool {
	if wanted == 0 {
		return serve(rest, devices, taken, alike)
	}
	for i, d := range fit {
		value := d.attribute(a.alike)
		if known, ok := alike[a.of]; a.alike != "" && (value == "" || ok && known != value) {
			continue
		}
		nowTaken, nowAlike := maps.Clone(taken), maps.Clone(alike)
		nowTaken[d.id()] = true
		if a.alike != "" {
			nowAlike[a.of] = value
		}
		if serveOne(a, wanted-1, fit[i+1:], rest, devices, nowTaken, nowAlike) {
			return true
		}
	}
	return false
}

// attribute is the value of an attribute by its full name; "" without.
func (d device) attribute(name string) string {
	domain, short, _ := strings.Cut(name, "/")
	value := d.Attributes[resourcev1.QualifiedName(short)].IntValue
	if domain != d.driver || value == nil {
		return ""
	}
	q := resource.NewQuantity(*value, resource.DecimalSI)
	return q.String()
}

// addShortages tells of each ask that cannot even be served alone: how many
// devices it wants, how many there are and are free, and what is in the way of
// those that it means. Where each can, and nothing else rejects the node, it names whom they are for: the plugin asks
// for all of them together only then.
func addShortages(r *Rejection, asks [][]ask, devices []device) {
	var together []string
	alone := len(r.Names) > 0
	for _, alternatives := range asks {
		together = append(together, alternatives[0].of)
		if serve([][]ask{unconstrained(alternatives)}, devices, map[string]bool{}, map[string]string{}) {
			continue
		}
		alone = true
		for _, a := range alternatives {
			addShortage(r, a, devices)
		}
	}
	if !alone {
		r.Names = append(r.Names, together...)
	}
}

// unconstrained are the alternatives without what their devices must share.
func unconstrained(alternatives []ask) []ask {
	plain := slices.Clone(alternatives)
	for i := range plain {
		plain[i].alike = ""
	}
	return plain
}

// addPublished has what a device that an ask does not mean publishes: it may be told beside the expression.
func addPublished(r *Rejection, d device) {
	for _, capacity := range d.Capacity {
		r.Also = append(r.Also, capacity.Value)
	}
	for _, attribute := range d.Attributes {
		if attribute.IntValue != nil {
			r.Also = append(r.Also, *resource.NewQuantity(*attribute.IntValue, resource.DecimalSI))
		}
		if attribute.StringValue != nil {
			r.Words = append(r.Words, *attribute.StringValue)
		}
	}
}

// addShortage tells of one ask that cannot be served.
func addShortage(r *Rejection, a ask, devices []device) {
	r.Names = append(r.Names, a.of, a.request, a.class)
	if !a.all {
		r.Figures = append(r.Figures, count(a.count))
	}
	free := 0
	for _, d := range devices {
		switch {
		case !a.meant(d):
			r.Also = append(r.Also, count(0)) // of an expression that is quoted
			addPublished(r, d)
		case d.holder != "":
			r.Names = append(r.Names, d.Name, d.holder)
		case a.barred(d) != "":
			r.Names = append(r.Names, d.Name, a.barred(d))
		default:
			free++
		}
	}
	if len(devices) > 0 {
		r.Figures = append(r.Figures, count(free), count(len(devices)))
	}
}
