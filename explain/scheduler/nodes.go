package scheduler

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/component-helpers/node/topology"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework"

	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// nodeInfos holds the nodes with the pods on them as kube-scheduler's cache does
// (pkg/scheduler/backend/cache), in the order of its node tree. The scheduler's lock stands
// in for the snapshot that kube-scheduler takes of its cache, so everything is held once:
// what a pod requests is computed once for all replicas, and what is known of an image once
// for all nodes. The pods of a node are in an order of their own (comparePods): in the cache
// they stand as they were added and last updated, which nobody else can know.
type nodeInfos struct {
	logger klog.Logger
	byName map[string]*framework.NodeInfo // also of nodes that are not known, for the pods on them
	order  nodeOrder
	images *imageStates
	pods   model.Templates[*framework.PodInfo]

	lists    views
	at       map[string]int // by name: the place in the list of all
	relist   bool           // nodes came, went or changed their zone
	reselect bool           // a node got its first pod with rules, or lost its last
}

func newNodeInfos(logger klog.Logger) *nodeInfos {
	return &nodeInfos{
		logger: logger,
		byName: map[string]*framework.NodeInfo{},
		order:  nodeOrder{zones: map[string][]string{}},
		images: newImageStates(),
	}
}

// info is that of a node that is known, or of which a pod is.
func (n *nodeInfos) info(name string) *framework.NodeInfo {
	info, ok := n.byName[name]
	if !ok {
		info = framework.NewNodeInfo()
		n.byName[name] = info
	}
	return info
}

// setNode takes node as the newest state of its name.
func (n *nodeInfos) setNode(node *corev1.Node) {
	info := n.info(node.Name)
	old := info.Node()
	if old == nil || topology.GetZoneKey(old) != topology.GetZoneKey(node) {
		if old != nil {
			n.order.remove(old)
		}
		n.order.add(node)
		n.relist = true
	}
	n.images.set(old, node)
	info.SetNode(node)
}

// dropNode removes a node that is known. The pods on it are kept until they go.
func (n *nodeInfos) dropNode(node *corev1.Node) {
	info := n.byName[node.Name]
	n.order.remove(info.Node())
	n.images.set(info.Node(), nil)
	info.RemoveNode()
	if len(info.Pods) == 0 {
		delete(n.byName, node.Name)
	}
	n.relist = true
}

// addPod puts a pod on its node, which need not be known.
func (n *nodeInfos) addPod(pod *corev1.Pod) {
	info := n.info(pod.Spec.NodeName)
	before := rulesOf(info)
	added := *n.pods.Of(pod, podInfo) // with what was computed of it
	added.Pod = pod
	info.AddPodInfo(&added)
	last := len(info.Pods) - 1
	at, _ := slices.BinarySearchFunc(info.Pods[:last], pod, func(other fwk.PodInfo, pod *corev1.Pod) int { return comparePods(other.GetPod(), pod) })
	copy(info.Pods[at+1:], info.Pods[at:last])
	info.Pods[at] = &added
	n.reselect = n.reselect || before != rulesOf(info)
}

// updatePod takes the newest state of a pod in the place of the one before, where it stays on its node and all
// that plugins keep of it is the same, as after most changes of a status: what was answered for the node
// holds then. It reports whether it did.
func (n *nodeInfos) updatePod(old, pod *corev1.Pod) bool {
	info := n.byName[pod.Spec.NodeName]
	if info == nil || old.UID != pod.UID || (old.DeletionTimestamp == nil) != (pod.DeletionTimestamp == nil) || !sameTerms(old, pod) ||
		model.OfDaemonSet(old) != model.OfDaemonSet(pod) || !n.pods.Same(old, pod) || !reflect.DeepEqual(old.Spec, pod.Spec) {
		return false
	}
	for _, known := range info.Pods {
		if of, ok := known.(*framework.PodInfo); ok && of.Pod == old {
			of.Pod = pod
			return true
		}
	}
	return false
}

