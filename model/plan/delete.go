package plan

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
)

// Delete deletes a pod that no controller owns.
type Delete struct{ Pod model.Ref }

// Name implements Action.
func (d Delete) Name() string { return "delete " + d.Pod.Words() }

// Targets implements Action.
func (d Delete) Targets() []model.Ref { return []model.Ref{d.Pod} }

// Plan implements Action.
func (d Delete) Plan(on Facts) (*Plan, error) {
	pod, err := on.pod(d.Pod)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", d.Name(), err)
	}
	owner := metav1.GetControllerOfNoCopy(pod.Object)
	switch {
	case model.IsMirror(pod.Object):
		return nil, fmt.Errorf("%s: %w: it is a static pod, which the kubelet of %s recreates", d.Name(), ErrNotPossible, model.Clean(pod.Object.Spec.NodeName))
	case owner != nil && !pod.Bound():
		return nil, fmt.Errorf("%s: %w: it belongs to %s: scale or delete that", d.Name(), ErrNotPossible, model.Clean(pod.Owner.String()))
	case owner != nil:
		return nil, fmt.Errorf("%s: %w: %s owns it; e evicts it and respects PodDisruptionBudgets", d.Name(), ErrNotPossible, model.Clean(pod.Owner.String()))
	case pod.Object.DeletionTimestamp != nil:
		return nil, fmt.Errorf("%s: %w: it is already terminating", d.Name(), ErrNoChange)
	}
	plan := &Plan{
		Action: d, Title: grammar.Capital(d.Name()), Does: "delete", UndoSays: "Cannot be undone.",
		Ends: []End{endOf(pod, Deleted)}, PodsTerminated: 1, on: on.Snapshot,
	}
	if !pod.Finished() && pod.Bound() {
		plan.Warnings = []string{"Deletion ignores PodDisruptionBudgets; eviction (e) respects them."}
	}
	plan.tell("Deletes 1 pod")
	return plan, nil
}
