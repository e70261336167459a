package remedy

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/explain/scheduler"
)

// AllowUnavailable lets a Deployment, whose maxUnavailable is 0, stop one of its older pods before a new one
// is Ready.
type AllowUnavailable struct {
	Namespace, Name string        // of the Deployment
	Older           []*corev1.Pod // those that it may stop first
	Stops           *corev1.Pod   // the one of them that it does
	Ready           int           // pods that its ReplicaSets want, without new ones that are not available
}

func (AllowUnavailable) kind() report.FixKind { return report.FixRollout }
func (AllowUnavailable) harm() int            { return 6 }

func (r AllowUnavailable) title() string { return "set maxUnavailable 1 for deployment/" + r.Name }

func (r AllowUnavailable) apply(s *scheduler.Fork, pod *corev1.Pod) (*corev1.Pod, error) {
	return pod, s.RemovePod(r.Stops)
}
