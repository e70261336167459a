package plan

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
)

// Evict evicts pods, as far as their PodDisruptionBudgets allow.
type Evict struct{ Pods []model.Ref }

// Name implements Action.
func (e Evict) Name() string { return "evict " + podsWords(e.Pods) }

// Targets implements Action.
func (e Evict) Targets() []model.Ref { return e.Pods }

// Plan implements Action. Pods that are already terminating are listed, and nothing
// is sent for them; those that cannot be evicted are left out. Losses for which
// kubectl drain has a flag need a consent here too.
func (e Evict) Plan(on Facts) (*Plan, error) {
	plan := &Plan{Action: e, Does: "evict", UndoSays: "Evictions cannot be undone.", on: on.Snapshot}
	requested := e.Name()
	var kept []model.Ref
	for _, ref := range e.Pods {
		pod, err := on.pod(ref)
		if err != nil {
			plan.skips.add(ref, "deleted", fmt.Errorf("evict %s: %w", ref.Words(), err))
			continue
		}
		if short, why := noEviction(pod); why != "" {
			plan.skips.add(ref, short, fmt.Errorf("evict %s: %w: %s", ref.Words(), ErrNotPossible, why))
			continue
		}
		kept = append(kept, ref)
		plan.Ends = append(plan.Ends, endOf(pod, Evicted))
	}
	if len(kept) == 0 {
		return nil, plan.skips.noneLeft(requested, "")
	}
	e.Pods = kept
	plan.Action, plan.Title = e, grammar.Capital(e.Name())
	plan.PodsTerminated = ending(plan.Ends)
	if plan.PodsTerminated == 0 {
		return nil, fmt.Errorf("%s: %w: %s", e.Name(), ErrNoChange, grammar.Agree(len(e.Pods), "it is already terminating", "all are already terminating"))
	}
	plan.Consents = consentsOf(plan.Ends)
	plan.warn(criticalWords(plan.Ends))
	plan.tell(evictsWords(plan.PodsTerminated, len(plan.Ends)))
	return plan, nil
}

// criticalWords name the pods that end and that the cluster needs; "" without any.
func criticalWords(ends []End) string {
	var names []string
	for _, end := range ends {
		if !end.Terminating && end.Pod.Priority() >= model.SystemCritical {
			names = append(names, model.Clean(end.Pod.FullName()))
		}
	}
	if len(names) == 0 {
		return ""
	}
	return "Critical for the cluster or its node: " + grammar.List(names, grammar.Few) + "."
}

// noEviction says why the pod cannot be evicted, in a few words and in a clause;
// both "" where it can.
func noEviction(pod *model.Pod) (short, why string) {
	switch {
	case model.IsMirror(pod.Object):
		return "static pod", fmt.Sprintf("it is a static pod, which the kubelet of %s runs from a file on the node: eviction has no effect",
			model.Clean(pod.Object.Spec.NodeName))
	case !pod.Bound():
		return "not scheduled", "it is not scheduled yet, so there is nothing to evict"
	}
	return "", ""
}

// pod is a target of the action, as the API server holds it.
func (f Facts) pod(ref model.Ref) (*model.Pod, error) {
	object, err := f.Object(ref)
	if err != nil {
		return nil, ErrGone
	}
	pod := &corev1.Pod{}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(object, pod); err != nil {
		return nil, fmt.Errorf("read pod %s: %w", ref.Words(), err)
	}
	return model.NewPod(pod), nil
}
