package kubelet

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	resourcehelper "k8s.io/component-helpers/resource"
	"k8s.io/kubectl/pkg/util/qos"

	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// podFiles are set on the cgroup of a pod, by the sums of its containers, or what the pod
// says as a whole (ResourceConfigForPod in pkg/kubelet/cm/helpers_linux.go).
func (d Driver) podFiles(pod *model.Pod) []File {
	requests := model.DesiredRequests(pod.Object)
	limits := resourcehelper.PodLimits(pod.Object, resourcehelper.PodResourcesOptions{})
	files := []File{d.weight(leastShares, "BestEffort")}
	if pod.QOS != corev1.PodQOSBestEffort {
		files = []File{d.weight(Shares(requests.Cpu().MilliValue()), words("requests", corev1.ResourceCPU, requests))}
		if isLimited(pod.Object, corev1.ResourceCPU) {
			files = append(files, d.quotaUnlessPinned(limits, ExclusiveCPUs(pod.Object))...)
		}
		if isLimited(pod.Object, corev1.ResourceMemory) {
			files = append(files, d.memoryMax(limits.Memory().Value(), words("limits", corev1.ResourceMemory, limits)))
		}
	}
	if memory := requests.Memory(); d.protects() && !memory.IsZero() {
		files = append(files, file(protection(pod), memory.Value(), words("requests", corev1.ResourceMemory, requests)))
	}
	if d.throttles() && resourcehelper.IsPodLevelResourcesSet(pod.Object) && isLimited(pod.Object, corev1.ResourceMemory) {
		files = append(files, d.high(requests.Memory().Value(), limits.Memory().Value(), "limits.memory")...)
	}
	if d.PodPidsLimit > 0 {
		files = append(files, file("pids.max", d.PodPidsLimit, "podPidsLimit"))
	}
	return append(files, d.hugepages(requests, "requests")...)
}

// isLimited reports whether the cgroup of a pod has a limit: the pod as a whole has one, or
// all of its containers, init containers included.
func isLimited(pod *corev1.Pod, name corev1.ResourceName) bool {
	switch qos.GetPodQOS(pod) {
	case corev1.PodQOSGuaranteed:
		return true
	case corev1.PodQOSBestEffort:
		return false
	}
	if resourcehelper.IsPodLevelResourcesSet(pod) {
		if limit := pod.Spec.Resources.Limits[name]; !limit.IsZero() {
			return true
		}
	}
	for _, containers := range [][]corev1.Container{pod.Spec.InitContainers, pod.Spec.Containers} {
		for i := range containers {
			if limit := containers[i].Resources.Limits[name]; limit.IsZero() {
				return false
			}
		}
	}
	return true
}

// containerFiles are set on the cgroup of a container by the container runtime
// (generateLinuxContainerResources in pkg/kubelet/kuberuntime).
func (d Driver) containerFiles(node *model.Node, pod *model.Pod, c *corev1.Container) []File {
	limits := limitsOf(pod.Object, c)
	request, requested := c.Resources.Requests[corev1.ResourceCPU]
	from := words("requests", corev1.ResourceCPU, c.Resources.Requests)
	if !requested && !limits.Cpu().IsZero() {
		request, from = *limits.Cpu(), words("limits", corev1.ResourceCPU, limits)
	}
	weight := d.weight(Shares(request.MilliValue()), from)
	if newer := fmt.Sprint(NewerWeight(Shares(request.MilliValue()))); !d.V1 && newer != weight.Value {
		weight.Newer = newer
	}
	files := []File{weight}
	if cpu := limits.Cpu(); !cpu.IsZero() {
		files = append(files, d.quotaUnlessPinned(limits, exclusiveCPUs(pod.Object, c))...)
	}
	if memory := limits.Memory(); !memory.IsZero() {
		files = append(files, d.memoryMax(memory.Value(), words("limits", corev1.ResourceMemory, limits)))
	}
	files = append(files, d.memoryQoS(node, pod, c)...)
	return append(files, d.hugepages(limits, "limits")...)
}

// limitsOf are the limits of a container; where it has none, those of the pod as a whole.
func limitsOf(pod *corev1.Pod, c *corev1.Container) corev1.ResourceList {
	limits := corev1.ResourceList{}
	if resourcehelper.IsPodLevelResourcesSet(pod) {
		maps.Copy(limits, pod.Spec.Resources.Limits)
	}
	for name, limit := range c.Resources.Limits {
		if !limit.IsZero() || strings.HasPrefix(string(name), corev1.ResourceHugePagesPrefix) {
			limits[name] = limit
		}
	}
	return limits
}

