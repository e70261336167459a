package kubelet

import "sync"

// Silence is the set of nodes whose kubelets are stopped. The zero value is empty. A
// node that was stopped twice must be started twice.
type Silence struct {
	mu    sync.Mutex
	nodes map[string]int
}

// Of says whether the kubelet of a node is stopped.
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
