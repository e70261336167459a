package cluster

import (
	"context"
	"sync"
	"time"
)

// answers remembers what an API server said about each key for a while, so that explaining
// many pods asks once. No lock is held while the server is asked: who asks about the same key
// waits for that answer, and only as long as his context lasts. Its zero value knows nothing.
type answers[K comparable, V any] struct {
	mu    sync.Mutex
	known map[K]*answer[V]
}

// answer is one that is there once done is closed.
type answer[V any] struct {
	done  chan struct{}
	value V
	at    time.Time
	lost  bool // who asked went away before it came
}

// mostRemembered bounds how many keys are kept.
const mostRemembered = 1000

// of is what is remembered of a key, or what ask says; ok is false where ctx ended.
func (a *answers[K, V]) of(ctx context.Context, key K, ask func() V) (value V, ok bool) {
	for {
		found, mine := a.find(key)
		if mine {
			return a.put(ctx, key, found, ask)
		}
		select {
		case <-found.done:
			if !found.lost {
				return found.value, true
			}
		case <-ctx.Done():
			return value, false
		}
	}
}

// find is the answer that is there or on its way, or a new one that the caller has to give.
func (a *answers[K, V]) find(key K) (found *answer[V], mine bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if found = a.known[key]; found != nil && !found.isOld() {
		return found, false
	}
	if a.known == nil || len(a.known) >= mostRemembered {
		a.known = map[K]*answer[V]{}
	}
	found = &answer[V]{done: make(chan struct{}), lost: true}
	a.known[key] = found
	return found, true
}

// put asks, and lets those who wait for the answer have it.
func (a *answers[K, V]) put(ctx context.Context, key K, given *answer[V], ask func() V) (value V, ok bool) {
	defer close(given.done)
	defer func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		if given.lost && a.known[key] == given {
			delete(a.known, key)
		}
	}()
	value = ask()
	if ctx.Err() != nil {
		return value, false
	}
	given.value, given.at, given.lost = value, time.Now(), false
	return value, true
}

// isOld reports whether it is there and too old to be used again.
func (a *answer[V]) isOld() bool {
	select {
	case <-a.done:
		return a.lost || time.Since(a.at) > remembered
	default:
		return false
	}
}
