package e2e

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/client-go/kubernetes"
)

// outranked is a few full nodes, and a pod that outranks some of what runs there.
type outranked struct {
	nodes   []*corev1.Node
	bound   []*corev1.Pod
	budgets []*policyv1.PodDisruptionBudget
	pod     *corev1.Pod
}

// outrankedNamespace is where all of it is.
const outrankedNamespace = "outranked"

// ranks are the PriorityClasses, the lowest first.
var ranks = []struct {
	name  string
	value int32
}{{"lowest", -10}, {"low", 1}, {"middle", 10}, {"high", 1000}, {"urgent", 100000}}

// newOutranked draws one.
func newOutranked(seed, draw uint64) *outranked {
	r := rand.New(rand.NewPCG(seed, draw))
	c := &outranked{}
	for i := range 3 + r.IntN(7) {
		cpu := 4 + r.IntN(9)
		c.nodes = append(c.nodes, outrankedNode(r, fmt.Sprintf("node-%d", i), cpu))
		c.fill(r, i, int64(cpu)*1000)
	}
	for _, app := range []string{"a", "b", "c"} {
		if r.IntN(2) == 0 {
			c.budgets = append(c.budgets, outrankedBudget(app, int32(r.IntN(3))))
		}
	}
	rank := ranks[2+r.IntN(3)].name
	c.pod = outrankedPod("preempts", rank, int64(1000+500*r.IntN(9)))
	switch r.IntN(6) {
	case 0:
		c.pod.Spec.NodeSelector = map[string]string{corev1.LabelTopologyZone: "a"}
	case 1:
		c.pod.Spec.Containers[0].Ports = []corev1.ContainerPort{{ContainerPort: 80, HostPort: 80}}
	case 2:
		c.pod.Spec.Affinity = &corev1.Affinity{PodAntiAffinity: &corev1.PodAntiAffinity{RequiredDuringSchedulingIgnoredDuringExecution: []corev1.PodAffinityTerm{{
			TopologyKey: corev1.LabelHostname, LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "a"}},
		}}}}
	}
	return c
}

// fill leaves the node less than half a core.
func (c *outranked) fill(r *rand.Rand, node int, left int64) {
	for i := 0; left >= 500; i++ {
		cpu := min(left, int64(500+250*r.IntN(8)))
		pod := outrankedPod(fmt.Sprintf("bound-%d-%d", node, i), ranks[r.IntN(4)].name, cpu)
		pod.Spec.NodeName = fmt.Sprintf("node-%d", node)
		pod.Labels["app"] = []string{"a", "b", "c", "d", "d"}[r.IntN(5)]
		if r.IntN(8) == 0 {
			pod.Spec.Containers[0].Ports = []corev1.ContainerPort{{ContainerPort: 80, HostPort: 80}}
		}
		if r.IntN(3) > 0 {
			pod.OwnerReferences = []metav1.OwnerReference{{
				APIVersion: "apps/v1", Kind: "ReplicaSet", Name: "web", UID: types.UID("00000000-0000-0000-0000-000000000001"), Controller: new(true),
			}}
		}
		// Some start together: what ranks alike is left to chance.
		started := metav1.NewTime(time.Now().Add(-time.Duration(r.IntN(5)) * time.Minute).Truncate(time.Minute))
		pod.Status = corev1.PodStatus{Phase: corev1.PodRunning, StartTime: &started}
		c.bound = append(c.bound, pod)
		left -= cpu
	}
}

func outrankedNode(r *rand.Rand, name string, cpu int) *corev1.Node {
	room := corev1.ResourceList{
		corev1.ResourceCPU: *resource.NewQuantity(int64(cpu), resource.DecimalSI), corev1.ResourceMemory: resource.MustParse("32Gi"),
		corev1.ResourcePods: resource.MustParse("110"),
	}
	node := &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{corev1.LabelHostname: name, corev1.LabelTopologyZone: []string{"a", "b"}[r.IntN(2)]}},
		Status:     corev1.NodeStatus{Allocatable: room, Capacity: room},
	}
	switch r.IntN(8) {
	case 0:
		node.Spec.Taints = []corev1.Taint{{Key: "dedicated", Value: "gpu", Effect: corev1.TaintEffectNoSchedule}}
	case 1:
		node.Spec.Unschedulable = true
	}
	return node
}

