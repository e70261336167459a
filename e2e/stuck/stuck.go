// Package stuck makes small clusters in which the pods of one workload find no
// node, each for one cause, the same cluster for the same seed.
package stuck

import (
	"fmt"
	"maps"
	"math/rand/v2"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// App is the label that the pods of the workload have, and no other pods, with
// the name of the workload.
const App = "app"

// Name is that of the workload.
const Name = "stuck"

// Cluster is what a seed stands for.
type Cluster struct {
	Namespace string // the seed's own
	Cause     string
	Owner     string         // the kind of the workload
	Nodes     []*corev1.Node // some of them cordoned; they have to be Ready before anything else comes
	Pods      []*corev1.Pod  // on the nodes
	Workload  runtime.Object
	Rivals    int // pods of nobody that wait for the same

	count       int  // of the workload's pods
	owned, kept bool // the pods on the nodes have an owner, or a budget that allows to evict none

	template corev1.PodTemplateSpec
	rand     *rand.Rand
}

// New makes the cluster of a seed. Successive seeds have different causes.
func New(seed uint64) *Cluster {
	c := &Cluster{
		Namespace: fmt.Sprintf("stuck-%d", seed),
		rand:      rand.New(rand.NewPCG(seed, 2)),
	}
	for i := range 3 + c.rand.IntN(4) {
		c.Nodes = append(c.Nodes, c.node(i))
	}
	c.template = corev1.PodTemplateSpec{
		ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{App: Name, "group": "web"}},
		Spec: corev1.PodSpec{
			TerminationGracePeriodSeconds: new(int64(1)),
			Containers:                    []corev1.Container{container("app", amounts("cpu", "500m", "memory", "256Mi"))},
		},
	}
	cause := causes[seed%uint64(len(causes))]
	c.Cause = cause.name
	owner := pick(c, cause.owners...)
	c.Owner = owner.name
	c.decorate()
	cause.make(c)
	c.Workload = owner.make(c)
	c.owned, c.kept = c.one(2), c.one(3)
	if c.one(3) {
		c.Rivals = 1 + c.rand.IntN(2)
	}
	return c
}

// there are the labels of the pods on the nodes.
var there = map[string]string{"role": "there"}

// decorate gives the template what must not change with a fix.
func (c *Cluster) decorate() {
	spec := &c.template.Spec
	if c.one(3) {
		spec.Tolerations = append(spec.Tolerations, corev1.Toleration{Key: "spot", Operator: corev1.TolerationOpExists})
	}
	if c.one(3) {
		spec.NodeSelector = map[string]string{"arch": "amd64"}
	}
	if c.one(3) {
		spec.Containers = append(spec.Containers, container("helper", amounts("cpu", "100m")))
	}
	if c.one(4) {
		spec.InitContainers = append(spec.InitContainers, container("prepare", amounts("memory", "64Mi")))
	}
	if c.one(4) { // Guaranteed, but for what else there is
		for i := range spec.Containers {
			of := &spec.Containers[i].Resources
			of.Requests[corev1.ResourceMemory] = resource.MustParse("256Mi")
			of.Limits = of.Requests.DeepCopy()
		}
	}
	if c.one(4) {
		spec.TopologySpreadConstraints = append(spec.TopologySpreadConstraints, corev1.TopologySpreadConstraint{
			MaxSkew: 1, TopologyKey: corev1.LabelTopologyZone, WhenUnsatisfiable: corev1.ScheduleAnyway,
			LabelSelector: selector(App, Name), MatchLabelKeys: []string{"group"},
		})
	}
}

// one in n.
func (c *Cluster) one(n int) bool { return c.rand.IntN(n) == 0 }

// pick gives one of the choices.
func pick[T any](c *Cluster, choices ...T) T { return choices[c.rand.IntN(len(choices))] }

// node makes node i: 4 cpu, 8Gi, ten pods.
func (c *Cluster) node(i int) *corev1.Node {
	name := fmt.Sprintf("%s-node-%c", c.Namespace, 'a'+i)
	list := amounts("cpu", "4", "memory", "8Gi", "pods", "10", "ephemeral-storage", "50Gi", gpu, "2")
	return &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{
			corev1.LabelHostname:     name,
			corev1.LabelTopologyZone: string(rune('a' + i%3)),
			"arch":                   "amd64",
		}},
		Status: corev1.NodeStatus{Allocatable: list, Capacity: list},
	}
}

// gpu is an extended resource of the nodes.
const gpu = "example.com/gpu"

// put puts a pod on a node, changed by the edits.
func (c *Cluster) put(node *corev1.Node, requests corev1.ResourceList, edits ...func(*corev1.Pod)) {
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: c.Namespace, Name: fmt.Sprintf("there-%d", len(c.Pods)), Labels: maps.Clone(there)},
		Spec: corev1.PodSpec{
			NodeName:                      node.Name,
			TerminationGracePeriodSeconds: new(int64(1)),
			Tolerations:                   []corev1.Toleration{{Operator: corev1.TolerationOpExists}},
			Containers:                    []corev1.Container{container("main", requests)},
		},
	}
	for _, edit := range edits {
		edit(pod)
	}
	c.Pods = append(c.Pods, pod)
}

// container is one that asks for so much.
func container(name string, requests corev1.ResourceList) corev1.Container {
	return corev1.Container{Name: name, Image: "registry.example/" + name + ":v1", Resources: corev1.ResourceRequirements{Requests: requests}}
}

// amounts makes a list of a resource and its amount, and so on.
func amounts(pairs ...string) corev1.ResourceList {
	list := corev1.ResourceList{}
	for i := 0; i < len(pairs); i += 2 {
		list[corev1.ResourceName(pairs[i])] = resource.MustParse(pairs[i+1])
	}
	return list
}

func selector(key, value string) *metav1.LabelSelector {
	return &metav1.LabelSelector{MatchLabels: map[string]string{key: value}}
}
