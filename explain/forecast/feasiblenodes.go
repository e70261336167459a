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

// survey asks once for each class of pending pods which nodes they fit when all are
// gone who go and nobody has come, and for pods that wait whether they fit now.
func (f *forecasting) survey(ctx context.Context) error {
	empty := stateOf(f, f.gone)
	begun, untried := time.Now(), 0
	for _, class := range f.classes {
		if time.Since(begun) > f.comparing() {
			if class.waits {
				class.skips, class.untried = true, true
				untried++
			}
			continue
		}
		if err := f.surveyClass(ctx, class, empty); err != nil {
			return err
		}
	}
	if untried > 0 {
		f.unsaid(fmt.Sprintf("%d of %s not simulated: no time left", untried, grammar.Plural(len(f.classes), "pending workload")))
	}
	return nil
}

// surveyClass asks about one class.
func (f *forecasting) surveyClass(ctx context.Context, class *equivalenceClass, empty *scheduler.SimulatedState) error {
	only := f.worthTrying(class)
	if err := f.roomFor(ctx, class, empty, only); err != nil {
		return err
	}
	if f.trial != nil && MindsOthers(class.pod()) {
		if err := findReach(ctx, f, class, empty); err != nil {
			return err
		}
	}
	if !class.waits {
		return nil
	}
	if err := surveyNow(ctx, f, class, empty, only); err != nil {
		return err
	}
	target := f.trial != nil && f.trial.is(class.competitors[0]) // it may preempt: nobody asked
	class.skips = len(class.room) == 0 && class.open == "" && !MindsOthers(class.pod()) && !class.preempts && !target
	return nil
}

// surveyNow asks whether a class that waits fits now, and may preempt after a change that is tried.
func surveyNow(ctx context.Context, f *forecasting, class *equivalenceClass, empty *scheduler.SimulatedState, only []string) error {
	if len(class.room) > 0 {
		only = nil // what fits then and not now is let in: it has to be sure
	}
	if err := f.roomNow(ctx, class, only); err != nil {
		return err
	}
	if class.now && len(class.room) == 0 && only != nil {
		if err := f.roomFor(ctx, class, empty, nil); err != nil {
			return err
		}
	}
	if f.trial != nil && class.open == "" {
		return findPreemption(ctx, f, class, empty)
	}
	return nil
}

// findPreemption finds out whether a class that waits may preempt after the change that is
// tried. What it could not do before, it can do only on the nodes that
// change or lose pods.
func findPreemption(ctx context.Context, f *forecasting, class *equivalenceClass, empty *scheduler.SimulatedState) error {
	policy := class.pod().Spec.PreemptionPolicy
	if policy != nil && *policy == corev1.PreemptNever || f.trial.is(class.competitors[0]) {
		return nil
	}
	able, err := couldPreempt(ctx, f, class)
	if class.preempts, class.able = able, able; able || err != nil {
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
		firsts, err := preemptors(ctx, f, f.budgets, class.pod(), nodes, nil)
		class.preempts = len(firsts) > 0
		return err
	})
}

// roomFor finds which of the nodes a class fits in the emptied state.
func (f *forecasting) roomFor(ctx context.Context, class *equivalenceClass, empty *scheduler.SimulatedState, only []string) error {
	return f.scheduler.Hold(ctx, empty, func() error {
		empty.Consider(class.pod())
		t, err := f.scheduler.FittingNodes(ctx, placement.AsNewPod(class.pod()), only)
		if err != nil {
			return err
		}
		class.room, class.devices, class.asked = t.Names, t.Devices(), true
		if t.Open && len(t.Names) == 0 {
			class.open = placement.WhyUnread(t.Matrix.Unknown())
		}
		return nil
	})
}

// findReach finds which nodes a class may fit once others have come to the emptied state.
func findReach(ctx context.Context, f *forecasting, class *equivalenceClass, empty *scheduler.SimulatedState) error {
	return f.scheduler.Hold(ctx, empty, func() (err error) {
		class.reach, err = f.scheduler.ReachableNodes(ctx, placement.AsNewPod(class.pod()))
		class.reached = f.scheduler.State.Moved()
		return err
	})
}

// roomNow finds out whether a class that waits fits any of the nodes now.
func (f *forecasting) roomNow(ctx context.Context, class *equivalenceClass, only []string) error {
	return f.scheduler.Hold(ctx, nil, func() error {
		pod := f.scheduler.State.Pods[class.pod().UID]
		if pod == nil || !f.scheduler.Considers(pod) {
			return nil // it is held back now
		}
		t, err := f.scheduler.FittingNodes(ctx, pod, only)
		if err != nil {
			return err
		}
		class.now = len(t.Names) > 0
		return nil
	})
}

// worthTrying are the nodes that a class may have gained or lost; nil: any. In a
// large cluster those are the ones that change, for pods that the scheduler has
// called unschedulable.
func (f *forecasting) worthTrying(class *equivalenceClass) []string {
	if f.size < scheduler.ManyNodes || !class.waits {
		return nil
	}
	condition := scheduler.PodScheduled(class.pod())
	if condition == nil || condition.Status != corev1.ConditionFalse || slices.Contains(f.supposed.Pods, class.pod()) {
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

// MindsOthers says whether more than room decides where the pod may go: where
// other pods are, or its volumes and devices.
func MindsOthers(pod *corev1.Pod) bool {
	affinity := pod.Spec.Affinity
	if affinity != nil && (affinity.PodAffinity != nil || affinity.PodAntiAffinity != nil) || len(pod.Spec.TopologySpreadConstraints) > 0 || len(pod.Spec.ResourceClaims) > 0 {
		return true
	}
	return slices.ContainsFunc(pod.Spec.Volumes, func(v corev1.Volume) bool {
		return v.PersistentVolumeClaim != nil || v.Ephemeral != nil || v.GCEPersistentDisk != nil ||
			v.AWSElasticBlockStore != nil || v.ISCSI != nil || v.RBD != nil
	})
}
