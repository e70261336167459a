package kubelet

import (
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	resourcehelper "k8s.io/component-helpers/resource"
	"k8s.io/kubectl/pkg/util/qos"
)

// decisive are the resources that the QoS class is of.
var decisive = []corev1.ResourceName{corev1.ResourceCPU, corev1.ResourceMemory}

// WhyClass says in a sentence why a pod is of its QoS class, by the rules of
// pkg/apis/core/v1/helper/qos.
func WhyClass(pod *corev1.Pod) string {
	class := qos.GetPodQOS(pod)
	computed := pod.DeepCopy()
	computed.Status.QOSClass = ""
	if qos.GetPodQOS(computed) != class {
		return fmt.Sprintf("%s: the class that the pod was created with.", class)
	}
	whole := resourcehelper.IsPodLevelResourcesSet(pod)
	switch class {
	case corev1.PodQOSGuaranteed:
		if whole {
			return "Guaranteed: the cpu and memory requests of the pod equal its limits."
		}
		return "Guaranteed: the cpu and memory requests of each container equal its limits."
	case corev1.PodQOSBestEffort:
		return "BestEffort: no container has requests or limits of cpu or memory."
	}
	if whole {
		return "Burstable: " + differenceOf("the pod", pod.Spec.Resources) + "."
	}
	return "Burstable: " + burstable(pod) + "."
}

// burstable says what keeps a pod from being Guaranteed or BestEffort.
func burstable(pod *corev1.Pod) string {
	var bare, equal string
	for _, containers := range [][]corev1.Container{pod.Spec.InitContainers, pod.Spec.Containers} {
		for i := range containers {
			c := &containers[i]
			switch words := differenceOf("container "+c.Name, &c.Resources); {
			case words != "":
				return words
			case c.Resources.Requests.Cpu().IsZero():
				bare = c.Name
			default:
				equal = c.Name
			}
		}
	}
	return fmt.Sprintf("container %s has requests and limits, container %s has none", equal, bare)
}

// differenceOf says how requests differ from limits; "" where they are equal, or there are
// none.
func differenceOf(of string, resources *corev1.ResourceRequirements) string {
	var has, lacks []string
	for _, name := range decisive {
		request, limit := resources.Requests[name], resources.Limits[name]
		switch {
		case limit.IsZero() && !request.IsZero():
			return fmt.Sprintf("%s has no %s limit", of, name)
		case request.IsZero() && !limit.IsZero():
			return fmt.Sprintf("%s requests no %s", of, name)
		case request.Cmp(limit) != 0:
			return fmt.Sprintf("%s requests %s %s, its limit is %s", of, name, request.String(), limit.String())
		case request.IsZero():
			lacks = append(lacks, string(name))
		default:
			has = append(has, string(name))
		}
	}
	if len(has) == 0 || len(lacks) == 0 {
		return ""
	}
	return fmt.Sprintf("%s has neither a request nor a limit for %s", of, strings.Join(lacks, " and "))
}

// milli is how many thousandths a whole has.
const milli = 1000

// ExclusiveCPUs is how many CPUs the static policy of the CPU manager pins to a pod: those
// of the containers of a Guaranteed pod that request whole CPUs, unless the pod as a whole
// has requests or limits (Allocate and guaranteedCPUs in
// pkg/kubelet/cm/cpumanager/policy_static.go). Other policies pin none.
func ExclusiveCPUs(pod *corev1.Pod) int64 {
	var pinned int64
	for _, c := range lasting(pod) {
		pinned += exclusiveCPUs(pod, c)
	}
	return pinned
}

// exclusiveCPUs is how many CPUs are pinned to a container of a pod.
func exclusiveCPUs(pod *corev1.Pod, c *corev1.Container) int64 {
	if qos.GetPodQOS(pod) != corev1.PodQOSGuaranteed || resourcehelper.IsPodLevelResourcesSet(pod) ||
		c.Resources.Requests.Cpu().MilliValue()%milli != 0 {
		return 0
	}
	return c.Resources.Requests.Cpu().Value()
}

// lasting are the containers that run as long as the pod does: its sidecars, and those that
// are not init containers.
func lasting(pod *corev1.Pod) []*corev1.Container {
	var all []*corev1.Container
	for i := range pod.Spec.InitContainers {
		if c := &pod.Spec.InitContainers[i]; isSidecar(c) {
			all = append(all, c)
		}
	}
	for i := range pod.Spec.Containers {
		all = append(all, &pod.Spec.Containers[i])
	}
	return all
}
