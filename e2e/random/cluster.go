// Package random makes clusters that leave many pods pending for many reasons,
// the same ones for the same seed.
package random

import (
	"context"
	"fmt"
	"math/rand/v2"

	corev1 "k8s.io/api/core/v1"
	nodev1 "k8s.io/api/node/v1"
	policyv1 "k8s.io/api/policy/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	storagev1 "k8s.io/api/storage/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/client-go/kubernetes"
)

// Cluster is what a seed stands for. Its namespaced and storage objects are
// named by the seed, so that one control plane can hold one cluster after the
// other: only the nodes and pods of the last must be gone.
type Cluster struct {
	Nodes []*corev1.Node
	Pods  []*corev1.Pod

	prefix     string
	namespaces []string
	rand       *rand.Rand
}

// New makes the cluster of a seed.
func New(seed uint64, nodes, pods int) *Cluster {
	c := &Cluster{
		prefix: fmt.Sprintf("seed-%d", seed),
		rand:   rand.New(rand.NewPCG(seed, 1)),
	}
	c.namespaces = []string{c.prefix + "-a", c.prefix + "-b"}
	for i := range nodes {
		c.Nodes = append(c.Nodes, c.node(i))
	}
	for i := range pods {
		c.Pods = append(c.Pods, c.pod(i))
	}
	return c
}

// one in n.
func (c *Cluster) one(n int) bool { return c.rand.IntN(n) == 0 }

// pick gives one of the choices.
func pick[T any](c *Cluster, choices ...T) T { return choices[c.rand.IntN(len(choices))] }

// Create creates everything but the pods.
func (c *Cluster) Create(ctx context.Context, client kubernetes.Interface) error {
	steps := []func(context.Context, kubernetes.Interface) error{c.createClasses, c.createNamespaces, c.createVolumes}
	for _, step := range steps {
		err := step(ctx, client)
		if err != nil {
			return err
		}
	}
	for _, node := range c.Nodes {
		_, err := client.CoreV1().Nodes().Create(ctx, node, metav1.CreateOptions{})
		if err != nil {
			return fmt.Errorf("create node %s: %w", node.Name, err)
		}
	}
	return nil
}

// CreatePods creates the pods.
func (c *Cluster) CreatePods(ctx context.Context, client kubernetes.Interface) error {
	for _, pod := range c.Pods {
		_, err := client.CoreV1().Pods(pod.Namespace).Create(ctx, pod, metav1.CreateOptions{})
		if err != nil {
			return fmt.Errorf("create pod %s: %w", pod.Name, err)
		}
	}
	return nil
}

// priorities are the classes by value. Those of "never" do not preempt.
var priorities = map[string]int32{"low": -5, "middle": 100, "high": 1000, "never": 500}

// createClasses creates the PriorityClasses and the RuntimeClass, which all
// seeds share.
func (c *Cluster) createClasses(ctx context.Context, client kubernetes.Interface) error {
	for name, value := range priorities {
		class := &schedulingv1.PriorityClass{ObjectMeta: metav1.ObjectMeta{Name: name}, Value: value}
		if name == "never" {
			class.PreemptionPolicy = new(corev1.PreemptNever)
		}
		_, err := client.SchedulingV1().PriorityClasses().Create(ctx, class, metav1.CreateOptions{})
		if err != nil && !apierrors.IsAlreadyExists(err) {
			return fmt.Errorf("create priority class %s: %w", name, err)
		}
	}
	runtime := &nodev1.RuntimeClass{
		ObjectMeta: metav1.ObjectMeta{Name: "sandboxed"},
		Handler:    "sandboxed",
		Overhead:   &nodev1.Overhead{PodFixed: amounts("cpu", "250m", "memory", "130Mi")},
	}
	_, err := client.NodeV1().RuntimeClasses().Create(ctx, runtime, metav1.CreateOptions{})
	if err != nil && !apierrors.IsAlreadyExists(err) {
		return fmt.Errorf("create runtime class: %w", err)
	}
	return nil
}

// createNamespaces creates the namespaces, with different labels, and a
// PodDisruptionBudget in each.
func (c *Cluster) createNamespaces(ctx context.Context, client kubernetes.Interface) error {
	for i, name := range c.namespaces {
		namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"team": fmt.Sprint(i)}}}
		_, err := client.CoreV1().Namespaces().Create(ctx, namespace, metav1.CreateOptions{})
		if err != nil {
			return fmt.Errorf("create namespace %s: %w", name, err)
		}
		budget := &policyv1.PodDisruptionBudget{
			ObjectMeta: metav1.ObjectMeta{Name: "app-1"},
			Spec: policyv1.PodDisruptionBudgetSpec{
				MinAvailable: new(intstr.FromInt32(1)),
				Selector:     &metav1.LabelSelector{MatchLabels: map[string]string{"app": "app-1"}},
			},
		}
		_, err = client.PolicyV1().PodDisruptionBudgets(name).Create(ctx, budget, metav1.CreateOptions{})
		if err != nil {
			return fmt.Errorf("create a budget in %s: %w", name, err)
		}
	}
	return nil
}

