package stuck

import (
	"context"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/client-go/kubernetes"
)

// owner is a kind of workload.
type owner struct {
	name string
	make func(*Cluster) runtime.Object
}

// everyOwner are all kinds, those first of which no pod may be made, or only one.
var everyOwner = []owner{
	{"DaemonSet", func(c *Cluster) runtime.Object {
		return &appsv1.DaemonSet{ObjectMeta: c.meta(), Spec: appsv1.DaemonSetSpec{Selector: selector(App, Name), Template: c.template}}
	}},
	{"DaemonSet, OnDelete", func(c *Cluster) runtime.Object {
		return &appsv1.DaemonSet{ObjectMeta: c.meta(), Spec: appsv1.DaemonSetSpec{
			Selector: selector(App, Name), Template: c.template,
			UpdateStrategy: appsv1.DaemonSetUpdateStrategy{Type: appsv1.OnDeleteDaemonSetStrategyType},
		}}
	}},
	{"bare pod", barePod},
	{"bare pod", barePod}, // the commands differ most for these
	{"Job", func(c *Cluster) runtime.Object {
		template := c.template
		template.Spec.RestartPolicy = corev1.RestartPolicyNever
		return &batchv1.Job{ObjectMeta: c.meta(), Spec: batchv1.JobSpec{Parallelism: c.replicas(), Completions: new(int32(9)), Template: template}}
	}},
	{"Deployment", func(c *Cluster) runtime.Object {
		return &appsv1.Deployment{ObjectMeta: c.meta(), Spec: appsv1.DeploymentSpec{Replicas: c.replicas(), Selector: selector(App, Name), Template: c.template}}
	}},
	{"Deployment", func(c *Cluster) runtime.Object {
		return &appsv1.Deployment{ObjectMeta: c.meta(), Spec: appsv1.DeploymentSpec{Replicas: c.replicas(), Selector: selector(App, Name), Template: c.template}}
	}},
	{"ReplicaSet", func(c *Cluster) runtime.Object {
		return &appsv1.ReplicaSet{ObjectMeta: c.meta(), Spec: appsv1.ReplicaSetSpec{Replicas: c.replicas(), Selector: selector(App, Name), Template: c.template}}
	}},
	{"ReplicationController", func(c *Cluster) runtime.Object {
		return &corev1.ReplicationController{ObjectMeta: c.meta(), Spec: corev1.ReplicationControllerSpec{Replicas: c.replicas(), Template: &c.template}}
	}},
	{"StatefulSet", statefulSet},
	{"StatefulSet, parallel", func(c *Cluster) runtime.Object {
		set := statefulSet(c)
		set.(*appsv1.StatefulSet).Spec.PodManagementPolicy = appsv1.ParallelPodManagement
		return set
	}},
	{"StatefulSet, OnDelete", func(c *Cluster) runtime.Object {
		set := statefulSet(c)
		set.(*appsv1.StatefulSet).Spec.UpdateStrategy.Type = appsv1.OnDeleteStatefulSetStrategyType
		return set
	}},
}

var (
	anyNode = everyOwner[2:] // a DaemonSet makes no pod for a node with a taint, or without a label
	scaled  = everyOwner[5:] // with as many pods as are asked for, which run until they are told to end
)

func (c *Cluster) meta() metav1.ObjectMeta {
	return metav1.ObjectMeta{Namespace: c.Namespace, Name: Name}
}

// replicas is how many pods the workload has.
func (c *Cluster) replicas() *int32 {
	if c.count == 0 {
		c.count = 1 + c.rand.IntN(3)
	}
	return new(int32(c.count))
}

func barePod(c *Cluster) runtime.Object {
	pod := &corev1.Pod{ObjectMeta: c.meta(), Spec: c.template.Spec}
	pod.Labels = c.template.Labels
	return pod
}

func statefulSet(c *Cluster) runtime.Object {
	return &appsv1.StatefulSet{ObjectMeta: c.meta(), Spec: appsv1.StatefulSetSpec{
		Replicas: c.replicas(), ServiceName: Name, Selector: selector(App, Name), Template: c.template,
	}}
}

