package metrics

import (
	"context"
	"errors"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-fathom/kubectl-fathom/cli/source"
	"github.com/kubectl-fathom/kubectl-fathom/explain"
	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/kube/cluster"
	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// reading is what one evaluation found. A nil map was not found out.
type reading struct {
	evaluated time.Time     // when it ended
	took      time.Duration // how long it took

	verdicts map[report.Verdict]int // pending pods by verdict; a missing one is not known
	blocked  []blocked              // pending pods by what blocks them
	nodes    map[corev1.ConditionStatus]int
	cordoned int
	capacity *model.Capacity // nil: nodes may not be read
	counted  bool            // capacity.Requested is of all pods
}

// blocked is how many pods are pending for one reason.
type blocked struct {
	cause
	pods   int
	oldest time.Time // when the first of them was created; zero: not known
}

// cause is what pending pods are told apart by.
type cause struct {
	namespace string
	verdict   report.Verdict
	by        string // the cell BLOCKED BY
	plugin    string // the scheduler plugin that it is about; "" where none rejects nodes
	scaleUp   report.ScaleUp
}

// verdicts are those that pending pods have.
var verdicts = []report.Verdict{
	report.Scheduled, report.Preempting, report.Gated, report.NotConsidered, report.NotCreated,
	report.Schedulable, report.Unschedulable, report.Unknown,
}

// blockedUnknown is what blocks a pod that could not be explained.
const blockedUnknown = "unknown"

// evaluate explains each kind of pending pods once.
func (o *Options) evaluate(ctx context.Context, live *source.Live) (*reading, error) {
	found := &reading{}
	s := live.Snapshot
	if live.Unread("nodes") == nil {
		found.addNodes(s.Nodes)
		found.counted = s.Status.Namespace == "" && live.Unread("pods") == nil
	}
	if live.Unread("pods") != nil {
		return found, nil
	}
	outlines := live.Outlines()
	var all tally
	for _, kind := range s.Pending {
		pods := o.scope.Held(kind)
		if len(pods) == 0 {
			continue
		}
		count := len(pods)
		if kind.NotCreated != nil {
			count = kind.Count()
		}
		why, exists, err := explained(ctx, outlines, kind, pods[0])
		switch {
		case err != nil:
			return nil, err
		case exists:
			all.add(blocked{cause: why, pods: count, oldest: pods[0].Since()})
		}
	}
	found.blocked = all.rows
	if !o.scope.Beyond(s.Status) { // else only some of the pods were counted
		found.sum(s.Status.Seeking || live.Overlooks())
	}
	found.blocked = limited(found.blocked, o.namespaces)
	return found, nil
}

// explained is why the pods of a kind are pending. A pod that cannot be explained is
// unknown; exists is false for one that was deleted meanwhile.
func explained(ctx context.Context, outlines *cluster.Outlines, kind *model.EquivalenceClass, pod *model.Pod) (why cause, exists bool, err error) {
	why = cause{namespace: pod.Object.Namespace, verdict: report.Unknown, by: blockedUnknown, scaleUp: report.UnknownScaleUp}
	r, err := outlines.Of(ctx, kind.Key, pod.Object.UID)
	switch {
	case ctx.Err() != nil:
		return why, false, ctx.Err()
	case errors.Is(err, cluster.ErrReading), errors.Is(err, cluster.ErrClosed):
		return why, false, err
	case errors.Is(err, explain.ErrNoPod):
		return why, false, nil
	case err == nil:
		why.verdict, why.by, why.plugin, why.scaleUp = r.Verdict, r.BlockedBy, report.BlockingPlugin(r), r.Provisioning.ScaleUp()
	}
	return why, true, nil
}

// join counts the pods of another one in.
func (b *blocked) join(other blocked) {
	b.pods += other.pods
	if b.oldest.IsZero() || !other.oldest.IsZero() && other.oldest.Before(b.oldest) {
		b.oldest = other.oldest
	}
}

// sum counts the pods of each verdict. Where pods that were not created may have been
// missed, that none are is not known.
func (f *reading) sum(overlooked bool) {
	f.verdicts = map[report.Verdict]int{}
	for _, verdict := range verdicts {
		f.verdicts[verdict] = 0
	}
	for i := range f.blocked {
		f.verdicts[f.blocked[i].verdict] += f.blocked[i].pods
	}
	if overlooked && f.verdicts[report.NotCreated] == 0 {
		delete(f.verdicts, report.NotCreated)
	}
}

// addNodes counts nodes, and what they have.
func (f *reading) addNodes(nodes []*model.Node) {
	capacity := model.CapacityOf(nodes)
	f.capacity, f.cordoned = &capacity, 0
	f.nodes = map[corev1.ConditionStatus]int{corev1.ConditionTrue: 0, corev1.ConditionFalse: 0, corev1.ConditionUnknown: 0}
	for _, node := range nodes {
		ready := node.Ready
		if ready != corev1.ConditionTrue && ready != corev1.ConditionFalse {
			ready = corev1.ConditionUnknown
		}
		f.nodes[ready]++
		if node.Cordoned {
			f.cordoned++
		}
	}
}
