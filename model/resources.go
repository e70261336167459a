package model

import (
	"maps"
	"math"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/validation"
	resourcehelper "k8s.io/component-helpers/resource"
)

// counting is how the scheduler of v1.37 counts by default: a resize in place
// counts with the greater of what is wanted and what is held, for containers and
// for the pod as a whole. See CalculateResource in pkg/scheduler/framework.
var counting = resourcehelper.PodResourcesOptions{
	UseStatusResources: true,
	InPlacePodLevelResourcesVerticalScalingEnabled: true,
}

func requestsOf(pod *corev1.Pod) Resources {
	return NewResources(resourcehelper.PodRequests(pod, countingFor(pod)))
}

func limitsOf(pod *corev1.Pod) Resources {
	return NewResources(resourcehelper.PodLimits(pod, countingFor(pod)))
}

// countingFor leaves out the look at the status where it holds nothing to count,
// which is a third of the work and gives the same.
func countingFor(pod *corev1.Pod) resourcehelper.PodResourcesOptions {
	if tellsResources(&pod.Status) {
		return counting
	}
	return resourcehelper.PodResourcesOptions{}
}

func tellsResources(status *corev1.PodStatus) bool {
	if status.Resources != nil || status.AllocatedResources != nil {
		return true
	}
	for i := range status.Conditions {
		if status.Conditions[i].Type == corev1.PodResizePending {
			return true
		}
	}
	for _, statuses := range [][]corev1.ContainerStatus{status.ContainerStatuses, status.InitContainerStatuses} {
		for i := range statuses {
			if statuses[i].Resources != nil || statuses[i].AllocatedResources != nil {
				return true
			}
		}
	}
	return false
}

// NewResources counts a list of quantities as the scheduler does, each rounded up
// to its unit. Names that the scheduler does not count are left out.
func NewResources(list corev1.ResourceList) Resources {
	var r Resources
	for name, quantity := range list {
		if known := r.known(name); known == nil && !isScalar(name) {
			continue
		}
		amount, fits := Count(name, quantity)
		r.set(name, amount)
		if !fits {
			r.beyond(name, quantity.DeepCopy())
		}
	}
	return r
}

// known is where the amount of a resource stands that has a field; nil for others.
func (r *Resources) known(name corev1.ResourceName) *int64 {
	switch name {
	case corev1.ResourceCPU:
		return &r.MilliCPU
	case corev1.ResourceMemory:
		return &r.Memory
	case corev1.ResourceEphemeralStorage:
		return &r.EphemeralStorage
	case corev1.ResourcePods:
		return &r.Pods
	}
	return nil
}

// Of is the amount of one resource; math.MaxInt64 where it is in Beyond.
func (r *Resources) Of(name corev1.ResourceName) int64 {
	if known := r.known(name); known != nil {
		return *known
	}
	return r.Scalar[name]
}

func (r *Resources) set(name corev1.ResourceName, amount int64) {
	if known := r.known(name); known != nil {
		*known = amount
		return
	}
	if r.Scalar == nil {
		r.Scalar = map[corev1.ResourceName]int64{}
	}
	r.Scalar[name] = amount
}

func (r *Resources) beyond(name corev1.ResourceName, exact resource.Quantity) {
	if r.Beyond == nil {
		r.Beyond = map[corev1.ResourceName]resource.Quantity{}
	}
	r.Beyond[name] = exact
}

// Exact is the amount of one resource, however large.
func (r *Resources) Exact(name corev1.ResourceName) resource.Quantity {
	if exact, ok := r.Beyond[name]; ok {
		return exact.DeepCopy()
	}
	switch name {
	case corev1.ResourceCPU:
		return *resource.NewMilliQuantity(r.MilliCPU, resource.DecimalSI)
	case corev1.ResourceMemory, corev1.ResourceEphemeralStorage:
		return *resource.NewQuantity(r.Of(name), resource.BinarySI)
	}
	return *resource.NewQuantity(r.Of(name), resource.DecimalSI)
}

// Count is a quantity in the unit that the scheduler counts a resource in, rounded
// up as it does. Where 64 bits do not hold it, it is the greatest or least that
// they do, and fits is false; the scheduler overflows there.
func Count(name corev1.ResourceName, quantity resource.Quantity) (amount int64, fits bool) {
	if about := quantity.AsApproximateFloat64(); -farFromMost < about && about < farFromMost { // nearly always
		if name == corev1.ResourceCPU {
			return quantity.MilliValue(), true
		}
		return quantity.Value(), true
	}
	most := resource.NewQuantity(math.MaxInt64, resource.DecimalSI)
	if name == corev1.ResourceCPU {
		most = resource.NewMilliQuantity(math.MaxInt64, resource.DecimalSI)
	}
	least := most.DeepCopy()
	least.Neg()
	switch {
	case quantity.Cmp(*most) > 0:
		return math.MaxInt64, false
	case quantity.Cmp(least) < 0:
		return math.MinInt64, false
	case name == corev1.ResourceCPU:
		return quantity.MilliValue(), true
	}
	return quantity.Value(), true
}

