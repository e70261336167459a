package strip

import (
	"crypto/sha256"
	"encoding/binary"
	"maps"
	"slices"
	"sync"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// How much a pool remembers, at most twice over. A cluster of 50,000 pods has some 50,000 parts. A pod whose parts
// were forgotten gets new ones at its next change, which then counts as a change of its spec: parts are compared
// by address.
const (
	poolStrings = 1 << 16
	poolParts   = 1 << 17
	longest     = 256 // bytes of a string worth sharing
)

// Pool lets objects share what is equal between them: 500 replicas of one
// workload need their containers, labels and owners only once. It remembers a
// bounded number; what it forgot is kept once more, and that is all.
//
// What comes out of a pool belongs to many objects and is never changed.
type Pool struct {
	mu      sync.Mutex
	strings recent[string, string]
	parts   recent[digest, any]
	scratch []byte   // what the next digest is made of
	keys    []string // of the map at hand
}

// digest stands for the encoding of a part: the first half of its SHA-256. Two parts with one digest are equal.
type digest [sha256.Size / 2]byte

// digest gives that of the bytes in scratch, and empties it.
func (p *Pool) digest() digest {
	sum := sha256.Sum256(p.scratch)
	p.scratch = p.scratch[:0]
	return digest(sum[:len(digest{})])
}

// NewPool makes an empty one.
func NewPool() *Pool {
	return &Pool{
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

// encoder is what the API's types give their bytes with.
type encoder interface {
	Size() int
	MarshalToSizedBuffer(buffer []byte) (int, error)
}

// message is a pointer to an API type.
type message[T any] interface {
	*T
	encoder
}

// encode adds the bytes of a part to those that its digest is made of.
func (p *Pool) encode(part encoder) error {
	size := part.Size()
	p.scratch = binary.AppendUvarint(p.scratch, uint64(size)) //nolint:gosec // a size is not negative
	from := len(p.scratch)
	p.scratch = slices.Grow(p.scratch, size)[:from+size]
	_, err := part.MarshalToSizedBuffer(p.scratch[from:])
	return err
}

// text adds a string to the bytes that a digest is made of.
func (p *Pool) text(s string) {
	p.scratch = binary.AppendUvarint(p.scratch, uint64(len(s)))
	p.scratch = append(p.scratch, s...)
}

// shared gives the part that stands for all equal ones, those with the bytes in
// scratch. first prepares the one that is kept.
func shared[T any](p *Pool, part T, first func(T) T) T {
	key := p.digest()
	if known, ok := p.parts.get(key); ok {
		if same, ok := known.(T); ok {
			return same
		}
	}
	part = first(part)
	p.parts.put(key, part)
	return part
}

// sharedMessage shares what one pointer points to.
func sharedMessage[T any, P message[T]](p *Pool, part P, first func(P) P) P {
	if p.encode(part) != nil { // never, for what was decoded
		p.scratch = p.scratch[:0]
		return part
	}
	return shared(p, part, first)
}

// sharedSlice shares a slice of API types.
func sharedSlice[T any, P message[T]](p *Pool, slice []T) []T {
	return sharedSliceOf[T, P](p, slice, exact)
}

// sharedSliceOf is sharedSlice with another way to prepare what is kept.
func sharedSliceOf[T any, P message[T]](p *Pool, slice []T, first func([]T) []T) []T {
	if len(slice) == 0 {
		return nil
	}
	for i := range slice {
		if p.encode(P(&slice[i])) != nil {
			p.scratch = p.scratch[:0]
			return slice
		}
	}
	return shared(p, slice, first)
}

// list shares a slice of strings.
func (p *Pool) list(words []string) []string {
	if len(words) == 0 {
		return nil
	}
	for _, w := range words {
		p.text(w)
	}
	return shared(p, words, exact)
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

// word gives one copy of equal strings.
func (p *Pool) word(s *string) {
	if *s == "" || len(*s) > longest {
		return
	}
	if known, ok := p.strings.get(*s); ok {
		*s = known
		return
	}
	p.strings.put(*s, *s)
}

// wordOf gives the one copy of a word that is in bytes.
func (p *Pool) wordOf(b []byte) string {
	if known, ok := p.strings.get(string(b)); ok {
		return known
	}
	word := string(b)
	p.word(&word)
	return word
}

// dictionary shares a map of strings: labels, annotations, a node selector.
func (p *Pool) dictionary(m map[string]string) map[string]string {
	if len(m) == 0 {
		return nil
	}
	p.keys = p.keys[:0]
	for k := range m {
		p.keys = append(p.keys, k)
	}
	slices.Sort(p.keys)
	for _, k := range p.keys {
		p.text(k)
		p.text(m[k])
	}
	return shared(p, m, p.words)
}

// words copies a map so that its strings are shared.
func (p *Pool) words(m map[string]string) map[string]string {
	copied := make(map[string]string, len(m))
	for k, v := range m {
		p.word(&k)
		p.word(&v)
		copied[k] = v
	}
	return copied
}

// meta shares what objects of one owner have in common.
func (p *Pool) meta(m *metav1.ObjectMeta) {
	p.word(&m.Namespace)
	p.word(&m.GenerateName)
	m.Labels = p.dictionary(m.Labels)
	m.Annotations = p.dictionary(m.Annotations)
	m.Finalizers = p.list(m.Finalizers)
	m.OwnerReferences = sharedSlice(p, m.OwnerReferences)
}

// amounts shares a list of resources.
func (p *Pool) amounts(list corev1.ResourceList) corev1.ResourceList {
	if len(list) == 0 {
		return list
	}
	for _, name := range slices.Sorted(maps.Keys(list)) {
		amount := list[name]
		p.text(string(name))
		p.text(amount.String())
	}
	return shared(p, list, same)
}

func same[T any](part T) T { return part }
