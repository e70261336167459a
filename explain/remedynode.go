package explain

import (
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	corev1helpers "k8s.io/component-helpers/scheduling/corev1"
	"k8s.io/kubernetes/pkg/apis/scheduling"

	"github.com/kubectl-fathom/kubectl-fathom/explain/placement"
	"github.com/kubectl-fathom/kubectl-fathom/explain/plugins"
	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/explain/scheduler"
	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
)

func (untaint) kind() report.FixKind   { return report.FixUntaint }
func (uncordon) kind() report.FixKind  { return report.FixUncordon }
func (labelNode) kind() report.FixKind { return report.FixLabel }
func (evict) kind() report.FixKind     { return report.FixEvict }

func (uncordon) harm() int  { return 35 }
func (evict) harm() int     { return 40 }
func (labelNode) harm() int { return 50 }
func (untaint) harm() int   { return 55 }

// title leaves the effect out, as the list of taints is long enough with the key.
func (r untaint) title() string {
	taint := r.taint.Key
	if r.taint.Value != "" {
		taint += "=" + r.taint.Value
	}
	if len(r.nodes) == 1 {
		return fmt.Sprintf("remove taint %s from %s", taint, r.nodes[0])
	}
	return fmt.Sprintf("remove taint %s from %s", taint, grammar.Plural(len(r.nodes), "node"))
}

func (r uncordon) title() string { return "uncordon " + r.node }

func (r labelNode) title() string { return fmt.Sprintf("label %s %s=%s", r.node, r.key, r.value) }

func (r evict) title() string {
	return fmt.Sprintf("evict %s from %s", plugins.ListPods(r.pods, grammar.Few), r.pods[0].Spec.NodeName)
}

func (r untaint) apply(s *scheduler.Fork, pod *corev1.Pod) (*corev1.Pod, error) {
	for _, name := range r.nodes {
		err := s.ChangeNode(name, func(n *corev1.Node) {
			n.Spec.Taints = slices.DeleteFunc(n.Spec.Taints, func(t corev1.Taint) bool { return t.MatchTaint(&r.taint) })
		})
		if err != nil {
			return nil, err
		}
	}
	return pod, nil
}

// apply takes the cordon's own taint with it, as the node lifecycle controller does.
func (r uncordon) apply(s *scheduler.Fork, pod *corev1.Pod) (*corev1.Pod, error) {
	return pod, s.ChangeNode(r.node, func(n *corev1.Node) {
		n.Spec.Unschedulable = false
		n.Spec.Taints = slices.DeleteFunc(n.Spec.Taints, func(t corev1.Taint) bool { return t.Key == corev1.TaintNodeUnschedulable })
	})
}

func (r labelNode) apply(s *scheduler.Fork, pod *corev1.Pod) (*corev1.Pod, error) {
	return pod, s.ChangeNode(r.node, func(n *corev1.Node) {
		if n.Labels == nil {
			n.Labels = map[string]string{}
		}
		n.Labels[r.key] = r.value
	})
}

func (r evict) apply(s *scheduler.Fork, pod *corev1.Pod) (*corev1.Pod, error) {
	for _, victim := range r.pods {
		if err := s.RemovePod(victim); err != nil {
			return nil, err
		}
	}
	return pod, nil
}

// evictable says whether evicting the pod frees its room: it is not ending, its
// kubelet does not run it from a file, and no DaemonSet puts it straight back.
func evictable(pod *corev1.Pod) bool {
	_, static := pod.Annotations[corev1.MirrorPodAnnotationKey]
	return pod.DeletionTimestamp == nil && !static && placement.ControllerKind(pod) != "DaemonSet" &&
		corev1helpers.PodPriority(pod) < scheduling.SystemCriticalPriority
}
