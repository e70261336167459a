package demo

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/client-go/kubernetes"
	"k8s.io/utils/ptr"

	"github.com/kubectl-fathom/kubectl-fathom/demo/api"
)

// diskDriver is the provisioner of zonalDisk.
const diskDriver = "disk.csi.example.com"

// kubernetesVersion is the release of the control plane, and of the kubelets in the
// status of the nodes.
const kubernetesVersion = "v1.37.1"

// Story configures the initial objects of the embedded cluster.
type Story struct {
	Nodes int    // FewestNodes to MostNodes
	Seed  uint64 // the same seed gives the same objects
	Still bool   // no changes run
}

// StartStory runs a cluster with existing workloads, and changes in it, until Stop.
func StartStory(ctx context.Context, which Story) (*Cluster, error) {
	c, err := start(ctx, which.Seed, func(c *Cluster, given *addresses) error {
		s := &story{start: time.Now(), rand: rand.New(rand.NewPCG(which.Seed, 1)), client: c.client, address: given.of, suffixes: map[string]bool{}}
		return s.load(c.store, which.Nodes)
	})
	if err != nil || which.Still {
		return c, err
	}
	happens, stop := context.WithCancel(ctx)
	before := c.stop
	c.stop = func() { stop(); before() }
	c.running.Go(func() {
		defer utilruntime.HandleCrash()
		c.runChurn(happens, which.Seed)
	})
	return c, nil
}

// story builds the initial objects: workloads of some age, and pods that are Pending
// for a dozen reasons. The other pods are bound already, so that the same pods are
// Pending each time. From then on, the real scheduler and controllers decide.
type story struct {
	start   time.Time
	rand    *rand.Rand
	client  kubernetes.Interface // reads the objects that are loaded
	address func(*corev1.Pod) string

	nodes    []*corev1.Node
	objects  []runtime.Object
	suffixes map[string]bool // of pod names, used so far
}

// load loads the objects, with that many nodes, into the store.
func (s *story) load(store *api.Store, nodes int) error {
	s.addBaseNodes()
	fillers := s.addNodes(nodes)
	for _, node := range s.nodes {
		s.add(node)
	}
	s.addPolicies()
	if err := store.Load(s.objects...); err != nil { // admission reads it
		return err
	}
	s.objects = nil
	for _, w := range append(append(pendingWorkloads(), runningWorkloads()...), fillers...) {
		if err := s.addWorkload(s.sized(&w)); err != nil {
			return err
		}
	}
	return store.Load(s.objects...)
}

func (s *story) add(objects ...runtime.Object) { s.objects = append(s.objects, objects...) }

// ago is a time before the start.
func (s *story) ago(d time.Duration) metav1.Time {
	return metav1.NewTime(s.start.Add(-d)).Rfc3339Copy()
}

// teams are the namespaces.
var teams = []string{"shop", "web", "search", "ml", "payments", "batch", "team-a", "data"}