// farFromMost is well below what 64 bits hold in thousandths.
const farFromMost = 9e15

// Minus is what is left of the resources that r has after taken; less than zero where
// more is taken than there is.
func (r *Resources) Minus(taken *Resources) Resources {
	var left Resources
	names := slices.Concat(plainNames[:], slices.Collect(maps.Keys(r.Scalar)))
	for _, name := range names {
		exact := r.Exact(name)
		exact.Sub(taken.Exact(name))
		amount, fits := Count(name, exact)
		left.set(name, amount)
		if !fits {
			left.beyond(name, exact)
		}
	}
	return left
}

// Plus is what r and others are together, none less than zero.
func (r *Resources) Plus(others ...Resources) (sum Resources) {
	sum.add(*r)
	for _, other := range others {
		sum.add(other)
	}
	return sum
}

// Sum adds two amounts of Resources, neither less than zero: math.MaxInt64 where 64
// bits do not hold the sum.
func Sum(a, b int64) int64 {
	if a > math.MaxInt64-max(b, 0) {
		return math.MaxInt64
	}
	return a + b
}

// plainNames are the resources that every node has.
var plainNames = [...]corev1.ResourceName{
	corev1.ResourceCPU, corev1.ResourceMemory, corev1.ResourceEphemeralStorage, corev1.ResourcePods,
}

// isScalar reports whether the scheduler counts a resource beyond those that it
// knows by name, with the rules of IsScalarResourceName in pkg/scheduler/util.
func isScalar(name corev1.ResourceName) bool {
	text := string(name)
	switch {
	case strings.HasPrefix(text, corev1.ResourceHugePagesPrefix),
		strings.HasPrefix(text, corev1.ResourceAttachableVolumesPrefix),
		strings.Contains(text, corev1.ResourceDefaultNamespacePrefix):
		return true
	case !strings.Contains(text, "/"), strings.HasPrefix(text, corev1.DefaultResourceRequestsPrefix):
		return false
	default:
		return len(validation.IsQualifiedName(corev1.DefaultResourceRequestsPrefix+text)) == 0
	}
}

// add sums up; the receiver must not be shared yet.
func (r *Resources) add(other Resources) {
	for _, name := range plainNames {
		r.addOne(&other, name)
	}
	for name := range other.Scalar {
		r.addOne(&other, name)
	}
}

// addOne sums up one resource. No amount is negative.
func (r *Resources) addOne(other *Resources, name corev1.ResourceName) {
	here, there := r.Of(name), other.Of(name)
	if here <= math.MaxInt64-there && r.Beyond == nil && other.Beyond == nil { // nearly always
		r.set(name, here+there)
		return
	}
	sum := r.Exact(name)
	sum.Add(other.Exact(name))
	amount, fits := Count(name, sum)
	r.set(name, amount)
	if !fits {
		r.beyond(name, sum)
	}
}

// String words what is not zero: "cpu 4, memory 8Gi, nvidia.com/gpu 1"; "" if
// all is. It rounds up.
func (r Resources) String() string { return string(r.Append(nil)) }

// Append adds what String gives to dst.
func (r *Resources) Append(dst []byte) []byte {
	start := len(dst)
	next := func(name string) {
		if len(dst) > start {
			dst = append(dst, ", "...)
		}
		dst = append(append(dst, name...), ' ')
	}
	if r.MilliCPU != 0 {
		next("cpu")
		dst = AppendCPU(dst, r.MilliCPU, Up)
	}
	if r.Memory != 0 {
		next("memory")
		dst = AppendMemory(dst, r.Memory, Up)
	}
	if r.EphemeralStorage != 0 {
		next("ephemeral-storage")
		dst = AppendMemory(dst, r.EphemeralStorage, Up)
	}
	if len(r.Scalar) == 0 {
		return dst
	}
	for _, name := range slices.Sorted(maps.Keys(r.Scalar)) {
		if amount := r.Scalar[name]; amount != 0 {
			next(string(name))
			dst = appendScalar(dst, name, amount)
		}
	}
	return dst
}

func appendScalar(dst []byte, name corev1.ResourceName, amount int64) []byte {
	if strings.HasPrefix(string(name), corev1.ResourceHugePagesPrefix) {
		return AppendMemory(dst, amount, Up)
	}
	return appendInt(dst, amount)
}

// GPUs is the sum of the extended resources that are graphics processors by
// their name: nvidia.com/gpu, amd.com/gpu, gpu.intel.com/i915 and their like.
func (r *Resources) GPUs() int64 {
	var sum int64
	for name, amount := range r.Scalar {
		if IsGPU(name) {
			sum = Sum(sum, amount)
		}
	}
	return sum
}

// IsGPU reports whether a resource is GPUs or slices of them, by its name.
func IsGPU(name corev1.ResourceName) bool {
	domain, kind, _ := strings.Cut(string(name), "/")
	return kind == "gpu" || strings.HasPrefix(kind, "gpu-") || strings.HasPrefix(kind, "gpu.") ||
		strings.HasPrefix(domain, "gpu.") || strings.HasPrefix(kind, "mig-")
}
