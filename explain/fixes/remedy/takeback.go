package remedy

import (
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/kubectl-fathom/kubectl-fathom/explain/plugins"
	"github.com/kubectl-fathom/kubectl-fathom/explain/quantity"
	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/explain/scheduler"
	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
)

// TakeBackResize sets the requests and limits of running pods, whose resize in place waits, back to what
// their kubelet has allocated: kube-scheduler counts the greater of both. No pod is evicted by it.
type TakeBackResize struct {
	Pods []*corev1.Pod
	Back []*corev1.Pod // each of Pods without its resize
}

func (TakeBackResize) kind() report.FixKind { return report.FixResize }
func (TakeBackResize) harm() int            { return 8 }

func (r TakeBackResize) title() string {
	if len(r.Pods) > 1 {
		return fmt.Sprintf("take back the resizes of %s", plugins.ListPods(r.Pods, grammar.Few))
	}
	return fmt.Sprintf("take back the resize of %s (%s)", plugins.FullName(r.Pods[0]), r.Words(0))
}

// Words are what the containers of one of the pods request that a resize changes, and what is allocated to
// them: "memory 32Gi, allocated 12Gi".
func (r TakeBackResize) Words(of int) string {
	var parts []string
	for _, name := range []corev1.ResourceName{corev1.ResourceCPU, corev1.ResourceMemory} {
		var is, was resource.Quantity
		before, after := requestsIn(r.Pods[of]), requestsIn(r.Back[of])
		for i := range before {
			asked, granted := before[i][name], after[i][name]
			if asked.Cmp(granted) != 0 {
				is.Add(asked)
				was.Add(granted)
			}
		}
		if is.Cmp(was) != 0 {
			parts = append(parts, fmt.Sprintf("%s %s, allocated %s", name, quantity.OfRequest(name, is), quantity.OfRequest(name, was)))
		}
	}
	return strings.Join(parts, "; ")
}

// requestsIn are the requests of each container; those of the pod where it has its own.
func requestsIn(pod *corev1.Pod) []corev1.ResourceList {
	if pod.Spec.Resources != nil {
		return []corev1.ResourceList{pod.Spec.Resources.Requests}
	}
	var all []corev1.ResourceList
	for _, containers := range [][]corev1.Container{pod.Spec.InitContainers, pod.Spec.Containers} {
		for i := range containers {
			all = append(all, containers[i].Resources.Requests)
		}
	}
	return all
}

func (r TakeBackResize) apply(s *scheduler.Fork, pod *corev1.Pod) (*corev1.Pod, error) {
	for i, resized := range r.Pods {
		if err := s.RemovePod(resized); err != nil {
			return nil, err
		}
		if err := s.AddPod(r.Back[i], resized.Spec.NodeName); err != nil {
			return nil, err
		}
	}
	return pod, nil
}