// addPolicies adds namespaces, PriorityClasses, quotas and PodDisruptionBudgets.
func (s *story) addPolicies() {
	created := metav1.ObjectMeta{CreationTimestamp: s.ago(60 * 24 * time.Hour)}
	named := func(namespace, name string) metav1.ObjectMeta {
		meta := created
		meta.Namespace, meta.Name = namespace, name
		return meta
	}
	for _, team := range teams {
		namespace := &corev1.Namespace{ObjectMeta: named("", team), Status: corev1.NamespaceStatus{Phase: corev1.NamespaceActive}}
		namespace.Labels = map[string]string{corev1.LabelMetadataName: team}
		s.add(namespace)
	}
	class := func(name string, value int32, policy corev1.PreemptionPolicy, words string) {
		s.add(&schedulingv1.PriorityClass{ObjectMeta: named("", name), Value: value, PreemptionPolicy: &policy, Description: words})
	}
	class("payments", 100000, corev1.PreemptLowerPriority, "Services that move money. They preempt lower priorities.")
	class("search", 1000, corev1.PreemptNever, "Ahead of others in the queue, but does not preempt.")
	class("batch-low", -10, corev1.PreemptNever, "Runs when capacity is free.")
	s.add(&storagev1.StorageClass{
		ObjectMeta: named("", zonalDisk), Provisioner: diskDriver, VolumeBindingMode: ptr.To(storagev1.VolumeBindingWaitForFirstConsumer),
	})
	hard := amounts("requests.cpu", "4", "pods", "20")
	s.add(&corev1.ResourceQuota{
		ObjectMeta: named("team-a", "compute"), Spec: corev1.ResourceQuotaSpec{Hard: hard},
		Status: corev1.ResourceQuotaStatus{Hard: hard, Used: amounts("requests.cpu", "3600m", "pods", "4")},
	})
	s.add(&corev1.LimitRange{ObjectMeta: named("data", "defaults"), Spec: corev1.LimitRangeSpec{Limits: []corev1.LimitRangeItem{{
		Type: corev1.LimitTypeContainer, DefaultRequest: amounts("cpu", "100m", "memory", "256Mi"), Default: amounts("memory", "8Gi"), Max: amounts("cpu", "8"),
	}}}})
	for _, d := range disruptions() {
		s.add(&policyv1.PodDisruptionBudget{ObjectMeta: named(d.namespace, d.name), Spec: policyv1.PodDisruptionBudgetSpec{
			MinAvailable: d.minAvailable, MaxUnavailable: d.maxUnavailable, Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": d.name}},
		}})
	}
}

// The number of nodes that a Story can have.
const (
	FewestNodes = 12
	MostNodes   = 1000
)

// nodesPerFillers is the number of added nodes per set of fillers.
const nodesPerFillers = 50

// addNodes adds nodes and returns the workloads that fill them, so that no pending pod
// fits there.
func (s *story) addNodes(nodes int) (fillers []workload) {
	numbers := map[string]int{"gpua": 1, "gpub": 1, "gpuc": 1, "stda": 2, "stdb": 2, "stdc": 2} // of the twelve base nodes
	var standard, gpu []string
	for i := range nodes - FewestNodes {
		of, disk := standardPool, "hdd"
		if i%10 == 9 {
			of, disk = gpuPool, "ssd"
		}
		zone := zones[(i+i/10)%len(zones)]
		numbers[of.name+zone]++
		added := s.node(of, zone, numbers[of.name+zone], disk, s.days(40))
		if of.name == gpuPool.name {
			gpu = append(gpu, added.Name)
		} else {
			standard = append(standard, added.Name)
		}
		if (i+1)%nodesPerFillers == 0 || i+1 == nodes-FewestNodes {
			fillers = append(fillers, s.fillersOf(i/nodesPerFillers, standard, gpu)...)
			standard, gpu = nil, nil
		}
	}
	return fillers
}

// fillersOf are workloads that fill nodes: eight pods per standard node, four per GPU
// node.
func (s *story) fillersOf(number int, standard, gpu []string) []workload {
	var made []workload
	add := func(cpu, memory string, on []string, shape func(*corev1.PodTemplateSpec)) {
		made = append(made, workload{
			kind: deployment, namespace: teams[(number+len(made))%4], name: fmt.Sprintf("svc-%02d-%d", number, len(made)),
			cpu: cpu, memory: memory, on: on, age: s.days(20), shape: shape,
		})
	}
	for _, cpu := range []string{"1200m", "1500m", "1900m", "2300m"} { // 13.8 of 15.9 together, twice
		add(cpu, "3Gi", slices.Concat(standard, standard), nil)
	}
	if len(gpu) > 0 {
		add("6", "24Gi", slices.Concat(gpu, gpu, gpu, gpu), with(tolerateGPU, wants(gpus, "1")))
	}
	return made
}

// days is a random age of up to that many days.
func (s *story) days(most int) time.Duration {
	return time.Duration(1+s.rand.IntN(most)) * 24 * time.Hour
}

// sized is the workload for the number of nodes: front runs on every node of its pool.
func (s *story) sized(w *workload) *workload {
	if w.namespace != "web" || w.name != "front" {
		return w
	}
	larger := *w
	larger.on = nil
	for _, node := range s.nodes {
		if node.Labels[poolLabel] == standardPool.name {
			larger.on = append(larger.on, node.Name)
		}
	}
	return &larger
}
