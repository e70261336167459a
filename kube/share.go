package kube

import (
	"crypto/sha256"
	"slices"
	"sync"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// How much a pool remembers, at most twice over.
const (
	poolStrings = 1 << 16
	poolParts   = 1 << 13
	longest     = 256 // bytes of a string worth sharing
)

// pool lets objects share what is equal between them: 500 replicas of one
// workload need their containers, labels and owners only once. It remembers a
// bounded number; what it forgot is kept once more, and that is all.
//
// What comes out of a pool belongs to many objects and is never changed.
type pool struct {
	mu      sync.Mutex
	strings recent[string, string]
	parts   recent[digest, any]
	scratch []byte
}

// digest stands for the encoding of a part. Two parts with one digest are equal.
type digest [sha256.Size]byte

func newPool() *pool {
	return &pool{
		strings: recent[string, string]{size: poolStrings},
		parts:   recent[digest, any]{size: poolParts},
	}
}

// recent is a map that forgets what was not asked for in a while: at least the
// last size keys are remembered, at most twice as many.
type recent[K comparable, V any] struct {
	size       int
	young, old map[K]V
}

func (r *recent[K, V]) get(key K) (V, bool) {
	if v, ok := r.young[key]; ok {
		return v, true
	}
	v, ok := r.old[key]
	if ok {
		r.put(key, v)
	}
	return v, ok
}

func (r *recent[K, V]) put(key K, v V) {
	if r.young == nil || len(r.young) >= r.size {
		r.old, r.young = r.young, make(map[K]V)
	}
	r.young[key] = v
}

// encoder is what every part can be wrapped in to get its digest.
type encoder interface {
	Size() int
	MarshalToSizedBuffer(buffer []byte) (int, error)
}

// shared gives the part that stands for all equal ones. form wraps the part so
// that its encoding says all that matters; first prepares the one that is kept.
func shared[T any](p *pool, part T, form encoder, first func(T) T) T {
	size := form.Size()
	p.scratch = slices.Grow(p.scratch[:0], size)[:size]
	n, err := form.MarshalToSizedBuffer(p.scratch)
	if err != nil {
		return part // not shared then
	}
	key := sha256.Sum256(p.scratch[size-n:])
	if known, ok := p.parts.get(key); ok {
		if same, ok := known.(T); ok {
			return same
		}
	}
	part = first(part)
	p.parts.put(key, part)
	return part
}

// word gives one copy of equal strings.
func (p *pool) word(s *string) {
	if *s == "" || len(*s) > longest {
		return
	}
	if known, ok := p.strings.get(*s); ok {
		*s = known
		return
	}
	p.strings.put(*s, *s)
}

// dictionary shares a map of strings: labels, annotations, a node selector.
func (p *pool) dictionary(m map[string]string) map[string]string {
	if len(m) == 0 {
		return nil
	}
	return shared(p, m, &metav1.ObjectMeta{Labels: m}, p.words)
}

// words copies a map so that its strings are shared.
func (p *pool) words(m map[string]string) map[string]string {
	copied := make(map[string]string, len(m))
	for k, v := range m {
		p.word(&k)
		p.word(&v)
		copied[k] = v
	}
	return copied
}

// meta shares what objects of one owner have in common.
func (p *pool) meta(m *metav1.ObjectMeta) {
	p.word(&m.Namespace)
	p.word(&m.GenerateName)
	m.Labels = p.dictionary(m.Labels)
	m.Annotations = p.dictionary(m.Annotations)
	m.Finalizers = sharedSlice(p, m.Finalizers, &metav1.ObjectMeta{Finalizers: m.Finalizers})
	m.OwnerReferences = sharedSlice(p, m.OwnerReferences, &metav1.ObjectMeta{OwnerReferences: m.OwnerReferences})
}

// sharedSlice shares a slice.
func sharedSlice[E any](p *pool, slice []E, form encoder) []E {
	if len(slice) == 0 {
		return nil
	}
	return shared(p, slice, form, exact)
}

// exact gives slice without the room to spare that decoding leaves.
func exact[E any](slice []E) []E {
	switch {
	case len(slice) == 0:
		return nil
	case len(slice) == cap(slice):
		return slice
	}
	return append(make([]E, 0, len(slice)), slice...)
}

// amounts shares a list of resources.
func (p *pool) amounts(list corev1.ResourceList) corev1.ResourceList {
	if len(list) == 0 {
		return list
	}
	return shared(p, list, &corev1.NodeStatus{Capacity: list}, same)
}

func same[T any](part T) T { return part }
