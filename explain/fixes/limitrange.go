package fixes

import (
	"context"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-fathom/kubectl-fathom/explain/admission"
	"github.com/kubectl-fathom/kubectl-fathom/explain/fixes/command"
	"github.com/kubectl-fathom/kubectl-fathom/explain/fixes/remedy"
	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/explain/scheduler"
)

// ForLimitRange simulates changes of a template whose pods a LimitRange rejects. pod is one of them, with
// what LimitRanges fill in, and missing is how many there are. Each change is asked of kube-apiserver's own
// admission code, with the quotas, and then of the scheduler with all other pods.
func ForLimitRange(ctx context.Context, means Means, pod *corev1.Pod, missing int, changes [][]admission.ContainerChange) (*report.Fixes, error) {
	f := NewSearch(means, func() *corev1.Pod { return pod })
	for _, change := range changes {
		f.candidates = append(f.candidates, candidate{steps: stepsOf(pod, change)})
	}
	err := f.locked(ctx, func(pod *corev1.Pod) error {
		f.revision, f.now = f.Scheduler.State.Revision, metav1.NewTime(f.Now()).Rfc3339Copy()
		f.small = len(f.Scheduler.State.Nodes) < scheduler.SampledFrom
		f.workload, _ = command.WorkloadOf(f.Scheduler.State.Listers.ReplicaSets, pod)
		f.uncreated, f.whole, f.alike = true, pod, copiesOf(pod, missing)
		return nil
	})
	if err != nil {
		return nil, err
	}
	found, _, err := f.Try(ctx, nil)
	return found, err
}

// stepsOf are the steps that make changes of containers.
func stepsOf(pod *corev1.Pod, changes []admission.ContainerChange) (steps option) {
	several := len(containersOf(pod)) > 1
	for _, c := range changes {
		steps = append(steps, remedy.SetResources{
			Container: c.Container, Init: c.Init, Resource: c.Resource, Request: c.Request, Limit: c.Limit, Several: several,
		})
	}
	return steps
}

// copiesOf are so many pods that do not exist, of one template.
func copiesOf(pod *corev1.Pod, missing int) []*corev1.Pod {
	all := slices.Repeat([]*corev1.Pod{pod}, max(missing, 1))
	for i := range all[1:] {
		next := *pod
		next.UID = types.UID(fmt.Sprintf("%s-%d", pod.UID, i+1))
		all[i+1] = &next
	}
	return all
}