// createVolumes creates claims: one that waits for a consumer and finds no
// volume, one that is to be bound at once and is not, one bound in a zone.
func (c *Cluster) createVolumes(ctx context.Context, client kubernetes.Interface) error {
	for suffix, mode := range map[string]storagev1.VolumeBindingMode{
		"late": storagev1.VolumeBindingWaitForFirstConsumer, "now": storagev1.VolumeBindingImmediate,
	} {
		class := &storagev1.StorageClass{
			ObjectMeta: metav1.ObjectMeta{Name: c.prefix + "-" + suffix}, Provisioner: "kubernetes.io/no-provisioner", VolumeBindingMode: &mode,
		}
		_, err := client.StorageV1().StorageClasses().Create(ctx, class, metav1.CreateOptions{})
		if err != nil {
			return fmt.Errorf("create storage class %s: %w", class.Name, err)
		}
	}
	_, err := client.CoreV1().PersistentVolumes().Create(ctx, c.volume(), metav1.CreateOptions{})
	if err != nil {
		return fmt.Errorf("create a volume: %w", err)
	}
	for _, claim := range []*corev1.PersistentVolumeClaim{c.claim("late"), c.claim("now"), c.claim("bound")} {
		created, err := client.CoreV1().PersistentVolumeClaims(claim.Namespace).Create(ctx, claim, metav1.CreateOptions{})
		if err == nil && claim.Name == "bound" {
			created.Status.Phase = corev1.ClaimBound
			_, err = client.CoreV1().PersistentVolumeClaims(claim.Namespace).UpdateStatus(ctx, created, metav1.UpdateOptions{})
		}
		if err != nil {
			return fmt.Errorf("create claim %s: %w", claim.Name, err)
		}
	}
	return nil
}

// volume is bound to the claim "bound" and can be used in zone b only.
func (c *Cluster) volume() *corev1.PersistentVolume {
	return &corev1.PersistentVolume{
		ObjectMeta: metav1.ObjectMeta{Name: c.prefix},
		Spec: corev1.PersistentVolumeSpec{
			Capacity:         amounts("storage", "1Gi"),
			AccessModes:      []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce},
			StorageClassName: c.prefix + "-late",
			PersistentVolumeSource: corev1.PersistentVolumeSource{
				CSI: &corev1.CSIPersistentVolumeSource{Driver: "csi.example", VolumeHandle: c.prefix},
			},
			ClaimRef: &corev1.ObjectReference{Namespace: c.namespaces[0], Name: "bound"},
			NodeAffinity: &corev1.VolumeNodeAffinity{Required: &corev1.NodeSelector{
				NodeSelectorTerms: []corev1.NodeSelectorTerm{in(corev1.LabelTopologyZone, "b")},
			}},
		},
	}
}

// claim is a claim of the first namespace.
func (c *Cluster) claim(name string) *corev1.PersistentVolumeClaim {
	claim := &corev1.PersistentVolumeClaim{
		ObjectMeta: metav1.ObjectMeta{Namespace: c.namespaces[0], Name: name},
		Spec: corev1.PersistentVolumeClaimSpec{
			StorageClassName: new(c.prefix + "-" + name),
			AccessModes:      []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce},
			Resources:        corev1.VolumeResourceRequirements{Requests: amounts("storage", "1Gi")},
		},
	}
	if name == "bound" {
		claim.Spec.StorageClassName = new(c.prefix + "-late")
		claim.Spec.VolumeName = c.prefix
		claim.Annotations = map[string]string{"pv.kubernetes.io/bind-completed": "yes"}
	}
	return claim
}

// amounts are pairs of a resource's name and a quantity.
func amounts(pairs ...string) corev1.ResourceList {
	list := corev1.ResourceList{}
	for i := 0; i < len(pairs); i += 2 {
		list[corev1.ResourceName(pairs[i])] = resource.MustParse(pairs[i+1])
	}
	return list
}

// in is a term that a label has one of the values.
func in(label string, values ...string) corev1.NodeSelectorTerm {
	return corev1.NodeSelectorTerm{MatchExpressions: []corev1.NodeSelectorRequirement{
		{Key: label, Operator: corev1.NodeSelectorOpIn, Values: values},
	}}
}
