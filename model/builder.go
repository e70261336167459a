package model

import (
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
)

// Builder makes one Snapshot after the other out of what changed. A change of a
// pod costs that pod, the sums of its node and its kind; all else is shared with
// the snapshot before. It is for one goroutine; its snapshots are for all.
type Builder struct {
	changedNodes  map[string]*corev1.Node              // since the last Build; nil is deleted
	changedPods   map[types.NamespacedName]*corev1.Pod // likewise
	hosts         map[string]*host                     // by node name
	kinds         map[string]*EquivalenceClass         // by key
	keys          map[*Pod]string                      // of the pending pods
	words         map[string]string                    // what derived texts share
	amounts       Templates[podAmounts]                // what replicas request
	refused       map[string]*EquivalenceClass         // of pods that do not exist, by key
	allNotCreated []*NotCreated                        // as noted last
	resizing      map[*Pod]*EquivalenceClass           // of the pods that are resized in place
	last          Snapshot
	poolLabel     string // goes before the known labels of node pools
}

// PoolLabel names a label of nodes that holds their pool, where it is none of the
// known ones; it goes before those. "" is none. It has to be called before the
// first Build.
func (b *Builder) PoolLabel(label string) { b.poolLabel = label }

// host is a node's name and what is bound to it. The node itself may not be
// known yet, or no more.
type host struct {
	object *corev1.Node
	node   *Node
	pods   []*Pod
}

// NewBuilder starts with an empty cluster.
func NewBuilder() *Builder {
	return &Builder{
		changedNodes: map[string]*corev1.Node{},
		changedPods:  map[types.NamespacedName]*corev1.Pod{},
		hosts:        map[string]*host{},
		kinds:        map[string]*EquivalenceClass{},
		keys:         map[*Pod]string{},
		words:        map[string]string{},
		refused:      map[string]*EquivalenceClass{},
		resizing:     map[*Pod]*EquivalenceClass{},
	}
}

// Node notes that a node came (old is nil), changed or went (new is nil).
func (b *Builder) Node(old, new *corev1.Node) {
	switch {
	case new != nil:
		b.changedNodes[new.Name] = new
	case old != nil:
		b.changedNodes[old.Name] = nil
	}
}

// Pod notes that a pod came (old is nil), changed or went (new is nil). Its node
// may come later.
func (b *Builder) Pod(old, new *corev1.Pod) {
	switch {
	case new != nil:
		b.changedPods[types.NamespacedName{Namespace: new.Namespace, Name: new.Name}] = new
	case old != nil:
		b.changedPods[types.NamespacedName{Namespace: old.Namespace, Name: old.Name}] = nil
	}
}

// Build gives the cluster as it is after all that was noted.
func (b *Builder) Build(revision int64, status Status, usage *Usage) *Snapshot {
	pods := b.podChanges()
	b.last = Snapshot{
		Revision: revision,
		Nodes:    merged(b.last.Nodes, b.nodeChanges(pods), compareNodes),
		Pods:     merged(b.last.Pods, pods, ComparePods),
		Pending:  merged(b.last.Pending, append(b.classChanges(pods), b.refusedChanges()...), compareClasses),
		Resizing: merged(b.last.Resizing, b.resizeChanges(pods), compareClasses),
		Status:   status,
		Usage:    usage,
	}
	next := b.last
	return &next
}

// podChanges derives the pods that changed.
func (b *Builder) podChanges() []change[Pod] {
	changes := make([]change[Pod], 0, len(b.changedPods))
	for name, object := range b.changedPods {
		was, _ := b.last.PodNamed(name.Namespace, name.Name)
		switch {
		case object != nil && (was == nil || was.Object != object):
			changes = append(changes, change[Pod]{was, b.changed(was, object)})
		case object == nil && was != nil:
			changes = append(changes, change[Pod]{was, nil})
		}
	}
	b.changedPods = emptied(b.changedPods)
	return changes
}

// manyChanges is from how many on a map of changes is not kept: it never gives back what it took.
const manyChanges = 1000

// emptied gives a map without what is in it.
func emptied[K comparable, V any](changes map[K]V) map[K]V {
	if len(changes) >= manyChanges {
		return map[K]V{}
	}
	clear(changes)
	return changes
}

// changed derives a pod that was derived before, unless it is new: what it requests has seldom changed.
func (b *Builder) changed(was *Pod, object *corev1.Pod) *Pod {
	if was == nil || !b.amounts.Same(was.Object, object) {
		return b.pod(object)
	}
	return b.sharing(newPod(object, podAmounts{was.Requests, was.Limits}))
}

// pod derives a pod whose amounts are those of equal ones.
func (b *Builder) pod(object *corev1.Pod) *Pod {
	return b.sharing(newPod(object, b.amounts.Of(object, podAmountsOf)))
}

// sharing lets a pod share its texts with others.
func (b *Builder) sharing(pod *Pod) *Pod {
	pod.Status = b.shared(pod.Status)
	pod.Owner.Kind, pod.Owner.Name = b.shared(pod.Owner.Kind), b.shared(pod.Owner.Name)
	return pod
}

// nodeChanges folds the changed nodes, and the pods that came to or left one.
func (b *Builder) nodeChanges(pods []change[Pod]) []change[Node] {
	touched := make(map[string][]change[Pod], len(b.changedNodes))
	for name := range b.changedNodes {
		touched[name] = nil
	}
	for _, c := range pods {
		if c.was.occupies() {
			name := c.was.Object.Spec.NodeName
			touched[name] = append(touched[name], change[Pod]{was: c.was})
		}
		if c.is.occupies() {
			name := c.is.Object.Spec.NodeName
			touched[name] = append(touched[name], change[Pod]{is: c.is})
		}
	}
	changes := make([]change[Node], 0, len(touched))
	for name, moved := range touched {
		if c := b.nodeChange(name, moved); c.was != c.is {
			changes = append(changes, c)
		}
	}
	b.changedNodes = emptied(b.changedNodes)
	return changes
}

// nodeChange folds what happened to one node.
func (b *Builder) nodeChange(name string, moved []change[Pod]) change[Node] {
	h := b.hosts[name]
	if h == nil {
		h = &host{}
		b.hosts[name] = h
	}
	was, object := h.node, h.object
	if changed, ok := b.changedNodes[name]; ok {
		object = changed
	}
	h.pods = merged(h.pods, moved, ComparePods)
	switch {
	case object == nil:
		h.node = nil
	case was == nil || object != h.object:
		h.node = newNode(object, b.poolLabel).with(h.pods)
	case len(moved) > 0:
		h.node = was.with(h.pods)
	}
	h.object = object
	if object == nil && len(h.pods) == 0 {
		delete(b.hosts, name)
	}
	return change[Node]{was, h.node}
}

// shared gives the one copy of a text that all derived fields share. There are
// few of them: status words, and names of workloads.
func (b *Builder) shared(text string) string {
	if same, ok := b.words[text]; ok {
		return same
	}
	text = strings.Clone(text)
	b.words[text] = text
	return text
}
