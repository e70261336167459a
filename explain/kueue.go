package explain

import (
	"context"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-fathom/kubectl-fathom/explain/kueue"
	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
)

// queue asks the controller of the queue that holds the pod by a gate; nil where none is known to.
func (s *sources) queue(ctx context.Context, pod *corev1.Pod) *kueue.State {
	if s.options.Queue == nil {
		return nil
	}
	subject, held := kueue.SubjectOf(pod)
	if !held {
		return nil
	}
	return s.options.Queue(ctx, subject)
}

// queued adds what the controller of a queue says of a pod that it holds. Its words lead the
// answer; that the pod is gated is a fact then.
func (x *explanation) queued(state *kueue.State) {
	r := x.report
	if r.Verdict != report.Gated || r.BlockedBy != "queue" {
		return
	}
	q := kueue.Judge(state, "its gate", x.question.Now)
	if q == nil {
		return
	}
	r.Queue = q
	r.Facts = append([]string{r.Summary}, r.Facts...)
	r.Summary, r.Why = "Queued by "+q.Summary, q.Short
}
