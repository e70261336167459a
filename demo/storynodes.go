package demo

import (
	"fmt"
	"maps"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Labels of the nodes, besides those of Kubernetes.
const (
	poolLabel = "pool"
	diskLabel = "disktype"
)

// gpus is the resource of which a node of the GPU pool has four.
const gpus corev1.ResourceName = "nvidia.com/gpu"

// pool is a node pool.
type pool struct {
	name, machine       string
	cpu, memory, gpus   string // of the machine
	freeCPU, freeMemory string // allocatable
	pods                string
	taints              []corev1.Taint
}

var (
	gpuPool = pool{
		name: "gpu", machine: "g5.8xlarge", cpu: "32", memory: "128Gi", gpus: "4", freeCPU: "31800m", freeMemory: "120Gi", pods: "110",
		taints: []corev1.Taint{{Key: "dedicated", Value: "gpu", Effect: corev1.TaintEffectNoSchedule}},
	}
	standardPool = pool{name: "std", machine: "m6i.4xlarge", cpu: "16", memory: "64Gi", freeCPU: "15900m", freeMemory: "60Gi", pods: "110"}
	spotPool     = pool{name: "spot", machine: "m6i.2xlarge", cpu: "8", memory: "32Gi", freeCPU: "7900m", freeMemory: "29Gi", pods: "58"}
)

// zones are the suffixes of the zones.
var zones = []string{"a", "b", "c"}

// node adds a node of the pool that has been Ready for its age. disk is the value of
// diskLabel; "" is no label.
func (s *story) node(of pool, zone string, number int, disk string, age time.Duration) *corev1.Node {
	name := fmt.Sprintf("%s-%s-%02d", of.name, zone, number)
	created := s.ago(age)
	node := &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: name, CreationTimestamp: created, Labels: map[string]string{
			corev1.LabelHostname: name, corev1.LabelTopologyZone: "eu-1" + zone, corev1.LabelTopologyRegion: "eu-1",
			corev1.LabelInstanceTypeStable: of.machine, corev1.LabelOSStable: "linux", corev1.LabelArchStable: "amd64", poolLabel: of.name,
		}},
		Spec: corev1.NodeSpec{Taints: slices.Clone(of.taints), ProviderID: "demo://eu-1" + zone + "/" + name},
		Status: corev1.NodeStatus{
			Capacity:   amounts("cpu", of.cpu, "memory", of.memory, "pods", of.pods, "ephemeral-storage", "100Gi", string(gpus), of.gpus),
			Conditions: readyConditions(created),
			NodeInfo:   corev1.NodeSystemInfo{KubeletVersion: kubernetesVersion, OperatingSystem: "linux", Architecture: "amd64", OSImage: "none (simulated node)"},
			Addresses:  []corev1.NodeAddress{{Type: corev1.NodeHostName, Address: name}},
		},
	}
	if disk != "" {
		node.Labels[diskLabel] = disk
	}
	node.Status.Allocatable = maps.Clone(node.Status.Capacity)
	maps.Copy(node.Status.Allocatable, amounts("cpu", of.freeCPU, "memory", of.freeMemory, "ephemeral-storage", "90Gi"))
	s.nodes = append(s.nodes, node)
	return node
}

// amounts are pairs of the name of a resource and its quantity. Empty quantities are skipped.
func amounts(pairs ...string) corev1.ResourceList {
	list := corev1.ResourceList{}
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			list[corev1.ResourceName(pairs[i])] = resource.MustParse(pairs[i+1])
		}
	}
	return list
}

// readyConditions are the conditions of a node that has been Ready since then.
func readyConditions(since metav1.Time) []corev1.NodeCondition {
	condition := func(of corev1.NodeConditionType, is corev1.ConditionStatus, reason, message string) corev1.NodeCondition {
		return corev1.NodeCondition{Type: of, Status: is, Reason: reason, Message: message, LastHeartbeatTime: since, LastTransitionTime: since}
	}
	return []corev1.NodeCondition{
		condition(corev1.NodeReady, corev1.ConditionTrue, "KubeletReady", "kubelet is posting ready status"),
		condition(corev1.NodeMemoryPressure, corev1.ConditionFalse, "KubeletHasSufficientMemory", "kubelet has sufficient memory available"),
		condition(corev1.NodeDiskPressure, corev1.ConditionFalse, "KubeletHasNoDiskPressure", "kubelet has no disk pressure"),
		condition(corev1.NodePIDPressure, corev1.ConditionFalse, "KubeletHasSufficientPID", "kubelet has sufficient PID available"),
	}
}

// pressMemory sets the condition MemoryPressure of a node, and the taint with which the
// node lifecycle controller keeps it.
func pressMemory(node *corev1.Node, since metav1.Time) {
	for i := range node.Status.Conditions {
		if c := &node.Status.Conditions[i]; c.Type == corev1.NodeMemoryPressure {
			c.Status, c.Reason, c.Message = corev1.ConditionTrue, "KubeletHasInsufficientMemory", "kubelet has insufficient memory available"
			c.LastTransitionTime = since
		}
	}
	taint(node, corev1.TaintNodeMemoryPressure, since)
}

// cordon marks a node as unschedulable, with the taint that the controller adds.
func cordon(node *corev1.Node, since metav1.Time) {
	node.Spec.Unschedulable = true
	taint(node, corev1.TaintNodeUnschedulable, since)
}

func taint(node *corev1.Node, key string, since metav1.Time) {
	node.Spec.Taints = append(node.Spec.Taints, corev1.Taint{Key: key, Effect: corev1.TaintEffectNoSchedule, TimeAdded: &since})
}

// addBaseNodes adds the twelve base nodes.
func (s *story) addBaseNodes() {
	const day = 24 * time.Hour
	for _, zone := range zones {
		s.node(gpuPool, zone, 1, "ssd", 23*day)
	}
	s.node(standardPool, "a", 1, "hdd", 41*day)
	s.node(standardPool, "a", 2, "hdd", 41*day)
	s.node(standardPool, "b", 1, "ssd", 41*day)
	s.node(standardPool, "b", 2, "ssd", 41*day)
	s.node(standardPool, "c", 1, "hdd", 41*day)
	pressMemory(s.node(standardPool, "c", 2, "", 12*day), s.ago(7*time.Minute))
	cordon(s.node(spotPool, "a", 1, "", 2*day), s.ago(26*time.Hour))
	s.node(spotPool, "b", 1, "", 2*day)
	s.node(spotPool, "c", 1, "ssd", 5*time.Hour)
}