// CreateWorkload creates the workload.
func (c *Cluster) CreateWorkload(ctx context.Context, client kubernetes.Interface) error {
	var err error
	switch o := c.Workload.(type) {
	case *corev1.Pod:
		_, err = client.CoreV1().Pods(c.Namespace).Create(ctx, o, metav1.CreateOptions{})
	case *corev1.ReplicationController:
		_, err = client.CoreV1().ReplicationControllers(c.Namespace).Create(ctx, o, metav1.CreateOptions{})
	case *appsv1.Deployment:
		_, err = client.AppsV1().Deployments(c.Namespace).Create(ctx, o, metav1.CreateOptions{})
	case *appsv1.ReplicaSet:
		_, err = client.AppsV1().ReplicaSets(c.Namespace).Create(ctx, o, metav1.CreateOptions{})
	case *appsv1.StatefulSet:
		_, err = client.AppsV1().StatefulSets(c.Namespace).Create(ctx, o, metav1.CreateOptions{})
	case *appsv1.DaemonSet:
		_, err = client.AppsV1().DaemonSets(c.Namespace).Create(ctx, o, metav1.CreateOptions{})
	case *batchv1.Job:
		_, err = client.BatchV1().Jobs(c.Namespace).Create(ctx, o, metav1.CreateOptions{})
	}
	if err != nil {
		return fmt.Errorf("create the %s: %w", c.Owner, err)
	}
	return nil
}

// Create creates the namespace, and the nodes.
func (c *Cluster) Create(ctx context.Context, client kubernetes.Interface) error {
	_, err := client.CoreV1().Namespaces().Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: c.Namespace}}, metav1.CreateOptions{})
	if err != nil {
		return fmt.Errorf("create namespace %s: %w", c.Namespace, err)
	}
	for _, node := range c.Nodes {
		_, err := client.CoreV1().Nodes().Create(ctx, node, metav1.CreateOptions{})
		if err != nil {
			return fmt.Errorf("create node %s: %w", node.Name, err)
		}
	}
	return nil
}

// CreatePods creates the pods on the nodes.
func (c *Cluster) CreatePods(ctx context.Context, client kubernetes.Interface) error {
	for _, pod := range c.Pods {
		_, err := client.CoreV1().Pods(pod.Namespace).Create(ctx, pod, metav1.CreateOptions{})
		if err != nil {
			return fmt.Errorf("create pod %s: %w", pod.Name, err)
		}
	}
	return nil
}

// CreateKeepers creates what looks after the pods on the nodes, once they run.
func (c *Cluster) CreateKeepers(ctx context.Context, client kubernetes.Interface) error {
	switch {
	case len(c.Pods) == 0:
		return nil
	case c.owned:
		return c.createOwner(ctx, client)
	case c.kept:
		return c.createBudget(ctx, client)
	}
	return nil
}

// createOwner creates a ReplicaSet that takes the pods as its own.
func (c *Cluster) createOwner(ctx context.Context, client kubernetes.Interface) error {
	template := corev1.PodTemplateSpec{
		ObjectMeta: metav1.ObjectMeta{Labels: there},
		Spec:       corev1.PodSpec{Containers: []corev1.Container{container("main", amounts("cpu", "1"))}},
	}
	_, err := client.AppsV1().ReplicaSets(c.Namespace).Create(ctx, &appsv1.ReplicaSet{
		ObjectMeta: metav1.ObjectMeta{Name: "there"},
		Spec:       appsv1.ReplicaSetSpec{Replicas: new(int32(len(c.Pods))), Selector: &metav1.LabelSelector{MatchLabels: there}, Template: template},
	}, metav1.CreateOptions{})
	if err != nil {
		return fmt.Errorf("create the owner of the pods: %w", err)
	}
	return nil
}

// createBudget forbids to evict any of the pods.
func (c *Cluster) createBudget(ctx context.Context, client kubernetes.Interface) error {
	_, err := client.PolicyV1().PodDisruptionBudgets(c.Namespace).Create(ctx, &policyv1.PodDisruptionBudget{
		ObjectMeta: metav1.ObjectMeta{Name: "there"},
		Spec:       policyv1.PodDisruptionBudgetSpec{MaxUnavailable: new(intstr.FromInt32(0)), Selector: &metav1.LabelSelector{MatchLabels: there}},
	}, metav1.CreateOptions{})
	if err != nil {
		return fmt.Errorf("create the budget of the pods: %w", err)
	}
	return nil
}

// CreateRivals creates pods that wait for what the workload's pods wait for.
func (c *Cluster) CreateRivals(ctx context.Context, client kubernetes.Interface) error {
	for i := range c.Rivals {
		pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("rival-%d", i), Labels: map[string]string{"group": "web"}}, Spec: *c.template.Spec.DeepCopy()}
		_, err := client.CoreV1().Pods(c.Namespace).Create(ctx, pod, metav1.CreateOptions{})
		if err != nil {
			return fmt.Errorf("create pod %s: %w", pod.Name, err)
		}
	}
	return nil
}
