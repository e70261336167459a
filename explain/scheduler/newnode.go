package scheduler

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/kubernetes/pkg/scheduler/framework"
)

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
