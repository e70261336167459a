package demo

import (
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/kubectl-fathom/kubectl-fathom/demo/kubelet"
)

// workload is a controller with its pods, as they are when the story begins.
type workload struct {
	kind            string // of the controller
	namespace, name string
	tag             string // of the image; "" is v1
	cpu, memory     string // requests
	on              []string
	waits           int           // pods without a node, beside those on nodes
	refused         int           // pods that a quota refuses, beside those
	refusal         string        // what kube-apiserver says of them
	age, pending    time.Duration // of the pods on nodes, and of those that wait
	disk            string        // what each pod claims; "" for none
	volumes         []string      // zones of the volumes that there are already
	shape           func(*corev1.PodTemplateSpec)
}

const (
	deployment  = "Deployment"
	statefulSet = "StatefulSet"
	daemonSet   = "DaemonSet"
	job         = "Job"
)

// standards are the nodes where one pod of front runs each.
var standards = []string{"std-a-01", "std-a-02", "std-b-01", "std-b-02", "std-c-01", "std-c-02"}

// waiting are the workloads with pods that cannot be placed, started or created,
// each for a reason of its own.
func waiting() []workload {
	const day = 24 * time.Hour
	return []workload{
		{ // short of cpu where the disk is right
			kind: deployment, namespace: "shop", name: "checkout", cpu: "4", memory: "8Gi", on: []string{"std-b-01", "std-b-02"}, waits: 3,
			age: 6 * day, pending: 14 * time.Minute, shape: onDisk("ssd"),
		},
		{ // larger than any node
			kind: job, namespace: "ml", name: "train", cpu: "32", memory: "64Gi", waits: 1, pending: 2 * time.Hour,
			shape: with(tolerateGPU, wants(gpus, "2")),
		},
		{ // a taint alone
			kind: deployment, namespace: "ml", name: "embed", cpu: "2", memory: "8Gi", waits: 1, pending: 33 * time.Minute, shape: wants(gpus, "1"),
		},
		{ // a label that no node has
			kind: job, namespace: "data", name: "etl", cpu: "1", memory: "2Gi", waits: 1, pending: 26 * time.Minute,
			shape: selects(corev1.LabelInstanceTypeStable, "r6i.4xlarge"),
		},
		{ // one for each node, and two more
			kind: deployment, namespace: "web", name: "front", cpu: "1", memory: "1Gi", on: standards, waits: 2, age: 3 * day, pending: 6 * time.Minute,
			shape: with(selects(poolLabel, "std"), onePer(corev1.LabelHostname)),
		},
		{ // its volume is in a zone that is full
			kind: statefulSet, namespace: "search", name: "index", cpu: "3700m", memory: "12Gi", on: []string{"std-a-01", "std-c-01"}, waits: 1,
			age: 20 * day, pending: 41 * time.Minute, disk: "50Gi", volumes: []string{"a", "c", "b"}, shape: ofClass("search"),
		},
		{ // a gate
			kind: job, namespace: "batch", name: "nightly", cpu: "2", memory: "4Gi", waits: 1, pending: 3 * time.Hour, shape: with(ofClass("batch-low"), gated),
		},
		{ // a scheduler that is not there
			kind: statefulSet, namespace: "ml", name: "notebook", cpu: "1", memory: "4Gi", waits: 1, pending: 5 * time.Hour,
			shape: func(t *corev1.PodTemplateSpec) { t.Spec.SchedulerName = "ml-scheduler" },
		},
		{ // a zone with a node, but a cordoned one
			kind: deployment, namespace: "web", name: "edge", cpu: "100m", memory: "128Mi", on: []string{"spot-b-01", "spot-c-01"}, waits: 1,
			age: 2 * day, pending: 52 * time.Minute, shape: with(selects(poolLabel, "spot"), spreadOverZones),
		},
		{ // a port of the node
			kind: deployment, namespace: "web", name: "proxy", cpu: "200m", memory: "256Mi", on: []string{"spot-b-01", "spot-c-01"}, waits: 1,
			age: 2 * day, pending: 18 * time.Minute, shape: with(selects(poolLabel, "spot"), hostPort(8443)),
		},
		{ // an image that no registry has
			kind: deployment, namespace: "shop", name: "recommend", tag: strings.TrimPrefix(kubelet.Missing, ":"), cpu: "500m", memory: "1Gi",
			on: []string{"std-a-02"}, age: 3 * time.Minute, shape: onDisk("hdd"),
		},
		{ // a quota
			kind: deployment, namespace: "team-a", name: "api", cpu: "900m", memory: "1Gi", on: []string{"std-a-02", "std-a-02", "std-c-02", "std-c-02"},
			refused: 2, refusal: "exceeded quota: compute, requested: requests.cpu=900m, used: requests.cpu=3600m, limited: requests.cpu=4",
			age: 9 * day, pending: 9 * time.Minute,
		},
	}
}

