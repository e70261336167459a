package api

import (
	"fmt"
	"math/rand/v2"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	utilrand "k8s.io/apimachinery/pkg/util/rand"
)

// names gives new objects their UIDs and generated names, by a seed.
type names struct {
	mu     sync.Mutex
	random *rand.Rand
}

// uid is a new object's: one of version 4, by the seed.
func (n *names) uid() types.UID {
	n.mu.Lock()
	defer n.mu.Unlock()
	high, low := n.random.Uint64(), n.random.Uint64()
	return types.UID(fmt.Sprintf("%08x-%04x-4%03x-%04x-%012x", high>>32, high>>16&0xffff, high&0xfff, low>>48&0x3fff|0x8000, low&(1<<48-1)))
}

// longest is how much of a prefix a generated name takes, as kube-apiserver's do.
const longest = 63 - generated

// generated is how many characters are made up.
const generated = 5

// generateName is a name of that prefix that is not in use, most likely.
func (n *names) generateName(prefix string) string {
	n.mu.Lock()
	defer n.mu.Unlock()
	var suffix [generated]byte
	for i := range suffix {
		suffix[i] = byte(n.random.IntN(27)) // as many characters as the encoding has
	}
	return prefix[:min(len(prefix), longest)] + utilrand.SafeEncodeString(string(suffix[:]))
}

// now is a time as objects carry it.
func (s *Store) now() metav1.Time { return metav1.Time{Time: s.clock.Now()}.Rfc3339Copy() }