func outrankedPod(name, rank string, milliCPU int64) *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: outrankedNamespace, Name: name, Labels: map[string]string{"app": name}},
		Spec: corev1.PodSpec{PriorityClassName: rank, Containers: []corev1.Container{{
			Name: "main", Image: "registry.example/main:v1",
			Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceCPU: *resource.NewMilliQuantity(milliCPU, resource.DecimalSI)}},
		}}},
	}
}

func outrankedBudget(app string, allowed int32) *policyv1.PodDisruptionBudget {
	return &policyv1.PodDisruptionBudget{
		ObjectMeta: metav1.ObjectMeta{Namespace: outrankedNamespace, Name: "budget-" + app},
		Spec: policyv1.PodDisruptionBudgetSpec{
			MinAvailable: new(intstr.FromInt32(1)), Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": app}},
		},
		Status: policyv1.PodDisruptionBudgetStatus{DisruptionsAllowed: allowed},
	}
}

// createRanks creates the namespace and the PriorityClasses.
func createRanks(t *testing.T, client kubernetes.Interface) {
	t.Helper()
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: outrankedNamespace}}
	_, err := client.CoreV1().Namespaces().Create(t.Context(), namespace, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, rank := range ranks {
		class := &schedulingv1.PriorityClass{ObjectMeta: metav1.ObjectMeta{Name: rank.name}, Value: rank.value}
		_, err := client.SchedulingV1().PriorityClasses().Create(t.Context(), class, metav1.CreateOptions{})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// create creates all of it, with its status.
func (c *outranked) create(t *testing.T, client kubernetes.Interface) {
	t.Helper()
	for _, node := range c.nodes {
		_, err := client.CoreV1().Nodes().Create(t.Context(), node, metav1.CreateOptions{})
		if err != nil {
			t.Fatal(err)
		}
	}
	budgets := client.PolicyV1().PodDisruptionBudgets(outrankedNamespace)
	for _, budget := range c.budgets {
		made, err := budgets.Create(t.Context(), budget, metav1.CreateOptions{})
		if err == nil {
			made.Status = budget.Status
			_, err = budgets.UpdateStatus(t.Context(), made, metav1.UpdateOptions{})
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	pods := client.CoreV1().Pods(outrankedNamespace)
	for _, pod := range append(c.bound, c.pod) {
		made, err := pods.Create(t.Context(), pod, metav1.CreateOptions{})
		if err == nil && pod.Status.StartTime != nil {
			made.Status.Phase, made.Status.StartTime = pod.Status.Phase, pod.Status.StartTime
			_, err = pods.UpdateStatus(t.Context(), made, metav1.UpdateOptions{})
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// clearOutranked deletes all of it at once. No kubelet runs that would.
func clearOutranked(t *testing.T, client kubernetes.Interface) {
	t.Helper()
	at := metav1.DeleteOptions{GracePeriodSeconds: new(int64)}
	eventually(t, "all is gone", func(ctx context.Context) (bool, error) {
		left, err := client.CoreV1().Pods(outrankedNamespace).List(ctx, metav1.ListOptions{})
		if err != nil {
			return false, err
		}
		for i := range left.Items { // a collection would leave alone those that end already
			_ = client.CoreV1().Pods(outrankedNamespace).Delete(ctx, left.Items[i].Name, at)
		}
		err = client.CoreV1().Nodes().DeleteCollection(ctx, at, metav1.ListOptions{})
		if err == nil {
			err = client.PolicyV1().PodDisruptionBudgets(outrankedNamespace).DeleteCollection(ctx, at, metav1.ListOptions{})
		}
		return len(left.Items) == 0, err
	})
}
