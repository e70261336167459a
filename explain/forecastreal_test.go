package explain

import (
	"cmp"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	corev1helpers "k8s.io/component-helpers/scheduling/corev1"
	"k8s.io/klog/v2"
	internalcache "k8s.io/kubernetes/pkg/scheduler/backend/cache"

	"github.com/kubectl-fathom/kubectl-fathom/explain/placement"
	"github.com/kubectl-fathom/kubectl-fathom/explain/scheduler"
	"github.com/kubectl-fathom/kubectl-fathom/model/plan"
)

// drainable is a random cluster most of whose pods have controllers, and none of
// which preempts: upstream does that in its own time.
func drainable(d dice) *randomCluster {
	c := newRandomCluster(d, 2+d(12), 10+d(40), d(8))
	for _, node := range c.Nodes {
		if d.Chance(60) { // some have room
			node.Spec, node.Status.Allocatable[corev1.ResourceCPU] = corev1.NodeSpec{}, resource.MustParse("31900m")
			node.Status.Allocatable[corev1.ResourcePods], node.Status.Allocatable[corev1.ResourceMemory] = resource.MustParse("110"), resource.MustParse("64Gi")
		}
	}
	for _, pod := range slices.Concat(c.Bound, c.Pending) {
		pod.Spec.PreemptionPolicy = new(corev1.PreemptNever)
		pod.Status.NominatedNodeName = ""
		pod.DeletionTimestamp, pod.Finalizers = nil, nil
	}
	for _, pod := range c.Bound {
		if d.Chance(90) {
			kind := one(d, "ReplicaSet", "ReplicaSet", "StatefulSet", "Job")
			pod.OwnerReferences = []metav1.OwnerReference{{Kind: kind, Name: pod.Labels["app"], UID: types.UID(kind + pod.Labels["app"]), Controller: new(true)}}
		}
	}
	return c
}

func asCordoned(node *corev1.Node) *corev1.Node {
	node = node.DeepCopy()
	node.Spec.Unschedulable = true
	return node
}

// drained is the real scheduler at work while a node is drained.
type drained struct {
	*upstream
	t      *testing.T
	d      dice
	nodes  map[types.UID]string // of those that came
	idle   []*corev1.Pod
	queued bool // priority decides who comes first, not chance
}

func (u *drained) sync(err error) {
	u.t.Helper()
	snapshot := u.profile.SnapshotSharedLister().(*internalcache.Snapshot)
	if err := errors.Join(err, u.Cache.UpdateSnapshot(klog.Background(), snapshot)); err != nil {
		u.t.Fatal(err)
	}
}

// come has the scheduler place the pod.
func (u *drained) come(pod *corev1.Pod) {
	node := u.place(pod)
	if node == "" {
		u.idle = append(u.idle, pod)
		return
	}
	there := pod.DeepCopy()
	there.Spec.NodeName = node
	u.sync(u.Cache.AddPod(klog.Background(), there))
	u.nodes[pod.UID] = node
}

// drain cordons the node and lets its pods go and their successors come.
func (u *drained) drain(c *randomCluster, node *corev1.Node) {
	log := klog.Background()
	u.Cache.UpdateNode(log, node, asCordoned(node))
	u.sync(nil)
	var waiting []*corev1.Pod
	for _, pod := range c.Pending {
		if len(pod.Spec.SchedulingGates) == 0 {
			waiting = append(waiting, pod)
		}
	}
	for _, pod := range c.Bound {
		if pod.Spec.NodeName != node.Name || scheduler.Terminal(pod) {
			continue
		}
		ending := pod.DeepCopy()
		ending.DeletionTimestamp = new(metav1.NewTime(testNow))
		u.sync(u.Cache.UpdatePod(log, pod, ending))
		if kind := placement.ControllerKind(pod); kind != "" {
			next := placement.AsNewPod(pod).DeepCopy()
			next.UID, next.Status = pod.UID+"-next", corev1.PodStatus{}
			if kind == "ReplicaSet" && u.d.Chance(50) {
				u.come(next)
			} else {
				waiting = append(waiting, next)
			}
		}
		u.sync(u.Cache.RemovePod(log, ending))
	}
	u.settle(waiting)
}

// settle has those that wait come until nobody moves.
func (u *drained) settle(waiting []*corev1.Pod) {
	for {
		waiting = append(u.idle, waiting...)
		u.idle = nil
		rand.New(rand.NewPCG(uint64(u.d(1<<30)), 1)).Shuffle(len(waiting), func(i, j int) { waiting[i], waiting[j] = waiting[j], waiting[i] })
		if u.queued {
			slices.SortStableFunc(waiting, func(a, b *corev1.Pod) int {
				return cmp.Compare(corev1helpers.PodPriority(b), corev1helpers.PodPriority(a))
			})
		}
		before := len(u.nodes)
		for _, pod := range waiting {
			u.come(pod)
		}
		if len(u.nodes) == before {
			return
		}
		waiting = nil
	}
}

func TestPodsOfADrainedNodeComeBackAsForetold(t *testing.T) {
	count := map[plan.Outcome]int{}
	for seed := range seeds(t) {
		d := dice(rand.New(rand.NewPCG(seed, 11)).IntN)
		c := drainable(d)
		node := c.Nodes[d(len(c.Nodes))]
		e := startEngine(t, Options{}, c.Objects()...)
		supposed := plan.Hypothesis{Nodes: []*corev1.Node{asCordoned(node)}}
		for _, pod := range c.Bound {
			if pod.Spec.NodeName == node.Name {
				supposed.Gone = append(supposed.Gone, pod.UID)
			}
		}
		told, err := e.Forecast(t.Context(), supposed)
		if err != nil {
			t.Fatal(err)
		}
		if len(told.Fates) != len(supposed.Gone) {
			t.Errorf("seed %d: %d fates of %d pods", seed, len(told.Fates), len(supposed.Gone))
		}
		for fate := range told.Fates {
			count[told.Fates[fate].Outcome]++
		}
		for n := range 3 {
			u := &drained{upstream: startUpstream(t, c.Objects()...), t: t, d: d, nodes: map[types.UID]string{}, queued: n == 0}
			u.drain(c, node)
			u.compare(seed, c, told)
		}
	}
	t.Logf("%v", count)
}

// compare holds what was foretold to what came.
func (u *drained) compare(seed uint64, c *randomCluster, told *plan.Forecast) {
	u.t.Helper()
	for uid, fate := range told.Fates {
		at := u.nodes[uid+"-next"]
		switch fate.Outcome {
		case plan.Lands:
			if at == "" {
				u.t.Errorf("seed %d: %s was to land on %s (%d orders), and waits", seed, uid, fate.Node, told.Orders)
			}
		case plan.Waits, plan.Lost, plan.Finished:
			if at != "" {
				u.t.Errorf("seed %d: %s was %s (%s, %d orders), and came to %s", seed, uid, fate.Outcome, fate.Why, told.Orders, at)
			}
		}
	}
}
