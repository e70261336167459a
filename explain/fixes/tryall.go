package fixes

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-fathom/kubectl-fathom/explain/fixes/remedy"
	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
)

const (
	// enoughFixes is how many have to work for pairs of steps not to be tried.
	enoughFixes = 3
	// fixingTime is how long fixes are tried before the rest is left out; longFixingTime, in
	// clusters where the scheduler looks at all nodes: a busy machine gives the same answer there.
	fixingTime, longFixingTime = 400 * time.Millisecond, 2 * time.Second
	// leastTried is how many candidates are tried however long they take: on a busy
	// machine the answer is late, and not another one. In large clusters these are fewer:
	// up to leastTried are tried for longestFixing only.
	leastTried, leastInLarge = 8, 2
	longestFixing            = 800 * time.Millisecond
)

// tryAll simulates the candidates, and notes in found which were left out.
func tryAll(ctx context.Context, f *Search, found *report.Fixes, progress func(*report.Fixes)) (tried []Attempt, err error) {
	working, waiting := 0, 0
	if !f.small {
		waiting = countWaiting(ctx, f)
	}
	begun := time.Now()
	for i, c := range f.candidates {
		if c.pair && working >= enoughFixes {
			found.Pairs = len(f.candidates) - i
			break
		}
		if limit := patience(f, len(tried)); time.Since(begun) > limit {
			found.Stopped = fmt.Sprintf("stopped after %d ms: %d of %d candidates simulated", limit.Milliseconds(), len(tried), len(f.candidates))
			break
		}
		if c.needless(tried) || !f.small && !f.minds && c.onlyAddsNodes(tried, waiting) {
			continue
		}
		fix, err := try(ctx, f, c)
		if err != nil {
			return nil, err
		}
		fix = doubted(f, fix)
		fix.tellGates()
		fix.tellGroup()
		if fix.worksAlone() {
			working++
		}
		tried = append(tried, fix)
		if progress != nil && f.queue == nil && f.group == nil { // what others have to do comes first
			sofar := &report.Fixes{Revision: f.revision, Left: len(f.candidates) + len(f.models) + len(f.inZones) - i - 1}
			rank(slices.Clone(tried), sofar)
			progress(sofar)
		}
	}
	return tried, nil
}

// patience is after how long no further candidate is tried, when so many were.
func patience(f *Search, tried int) time.Duration {
	switch {
	case f.small && tried < leastTried, tried < leastInLarge:
		return math.MaxInt64
	case f.small:
		return longFixingTime
	case tried < leastTried:
		return longestFixing
	}
	return fixingTime
}

// countWaiting counts the pods without a node, whatever they wait for.
func countWaiting(ctx context.Context, f *Search) (waiting int) {
	release, err := f.Scheduler.Acquire(ctx)
	if err != nil {
		return 0
	}
	defer release()
	for range f.Scheduler.State.Index.Unassigned() {
		waiting++
	}
	return waiting
}

// needless says whether a fix that works makes this one more than is needed: it
// is one of this one's steps, lowers the same request by less, evicts none but some of the same pods,
// or does the same to fewer nodes and places all equal pods.
func (c candidate) needless(tried []Attempt) bool {
	return slices.ContainsFunc(tried, func(fix Attempt) bool {
		if !fix.worksAlone() || len(fix.Remedies) > 1 {
			return false
		}
		return slices.ContainsFunc(c.steps, func(step remedy.Step) bool {
			switch known := fix.Remedies[0].(type) {
			case remedy.LowerRequest:
				lower, lowers := step.(remedy.LowerRequest)
				return lowers && known.Resource == lower.Resource && known.Container == lower.Container && known.To >= lower.To
			case remedy.Evict:
				evict, evicts := step.(remedy.Evict)
				return evicts && !slices.ContainsFunc(known.Pods, func(pod *corev1.Pod) bool { return !slices.Contains(evict.Pods, pod) })
			case remedy.Uncordon, remedy.LabelNode, remedy.TakeBackResize:
				if !c.pair {
					return fix.PodsPlaced >= fix.Alike && remedy.Kind(step) == remedy.Kind(known) && includes(remedy.NodesOf(c.steps), remedy.NodesOf(fix.Remedies))
				}
			}
			return c.pair && remedy.Title(step) == fix.Title
		})
	})
}

// onlyAddsNodes says whether one step of a pair alone lets the pod onto more nodes than there are pods without a
// node, and the other step does not change the pod. Then the pair is not worth trying: what keeps the one step from
// being a fix that works is not a lack of nodes.
func (c candidate) onlyAddsNodes(tried []Attempt, waiting int) bool {
	return c.pair && slices.ContainsFunc(tried, func(fix Attempt) bool {
		is := func(step remedy.Step) bool { return remedy.Title(step) == fix.Title }
		return len(fix.Remedies) == 1 && fix.NodesGained > waiting && slices.ContainsFunc(c.steps, is) &&
			!slices.ContainsFunc(c.steps, func(step remedy.Step) bool { return !is(step) && remedy.ChangesPod(step) })
	})
}

// includes says whether all of some nodes are among others.
func includes(nodes, some []string) bool {
	return !slices.ContainsFunc(some, func(name string) bool { return !slices.Contains(nodes, name) })
}
