package explain

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"sort"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	corev1helpers "k8s.io/component-helpers/scheduling/corev1"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/explain/summary"
	"github.com/kubectl-fathom/kubectl-fathom/model"
)

const (
	// terminatingNodes is how many nodes with terminating pods are asked about, those first whose pods end first.
	terminatingNodes = 256
	// terminatingTold is how many of those that the pod then fits are looked at for the first.
	terminatingTold = 3
	// overdue is how long after the end of its grace period a pod counts as one that may never end, such as one with
	// a finalizer.
	overdue = time.Minute
)

// addTerminating fills in the node that a pod fits once pods that are being deleted have terminated on it, by the
// plugins on that node without them; of several nodes the one where that is first.
func addTerminating(ctx context.Context, x *explanation) error {
	if r := x.report; r.Verdict != report.Unschedulable || r.Gang != nil || len(r.Unknown) > 0 || !x.profile.Scheduler.PodsRead() {
		return nil
	}
	byNode := terminatingByNode(x)
	nodes := slices.SortedFunc(maps.Keys(byNode), func(a, b string) int { return endsFirst(x.question.Now, byNode[a][0], byNode[b][0]) })
	nodes = nodes[:min(len(nodes), terminatingNodes)]
	if len(nodes) == 0 {
		return nil
	}
	fits, err := fittingWithout(ctx, x, nodes, byNode)
	if err != nil {
		return err
	}
	nodes = slices.DeleteFunc(nodes, func(node string) bool { return !slices.Contains(fits, node) })
	var first []*corev1.Pod
	for _, node := range nodes[:min(len(nodes), terminatingTold)] {
		have, err := haveToEnd(ctx, x, node, byNode[node])
		if err != nil {
			return err
		}
		if len(have) > 0 && (first == nil || endsFirst(x.question.Now, have[len(have)-1], first[len(first)-1]) < 0) {
			first = have
		}
	}
	if first != nil {
		x.report.Terminating = terminatingOf(first)
		x.report.Terminating.Contested = othersWait(x, first)
	}
	return nil
}

// terminatingByNode are the pods other than the one in question that are being deleted, those that end first first.
// Left out are those that no kubelet ends, as their node is not Ready, and those that come back on their node at once:
// of DaemonSets, unless the pod is of the same one, and mirror pods, whose containers go on.
func terminatingByNode(x *explanation) map[string][]*corev1.Pod {
	state, own, byNode := x.profile.Scheduler.State, metav1.GetControllerOfNoCopy(x.question.Pod), map[string][]*corev1.Pod{}
	for pod := range state.Index.Terminating() {
		by := metav1.GetControllerOfNoCopy(pod)
		comesBack := by != nil && by.Kind == "DaemonSet" && (own == nil || own.UID != by.UID)
		if pod.UID != x.question.Pod.UID && !comesBack && !model.IsMirror(pod) && summary.OnReadyNode(x.question, pod) {
			byNode[pod.Spec.NodeName] = append(byNode[pod.Spec.NodeName], pod)
		}
	}
	for _, pods := range byNode {
		slices.SortFunc(pods, func(a, b *corev1.Pod) int { return endsFirst(x.question.Now, a, b) })
	}
	return byNode
}

// fittingWithout are those of some nodes that the pod fits without all of the pods of each.
func fittingWithout(ctx context.Context, x *explanation, nodes []string, byNode map[string][]*corev1.Pod) ([]string, error) {
	fork := x.profile.Scheduler.State.Fork()
	defer fork.Revert()
	for _, node := range nodes {
		for _, pod := range byNode[node] {
			if err := fork.RemovePod(pod); err != nil {
				return nil, err
			}
		}
	}
	found, err := x.profile.Scheduler.FittingNodes(ctx, x.question.Pod, nodes)
	if err != nil {
		return nil, err
	}
	return slices.Clone(found.Names), nil
}

// endsFirst orders pods by the ends of their grace periods, those last that should have ended before.
func endsFirst(now time.Time, a, b *corev1.Pod) int {
	late := func(pod *corev1.Pod) int {
		if now.Sub(pod.DeletionTimestamp.Time) > overdue {
			return 1
		}
		return 0
	}
	return cmp.Or(late(a)-late(b), a.DeletionTimestamp.Compare(b.DeletionTimestamp.Time),
		cmp.Compare(a.Spec.NodeName, b.Spec.NodeName), cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name))
}

// haveToEnd are those of the pods of a node that have to end for the pod to fit it, of several choices those that end
// first; nil where it does not fit without all of them either, or that is not known.
func haveToEnd(ctx context.Context, x *explanation, node string, pods []*corev1.Pod) (have []*corev1.Pod, err error) {
	fits := func(without []*corev1.Pod) bool {
		if err != nil {
			return false
		}
		var found []string
		found, err = fittingWithout(ctx, x, []string{node}, map[string][]*corev1.Pod{node: without})
		return len(found) > 0
	}
	if !fits(pods) {
		return nil, err
	}
	have = slices.Clone(pods[:1+sort.Search(len(pods)-1, func(i int) bool { return fits(pods[:i+1]) })])
	for i := len(have) - 2; i >= 0; i-- { // without the last one they were too few
		if rest := slices.Delete(slices.Clone(have), i, i+1); fits(rest) {
			have = rest
		}
	}
	return have, err
}

// terminatingOf is what the report says of pods that end on a node, in the order of their ends.
func terminatingOf(pods []*corev1.Pod) *report.Terminating {
	last := pods[len(pods)-1]
	told := &report.Terminating{Node: last.Spec.NodeName, Until: metav1.NewTime(last.DeletionTimestamp.Truncate(time.Second))}
	for _, pod := range pods {
		told.Pods = append(told.Pods, report.TerminatingPod{Namespace: pod.Namespace, Name: pod.Name})
	}
	return told
}

// othersWait says whether other pods of equal or higher priority wait for a node too, or StatefulSets create such ones
// in place of those that end.
func othersWait(x *explanation, ending []*corev1.Pod) bool {
	priority := corev1helpers.PodPriority(x.question.Pod)
	for pod := range x.profile.Scheduler.State.Index.Unassigned() {
		if pod.UID != x.question.Pod.UID && corev1helpers.PodPriority(pod) >= priority && x.profile.Scheduler.Considers(pod) {
			return true
		}
	}
	return slices.ContainsFunc(ending, func(pod *corev1.Pod) bool {
		by := metav1.GetControllerOfNoCopy(pod)
		return by != nil && by.Kind == "StatefulSet" && corev1helpers.PodPriority(pod) >= priority
	})
}
