package demo

import (
	"fmt"
	"sync"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
)

// addresses assigns an IP address to each pod.
type addresses struct {
	mu       sync.Mutex
	assigned map[types.UID]int
}

func newAddresses() *addresses { return &addresses{assigned: map[types.UID]int{}} }

// of is the address of a pod; it never changes.
func (a *addresses) of(pod *corev1.Pod) string {
	a.mu.Lock()
	defer a.mu.Unlock()
	n, ok := a.assigned[pod.UID]
	if !ok {
		n = len(a.assigned) + 1
		a.assigned[pod.UID] = n
	}
	return fmt.Sprintf("10.%d.%d.%d", 64+n>>16, n>>8&255, n&255)
}
