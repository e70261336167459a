package fixes

import (
	"cmp"
	"slices"

	"github.com/kubectl-fathom/kubectl-fathom/explain/fixes/remedy"
	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
)

// rank sorts what was tried, what works first, and tells it. Of those that depend on what other pods do, what places more
// of the workload's pods comes first, then what disrupts less: else a dozen evictions that place one pod each, and only if
// nothing else takes its capacity, stand before a change that may place all. Verified fixes stay in the order of disruption.
func rank(tried []Attempt, found *report.Fixes) {
	putAfterSuspending(tried)
	slices.SortStableFunc(tried, func(a, b Attempt) int {
		first, second := rankFix(&a), rankFix(&b)
		put := cmp.Compare(max(first, a.after), max(second, b.after))
		if put == 0 && a.after == b.after {
			put = cmp.Compare(first, second)
		}
		if put == 0 && max(first, a.after) == dependent {
			put = cmp.Compare(b.PodsPlaced, a.PodsPlaced)
		}
		return cmp.Or(put, cmp.Compare(a.harm, b.harm))
	})
	for _, fix := range tried {
		found.Tried = append(found.Tried, fix.Fix)
	}
}

// untaints says whether the fix removes a taint: any pod may come then.
func (f *Attempt) untaints() bool {
	return slices.ContainsFunc(f.Remedies, func(step remedy.Step) bool { return remedy.Kind(step) == report.FixUntaint })
}

// opensKept says whether the fix opens nodes that a taint keeps for others, and something else keeps the pod off too.
func (f *Attempt) opensKept() bool {
	return len(f.Remedies) > 1 && slices.ContainsFunc(f.Remedies, func(step remedy.Step) bool {
		kind := remedy.Kind(step)
		return kind == report.FixUntaint || kind == report.FixTolerate
	})
}

// worksAlone says whether the fix works and nobody is preempted for it.
func (f *Attempt) worksAlone() bool { return f.Works() && f.preempted == 0 }

// harmsNobody says whether the fix works alone, can be undone, and no pod is stopped or recreated for it.
func (f *Attempt) harmsNobody() bool {
	return f.worksAlone() && !f.Recreates && !f.stops && f.undoable()
}

// rankFix puts what others have to do before all, then fixes that work (see rankVerified), with the
// undoing of the rollout that the pod is part of behind them. Then come those that can be undone and
// work if rules allow it that could not be read, then to add a node, then those that open nodes which
// a taint and something else keep for others or that let the pod onto nodes which do not satisfy its
// rules though others do (afterNewNode), then the rest (see rankUnverified), and last those that
// bypass a queue or take the pod out of its group.
func rankFix(f *Attempt) int {
	switch {
	case f.Kind == report.FixUndo:
		return 4
	case f.Advises():
		return -1
	case f.Circumvents():
		return 11
	case (f.Verified || len(f.Unread) > 0) && f.opensKept():
		return afterNewNode
	case f.Verified:
		return rankVerified(f)
	}
	return rankUnverified(f)
}

const (
	// afterNewNode is the rank of fixes behind that of a new node, which is 6.
	afterNewNode = 7
	// dependent is the rank of fixes that work only unless other pods take their capacity first, or rules forbid them.
	dependent = 8
)

// rankVerified is rankFix for a fix that is verified: those that recreate the pod, stop all pods of
// its workload or have others preempted come later, then those that let any pod onto nodes that a
// taint keeps for some, then those that cannot be undone.
func rankVerified(f *Attempt) int {
	switch {
	case !f.undoable():
		return 3
	case f.untaints():
		return 2
	case f.harmsNobody():
		return 0
	}
	return 1
}

// rankUnverified is rankFix for a fix that is not verified.
func rankUnverified(f *Attempt) int {
	switch {
	case f.harmsNobody():
		return 0
	case len(f.Unread) > 0 && f.undoable():
		return 5
	case f.Simulated:
		return 6
	case len(f.Unless)+len(f.Unread) > 0:
		return dependent
	case f.NodesGained > 0:
		return 9
	}
	return 10
}

// undoable says whether the fix can be undone, or need not be: what it evicts has a node again.
func (f *Attempt) undoable() bool { return f.Undo != "" || f.rescheduled }