// settled are the workloads that have all their pods.
func settled() []workload {
	const day = 24 * time.Hour
	return []workload{
		{
			kind: statefulSet, namespace: "batch", name: "report", cpu: "4", memory: "6Gi", on: []string{"std-a-01", "std-b-02", "std-b-01", "std-c-01"},
			age: 3 * time.Hour,
		},
		{kind: deployment, namespace: "shop", name: "cart", cpu: "2", memory: "3Gi", on: []string{"std-a-01", "std-b-01", "std-b-02"}, age: 8 * day},
		{kind: deployment, namespace: "shop", name: "session", cpu: "1", memory: "1Gi", on: []string{"std-b-01", "std-b-01", "std-b-01", "std-b-02", "spot-b-01"}, age: 4 * day},
		{kind: deployment, namespace: "shop", name: "stock", cpu: "400m", memory: "512Mi", on: []string{"std-b-01", "std-b-01", "spot-b-01", "spot-c-01"}, age: 4 * day},
		{
			kind: deployment, namespace: "web", name: "api", cpu: "1", memory: "2Gi", on: []string{"std-a-01", "std-a-02", "std-c-01"}, age: 30 * time.Hour,
			shape: with(onDisk("hdd"), onePer(corev1.LabelHostname)),
		},
		{kind: statefulSet, namespace: "web", name: "cache", cpu: "200m", memory: "4Gi", on: []string{"spot-c-01"}, age: 5 * time.Hour, shape: scratch},
		{
			kind: deployment, namespace: "search", name: "query", cpu: "1", memory: "3Gi", on: []string{"std-a-02", "std-c-01"}, age: 11 * day,
			shape: with(onDisk("hdd"), onePer(corev1.LabelHostname), ofClass("search")),
		},
		{
			kind: deployment, namespace: "payments", name: "gateway", cpu: "2", memory: "2Gi", on: []string{"std-a-02", "std-a-02", "std-c-02"}, age: 15 * day,
			shape: ofClass("payments"),
		},
		{
			kind: statefulSet, namespace: "payments", name: "ledger", cpu: "7500m", memory: "12Gi", disk: "20Gi", volumes: []string{"c"}, age: 15 * day,
			shape: ofClass("payments"),
		},
		{
			kind: deployment, namespace: "ml", name: "serve", cpu: "8", memory: "32Gi", on: []string{"gpu-a-01", "gpu-b-01", "gpu-c-01"}, age: 6 * day,
			shape: with(tolerateGPU, wants(gpus, "1")),
		},
		{kind: deployment, namespace: "ml", name: "features", cpu: "3", memory: "24Gi", on: []string{"std-a-02", "std-c-02"}, age: 13 * day},
		{kind: deployment, namespace: "batch", name: "worker", cpu: "2", memory: "3Gi", on: []string{"spot-b-01", "spot-b-01", "spot-c-01", "spot-c-01"}, age: 5 * time.Hour},
		{
			kind: deployment, namespace: metav1.NamespaceSystem, name: "coredns", cpu: "50m", memory: "70Mi", on: []string{"std-a-01", "std-b-02"}, age: 41 * day,
			shape: ofClass("system-cluster-critical"),
		},
		{
			kind: daemonSet, namespace: metav1.NamespaceSystem, name: "node-agent", cpu: "100m", memory: "128Mi", age: 12 * day,
			shape: with(tolerateAll, ofClass("system-node-critical")),
		},
		{
			kind: daemonSet, namespace: metav1.NamespaceSystem, name: "kube-proxy", cpu: "100m", memory: "64Mi", age: 41 * day,
			shape: with(tolerateAll, ofClass("system-node-critical")),
		},
	}
}

