package kubelet

import "sync"

// Silence is which nodes' kubelets do nothing. The zero value is none. A node that
// was silenced twice speaks once it was let twice.
type Silence struct {
	mu    sync.Mutex
	nodes map[string]int
}

// Of says whether the kubelet of a node does nothing.
func (s *Silence) Of(node string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.nodes[node] > 0
}

func (s *Silence) set(node string, on bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.nodes == nil {
		s.nodes = map[string]int{}
	}
	if on {
		s.nodes[node]++
	} else {
		s.nodes[node] = max(s.nodes[node]-1, 0)
	}
}
