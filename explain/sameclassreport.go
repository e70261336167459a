package explain

import (
	"context"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-fathom/kubectl-fathom/explain/formerpods"
	"github.com/kubectl-fathom/kubectl-fathom/explain/message"
	"github.com/kubectl-fathom/kubectl-fathom/explain/placement"
	"github.com/kubectl-fathom/kubectl-fathom/explain/preemption"
	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/explain/rollout"
)

// restate tells the answer for another pod of the class (model.EquivalenceClass) again: what the
// plugins answered is the same, so nodes are not asked. It is nil where that is not
// sure: the state is another, more parts are wanted, the pod is nominated, the answer
// rests on the pod's own time.
func (e *Engine) restate(ctx context.Context, q report.Query) (*report.Report, error) {
	like, find := q.Like, e.finder(q.Target)
	if like.Verdict != report.Unschedulable || q.Parts != 0 {
		return nil, nil
	}
	said, err := e.sources.gather(ctx, find)
	if err != nil {
		return nil, err
	}
	release, err := e.scheduler.Acquire(ctx)
	if err != nil {
		return nil, err
	}
	defer release()
	pod := find()
	if pod == nil || said.group != nil || e.scheduler.State.Revision != like.Revision || !restatable(pod) {
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
	own.Verdict = like.Verdict
	if err := x.provision(ctx, said.provisioning); err != nil {
		return nil, err
	}
	report.Rollout, report.FailedPods = rollout.Of(e.scheduler.State, pod), formerpods.Failed(e.scheduler.State, pod)
	report.Preempted = formerpods.Preempted(e.scheduler.State, pod, said.preempted)
	report.Autoscaler, report.Provisioning = own.Autoscaler, own.Provisioning
	preempts := like.Preemption != nil && like.Preemption.Possible
	message.Compare(e.scheduler, x.question, preemption.Outcome{Message: like.SchedulerMessage, Legacy: like.Reworded, Successful: preempts}, &report.Observed)
	return &report, nil
}

// restatable says that nothing but its kind decides about a pod: it has no node,
// is nominated to none, is not being deleted and has no claims of its own.
func restatable(pod *corev1.Pod) bool {
	return pod.Spec.NodeName == "" && pod.Status.NominatedNodeName == "" && pod.DeletionTimestamp == nil && !placement.HasOwnClaims(pod)
}
