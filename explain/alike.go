package explain

import (
	"context"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
)

// OutlineAlike is Outline for another pod of the kind (model.Kind) that like was
// made for: what the plugins answered is the same, so nodes are not asked again.
// Where that is not sure (the state is another, the pod is nominated, the answer
// rests on the pod's own time) it is Outline.
func (e *Engine) OutlineAlike(ctx context.Context, uid types.UID, like *report.Report) (*report.Report, error) {
	if like == nil || like.Verdict != report.Unschedulable {
		return e.Outline(ctx, uid)
	}
	report, err := e.restate(ctx, uid, like)
	if report == nil && err == nil {
		return e.Outline(ctx, uid)
	}
	return report, err
}

// restate tells like of another pod; nil where it does not hold for that pod.
func (e *Engine) restate(ctx context.Context, uid types.UID, like *report.Report) (*report.Report, error) {
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
	if x.considered() == (like.Verdict == report.NotConsidered) || x.doubtful() != like.Opens("leases") {
		return nil, nil // its scheduler tried one of them and not the other
	}
	own := x.report
	report := *like
	report.Pod, report.Observed, report.CreatedAt = own.Pod, own.Observed, own.CreatedAt
	report.Autoscaler = own.Autoscaler
	preempts := like.Preemption != nil && like.Preemption.Possible
	x.compare(outcome{message: like.SchedulerMessage, older: like.Reworded, successful: preempts}, &report.Observed)
	return &report, nil
}

// restatable says that nothing but its kind decides about a pod: it has no node,
// is nominated to none, is not being deleted and has no claims of its own.
func restatable(pod *corev1.Pod) bool {
	return pod.Spec.NodeName == "" && pod.Status.NominatedNodeName == "" && pod.DeletionTimestamp == nil && !hasOwnClaims(pod)
}

// hasOwnClaims says whether claims are made for the pod by its name: those of
// ephemeral volumes, of claim templates, and for extended resources.
func hasOwnClaims(pod *corev1.Pod) bool {
	ofItsOwn := func(v corev1.Volume) bool { return v.Ephemeral != nil }
	return len(pod.Spec.ResourceClaims) > 0 || pod.Status.ExtendedResourceClaimStatus != nil || slices.ContainsFunc(pod.Spec.Volumes, ofItsOwn)
}