// with applies several shapes.
func with(shapes ...func(*corev1.PodTemplateSpec)) func(*corev1.PodTemplateSpec) {
	return func(t *corev1.PodTemplateSpec) {
		for _, shape := range shapes {
			shape(t)
		}
	}
}

func onDisk(disk string) func(*corev1.PodTemplateSpec) { return selects(diskLabel, disk) }

func selects(label, value string) func(*corev1.PodTemplateSpec) {
	return func(t *corev1.PodTemplateSpec) {
		if t.Spec.NodeSelector == nil {
			t.Spec.NodeSelector = map[string]string{}
		}
		t.Spec.NodeSelector[label] = value
	}
}

func ofClass(class string) func(*corev1.PodTemplateSpec) {
	return func(t *corev1.PodTemplateSpec) { t.Spec.PriorityClassName = class }
}

func wants(resource corev1.ResourceName, amount string) func(*corev1.PodTemplateSpec) {
	return func(t *corev1.PodTemplateSpec) {
		r := &t.Spec.Containers[0].Resources
		r.Requests[resource] = amounts(string(resource), amount)[resource]
		r.Limits = corev1.ResourceList{resource: r.Requests[resource]}
	}
}

func tolerateGPU(t *corev1.PodTemplateSpec) {
	t.Spec.Tolerations = append(t.Spec.Tolerations, corev1.Toleration{Key: "dedicated", Value: "gpu", Effect: corev1.TaintEffectNoSchedule})
}

func tolerateAll(t *corev1.PodTemplateSpec) {
	t.Spec.Tolerations = append(t.Spec.Tolerations, corev1.Toleration{Operator: corev1.TolerationOpExists})
}

// onePer keeps pods of a workload apart from each other.
func onePer(topology string) func(*corev1.PodTemplateSpec) {
	return func(t *corev1.PodTemplateSpec) {
		t.Spec.Affinity = &corev1.Affinity{PodAntiAffinity: &corev1.PodAntiAffinity{
			RequiredDuringSchedulingIgnoredDuringExecution: []corev1.PodAffinityTerm{{
				LabelSelector: &metav1.LabelSelector{MatchLabels: t.Labels}, TopologyKey: topology,
			}},
		}}
	}
}

func spreadOverZones(t *corev1.PodTemplateSpec) {
	t.Spec.TopologySpreadConstraints = []corev1.TopologySpreadConstraint{{
		MaxSkew: 1, TopologyKey: corev1.LabelTopologyZone, WhenUnsatisfiable: corev1.DoNotSchedule,
		LabelSelector: &metav1.LabelSelector{MatchLabels: t.Labels},
	}}
}

func hostPort(port int32) func(*corev1.PodTemplateSpec) {
	return func(t *corev1.PodTemplateSpec) {
		t.Spec.Containers[0].Ports = []corev1.ContainerPort{{Name: "https", ContainerPort: port, HostPort: port}}
	}
}

func gated(t *corev1.PodTemplateSpec) {
	t.Spec.SchedulingGates = []corev1.PodSchedulingGate{{Name: "example.com/budget"}}
}

func scratch(t *corev1.PodTemplateSpec) {
	t.Spec.Volumes = []corev1.Volume{{Name: "scratch", VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}}}
}

// disruption is a budget for the pods of a workload.
type disruption struct {
	namespace, name string
	atLeast, lost   *intstr.IntOrString // one of them
}

func disruptions() []disruption {
	count := func(n int32) *intstr.IntOrString { return new(intstr.FromInt32(n)) }
	return []disruption{
		{namespace: "shop", name: "cart", atLeast: count(3)},
		{namespace: "web", name: "front", lost: count(1)},
		{namespace: "search", name: "index", atLeast: count(2)},
		{namespace: "payments", name: "gateway", atLeast: count(1)},
	}
}
