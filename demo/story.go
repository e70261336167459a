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

// diskDriver makes the volumes of zonalDisk.
const diskDriver = "disk.csi.example.com"

// kubernetesVersion is the release that the control plane is of, and that the
// made-up nodes say they run.
const kubernetesVersion = "v1.37.1"

// Story says which story is told.
type Story struct {
	Nodes int    // FewestNodes to MostNodes
	Seed  uint64 // the same gives the same story again
	Still bool   // nothing happens by itself
}

// StartStory runs a cluster with a past until Stop. Things happen in it.
func StartStory(ctx context.Context, which Story) (*Cluster, error) {
	c, err := start(ctx, which.Seed, func(c *Cluster, given *addresses) error {
		s := &story{begins: time.Now(), rand: rand.New(rand.NewPCG(which.Seed, 1)), client: c.client, address: given.of, suffixes: map[string]bool{}}
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
		c.happen(happens, which.Seed)
	})
	return c, nil
}

// story is a cluster as it is when one begins to look: with a past, and with
// pods that wait for a dozen reasons. Its pods are bound already, so the same
// ones wait each time; what becomes of them from then on, the real scheduler
// and controllers decide.
type story struct {
	begins  time.Time
	rand    *rand.Rand
	client  kubernetes.Interface // reads what was loaded before
	address func(*corev1.Pod) string

	nodes    []*corev1.Node
	objects  []runtime.Object
	suffixes map[string]bool // of names, that were drawn
}

// load puts the story with so many nodes into the store.
func (s *story) load(store *api.Store, nodes int) error {
	s.dozen()
	filling := s.enlarge(nodes)
	for _, node := range s.nodes {
		s.add(node)
	}
	s.rules()
	if err := store.Load(s.objects...); err != nil { // admission reads it
		return err
	}
	s.objects = nil
	for _, w := range append(append(waiting(), settled()...), filling...) {
		if err := s.tell(s.grown(&w)); err != nil {
			return err
		}
	}
	return store.Load(s.objects...)
}

func (s *story) add(objects ...runtime.Object) { s.objects = append(s.objects, objects...) }

// ago is a time before the story begins.
func (s *story) ago(d time.Duration) metav1.Time {
	return metav1.NewTime(s.begins.Add(-d)).Rfc3339Copy()
}

// teams are the namespaces of the story.
var teams = []string{"shop", "web", "search", "ml", "payments", "batch", "team-a", "data"}

// rules adds what the workloads are held to.
func (s *story) rules() {
	born := metav1.ObjectMeta{CreationTimestamp: s.ago(60 * 24 * time.Hour)}
	named := func(namespace, name string) metav1.ObjectMeta {
		meta := born
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
	class("payments", 100000, corev1.PreemptLowerPriority, "What moves money goes first.")
	class("search", 1000, corev1.PreemptNever, "Ahead of others in the queue, but it ends no pod.")
	class("batch-low", -10, corev1.PreemptNever, "Runs when there is room.")
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
			MinAvailable: d.atLeast, MaxUnavailable: d.lost, Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": d.name}},
		}})
	}
}

// Nodes that a story can have.
const (
	FewestNodes = 12
	MostNodes   = 1000
)

// perFilling is how many added nodes the same workloads fill.
const perFilling = 50

// enlarge adds nodes and gives the workloads that fill them, so that no pod that
// waits finds room there.
func (s *story) enlarge(nodes int) (filling []workload) {
	numbers := map[string]int{"gpua": 1, "gpub": 1, "gpuc": 1, "stda": 2, "stdb": 2, "stdc": 2} // the last of the dozen
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
		if (i+1)%perFilling == 0 || i+1 == nodes-FewestNodes {
			filling = append(filling, s.filling(i/perFilling, standard, gpu)...)
			standard, gpu = nil, nil
		}
	}
	return filling
}

// filling are workloads that fill nodes: eight pods on a standard one, four on
// one with GPUs.
func (s *story) filling(number int, standard, gpu []string) []workload {
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

// days is an age of up to so many.
func (s *story) days(most int) time.Duration {
	return time.Duration(1+s.rand.IntN(most)) * 24 * time.Hour
}

// grown is the workload as a larger cluster has it: front runs on every node of
// its pool.
func (s *story) grown(w *workload) *workload {
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
