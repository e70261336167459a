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
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// unknownOwner is the kind of a workload whose pods nobody makes again.
const unknownOwner = "unknown owner"

// busyKinds are the kinds of the workloads of a busy cluster, as often as they come. There is
// one DaemonSet at most.
var busyKinds = []string{
	"Deployment", "Deployment", "Deployment", "Deployment", "ReplicaSet", "ReplicaSet", "ReplicationController", "ReplicationController",
	"StatefulSet", "StatefulSet", "StatefulSet", "Job", "Job", "DaemonSet",
	"Pod", "Pod", "Pod", "Pod", "Pod", "Pod", unknownOwner, unknownOwner,
}

// NewBusy makes the cluster of a seed, and workloads with so many pods for it: most of its
// nodes are full then, and pods of all priorities are pending for many reasons.
func NewBusy(seed uint64, nodes, pods int) *Cluster {
	c := &Cluster{prefix: fmt.Sprintf("busy-%d", seed), rand: rand.New(rand.NewPCG(seed, 6))}
	c.namespaces = []string{c.prefix + "-a", c.prefix + "-b"}
	for i := range nodes {
		c.Nodes = append(c.Nodes, c.node(i))
	}
	c.addPolicy()
	daemons, counted := 0, 0
	for left, i := pods, 0; left > 0; i++ {
		kind := pick(c, busyKinds...)
		if kind == "DaemonSet" {
			if daemons++; daemons > 1 {
				kind = "Deployment"
			}
		}
		w, count := busyWorkload(c, kind, fmt.Sprintf("w-%02d", i))
		c.Workloads = append(c.Workloads, w)
		left -= count
		if w.Namespace() == c.namespaces[1] {
			counted += count
		}
	}
	for _, object := range c.others {
		if quota, ok := object.(*corev1.ResourceQuota); ok { // nearly full: a rollout may need more
			quota.Spec.Hard = amounts("pods", fmt.Sprint(counted+c.rand.IntN(3)))
		}
	}
	return c
}

// busyWorkload makes a workload, and says how many pods it has.
func busyWorkload(c *Cluster, kind, name string) (w Workload, pods int) {
	pod := busyPod(c, name)
	if kind == "DaemonSet" || kind == "Job" {
		pod.Namespace = c.namespaces[0] // the quota of the other would keep it from ever having all its pods
	}
	w = Workload{Name: name, Kind: kind}
	owned := kind != "Pod" && kind != unknownOwner && kind != "DaemonSet"
	if owned && c.one(3) {
		w.Objects = append(w.Objects, &policyv1.PodDisruptionBudget{ObjectMeta: named(pod), Spec: policyv1.PodDisruptionBudgetSpec{
			MaxUnavailable: new(pick(c, intstr.FromInt32(0), intstr.FromInt32(1), intstr.FromString("30%"))), Selector: selects(pod),
		}})
	}
	object, pods := busyObject(c, kind, pod)
	w.Objects = append(w.Objects, object)
	return w, pods
}

// busyObject makes the workload of pods like that one.
func busyObject(c *Cluster, kind string, pod *corev1.Pod) (object runtime.Object, pods int) {
	switch kind {
	case "Pod":
		return pod, 1
	case unknownOwner:
		pod.OwnerReferences = []metav1.OwnerReference{{
			APIVersion: "example.com/v1", Kind: "Widget", Name: pod.Name, UID: types.UID(c.prefix + "-" + pod.Name), Controller: new(true),
		}}
		return pod, 1
	case "DaemonSet":
		return c.wrap(kind, pod), len(c.Nodes) / 2
	case "StatefulSet", "ReplicationController":
		template := corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: pod.Labels, Annotations: pod.Annotations}, Spec: pod.Spec}
		replicas := 1 + c.rand.IntN(5)
		if kind == "ReplicationController" {
			return &corev1.ReplicationController{ObjectMeta: named(pod), Spec: corev1.ReplicationControllerSpec{
				Replicas: new(int32(replicas)), Selector: selects(pod).MatchLabels, Template: &template,
			}}, replicas
		}
		return &appsv1.StatefulSet{ObjectMeta: named(pod), Spec: appsv1.StatefulSetSpec{
			Replicas: new(int32(replicas)), ServiceName: pod.Name, Selector: selects(pod), Template: template,
			PodManagementPolicy: pick(c, appsv1.ParallelPodManagement, appsv1.OrderedReadyPodManagement),
			UpdateStrategy: appsv1.StatefulSetUpdateStrategy{
				Type: pick(c, appsv1.RollingUpdateStatefulSetStrategyType, appsv1.RollingUpdateStatefulSetStrategyType, appsv1.OnDeleteStatefulSetStrategyType),
			},
		}}, replicas
	}
	object = c.wrap(kind, pod)
	switch o := object.(type) {
	case *appsv1.Deployment:
		if c.one(4) {
			o.Spec.Strategy.Type = appsv1.RecreateDeploymentStrategyType
		}
		pods = int(*o.Spec.Replicas)
	case *appsv1.ReplicaSet:
		pods = int(*o.Spec.Replicas)
	case *batchv1.Job:
		pods = int(*o.Spec.Parallelism)
	}
	return object, pods
}

// busyPod makes the pods of a workload. Those of equal nodes are left to chance, and half of
// them have a priority.
func busyPod(c *Cluster, name string) *corev1.Pod {
	pod := c.plainPod(name)
	pod.Namespace = pick(c, c.namespaces[0], c.namespaces[0], c.namespaces[1])
	pod.Labels[WorkloadLabel] = name
	pod.Annotations = Steady
	pod.Spec.RestartPolicy = corev1.RestartPolicyAlways
	pod.Spec.TerminationGracePeriodSeconds = new(int64)
	if !c.one(6) {
		pod.Spec.Containers[0].Resources = corev1.ResourceRequirements{Requests: amounts(
			"cpu", pick(c, "100m", "250m", "500m", "900m", "1200m", "1500m", "2", "3"), "memory", pick(c, "64Mi", "200M", "500M", "1Gi", "1Gi", "2Gi"),
		)}
	}
	if c.one(2) {
		pod.Spec.PriorityClassName = pick(c, "low", "middle", "high", "never")
	}
	addSome(c, pod, []chance{
		{6, c.addContainers},
		{12, c.addOverhead},
		{12, c.addPodLevel},
		{3, c.addTolerations},
		{5, c.addNodeChoice},
		{6, c.addPodAffinity},
		{5, c.addSpread},
		{8, c.addPorts},
		{25, c.addGate},
		{40, c.addOtherScheduler},
	})
	return pod
}
