package cluster

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
)

func TestWhoAsksTheSameWaitsForOneAnswer(t *testing.T) {
	var known answers[string, int]
	var asked atomic.Int32
	begun, release := make(chan struct{}), make(chan struct{})
	ask := func() int {
		if asked.Add(1) == 1 {
			close(begun)
		}
		<-release
		return 7
	}
	var all sync.WaitGroup
	for range 5 {
		all.Go(func() {
			if got, ok := known.of(t.Context(), "a", ask); got != 7 || !ok {
				t.Errorf("got %d, %v", got, ok)
			}
		})
	}
	<-begun
	// Another question does not wait for the first.
	if got, ok := known.of(t.Context(), "b", func() int { return 8 }); got != 8 || !ok {
		t.Errorf("got %d, %v", got, ok)
	}
	gone, leave := context.WithCancel(t.Context())
	leave()
	if _, ok := known.of(gone, "a", ask); ok {
		t.Error("who went away got an answer")
	}
	close(release)
	all.Wait()
	if got := asked.Load(); got != 1 {
		t.Errorf("asked %d times", got)
	}
}

func TestAnAnswerThatNobodyWaitedForIsAskedForAgain(t *testing.T) {
	var known answers[string, int]
	ctx, leave := context.WithCancel(t.Context())
	begun, release := make(chan struct{}), make(chan struct{})
	var first sync.WaitGroup
	first.Go(func() {
		_, ok := known.of(ctx, "a", func() int { close(begun); <-release; return 1 })
		if ok {
			t.Error("who went away got an answer")
		}
	})
	<-begun
	first.Go(func() {
		if got, ok := known.of(t.Context(), "a", func() int { return 2 }); got != 2 || !ok {
			t.Errorf("got %d, %v, not an answer of its own", got, ok)
		}
	})
	leave()
	close(release)
	first.Wait()
	if got, _ := known.of(t.Context(), "a", func() int { return 3 }); got != 2 {
		t.Errorf("got %d, not what is remembered", got)
	}
}
