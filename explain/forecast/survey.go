package forecast

import (
	"context"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-fathom/kubectl-fathom/explain/placement"
	"github.com/kubectl-fathom/kubectl-fathom/explain/scheduler"
	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
)

// survey asks once for each kind of pending pods which nodes they fit when all are
// gone who go and nobody has come, and for pods that wait whether they fit now.
func (f *forecasting) survey(ctx context.Context) error {
	empty := stateOf(f, f.gone)
	begun, untried := time.Now(), 0
	for _, kind := range f.kinds {
		if time.Since(begun) > f.comparing() {
			if kind.waits {
				kind.skips, kind.untried = true, true
				untried++
			}
			continue
		}
		if err := f.surveyKind(ctx, kind, empty); err != nil {
			return err
		}
	}
	if untried > 0 {
		f.unsaid(fmt.Sprintf("%d of %s not simulated: no time left", untried, grammar.Plural(len(f.kinds), "pending workload")))
	}
	return nil
}

// surveyKind asks about one kind.
func (f *forecasting) surveyKind(ctx context.Context, kind *equivalenceClass, empty *scheduler.SimulatedState) error {
	only := f.worthTrying(kind)
	if err := f.roomFor(ctx, kind, empty, only); err != nil || !kind.waits {
		return err
	}
	if len(kind.room) > 0 {
		only = nil // what fits then and not now is let in: it has to be sure
	}
	if err := f.roomNow(ctx, kind, only); err != nil {
		return err
	}
	if kind.now && len(kind.room) == 0 && only != nil {
		if err := f.roomFor(ctx, kind, empty, nil); err != nil {
			return err
		}
	}
	if f.trial != nil && kind.open == "" {
		if err := findPreemption(ctx, f, kind, empty); err != nil {
			return err
		}
	}
	kind.skips = len(kind.room) == 0 && kind.open == "" && !mindsOthers(kind.pod()) && !kind.preempts
	return nil
}

// findPreemption finds out whether a kind that waits may preempt after the change that is
// tried. What it could not do before, it can do only on the nodes that
// change or lose pods.
func findPreemption(ctx context.Context, f *forecasting, kind *equivalenceClass, empty *scheduler.SimulatedState) error {
	policy := kind.pod().Spec.PreemptionPolicy
	if policy != nil && *policy == corev1.PreemptNever || f.trial.is(kind.competitors[0]) {
		return nil
	}
	able, err := couldPreempt(ctx, f, kind)
	if kind.preempts, kind.able = able, able; able || err != nil {
		return err
	}
	nodes := slices.Clone(f.trial.trial.Nodes)
	for _, pod := range f.gone {
		nodes = append(nodes, pod.Spec.NodeName)
	}
	if len(nodes) == 0 {
		return nil
	}
	return f.scheduler.Hold(ctx, empty, func() error {
		firsts, err := preemptors(ctx, f, kind.pod(), nodes, nil)
		kind.preempts = len(firsts) > 0
		return err
	})
}

// roomFor finds which of the nodes a kind fits in the emptied state.
func (f *forecasting) roomFor(ctx context.Context, kind *equivalenceClass, empty *scheduler.SimulatedState, only []string) error {
	return f.scheduler.Hold(ctx, empty, func() error {
		empty.Consider(kind.pod())
		t, err := f.scheduler.Try(ctx, placement.AsNewPod(kind.pod()), only)
		if err != nil {
			return err
		}
		kind.room, kind.asked = t.Names, true
		if t.Open && len(t.Names) == 0 {
			kind.open = placement.WhyUnread(t.Matrix.Unknown())
		}
		return nil
	})
}

// roomNow finds out whether a kind that waits fits any of the nodes now.
func (f *forecasting) roomNow(ctx context.Context, kind *equivalenceClass, only []string) error {
	return f.scheduler.Hold(ctx, nil, func() error {
		pod := f.scheduler.State.Pods[kind.pod().UID]
		if pod == nil || !f.scheduler.Considers(pod) {
			return nil // it is held back now
		}
		t, err := f.scheduler.Try(ctx, pod, only)
		if err != nil {
			return err
		}
		kind.now = len(t.Names) > 0
		return nil
	})
}

// worthTrying are the nodes that a kind may have gained or lost; nil: any. In a
// large cluster those are the ones that change, for pods that the scheduler has
// called unschedulable.
func (f *forecasting) worthTrying(kind *equivalenceClass) []string {
	if f.size < scheduler.ManyNodes || !kind.waits {
		return nil
	}
	condition := scheduler.PodScheduled(kind.pod())
	if condition == nil || condition.Status != corev1.ConditionFalse || slices.Contains(f.supposed.Pods, kind.pod()) {
		return nil
	}
	nodes := []string{}
	for _, node := range f.supposed.Nodes {
		nodes = append(nodes, node.Name)
	}
	for _, added := range f.added {
		nodes = append(nodes, added.Node.Name)
	}
	if f.trial != nil {
		nodes = append(nodes, f.trial.trial.Nodes...)
	}
	for _, pod := range f.gone {
		if !slices.Contains(nodes, pod.Spec.NodeName) {
			nodes = append(nodes, pod.Spec.NodeName)
		}
	}
	return nodes
}

// mindsOthers says whether more than room decides where the pod may go: where
// other pods are, or its volumes and devices.
func mindsOthers(pod *corev1.Pod) bool {
	affinity := pod.Spec.Affinity
	if affinity != nil && (affinity.PodAffinity != nil || affinity.PodAntiAffinity != nil) || len(pod.Spec.TopologySpreadConstraints) > 0 || len(pod.Spec.ResourceClaims) > 0 {
		return true
	}
	return slices.ContainsFunc(pod.Spec.Volumes, func(v corev1.Volume) bool {
		return v.PersistentVolumeClaim != nil || v.Ephemeral != nil || v.GCEPersistentDisk != nil ||
			v.AWSElasticBlockStore != nil || v.ISCSI != nil || v.RBD != nil
	})
}
