package remedy

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/explain/scheduler"
)

// Suspend suspends a Job: its controller deletes all its pods that have not ended, and creates none until it is resumed.
type Suspend struct {
	Namespace, Name string
	UID             types.UID
	Pods            []*corev1.Pod // those that have not ended, also those without a node
	Unread          string        // why it is not known whether something would resume it; "" if it is known that nothing does
	CronJob         string        // that created the Job; "" where none did
}

func (Suspend) kind() report.FixKind { return report.FixSuspend }

// harm of it is more than of what changes the pod a little, and less than of evicting a pod that finds no node again.
func (Suspend) harm() int { return 40 }

func (r Suspend) title() string { return "suspend job " + r.Namespace + "/" + r.Name }

func (r Suspend) apply(s *scheduler.Fork, pod *corev1.Pod) (*corev1.Pod, error) {
	for _, ended := range r.assigned() {
		if err := s.RemovePod(ended); err != nil {
			return nil, err
		}
	}
	return pod, nil
}

// assigned are its pods that have a node.
func (r Suspend) assigned() []*corev1.Pod {
	var all []*corev1.Pod
	for _, pod := range r.Pods {
		if scheduler.Assigned(pod) {
			all = append(all, pod)
		}
	}
	return all
}
