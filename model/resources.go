package model

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
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
		switch name {
		case corev1.ResourceCPU:
			r.MilliCPU = quantity.MilliValue()
		case corev1.ResourceMemory:
			r.Memory = quantity.Value()
		case corev1.ResourceEphemeralStorage:
			r.EphemeralStorage = quantity.Value()
		case corev1.ResourcePods:
			r.Pods = quantity.Value()
		default:
			if isScalar(name) {
				r.addScalar(name, quantity.Value())
			}
		}
	}
	return r
}

// isScalar says whether the scheduler counts a resource beyond those that it
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
	r.MilliCPU += other.MilliCPU
	r.Memory += other.Memory
	r.EphemeralStorage += other.EphemeralStorage
	r.Pods += other.Pods
	for name, amount := range other.Scalar {
		r.addScalar(name, amount)
	}
}

func (r *Resources) addScalar(name corev1.ResourceName, amount int64) {
	if r.Scalar == nil {
		r.Scalar = map[corev1.ResourceName]int64{}
	}
	r.Scalar[name] += amount
}

// String words what is not zero: "cpu 4, memory 8Gi, nvidia.com/gpu 1"; "" if
// all is. It rounds up.
func (r Resources) String() string { return string(r.append(nil)) }

func (r *Resources) append(dst []byte) []byte {
	start := len(dst)
	next := func(name string) {
		if len(dst) > start {
			dst = append(dst, ", "...)
		}
		dst = append(append(dst, name...), ' ')
	}
	if r.MilliCPU != 0 {
		next("cpu")
		dst = appendCPU(dst, r.MilliCPU, Up)
	}
	if r.Memory != 0 {
		next("memory")
		dst = appendMemory(dst, r.Memory, Up)
	}
	if r.EphemeralStorage != 0 {
		next("ephemeral-storage")
		dst = appendMemory(dst, r.EphemeralStorage, Up)
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
		return appendMemory(dst, amount, Up)
	}
	return strconv.AppendInt(dst, amount, 10)
}

// GPUs is the sum of the extended resources that are graphics processors by
// their name: nvidia.com/gpu, amd.com/gpu, gpu.intel.com/i915 and their like.
func (r *Resources) GPUs() int64 {
	var sum int64
	for name, amount := range r.Scalar {
		if isGPU(string(name)) {
			sum += amount
		}
	}
	return sum
}

func isGPU(name string) bool {
	domain, kind, _ := strings.Cut(name, "/")
	return kind == "gpu" || strings.HasPrefix(kind, "gpu-") || strings.HasPrefix(kind, "gpu.") ||
		strings.HasPrefix(domain, "gpu.") || strings.HasPrefix(kind, "mig-")
}
