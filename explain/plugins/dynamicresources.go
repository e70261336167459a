package plugins

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/component-helpers/nodedeclaredfeatures/features/draoptionalnodeoperations"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"
	"k8s.io/dynamic-resource-allocation/resourceclaim"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/features"
	"k8s.io/kubernetes/pkg/scheduler/util"

	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
)

// dynamicResources names the claim and the request that a node cannot serve,
// the device class, and why each device is not allocated.
var dynamicResources = explainer{
	Shape:    func(q *Question, r NodeRejection) string { return reasonShape(DeviceReasons(q, r)) },
	Shortage: func(q *Question, r NodeRejection) float64 { return worstShareOf(DeviceReasons(q, r)) },
	Words: func(q *Question, rs []NodeRejection) Words {
		return reasonWords(rs, func(r NodeRejection) []Reason { return DeviceReasons(q, r) })
	},
}

// DeviceReasons are all reasons why r's node cannot satisfy the pod's resource claims.
func DeviceReasons(q *Question, r NodeRejection) []Reason {
	if r.Node == nil {
		return unservedClaims(q)
	}
	type reasonsKey struct{}
	known := Remember(q, reasonsKey{}, func() map[fwk.NodeInfo][]Reason { return map[fwk.NodeInfo][]Reason{} })
	found, ok := known[r.Node]
	if !ok {
		found = nodeDeviceReasons(q, r)
		known[r.Node] = found
	}
	return found
}

func nodeDeviceReasons(q *Question, r NodeRejection) []Reason {
	var reasons []Reason
	var free []*resourcev1.ResourceClaim
	for _, use := range claimUses(q) {
		switch {
		case use.claim == nil:
		case use.claim.Status.Allocation == nil:
			free = append(free, use.claim)
		default:
			if f, ok := allocatedElsewhere(use.claim, r.Node.Node()); ok {
				reasons = append(reasons, f)
			}
		}
	}
	wants, impossible := extendedWants(q, r.Node)
	reasons = append(reasons, impossible...)
	for _, claim := range free {
		wants = append(wants, claimWants(claim)...)
	}
	desk := deskOf(q)
	for _, alternatives := range wants {
		if f, ok := desk.short(alternatives, r.Node.Node()); ok {
			reasons = append(reasons, f)
		}
	}
	if len(reasons) > 0 || r.Status == nil {
		return reasons
	}
	if unready := unreadyReasons(q); len(unready) > 0 {
		return unready
	}
	if len(wants) > 0 {
		return []Reason{togetherReason(wants, free)}
	}
	return nil
}

// unreadyReasons are the allocated claims whose devices have to be made ready
// before a pod is bound. Where nothing else is wrong with a refused node, that
// has failed or takes too long.
func unreadyReasons(q *Question) []Reason {
	var reasons []Reason
	for _, use := range claimUses(q) {
		if use.claim == nil || use.claim.Status.Allocation == nil {
			continue
		}
		for _, result := range use.claim.Status.Allocation.Devices.Results {
			if len(result.BindingConditions) > 0 {
				reasons = append(reasons, newReason(fmt.Sprintf("device %s of claim %s is not ready", result.Device, use.name), func() string {
					return fmt.Sprintf("device %s/%s/%s of claim %s is not ready: it is waiting for %s",
						result.Driver, result.Pool, result.Device, use.name, strings.Join(result.BindingConditions, ", "))
				}))
			}
		}
	}
	return reasons
}

// togetherReason is for requests that the node has devices for one by one.
func togetherReason(wants [][]deviceWant, claims []*resourcev1.ResourceClaim) Reason {
	var names, rules []string
	for _, alternatives := range wants {
		if !slices.Contains(names, alternatives[0].of) {
			names = append(names, alternatives[0].of)
		}
	}
	for _, claim := range claims {
		for _, constraint := range claim.Spec.Devices.Constraints {
			requests := "all requests"
			if len(constraint.Requests) > 0 {
				requests = strings.Join(constraint.Requests, ", ")
			}
			if constraint.MatchAttribute != nil {
				rules = append(rules, fmt.Sprintf("same %s for %s", *constraint.MatchAttribute, requests))
			}
			if constraint.DistinctAttribute != nil {
				rules = append(rules, fmt.Sprintf("distinct %s for %s", *constraint.DistinctAttribute, requests))
			}
		}
	}
	short := "no combination of devices satisfies " + strings.Join(names, ", ")
	reason := newReason(short, func() string {
		said := "there are devices for each single request of " + strings.Join(names, ", ") + ", but no combination of devices satisfies all requests together"
		if len(rules) > 0 {
			said += " (constraints: " + strings.Join(rules, "; ") + ")"
		}
		return said
	})
	reason.share = deviceInUse
	return reason
}

