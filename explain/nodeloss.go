package explain

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-fathom/kubectl-fathom/explain/placement"
	"github.com/kubectl-fathom/kubectl-fathom/explain/plugins"
	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/explain/scheduler"
	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
	"github.com/kubectl-fathom/kubectl-fathom/model/plan"
)

// Lose says what becomes of the pods of some nodes if all those nodes were drained at once, or failed: they take no
// pods any more, and their zones and host names count for topology spread constraints as long as they exist. Of what
// becomes Pending only for that, Why says so.
func Lose(ctx context.Context, e *Engine, nodes []string) (*report.Loss, error) {
	answer := &report.Loss{TypeMeta: metav1.TypeMeta{APIVersion: report.APIVersion, Kind: report.FitKind}, Lost: nodes, Unknown: []report.UnknownPart{}}
	for _, resource := range []string{"nodes", "pods"} {
		if why := e.scheduler.Forbidden[resource]; why != "" {
			return nil, fmt.Errorf("lose nodes: %s", why)
		}
	}
	var supposed, deleted plan.Hypothesis
	var gone []*corev1.Pod
	err := e.scheduler.Hold(ctx, nil, func() error {
		answer.Scheduler = schedulerInfo(e, e.scheduler.Profile(&corev1.Pod{}))
		for _, name := range nodes {
			node := e.scheduler.State.Nodes[name]
			if node == nil {
				return fmt.Errorf("lose node %s: no such node", name)
			}
			supposed.Nodes = append(supposed.Nodes, closed(node))
			deleted.Nodes = append(deleted.Nodes, withoutDomains(closed(node)))
		}
		gone = lostPods(e, nodes, answer)
		return nil
	})
	if err != nil {
		return nil, err
	}
	for _, pod := range gone {
		supposed.Gone = append(supposed.Gone, pod.UID)
	}
	deleted.Gone = supposed.Gone
	foretold, err := e.Forecast(ctx, supposed)
	if err != nil {
		return nil, err
	}
	then, err := onceDeleted(ctx, e, foretold, deleted)
	if err != nil {
		return nil, err
	}
	unknown := []string{foretold.Unknown}
	if only := e.options.Namespace; only != "" {
		unknown = append(unknown, "only the pods of namespace "+only+" could be read")
	}
	for _, why := range unknown {
		if why != "" {
			answer.Unknown = append(answer.Unknown, report.UnknownPart{Resource: "pods", Why: why, Plugins: []string{}})
		}
	}
	for _, pod := range gone {
		fate := foretold.Fates[pod.UID]
		answer.Add(report.LostPod{
			Namespace: pod.Namespace, Name: pod.Name, UID: string(pod.UID), From: pod.Spec.NodeName,
			Outcome: fate.Outcome, Node: fate.Node, Nodes: fate.Nodes(), Why: jobMayFail(pod, fate, whyPending(fate, then[pod.UID], len(nodes))),
		})
	}
	for _, victim := range foretold.Preempted {
		answer.Add(preemptedPod(victim))
	}
	answer.Sort()
	return answer, nil
}

// preemptedPod is a pod that runs elsewhere and is preempted for one of a lost node.
func preemptedPod(victim plan.PreemptedPod) report.LostPod {
	pod, fate := victim.Pod, victim.Fate
	return report.LostPod{
		Namespace: pod.Namespace, Name: pod.Name, UID: string(pod.UID), From: pod.Spec.NodeName,
		Outcome: fate.Outcome, Node: fate.Node, Nodes: fate.Nodes(), Why: preemptedWhy(victim), PreemptedBy: victim.By,
	}
}

// preemptedWhy says for which pod it is preempted, and why what becomes of it does.
func preemptedWhy(victim plan.PreemptedPod) string {
	why := "preempted by " + victim.By
	switch {
	case victim.Fate.Outcome == plan.Depends:
		why = "may be " + why
	case victim.Instead:
		why = "it or a pod like it is " + why
	}
	switch {
	case victim.Fate.Why != "":
		why += "; " + victim.Fate.Why
	case victim.Fate.Outcome == plan.Lost:
		why += "; no controller"
	}
	return why
}

// onceDeleted are the fates of the pods where the nodes are deleted too; nil where that changes none.
func onceDeleted(ctx context.Context, e *Engine, foretold *plan.Forecast, deleted plan.Hypothesis) (map[types.UID]plan.Fate, error) {
	for _, fate := range foretold.Fates {
		if !mayWait(fate) {
			continue
		}
		then, err := e.Forecast(ctx, deleted)
		if err != nil {
			return nil, err
		}
		return then.Fates, nil
	}
	return nil, nil
}

// mayWait reports whether no node may take a pod as long as the lost ones exist.
func mayWait(fate plan.Fate) bool { return fate.Outcome == plan.Waits || fate.Outcome == plan.Depends }

// whyPending is why a pod becomes or may become Pending, and that it does not stay so where then, which is what becomes
// of it once the nodes are deleted, is another.
func whyPending(fate, then plan.Fate, nodes int) string {
	if !mayWait(fate) || then.Outcome != plan.Lands {
		return fate.Why
	}
	return fate.Why + ", until " + grammar.Agree(nodes, "the node is", "the nodes are") + " deleted"
}

// jobMayFail adds to the place of a Job's replacement that there may be none: a Job counts a pod whose node is lost as
// failed, and is not read here.
func jobMayFail(pod *corev1.Pod, fate plan.Fate, why string) string {
	if fate.Outcome != plan.Lands || placement.ControllerKind(pod) != "Job" {
		return why
	}
	return strings.TrimPrefix(why+"; ", "; ") + plan.JobMayFail
}

// closed is a node that takes no pods at all, not even those that tolerate its cordon.
func closed(node *corev1.Node) *corev1.Node {
	then := plan.Cordoned(node)
	then.Status.Allocatable = maps.Clone(then.Status.Allocatable)
	if then.Status.Allocatable == nil {
		then.Status.Allocatable = corev1.ResourceList{}
	}
	then.Status.Allocatable[corev1.ResourcePods] = resource.Quantity{}
	return then
}

// withoutDomains is a node that is in the state as if it were deleted: without labels it is of no topology domain, so
// neither it nor its pods count for spread constraints and pod affinity.
func withoutDomains(node *corev1.Node) *corev1.Node {
	node.Labels = nil
	return node
}

// lostPods are the pods of the nodes that a drain would evict. The others are counted.
func lostPods(e *Engine, nodes []string, answer *report.Loss) []*corev1.Pod {
	var gone []*corev1.Pod
	for _, pod := range e.scheduler.State.Pods {
		switch {
		case !scheduler.Assigned(pod) || !slices.Contains(nodes, pod.Spec.NodeName):
		case model.IsMirror(pod):
			answer.StaticPods++
		case placement.ControllerKind(pod) == "DaemonSet":
			answer.DaemonPods++
		case pod.DeletionTimestamp != nil:
			answer.Terminating++
		default:
			gone = append(gone, pod)
		}
	}
	slices.SortFunc(gone, func(a, b *corev1.Pod) int { return strings.Compare(plugins.FullName(a), plugins.FullName(b)) })
	return gone
}
