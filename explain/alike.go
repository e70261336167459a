package explain

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
)

// OutlineAlike is Outline for another pod of the kind (model.Kind) that like was
// made for: what the plugins answered is the same, so nodes are not asked again.
// Where that is not sure (the state is another, the pod is nominated, the answer
// rests on the pod's own time) it is Outline.
func (e *Engine) OutlineAlike(ctx context.Context, uid types.UID, like *Report) (*Report, error) {
	if like == nil || like.Verdict != Unschedulable {
		return e.Outline(ctx, uid)
	}
	report, err := e.restate(ctx, uid, like)
	if report == nil && err == nil {
		return e.Outline(ctx, uid)
	}
	return report, err
}

// restate tells like of another pod; nil where it does not hold for that pod.
func (e *Engine) restate(ctx context.Context, uid types.UID, like *Report) (*Report, error) {
	said, err := e.hear(ctx, func() *corev1.Pod { return e.pods[uid] })
	if err != nil {
		return nil, err
	}
	release, err := e.acquire(ctx)
	if err != nil {
		return nil, err
	}
	defer release()
	pod := e.pods[uid]
	if pod == nil || e.revision != like.Revision || !restatable(pod) {
		return nil, nil
	}
	x := e.begin(ctx, pod)
	x.take(said)
	own := x.report
	report := *like
	report.Pod, report.Observed, report.CreatedAt = own.Pod, own.Observed, own.CreatedAt
	preempts := like.Preemption != nil && like.Preemption.Possible
	report.Observed.Agrees = agrees(outcome{message: like.SchedulerMessage, successful: preempts}, own.Observed.Message)
	return &report, nil
}

// restatable says that nothing but its kind decides about a pod: it has no node,
// is nominated to none and is not being deleted.
func restatable(pod *corev1.Pod) bool {
	return pod.Spec.NodeName == "" && pod.Status.NominatedNodeName == "" && pod.DeletionTimestamp == nil
}
