package random

import (
	"fmt"
	"math/rand/v2"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// Steady are annotations of pods whose containers run on, whoever plays the
// kubelets: kwok, or the embedded cluster.
var Steady = map[string]string{"fathom.example/endless": "", "demo.fathom/runs-for": "24h"}

// WorkloadLabel is the label by which workloads find their pods: the workload's name.
const WorkloadLabel = "workload"

// Workload is one that comes to a cluster, with what goes along with it.
type Workload struct {
	Name    string
	Kind    string
	Objects []runtime.Object // in the order of their creation; the last is the workload
}

// Namespace is the workload's.
func (w Workload) Namespace() string {
	object, ok := w.Objects[len(w.Objects)-1].(metav1.Object)
	if !ok {
		return ""
	}
	return object.GetNamespace()
}

// NewWorkloads makes the cluster of a seed to which workloads come, and those.
func NewWorkloads(seed uint64, nodes, count int) *Cluster {
	c := &Cluster{prefix: fmt.Sprintf("work-%d", seed), rand: rand.New(rand.NewPCG(seed, 5))}
	c.namespaces = []string{c.prefix + "-a", c.prefix + "-b"}
	for i := range nodes {
		c.Nodes = append(c.Nodes, c.node(i))
	}
	c.addPolicy()
	c.addWorkloadPolicy()
	c.addWorkloadStorage()
	for i := range count {
		c.Workloads = append(c.Workloads, c.workload(i))
	}
	return c
}

// addWorkloadPolicy adds limits and quotas that some workloads come upon.
func (c *Cluster) addWorkloadPolicy() {
	limits := &corev1.LimitRange{ObjectMeta: metav1.ObjectMeta{Namespace: c.namespaces[1], Name: "limits"}}
	limits.Spec.Limits = []corev1.LimitRangeItem{{
		Type: corev1.LimitTypeContainer, Max: amounts("cpu", "8", "memory", "16Gi"), Min: amounts("memory", "16Mi"),
		DefaultRequest: amounts("cpu", "150m", "memory", "100Mi"), Default: amounts("cpu", "8", "memory", "16Gi"),
	}}
	c.others = append(c.others, limits, &corev1.ResourceQuota{
		ObjectMeta: metav1.ObjectMeta{Namespace: c.namespaces[1], Name: "cpu"},
		Spec:       corev1.ResourceQuotaSpec{Hard: amounts("requests.cpu", pick(c, "6", "9", "14"), "count/deployments.apps", "100")},
	})
}

// workload makes workload i.
func (c *Cluster) workload(i int) Workload {
	kind := pick(c, "Deployment", "Deployment", "Deployment", "ReplicaSet", "StatefulSet", "StatefulSet", "DaemonSet", "Job", "Pod", "Pod")
	pod := c.workloadPod(fmt.Sprintf("w-%02d", i))
	if kind == "DaemonSet" {
		pod.Namespace = c.namespaces[0] // a quota would leave it to chance which nodes get a pod
	}
	w := Workload{Name: pod.Name, Kind: kind}
	if c.one(5) {
		w.Objects = append(w.Objects, c.workloadClaim(pod)...)
	}
	if kind != "Pod" && kind != "DaemonSet" && c.one(4) {
		w.Objects = append(w.Objects, &policyv1.PodDisruptionBudget{ObjectMeta: named(pod), Spec: policyv1.PodDisruptionBudgetSpec{
			MaxUnavailable: new(pick(c, intstr.FromInt32(1), intstr.FromString("30%"))), Selector: selects(pod),
		}})
	}
	w.Objects = append(w.Objects, c.wrap(kind, pod))
	return w
}

// workloadPod makes the pods of a workload: without what would end them by and by.
func (c *Cluster) workloadPod(name string) *corev1.Pod {
	pod := c.plainPod(name)
	pod.Labels[WorkloadLabel] = name
	pod.Annotations = Steady
	pod.Spec.RestartPolicy = corev1.RestartPolicyAlways
	pod.Spec.TerminationGracePeriodSeconds = new(int64)
	if !c.one(3) { // small enough to find room
		pod.Spec.Containers[0].Resources = corev1.ResourceRequirements{Requests: amounts(
			"cpu", pick(c, "50m", "100m", "250m", "500m", "900m"), "memory", pick(c, "64Mi", "200M", "500M", "1Gi"),
		)}
	}
	if c.one(3) {
		pod.Spec.PriorityClassName = pick(c, "low", "middle", "high", "never")
	}
	addSome(c, pod, []chance{
		{5, c.addContainers},
		{8, c.addOverhead},
		{12, c.addPodLevel},
		{4, c.addTolerations},
		{5, c.addNodeChoice},
		{5, c.addPodAffinity},
		{3, c.addSpread},
		{6, c.addPorts},
		{12, c.addDisk},
		{15, c.addRestartRule},
		{20, c.addGate},
		{20, c.addOtherScheduler},
	})
	if !c.one(6) {
		c.rankNodes(pod)
	}
	return pod
}

// rankNodes has the pod like each node better than another, so that nodes seldom
// tie: where placement is left to chance nothing can be compared.
func (c *Cluster) rankNodes(pod *corev1.Pod) {
	if pod.Spec.Affinity == nil {
		pod.Spec.Affinity = &corev1.Affinity{}
	}
	if pod.Spec.Affinity.NodeAffinity == nil {
		pod.Spec.Affinity.NodeAffinity = &corev1.NodeAffinity{}
	}
	preferred := &pod.Spec.Affinity.NodeAffinity.PreferredDuringSchedulingIgnoredDuringExecution
	for i, at := range c.rand.Perm(len(c.Nodes)) {
		*preferred = append(*preferred, corev1.PreferredSchedulingTerm{
			Weight: int32(1 + 99*i/len(c.Nodes)), Preference: in(corev1.LabelHostname, c.Nodes[at].Name),
		})
	}
}

// named is the metadata of what belongs to the workload of a pod.
func named(pod *corev1.Pod) metav1.ObjectMeta {
	return metav1.ObjectMeta{Namespace: pod.Namespace, Name: pod.Name}
}

func selects(pod *corev1.Pod) *metav1.LabelSelector {
	return &metav1.LabelSelector{MatchLabels: map[string]string{WorkloadLabel: pod.Labels[WorkloadLabel]}}
}

// wrap makes a workload of pods like that one.
func (c *Cluster) wrap(kind string, pod *corev1.Pod) runtime.Object {
	replicas := new(int32(1 + c.rand.IntN(5)))
	template := corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: pod.Labels, Annotations: pod.Annotations}, Spec: pod.Spec}
	switch kind {
	case "Deployment":
		return &appsv1.Deployment{ObjectMeta: named(pod), Spec: appsv1.DeploymentSpec{Replicas: replicas, Selector: selects(pod), Template: template}}
	case "ReplicaSet":
		return &appsv1.ReplicaSet{ObjectMeta: named(pod), Spec: appsv1.ReplicaSetSpec{Replicas: replicas, Selector: selects(pod), Template: template}}
	case "DaemonSet":
		return &appsv1.DaemonSet{ObjectMeta: named(pod), Spec: appsv1.DaemonSetSpec{Selector: selects(pod), Template: template}}
	case "Job":
		template.Spec.RestartPolicy = corev1.RestartPolicyNever
		return &batchv1.Job{ObjectMeta: named(pod), Spec: batchv1.JobSpec{
			Parallelism: replicas, Completions: new(*replicas + 1), BackoffLimit: new(int32(1000)), Template: template,
		}}
	case "StatefulSet":
		return c.statefulSet(pod, template, *replicas)
	}
	return pod
}

