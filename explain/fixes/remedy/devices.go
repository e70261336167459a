package remedy

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"

	"github.com/kubectl-fathom/kubectl-fathom/explain/plugins"
	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/explain/scheduler"
	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
)

// RequestDevices changes what a request of a ResourceClaim asks for: one of Count, Class, Less and
// Tolerate. Nobody may change a claim or a template that exists, so there is no command.
type RequestDevices struct {
	Of plugins.DeviceShortage
	// Count is how many devices are requested instead; 0: as many as now.
	Count int64
	// Class is the DeviceClass that is requested instead, or with Too as an alternative; "": as now.
	Class string
	Too   bool
	// Less is the capacity of a device of which no more than is left is requested; nil: as now.
	Less *plugins.CapacityShortage
	// Tolerate is the taint of devices that is tolerated; nil: as now.
	Tolerate *resourcev1.DeviceTaint
}

func (RequestDevices) kind() report.FixKind { return report.FixDevice }

// harm of fewer devices, or of less capacity, grows with how much is taken away.
func (r RequestDevices) harm() int {
	share := func(less, of float64) int {
		if of <= 0 {
			return 0
		}
		return int(50 * (of - less) / of)
	}
	switch {
	case r.Less != nil:
		return 20 + share(r.Less.Left.AsApproximateFloat64(), r.Less.Asked.AsApproximateFloat64())
	case r.Count > 0:
		return 20 + share(float64(r.Count), float64(r.Of.Wanted))
	case r.Tolerate != nil:
		return 30
	case r.Too:
		return 35
	}
	return 50
}

func (r RequestDevices) title() string {
	switch {
	case r.Less != nil:
		return fmt.Sprintf("request %s %s of a device instead of %s", r.Less.Name, r.Less.Left.String(), r.Less.Asked.String())
	case r.Count > 0 && r.Of.Wanted == 0:
		return fmt.Sprintf("request %s instead of all", grammar.Plural(int(r.Count), r.Of.Class+" device"))
	case r.Count > 0:
		return fmt.Sprintf("request %s instead of %d", grammar.Plural(int(r.Count), r.Of.Class+" device"), r.Of.Wanted)
	case r.Tolerate != nil:
		return "tolerate the device taint " + plugins.TaintOfDevice(r.Tolerate)
	case r.Too:
		return fmt.Sprintf("accept %s devices too", r.Class)
	}
	return fmt.Sprintf("request %s devices instead of %s", r.Class, r.Of.Class)
}

// apply changes the claim, which is not allocated yet.
func (r RequestDevices) apply(s *scheduler.Fork, pod *corev1.Pod) (*corev1.Pod, error) {
	claim := r.Of.Claim
	if before, changed := s.Laid(claim).(*resourcev1.ResourceClaim); changed { // another step has changed it
		claim = before
	}
	claim = claim.DeepCopy()
	request := &claim.Spec.Devices.Requests[r.Of.Request]
	exact := request.Exactly
	switch {
	case exact == nil:
		return nil, fmt.Errorf("change request %s of ResourceClaim %s/%s: it has alternatives", request.Name, claim.Namespace, claim.Name)
	case r.Less != nil:
		exact.Capacity.Requests[r.Less.Name] = r.Less.Left
	case r.Count > 0:
		exact.AllocationMode, exact.Count = resourcev1.DeviceAllocationModeExactCount, r.Count
	case r.Tolerate != nil:
		exact.Tolerations = append(exact.Tolerations, plugins.Tolerating(r.Tolerate))
	case r.Too:
		first := resourcev1.DeviceSubRequest{
			Name: "first", DeviceClassName: exact.DeviceClassName, Selectors: exact.Selectors, AllocationMode: exact.AllocationMode,
			Count: exact.Count, Tolerations: exact.Tolerations, Capacity: exact.Capacity,
		}
		second := *first.DeepCopy()
		second.Name, second.DeviceClassName = "second", r.Class
		request.Exactly, request.FirstAvailable = nil, []resourcev1.DeviceSubRequest{first, second}
	default:
		exact.DeviceClassName = r.Class
	}
	return pod, s.SetObject(claim)
}

// Manual says whether a step has to be made by other means than a command of ours: how nodes
// are added differs by provider, and claims and their templates cannot be changed.
func Manual(step Step) bool {
	switch step.(type) {
	case AddNode, RequestDevices:
		return true
	}
	return false
}

// Replaced is what has to be created anew for the step.
func (r RequestDevices) Replaced() report.Affected {
	if r.Of.Template != "" {
		return report.Affected{
			Kind: "ResourceClaimTemplate", Namespace: r.Of.Claim.Namespace, Name: r.Of.Template,
			How: "cannot be changed: create another one with this request, and name it in the pod's workload, which replaces its pods",
		}
	}
	return report.Affected{
		Kind: "ResourceClaim", Namespace: r.Of.Claim.Namespace, Name: r.Of.Claim.Name,
		How: "cannot be changed: delete it, and create it again with this request",
	}
}
