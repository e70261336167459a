package demo

import (
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/kubectl-fathom/kubectl-fathom/demo/kubelet"
)

// workload is a controller with its initial pods.
type workload struct {
	kind            string // of the controller
	namespace, name string
	tag             string // of the image; "" is v1
	cpu, memory     string // requests
	on              []string
	unbound         int           // pending pods, in addition to those on nodes
	rejected        int           // pods rejected by a quota, in addition to those
	rejection       string        // the message of kube-apiserver
	age, pending    time.Duration // of the pods on nodes, and of the pending ones
	disk            string        // requested by the claim of each pod; "" is none
	volumes         []string      // zones of the existing volumes
	shape           func(*corev1.PodTemplateSpec)
}

const (
	deployment  = "Deployment"
	statefulSet = "StatefulSet"
	daemonSet   = "DaemonSet"
	job         = "Job"
)

// standards are the nodes that run one pod of front each.
var standards = []string{"std-a-01", "std-a-02", "std-b-01", "std-b-02", "std-c-01", "std-c-02"}

// pendingWorkloads are the workloads with pods that cannot be scheduled, started or created,
// each for a different reason.
func pendingWorkloads() []workload {
	const day = 24 * time.Hour
	return []workload{
		{ // too little cpu on the nodes with the right disk
			kind: deployment, namespace: "shop", name: "checkout", cpu: "4", memory: "8Gi", on: []string{"std-b-01", "std-b-02"}, unbound: 3,
			age: 6 * day, pending: 14 * time.Minute, shape: onDisk("ssd"),
		},
		{ // larger than any node
			kind: job, namespace: "ml", name: "train", cpu: "32", memory: "64Gi", unbound: 1, pending: 2 * time.Hour,
			shape: with(tolerateGPU, wants(gpus, "2")),
		},
		{ // only a taint
			kind: deployment, namespace: "ml", name: "embed", cpu: "2", memory: "8Gi", unbound: 1, pending: 33 * time.Minute, shape: wants(gpus, "1"),
		},
		{ // a label that no node has
			kind: job, namespace: "data", name: "etl", cpu: "1", memory: "2Gi", unbound: 1, pending: 26 * time.Minute,
			shape: selects(corev1.LabelInstanceTypeStable, "r6i.4xlarge"),
		},
		{ // one for each node, and two more
			kind: deployment, namespace: "web", name: "front", cpu: "1", memory: "1Gi", on: standards, unbound: 2, age: 3 * day, pending: 6 * time.Minute,
			shape: with(selects(poolLabel, "std"), onePer(corev1.LabelHostname)),
		},
		{ // its volume is in a full zone
			kind: statefulSet, namespace: "search", name: "index", cpu: "3700m", memory: "12Gi", on: []string{"std-a-01", "std-c-01"}, unbound: 1,
			age: 20 * day, pending: 41 * time.Minute, disk: "50Gi", volumes: []string{"a", "c", "b"}, shape: ofClass("search"),
		},
		{ // a gate
			kind: job, namespace: "batch", name: "nightly", cpu: "2", memory: "4Gi", unbound: 1, pending: 3 * time.Hour, shape: with(ofClass("batch-low"), gated),
		},
		{ // a scheduler that does not run
			kind: statefulSet, namespace: "ml", name: "notebook", cpu: "1", memory: "4Gi", unbound: 1, pending: 5 * time.Hour,
			shape: func(t *corev1.PodTemplateSpec) { t.Spec.SchedulerName = "ml-scheduler" },
		},
		{ // the only node of a zone is cordoned
			kind: deployment, namespace: "web", name: "edge", cpu: "100m", memory: "128Mi", on: []string{"spot-b-01", "spot-c-01"}, unbound: 1,
			age: 2 * day, pending: 52 * time.Minute, shape: with(selects(poolLabel, "spot"), spreadOverZones),
		},
		{ // a host port
			kind: deployment, namespace: "web", name: "proxy", cpu: "200m", memory: "256Mi", on: []string{"spot-b-01", "spot-c-01"}, unbound: 1,
			age: 2 * day, pending: 18 * time.Minute, shape: with(selects(poolLabel, "spot"), hostPort(8443)),
		},
		{ // an image that no registry has
			kind: deployment, namespace: "shop", name: "recommend", tag: strings.TrimPrefix(kubelet.Missing, ":"), cpu: "500m", memory: "1Gi",
			on: []string{"std-a-02"}, age: 3 * time.Minute, shape: onDisk("hdd"),
		},
		{ // a quota
			kind: deployment, namespace: "team-a", name: "api", cpu: "900m", memory: "1Gi", on: []string{"std-a-02", "std-a-02", "std-c-02", "std-c-02"},
			rejected: 2, rejection: "exceeded quota: compute, requested: requests.cpu=900m, used: requests.cpu=3600m, limited: requests.cpu=4",
			age: 9 * day, pending: 9 * time.Minute,
		},
	}
}

// runningWorkloads are the workloads whose pods all run.
func runningWorkloads() []workload {
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

// with combines shapes.
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

// onePer is a required anti-affinity: one pod of the workload per domain.
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

// disruption is a PodDisruptionBudget of a workload.
type disruption struct {
	namespace, name              string
	minAvailable, maxUnavailable *intstr.IntOrString // one of them
}

func disruptions() []disruption {
	count := func(n int32) *intstr.IntOrString { return new(intstr.FromInt32(n)) }
	return []disruption{
		{namespace: "shop", name: "cart", minAvailable: count(3)},
		{namespace: "web", name: "front", maxUnavailable: count(1)},
		{namespace: "search", name: "index", minAvailable: count(2)},
		{namespace: "payments", name: "gateway", minAvailable: count(1)},
	}
}
