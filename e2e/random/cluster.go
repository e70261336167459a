// Package random makes clusters that leave many pods pending for many reasons,
// the same ones for the same seed.
package random

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes"
)

// Cluster is what a seed stands for. Its namespaced and storage objects are
// named by the seed, so that one control plane can hold one cluster after the
// other: only what names nodes, and the pods, of the last must be gone.
type Cluster struct {
	Nodes []*corev1.Node
	Pods  []*corev1.Pod
	Late  []*corev1.Pod // of a priority above all others, to come when the others have settled

	Workloads []Workload // of a cluster to which nothing but these comes

	Older bool // the API server is of an older version: what it does not know is left out

	prefix     string
	namespaces []string
	volumes    []string         // the CSI volumes that claims are bound to
	others     []runtime.Object // in the order of their creation
	rand       *rand.Rand
}

// late is how many pods come late.
const late = 8

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
	c.addPolicy()
	c.addStorage()
	c.addDevices()
	for i := range pods {
		c.Pods = append(c.Pods, c.pod(i))
	}
	for i := range late {
		c.Late = append(c.Late, c.latePod(i))
	}
	return c
}

// one in n.
func (c *Cluster) one(n int) bool { return c.rand.IntN(n) == 0 }

// pick gives one of the choices.
func pick[T any](c *Cluster, choices ...T) T { return choices[c.rand.IntN(len(choices))] }

// Create creates everything but the pods. What all seeds share may be there.
func (c *Cluster) Create(ctx context.Context, client kubernetes.Interface) error {
	for _, object := range c.others {
		err := Create(ctx, client, object)
		switch {
		case err == nil, apierrors.IsAlreadyExists(err):
		case c.Older && isUnserved(err):
		default:
			return fmt.Errorf("create %T: %w", object, err)
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

// isUnserved reports whether the server does not serve a resource: it names no object then.
func isUnserved(err error) bool {
	var status apierrors.APIStatus
	if !apierrors.IsNotFound(err) || !errors.As(err, &status) {
		return false
	}
	details := status.Status().Details
	return details == nil || details.Name == ""
}

// CreatePods creates the pods and gives how many a quota has refused.
func (c *Cluster) CreatePods(ctx context.Context, client kubernetes.Interface) (refused int, err error) {
	for _, pod := range c.Pods {
		_, err := client.CoreV1().Pods(pod.Namespace).Create(ctx, pod, metav1.CreateOptions{})
		switch {
		case apierrors.IsForbidden(err):
			refused++
		case c.Older && apierrors.IsInvalid(err): // a value that came later
		case err != nil:
			return refused, fmt.Errorf("create pod %s: %w", pod.Name, err)
		}
	}
	return refused, nil
}

// Namespaces are where its pods are.
func (c *Cluster) Namespaces() []string { return c.namespaces }

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
