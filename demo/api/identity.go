package api

import (
	"fmt"
	"math/rand/v2"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	utilrand "k8s.io/apimachinery/pkg/util/rand"
)

// names generates UIDs and names of new objects from a seed.
type names struct {
	mu     sync.Mutex
	random *rand.Rand
}

// uid is the UID of a new object: a version 4 UUID from the seed.
func (n *names) uid() types.UID {
	n.mu.Lock()
	defer n.mu.Unlock()
	high, low := n.random.Uint64(), n.random.Uint64()
	return types.UID(fmt.Sprintf("%08x-%04x-4%03x-%04x-%012x", high>>32, high>>16&0xffff, high&0xfff, low>>48&0x3fff|0x8000, low&(1<<48-1)))
}

// longest is the maximal length of the prefix of a generated name, as in kube-apiserver.
const longest = 63 - generated

// generated is the number of random characters.
const generated = 5

// generateName is a name with that prefix. It is very likely unused.
func (n *names) generateName(prefix string) string {
	n.mu.Lock()
	defer n.mu.Unlock()
	var suffix [generated]byte
	for i := range suffix {
		suffix[i] = byte(n.random.IntN(27)) // as many characters as the encoding has
	}
	return prefix[:min(len(prefix), longest)] + utilrand.SafeEncodeString(string(suffix[:]))
}

// now is the current time with the precision of objects.
func (s *Store) now() metav1.Time { return metav1.Time{Time: s.clock.Now()}.Rfc3339Copy() }