// claimUse is a resource claim of the pod.
type claimUse struct {
	pod   corev1.PodResourceClaim
	name  string // namespace/name, "" if it was not created yet
	claim *resourcev1.ResourceClaim
	none  bool // the pod needs none for it
}

// claimUses are the resource claims of the pod, in its order.
func claimUses(q *Question) []claimUse {
	type usesKey struct{}
	return Remember(q, usesKey{}, func() []claimUse {
		var uses []claimUse
		for _, of := range q.Pod.Spec.ResourceClaims {
			use := claimUse{pod: of}
			name, _, err := resourceclaim.Name(q.Pod, &of)
			switch {
			case err != nil:
			case name == nil:
				use.none = true
			default:
				use.name = q.Pod.Namespace + "/" + *name
				if claim, err := q.DRA.ResourceClaims().Get(q.Pod.Namespace, *name); err == nil {
					use.claim = claim
				}
			}
			uses = append(uses, use)
		}
		return uses
	})
}

// unservedClaims are why no node was looked at.
func unservedClaims(q *Question) []Reason {
	var reasons []Reason
	for _, use := range claimUses(q) {
		if f, ok := use.unusable(q.Pod); ok {
			reasons = append(reasons, f)
		}
	}
	if len(reasons) > 0 {
		return reasons
	}
	for _, use := range claimUses(q) {
		if use.claim == nil || use.claim.Status.Allocation != nil {
			continue
		}
		for _, want := range slices.Concat(claimWants(use.claim)...) {
			if _, err := q.DRA.DeviceClasses().Get(want.class); err != nil {
				reasons = append(reasons, newReason(fmt.Sprintf("DeviceClass %s does not exist", want.class), func() string {
					return fmt.Sprintf("%s needs DeviceClass %s, which does not exist", want.name(), want.class)
				}))
			}
		}
	}
	return reasons
}

// AwaitsClaims reports whether a ResourceClaim is still to be created for the pod from a template.
func AwaitsClaims(pod *corev1.Pod) bool {
	return slices.ContainsFunc(pod.Spec.ResourceClaims, func(of corev1.PodResourceClaim) bool {
		_, _, err := resourceclaim.Name(pod, &of)
		return err != nil && of.ResourceClaimTemplateName != nil
	})
}

// claimsToCome names the first claim that is not created yet, for which the plugin keeps the pod out of
// the scheduler's queue; false where there is none.
func claimsToCome(q *Question) (GateRejection, bool) {
	for _, use := range claimUses(q) {
		if use.none || use.name != "" || use.pod.ResourceClaimTemplateName == nil {
			continue
		}
		return GateRejection{
			What:  fmt.Sprintf("Waiting for ResourceClaim %s, which is not created yet from ResourceClaimTemplate %s/%s", use.pod.Name, q.Pod.Namespace, *use.pod.ResourceClaimTemplateName),
			Short: fmt.Sprintf("claim %s is not created from template %s", use.pod.Name, *use.pod.ResourceClaimTemplateName),
			Until: "that is done",
		}, true
	}
	return GateRejection{}, false
}

// unusable is why the claim serves no pod.
func (u claimUse) unusable(pod *corev1.Pod) (Reason, bool) {
	switch {
	case u.none:
		return Reason{}, false
	case u.name == "":
		short := fmt.Sprintf("ResourceClaim %s is not created yet", u.pod.Name)
		return newReason(short, func() string {
			if u.pod.ResourceClaimTemplateName == nil {
				return short
			}
			return fmt.Sprintf("%s from ResourceClaimTemplate %s/%s", short, pod.Namespace, *u.pod.ResourceClaimTemplateName)
		}), true
	case u.claim == nil:
		return plainReason(fmt.Sprintf("ResourceClaim %s does not exist", u.name)), true
	case u.claim.DeletionTimestamp != nil:
		return plainReason(fmt.Sprintf("ResourceClaim %s is being deleted", u.name)), true
	}
	groups := utilfeature.DefaultFeatureGate.Enabled(features.DRAWorkloadResourceClaims)
	if u.pod.ResourceClaimName == nil && resourceclaim.IsForPod(pod, u.claim, groups) != nil {
		return plainReason(fmt.Sprintf("ResourceClaim %s was created for another pod", u.name)), true
	}
	return Reason{}, false
}

