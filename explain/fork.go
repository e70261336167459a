package explain

import (
	"fmt"
	"maps"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/cache"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework"
)

// fork is a state that is not: copies of some nodes lie over the real
// ones, and every plugin sees those. It lasts until end and holds only under the
// engine's lock. One may begin within another and sees what that one changed.
type fork struct {
	engine *Engine
	outer  *fork
	nodes  map[string]fwk.NodeInfo           // changed ones, here or in an outer fork
	own    map[string]bool                   // copied here, so they may be changed
	lists  *views                            // nil: to be made
	before map[*objectOverlay]map[string]any // what lay over other kinds of objects before this
}

// fork begins a supposed state.
func (e *Engine) fork() *fork {
	s := &fork{engine: e, outer: e.overlay.supposed, nodes: map[string]fwk.NodeInfo{}, own: map[string]bool{}}
	if s.outer != nil {
		maps.Copy(s.nodes, s.outer.nodes)
	}
	e.overlay.supposed = s
	return s
}

// revert goes back to the state before.
func (s *fork) revert() {
	s.engine.overlay.supposed = s.outer
	for over, objects := range s.before {
		over.set(objects)
	}
}

// object puts a volume or a claim in the place of the one of its name.
func (s *fork) object(object runtime.Object) error {
	over := s.engine.laid.of(object)
	key, err := cache.MetaNamespaceKeyFunc(object)
	if over == nil || err != nil {
		return fmt.Errorf("suppose %T changed: nothing can be laid over that kind", object)
	}
	was := over.now()
	if _, known := s.before[over]; !known {
		if s.before == nil {
			s.before = map[*objectOverlay]map[string]any{}
		}
		s.before[over] = was
	}
	now := maps.Clone(was)
	if now == nil {
		now = map[string]any{}
	}
	now[key] = object
	over.set(now)
	return nil
}

// node puts this object in the place of the node of its name, which keeps its pods.
func (s *fork) node(object *corev1.Node) error {
	node, err := s.change(object.Name)
	if err != nil {
		return err
	}
	node.SetNode(object)
	return nil
}

// without takes a pod off its node.
func (s *fork) without(pod *corev1.Pod) error {
	node, err := s.change(pod.Spec.NodeName)
	if err != nil {
		return err
	}
	if err := node.RemovePod(s.engine.logger, pod); err != nil {
		return fmt.Errorf("suppose pod %s/%s gone: %w", pod.Namespace, pod.Name, err)
	}
	return nil
}

// with puts a copy of the pod on a node.
func (s *fork) with(pod *corev1.Pod, node string) error {
	on, err := s.change(node)
	if err != nil {
		return err
	}
	copied := pod.DeepCopy()
	copied.Spec.NodeName = node
	info, err := framework.NewPodInfo(copied)
	if err != nil {
		return fmt.Errorf("suppose pod %s/%s on %s: %w", pod.Namespace, pod.Name, node, err)
	}
	on.AddPodInfo(info)
	return nil
}
