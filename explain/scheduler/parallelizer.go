package scheduler

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync"
	"sync/atomic"

	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/client-go/util/workqueue"
	fwk "k8s.io/kube-scheduler/framework"
)

// guarded is the framework's handle with a parallelizer whose goroutines do not
// end the program when a plugin panics in one.
type guarded struct {
	fwk.Handle
	parallel parallelizer
}

// Parallelizer implements fwk.Handle.
func (g guarded) Parallelizer() fwk.Parallelizer { return g.parallel }

// parallelizer runs pieces of work on a number of goroutines. A panic in one
// piece is raised again in the goroutine that called Until.
type parallelizer struct {
	workers int
}

// chunk is how many pieces a worker takes at a time.
const chunk = 64

// Until implements fwk.Parallelizer.
func (p parallelizer) Until(ctx context.Context, pieces int, do workqueue.DoWorkPieceFunc, _ string) {
	if pieces <= chunk || p.workers <= 1 {
		for piece := range pieces {
			if ctx.Err() != nil {
				return
			}
			do(piece)
		}
		return
	}
	var next atomic.Int64
	var broken atomic.Pointer[panicked]
	var workers sync.WaitGroup
	for range p.workers {
		workers.Go(func() {
			defer utilruntime.HandleCrash()
			defer func() {
				if r := recover(); r != nil {
					broken.CompareAndSwap(nil, newPanicked(r))
				}
			}()
			for ctx.Err() == nil && broken.Load() == nil {
				from := int(next.Add(chunk)) - chunk
				if from >= pieces {
					return
				}
				for piece := from; piece < min(from+chunk, pieces) && ctx.Err() == nil; piece++ {
					do(piece)
				}
			}
		})
	}
	workers.Wait()
	if b := broken.Load(); b != nil {
		panic(b)
	}
}

// panicked is a plugin's panic, with where it happened.
type panicked struct {
	value any
	stack []byte
}

// PanicError is the error of a panic, from what recover gave.
func PanicError(value any) error { return newPanicked(value) }

// newPanicked wraps what recover gave; a wrapped one stays as it is.
func newPanicked(value any) *panicked {
	if p, ok := value.(*panicked); ok {
		return p
	}
	return &panicked{value, debug.Stack()}
}

// Error implements error.
func (p *panicked) Error() string { return fmt.Sprintf("the plugin panicked: %v", p.value) }