// optionalOperations is what a node has to declare for devices that some of its
// work may be skipped for.
const optionalOperations = draoptionalnodeoperations.DRAOptionalNodeOperationsFeatureGate

func takesOptionalOperations(node *corev1.Node) bool {
	return slices.Contains(node.Status.DeclaredFeatures, optionalOperations)
}

// allocatedElsewhere is the reason of a claim whose devices are of no use to node.
func allocatedElsewhere(claim *resourcev1.ResourceClaim, node *corev1.Node) (Reason, bool) {
	place := claim.Status.Allocation.NodeSelector
	for _, result := range claim.Status.Allocation.Devices.Results {
		if len(result.SkipNodeOperations) > 0 && !takesOptionalOperations(node) {
			return plainReason(fmt.Sprintf("device %s of claim %s/%s needs node feature %s", result.Device, claim.Namespace, claim.Name, optionalOperations)), true
		}
	}
	if place == nil {
		return Reason{}, false
	}
	selector, err := nodeaffinity.NewNodeSelector(place)
	if err != nil || selector.Match(node) {
		return Reason{}, false
	}
	name := "ResourceClaim " + claim.Namespace + "/" + claim.Name
	return newReason(name+" is allocated on nodes with "+selectorTerms(place.NodeSelectorTerms, true), func() string {
		var devices []string
		for _, result := range claim.Status.Allocation.Devices.Results {
			devices = append(devices, result.Driver+"/"+result.Pool+"/"+result.Device)
		}
		return fmt.Sprintf("%s is allocated on nodes with %s: %s", name, selectorTerms(place.NodeSelectorTerms, false), grammar.List(devices, grammar.Many))
	}), true
}

// extendedWants are the extended resources of the pod that the node has to
// provide as devices, and those that it cannot provide at all.
func extendedWants(q *Question, node fwk.NodeInfo) (wants [][]deviceWant, impossible []Reason) {
	classOf := q.DRA.DeviceClassResolver().GetDeviceClass
	var names []corev1.ResourceName
	wanted := q.PodInfo.CalculateResource().Resource.GetScalarResources()
	backed := false
	for name, amount := range wanted {
		if amount > 0 && util.IsDRAExtendedResourceName(name) {
			names = append(names, name)
			backed = backed || classOf(name) != nil
		}
	}
	if !backed {
		return nil, nil
	}
	slices.Sort(names)
	for _, name := range names {
		has, listed := node.GetAllocatable().GetScalarResources()[name]
		class := classOf(name)
		switch {
		case class != nil && has == 0:
			wants = append(wants, []deviceWant{{of: "resource " + string(name), resource: name, class: class.Name, count: wanted[name]}})
		case !listed:
			impossible = append(impossible, plainReason(fmt.Sprintf("the node has no %s, and no DeviceClass provides it", name)))
		}
	}
	return wants, impossible
}

// AwaitedDevices are the allocated devices of the pod's claims whose binding conditions do not hold yet:
// kube-scheduler waits for them before it binds the pod (PreBind of
// pkg/scheduler/framework/plugins/dynamicresources).
func AwaitedDevices(q *Question) []string {
	var all []string
	for _, use := range claimUses(q) {
		if use.claim == nil || use.claim.Status.Allocation == nil {
			continue
		}
		for _, device := range use.claim.Status.Allocation.Devices.Results {
			if missing := unmetConditions(use.claim, &device); len(missing) > 0 {
				all = append(all, fmt.Sprintf("device %s of claim %s: %s", device.Device, use.name, strings.Join(missing, ", ")))
			}
		}
	}
	return all
}

// unmetConditions are the binding conditions of a device that are not True.
func unmetConditions(claim *resourcev1.ResourceClaim, device *resourcev1.DeviceRequestAllocationResult) []string {
	var missing []string
	for _, wanted := range device.BindingConditions {
		at := slices.IndexFunc(claim.Status.Devices, func(d resourcev1.AllocatedDeviceStatus) bool {
			return d.Driver == device.Driver && d.Pool == device.Pool && d.Device == device.Device
		})
		if at < 0 || !meta.IsStatusConditionTrue(claim.Status.Devices[at].Conditions, wanted) {
			missing = append(missing, wanted)
		}
	}
	return missing
}
