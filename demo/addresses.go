package demo

import (
	"fmt"
	"sync"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
)

// addresses hands out one to each pod.
type addresses struct {
	mu    sync.Mutex
	given map[types.UID]int
}

func newAddresses() *addresses { return &addresses{given: map[types.UID]int{}} }

// of is the address of a pod, the same each time.
func (a *addresses) of(pod *corev1.Pod) string {
	a.mu.Lock()
	defer a.mu.Unlock()
	n, ok := a.given[pod.UID]
	if !ok {
		n = len(a.given) + 1
		a.given[pod.UID] = n
	}
	return fmt.Sprintf("10.%d.%d.%d", 64+n>>16, n>>8&255, n&255)
}
