package plan

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
)

// Evict asks for the eviction of pods, which their PodDisruptionBudgets may refuse.
type Evict struct{ Pods []model.Ref }

// Name implements Action.
func (e Evict) Name() string { return "evict " + podsWords(e.Pods) }

// Targets implements Action.
func (e Evict) Targets() []model.Ref { return e.Pods }

// Plan implements Action. Pods that end already are named, and nothing is sent
// for them; those that cannot be evicted are left out. What kubectl drain has a
// flag for has to be agreed to here too.
func (e Evict) Plan(on Facts) (*Plan, error) {
	plan := &Plan{Action: e, Does: "evict", UndoSays: "An eviction cannot be undone.", on: on.Snapshot}
	wished := e.Name()
	var kept []model.Ref
	for _, ref := range e.Pods {
		pod, err := on.pod(ref)
		if err != nil {
			plan.skips.add(ref, "gone", fmt.Errorf("evict %s: %w", ref.Words(), err))
			continue
		}
		if short, why := noEviction(pod); why != "" {
			plan.skips.add(ref, short, fmt.Errorf("evict %s: %w: %s", ref.Words(), ErrWrongWish, why))
			continue
		}
		kept = append(kept, ref)
		plan.Ends = append(plan.Ends, endOf(pod, Evicted))
	}
	if len(kept) == 0 {
		return nil, plan.skips.noneLeft(wished, "")
	}
	e.Pods = kept
	plan.Action, plan.Title = e, grammar.Capital(e.Name())
	plan.Ending = ending(plan.Ends)
	if plan.Ending == 0 {
		return nil, fmt.Errorf("%s: %w: %s", e.Name(), ErrNoChange, grammar.Agree(len(e.Pods), "it is terminating already", "all are terminating already"))
	}
	plan.Consents = consentsOf(plan.Ends)
	plan.tell("")
	return plan, nil
}

// noEviction says why evicting the pod makes no sense, in a few words and in a
// clause; both "" where it does.
func noEviction(pod *model.Pod) (short, why string) {
	switch {
	case isMirror(pod.Object):
		return "static pod", fmt.Sprintf("it is a static pod, which the kubelet of %s runs from a file on the node: an eviction changes nothing",
			model.Clean(pod.Object.Spec.NodeName))
	case !pod.Bound():
		return "on no node", "it is on no node"
	}
	return "", ""
}

// pod is a target of the wish, as the API server holds it.
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
