package scheduler

import (
	"cmp"
	"slices"
	"strings"
	"sync"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework"
)

// nominator knows which unbound pods are promised a node (upstream's own is not
// exported). It follows status.nominatedNodeName and nothing else.
type nominator struct {
	mu     sync.RWMutex
	byNode map[string][]fwk.PodInfo
	nodeOf map[types.UID]string
}

func newNominator() *nominator {
	return &nominator{byNode: map[string][]fwk.PodInfo{}, nodeOf: map[types.UID]string{}}
}

// AddNominatedPod implements fwk.PodNominator.
func (n *nominator) AddNominatedPod(_ klog.Logger, pod fwk.PodInfo, info *fwk.NominatingInfo) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.remove(pod.GetPod().UID)
	node := pod.GetPod().Status.NominatedNodeName
	if info.Mode() == fwk.ModeOverride {
		node = info.NominatedNodeName
	}
	if node == "" {
		return
	}
	at, _ := slices.BinarySearchFunc(n.byNode[node], pod, byName)
	n.byNode[node] = slices.Insert(slices.Clone(n.byNode[node]), at, pod)
	n.nodeOf[pod.GetPod().UID] = node
}

// DeleteNominatedPodIfExists implements fwk.PodNominator.
func (n *nominator) DeleteNominatedPodIfExists(pod *corev1.Pod) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.remove(pod.UID)
}

// UpdateNominatedPod implements fwk.PodNominator.
func (n *nominator) UpdateNominatedPod(logger klog.Logger, old *corev1.Pod, pod fwk.PodInfo) {
	n.DeleteNominatedPodIfExists(old)
	n.AddNominatedPod(logger, pod, nil)
}

// NominatedPodsForNode implements fwk.PodNominator.
func (n *nominator) NominatedPodsForNode(node string) []fwk.PodInfo {
	n.mu.RLock()
	defer n.mu.RUnlock()
	return n.byNode[node] // replaced, never changed in place
}

// nodes are the names of the nodes that pods are nominated to.
func (n *nominator) nodes() []string {
	n.mu.RLock()
	defer n.mu.RUnlock()
	names := make([]string, 0, len(n.byNode))
	for name := range n.byNode {
		names = append(names, name)
	}
	return names
}

// byName puts pods into an order that does not tell when they came.
func byName(a, b fwk.PodInfo) int {
	return cmp.Or(strings.Compare(a.GetPod().Namespace, b.GetPod().Namespace),
		strings.Compare(a.GetPod().Name, b.GetPod().Name), cmp.Compare(a.GetPod().UID, b.GetPod().UID))
}

func (n *nominator) remove(uid types.UID) {
	node, ok := n.nodeOf[uid]
	if !ok {
		return
	}
	delete(n.nodeOf, uid)
	rest := slices.DeleteFunc(slices.Clone(n.byNode[node]), func(pod fwk.PodInfo) bool { return pod.GetPod().UID == uid })
	if len(rest) == 0 {
		delete(n.byNode, node)
		return
	}
	n.byNode[node] = rest
}

// nominee is what a nominated pod counts as on its node. The scheduler takes one
// that is being deleted out of its queue for good when it comes upon it, and
// then knows no more of it than its name: it asks for nothing, has priority 0,
// and is one more pod (PriorityQueue.nominatedPodToInfo).
func nominee(pod *corev1.Pod) fwk.PodInfo {
	if LeavesQueue(pod) {
		pod = &corev1.Pod{
			ObjectMeta: metav1.ObjectMeta{Namespace: pod.Namespace, Name: pod.Name, UID: pod.UID},
			Spec:       corev1.PodSpec{SchedulingGroup: pod.Spec.SchedulingGroup},
		}
	}
	info, _ := framework.NewPodInfo(pod) // terms that do not parse count as none, as in the scheduler
	return info
}

// LeavesQueue says whether the scheduler will skip a pod without a node. It
// never comes upon one that is gated.
func LeavesQueue(pod *corev1.Pod) bool {
	return pod.DeletionTimestamp != nil && len(pod.Spec.SchedulingGates) == 0
}