// comparePods is the order of the pods of a node: as they were created, then by name. Which of
// several equal pods is preempted depends on it. Taken from the pods alone, it is the same
// however the cluster was read.
func comparePods(a, b *corev1.Pod) int {
	return cmp.Or(
		a.CreationTimestamp.Compare(b.CreationTimestamp.Time),
		strings.Compare(a.Namespace, b.Namespace),
		strings.Compare(a.Name, b.Name),
		strings.Compare(string(a.UID), string(b.UID)),
	)
}

// podInfo is what is computed once for equal pods.
func podInfo(pod *corev1.Pod) *framework.PodInfo {
	info, _ := framework.NewPodInfo(pod) // terms that do not parse count as none, as in the cache
	info.CalculateResource()
	info.Pod = nil
	return info
}

// dropPod takes a pod off its node.
func (n *nodeInfos) dropPod(pod *corev1.Pod) error {
	name := pod.Spec.NodeName
	info := n.byName[name]
	if info == nil {
		return fmt.Errorf("node %s has no pods", name)
	}
	before := rulesOf(info)
	at := slices.IndexFunc(info.Pods, func(one fwk.PodInfo) bool { return one.GetPod().UID == pod.UID })
	if err := info.RemovePod(n.logger, pod); err != nil {
		return err
	}
	if at >= 0 && at < len(info.Pods) { // the last one was put in its place
		moved := info.Pods[at]
		copy(info.Pods[at:], info.Pods[at+1:])
		info.Pods[len(info.Pods)-1] = moved
	}
	n.reselect = n.reselect || before != rulesOf(info)
	if len(info.Pods) == 0 && info.Node() == nil {
		delete(n.byName, name)
	}
	return nil
}

// rulesOf says which lists of nodes whose pods have rules a node is in.
func rulesOf(info *framework.NodeInfo) [3]bool {
	return [...]bool{
		len(info.PodsWithAffinity) > 0,
		len(info.PodsWithRequiredAntiAffinity) > 0,
		len(info.PodsWithRequiredNonHostScopedAntiAffinity) > 0,
	}
}

// settle brings the lists up to what was changed.
func (n *nodeInfos) settle() {
	if n.relist {
		n.lists.all, n.at = make([]fwk.NodeInfo, 0, len(n.byName)), make(map[string]int, len(n.byName))
		for name := range n.order.names {
			n.at[name] = len(n.lists.all)
			n.lists.all = append(n.lists.all, n.byName[name])
		}
	}
	if n.relist || n.reselect {
		n.lists.affinity, n.lists.antiAffinity, n.lists.beyondHost = nil, nil, nil
		n.lists.selectFrom(n.lists.all)
	}
	n.relist, n.reselect = false, false
}

// usesClaim says whether a pod on a node uses a claim.
func usesClaim(nodes []fwk.NodeInfo, key string) bool {
	return slices.ContainsFunc(nodes, func(node fwk.NodeInfo) bool { return node.GetPVCRefCounts()[key] > 0 })
}

// nodeOrder has the names of the nodes by zone. One of each zone in turn is the order in
// which kube-scheduler tries them.
type nodeOrder struct {
	zones map[string][]string // by topology.GetZoneKey, as they came
	keys  []string            // of the zones, as they came
}

func (o *nodeOrder) add(node *corev1.Node) {
	zone := topology.GetZoneKey(node)
	if _, ok := o.zones[zone]; !ok {
		o.keys = append(o.keys, zone)
	}
	o.zones[zone] = append(o.zones[zone], node.Name)
}

func (o *nodeOrder) remove(node *corev1.Node) {
	zone := topology.GetZoneKey(node)
	left := slices.DeleteFunc(o.zones[zone], func(name string) bool { return name == node.Name })
	if len(left) > 0 {
		o.zones[zone] = left
		return
	}
	delete(o.zones, zone)
	o.keys = slices.DeleteFunc(o.keys, func(key string) bool { return key == zone })
}

// names lists one node of each zone in turn.
func (o *nodeOrder) names(yield func(string) bool) {
	for i, left := 0, true; left; i++ {
		left = false
		for _, key := range o.keys {
			zone := o.zones[key]
			if i >= len(zone) {
				continue
			}
			left = true
			if !yield(zone[i]) {
				return
			}
		}
	}
}