// statefulSet makes one, for some of which claims are made.
func (c *Cluster) statefulSet(pod *corev1.Pod, template corev1.PodTemplateSpec, replicas int32) *appsv1.StatefulSet {
	set := &appsv1.StatefulSet{ObjectMeta: named(pod), Spec: appsv1.StatefulSetSpec{
		Replicas: &replicas, ServiceName: pod.Name, Selector: selects(pod), Template: template, PodManagementPolicy: appsv1.ParallelPodManagement,
	}}
	if c.one(3) {
		set.Spec.PodManagementPolicy, replicas = appsv1.OrderedReadyPodManagement, min(replicas, 2)
	}
	if c.one(2) {
		claim := c.newClaim(pod.Namespace, "own", pick(c, workloadClasses...))
		claim.Namespace = ""
		set.Spec.VolumeClaimTemplates = []corev1.PersistentVolumeClaim{*claim}
	}
	return set
}

// addSome adds to a pod some of what it may have, each by its chance. It stands all taints
// that it tolerates for ever.
func addSome(c *Cluster, pod *corev1.Pod, chances []chance) {
	for _, chance := range chances {
		if c.one(chance.n) {
			chance.add(pod)
		}
	}
	for i := range pod.Spec.Tolerations {
		pod.Spec.Tolerations[i].TolerationSeconds = nil
	}
}