// memoryQoS are the files by which memory requests of a container are protected, and its
// memory is reclaimed before it reaches the limit.
func (d Driver) memoryQoS(node *model.Node, pod *model.Pod, c *corev1.Container) []File {
	request, limit := c.Resources.Requests.Memory().Value(), c.Resources.Limits.Memory().Value()
	var files []File
	if request != 0 && d.protects() {
		files = append(files, file(protection(pod), request, words("requests", corev1.ResourceMemory, c.Resources.Requests)))
	}
	ofPod := limit == 0 && resourcehelper.IsPodLevelResourcesSet(pod.Object) && !pod.Object.Spec.Resources.Limits.Memory().IsZero()
	switch {
	case !d.throttles(), ofPod, request == limit && request != 0:
		return files
	case limit == 0:
		return append(files, d.high(request, node.Object.Status.Allocatable.Memory().Value(), "allocatable")...)
	}
	return append(files, d.high(request, limit, "limits.memory")...)
}

// protection is the file that protects the memory that a pod requests.
func protection(pod *model.Pod) string {
	if pod.QOS == corev1.PodQOSGuaranteed {
		return "memory.min"
	}
	return "memory.low"
}

const (
	throttlingFactor = 0.9 // the example of KEP-2570; without one memory.high is not set
	pageSize         = 4096
)

// high is memory.high: of what is between request and limit so much as the factor says, in
// whole pages; none where they are equal.
func (d Driver) high(request, limit int64, of string) []File {
	factor := throttlingFactor
	if d.Throttling != nil {
		factor = *d.Throttling
	}
	if request == limit {
		return nil
	}
	bytes := int64(math.Floor(float64(request)+(float64(limit)-float64(request))*factor)/pageSize) * pageSize
	if bytes <= request {
		return nil
	}
	return []File{file("memory.high", bytes, fmt.Sprintf("throttled at %v of %s", factor, of))}
}

// pagesOf are the huge pages that a node has, by size; nil without any.
func pagesOf(node *corev1.Node) (pages corev1.ResourceList) {
	for name, amount := range node.Status.Capacity {
		if strings.HasPrefix(string(name), corev1.ResourceHugePagesPrefix) && !amount.IsZero() {
			if pages == nil {
				pages = corev1.ResourceList{}
			}
			pages[name] = amount
		}
	}
	return pages
}

// hugepages are the files of limits of huge pages, by size. A size that is not asked for is
// limited to none, on a node that has such pages.
func (d Driver) hugepages(amounts corev1.ResourceList, of string) []File {
	var files []File
	for name, amount := range amounts {
		files = append(files, d.hugepage(name, amount.Value(), words(of, name, amounts))...)
	}
	for name := range d.pages {
		if _, asked := amounts[name]; !asked {
			files = append(files, d.hugepage(name, 0, words(of, name, nil))...)
		}
	}
	slices.SortFunc(files, byName)
	return files
}

// hugepage is the file of the limit of huge pages of one size; none for another resource.
func (d Driver) hugepage(name corev1.ResourceName, limit int64, from string) []File {
	size, ok := strings.CutPrefix(string(name), corev1.ResourceHugePagesPrefix)
	if !ok {
		return nil
	}
	bytes, err := resource.ParseQuantity(size)
	if err != nil {
		return nil // kube-apiserver takes none such
	}
	ending := ".max"
	if d.V1 {
		ending = ".limit_in_bytes"
	}
	return []File{file("hugetlb."+pageWords(bytes.Value())+ending, limit, from)}
}

func byName(a, b File) int { return strings.Compare(a.Name, b.Name) }

// pageWords is the size of huge pages as their files have it: "2MB".
func pageWords(bytes int64) string {
	const kilo = 1024
	units := []string{"B", "KB", "MB", "GB", "TB", "PB"}
	at := 0
	for bytes%kilo == 0 && at < len(units)-1 {
		bytes /= kilo
		at++
	}
	return fmt.Sprint(bytes) + units[at]
}

// words name what decides a value: "requests.cpu 500m", "no requests.cpu".
func words(of string, name corev1.ResourceName, amounts corev1.ResourceList) string {
	amount := amounts[name]
	if amount.IsZero() {
		return fmt.Sprintf("no %s.%s", of, name)
	}
	return fmt.Sprintf("%s.%s %s", of, name, amount.String())
}

// quotaUnlessPinned is the quota of cpu limits: the static CPU manager lifts it for pinned CPUs.
func (d Driver) quotaUnlessPinned(limits corev1.ResourceList, pinned int64) []File {
	from := words("limits", corev1.ResourceCPU, limits)
	switch {
	case d.NoQuota:
		return nil
	case pinned == 0:
	case !d.Configured:
		from += "; none if CPUs are pinned"
	case d.CPUManager == staticPolicy && d.hasGate(noPinnedQuotaGate, noPinnedQuotaSince):
		return nil
	}
	return d.quota(Quota(limits.Cpu().MilliValue()), from)
}
