package scheduler

import (
	"context"
	"fmt"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/cache"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework"

	"github.com/kubectl-fathom/kubectl-fathom/explain/plugins"
)

// Fork is a simulated state: copies of some nodes lie over the real ones, and
// every plugin sees those. It lasts until revert and holds only under the scheduler's
// lock. One may begin within another and sees what that one changed.
type Fork struct {
	state  *State
	outer  *Fork
	nodes  map[string]fwk.NodeInfo           // changed ones, here or in an outer fork
	copied map[string]bool                   // copied here, so they may be changed
	lists  *views                            // nil: to be made
	before map[*objectOverlay]map[string]any // what lay over other kinds of objects before this
	laid   map[*objectOverlay]map[string]any // what lies over them now
	added  []NewNode                         // nodes that do not exist, added here or in an outer fork
}

// Fork begins a simulated state.
func (t *State) Fork() *Fork {
	s := &Fork{state: t, outer: t.overlay.fork, nodes: map[string]fwk.NodeInfo{}, copied: map[string]bool{}}
	if s.outer != nil {
		maps.Copy(s.nodes, s.outer.nodes)
		s.added = slices.Clip(s.outer.added)
	}
	t.overlay.fork = s
	return s
}

// Revert goes back to the state before.
func (s *Fork) Revert() {
	s.state.overlay.fork = s.outer
	s.lift()
}

// lift takes away the volumes and claims that the fork has changed.
func (s *Fork) lift() {
	for over, objects := range s.before {
		over.set(objects)
	}
}

// lay puts back the volumes and claims that lift took away.
func (s *Fork) lay() {
	for over, objects := range s.laid {
		over.set(objects)
	}
}

// Guard runs do. A panic comes back as an error, and forks that do began are
// reverted.
func (t *State) Guard(do func() error) (err error) {
	before := t.overlay.fork
	defer func() {
		if r := recover(); r != nil {
			t.overlay.fork = before
			err = newPanicked(r)
		}
	}()
	return do()
}

// Forked says whether a fork has not been reverted yet.
func (t *State) Forked() bool { return t.overlay.fork != nil }

// Listers are those of what is neither a node nor a pod.
func (s *Fork) Listers() plugins.Listers { return s.state.Listers }

// SetObject puts a volume or a claim in the place of the one of its name. A claim need not exist.
func (s *Fork) SetObject(object runtime.Object) error {
	over := s.state.objects.of(object)
	key, err := cache.MetaNamespaceKeyFunc(object)
	if over == nil || err != nil {
		return fmt.Errorf("simulate a change of %T: that kind cannot be overlaid", object)
	}
	was := over.now()
	if _, known := s.before[over]; !known {
		if s.before == nil {
			s.before, s.laid = map[*objectOverlay]map[string]any{}, map[*objectOverlay]map[string]any{}
		}
		s.before[over] = was
	}
	now := maps.Clone(was)
	if now == nil {
		now = map[string]any{}
	}
	now[key] = object
	s.laid[over] = now
	over.set(now)
	return nil
}

// Laid is what was put in the place of the volume or claim of this name; nil if nothing was.
func (s *Fork) Laid(object runtime.Object) any {
	over := s.state.objects.of(object)
	key, err := cache.MetaNamespaceKeyFunc(object)
	if over == nil || err != nil {
		return nil
	}
	return over.now()[key]
}

// SetNode puts this object in the place of the node of its name, which keeps its pods.
func (s *Fork) SetNode(object *corev1.Node) error {
	node, err := s.change(object.Name)
	if err != nil {
		return err
	}
	node.SetNode(object)
	return nil
}

// ChangeNode changes a copy of the node's object.
func (s *Fork) ChangeNode(name string, change func(*corev1.Node)) error {
	node, err := s.state.overlay.Get(name)
	if err != nil {
		return fmt.Errorf("simulate a change of node %s: %w", name, err)
	}
	changed := node.Node().DeepCopy()
	change(changed)
	return s.SetNode(changed)
}

// RemovePod takes a pod off its node.
func (s *Fork) RemovePod(pod *corev1.Pod) error {
	node, err := s.change(pod.Spec.NodeName)
	if err != nil {
		return err
	}
	if err := node.RemovePod(s.state.Logger, pod); err != nil {
		return fmt.Errorf("simulate the eviction of pod %s/%s: %w", pod.Namespace, pod.Name, err)
	}
	return nil
}

// Place puts a copy of the pod on a node that it was found to fit, with the devices that the
// scheduler's own plugin allocates to its ResourceClaims there. No other question came since.
func (s *Fork) Place(ctx context.Context, found *FittingNodes, pod *corev1.Pod, node string) error {
	claims, err := found.Matrix.Profile.reserve(ctx, found.State, pod, node)
	if err != nil {
		return err
	}
	for _, claim := range claims {
		if err := s.SetObject(claim); err != nil {
			return err
		}
	}
	return s.AddPod(pod, node)
}

// AddPod puts a copy of the pod on a node.
func (s *Fork) AddPod(pod *corev1.Pod, node string) error {
	on, err := s.change(node)
	if err != nil {
		return err
	}
	copied := pod.DeepCopy()
	copied.Spec.NodeName = node
	info, err := framework.NewPodInfo(copied)
	if err != nil {
		return fmt.Errorf("simulate pod %s/%s on %s: %w", pod.Namespace, pod.Name, node, err)
	}
	on.AddPodInfo(info)
	return nil
}

// NewNode is a node that does not exist, to be added to a simulated state.
type NewNode struct {
	Node *corev1.Node
	Like string        // the existing node whose CSI drivers, with their limits, it has
	Pods []*corev1.Pod // on it from the beginning: those of DaemonSets
}

// AddNode adds a node behind the others. A node of its name is an error.
func (s *Fork) AddNode(n NewNode) error {
	name := n.Node.Name
	if _, err := s.state.overlay.Get(name); err == nil {
		return fmt.Errorf("simulate a new node: node %s exists", name)
	}
	node := framework.NewNodeInfo()
	node.SetNode(n.Node)
	s.nodes[name], s.copied[name], s.lists = node, true, nil
	s.added = append(s.added, n)
	for _, pod := range n.Pods {
		if err := s.AddPod(pod, name); err != nil {
			return err
		}
	}
	return nil
}

// AddNode adds a node to a simulated state that was not entered yet.
func (on *SimulatedState) AddNode(n NewNode) {
	on.Begin(func(s *Fork) error { return s.AddNode(n) })
}

// likeOf is the node whose objects a node has: its own where it is not a new one.
func (t *State) likeOf(node string) string {
	if t.overlay.fork == nil {
		return node
	}
	for i := range t.overlay.fork.added {
		if added := &t.overlay.fork.added[i]; added.Node.Name == node {
			return added.Like
		}
	}
	return node
}

// likeInformer is an informer of objects that are called as their nodes, where new
// nodes have those of the nodes that they are like.
type likeInformer struct {
	cache.SharedIndexInformer
	likeOf func(node string) string
}

// GetIndexer implements cache.SharedIndexInformer.
func (i likeInformer) GetIndexer() cache.Indexer {
	return likeIndexer{i.SharedIndexInformer.GetIndexer(), i.likeOf}
}

// GetStore implements cache.SharedInformer.
func (i likeInformer) GetStore() cache.Store { return i.GetIndexer() }

// likeIndexer is the indexer of a likeInformer.
type likeIndexer struct {
	cache.Indexer
	likeOf func(node string) string
}

// GetByKey implements cache.Store.
func (i likeIndexer) GetByKey(key string) (any, bool, error) {
	return i.Indexer.GetByKey(i.likeOf(key))
}
