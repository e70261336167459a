package scheduler

import (
	"cmp"
	"slices"
	"strings"
	"sync"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
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
