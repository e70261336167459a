package kubelet

import "sync"

// Silence is which nodes' kubelets do nothing. The zero value is none.
type Silence struct {
	mu    sync.Mutex
	nodes map[string]bool
}

// Of says whether the kubelet of a node does nothing.
func (s *Silence) Of(node string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.nodes[node]
}

func (s *Silence) set(node string, on bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.nodes == nil {
		s.nodes = map[string]bool{}
	}
	s.nodes[node] = on
}
