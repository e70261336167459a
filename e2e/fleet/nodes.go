package fleet

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// size is what a node of an instance type can give away.
type size struct {
	instance, pool      string
	cpu, memory, pods   string
	gpu                 string // of nvidia.com/gpu
	disk                string // the label disktype
	capacity, capMemory string
}

var (
	general = size{instance: "m6i.2xlarge", pool: "general", cpu: "7910m", memory: "29Gi", pods: "58", capacity: "8", capMemory: "32Gi", disk: "ssd"}
	large   = size{instance: "m6i.4xlarge", pool: "large", cpu: "15890m", memory: "60Gi", pods: "110", capacity: "16", capMemory: "64Gi", disk: "ssd"}
	spot    = size{instance: "c6a.xlarge", pool: "spot", cpu: "3920m", memory: "6Gi", pods: "58", capacity: "4", capMemory: "8Gi", disk: "hdd"}
	gpu     = size{instance: "g5.4xlarge", pool: "gpu", cpu: "15890m", memory: "58Gi", pods: "110", capacity: "16", capMemory: "64Gi", disk: "ssd", gpu: "1"}
)

var (
	spotTaint = corev1.Taint{Key: "spot", Value: "true", Effect: corev1.TaintEffectNoSchedule}
	gpuTaint  = corev1.Taint{Key: "nvidia.com/gpu", Value: "present", Effect: corev1.TaintEffectNoSchedule}
)

// nodes are the ten nodes. The general node of zone c is cordoned.
func nodes() []*corev1.Node {
	cordoned := node("ip-10-0-3-204", "c", general)
	cordoned.Spec.Unschedulable = true
	return []*corev1.Node{
		node("ip-10-0-1-17", "a", general),
		node("ip-10-0-1-96", "a", large),
		node("ip-10-0-1-142", "a", spot, spotTaint),
		node("ip-10-0-1-231", "a", gpu, gpuTaint),
		node("ip-10-0-2-8", "b", general),
		node("ip-10-0-2-77", "b", large),
		node("ip-10-0-2-150", "b", spot, spotTaint),
		node("ip-10-0-2-219", "b", gpu, gpuTaint),
		node("ip-10-0-3-45", "c", large),
		cordoned,
	}
}

// node is a Ready node.
func node(name, zone string, s size, taints ...corev1.Taint) *corev1.Node {
	name += ".eu-central-1.compute.internal"
	n := &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{
			corev1.LabelHostname:           name,
			corev1.LabelTopologyZone:       "eu-central-1" + zone,
			corev1.LabelTopologyRegion:     "eu-central-1",
			corev1.LabelInstanceTypeStable: s.instance,
			corev1.LabelOSStable:           "linux",
			corev1.LabelArchStable:         "amd64",
			"eks.amazonaws.com/nodegroup":  s.pool,
			"disktype":                     s.disk,
		}},
		Spec: corev1.NodeSpec{Taints: taints, ProviderID: "aws:///eu-central-1" + zone + "/" + name},
		Status: corev1.NodeStatus{
			Allocatable: resources(s.cpu, s.memory, s),
			Capacity:    resources(s.capacity, s.capMemory, s),
			NodeInfo:    corev1.NodeSystemInfo{KubeletVersion: "v1.37.1", OperatingSystem: "linux", Architecture: "amd64"},
		},
	}
	return n
}

// resources are the amounts of a node.
func resources(cpu, memory string, s size) corev1.ResourceList {
	list := corev1.ResourceList{
		corev1.ResourceCPU:              resource.MustParse(cpu),
		corev1.ResourceMemory:           resource.MustParse(memory),
		corev1.ResourcePods:             resource.MustParse(s.pods),
		corev1.ResourceEphemeralStorage: resource.MustParse("90Gi"),
	}
	if s.gpu != "" {
		list["nvidia.com/gpu"] = resource.MustParse(s.gpu)
	}
	return list
}
