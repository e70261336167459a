package explain

import (
	"cmp"
	"context"
	"slices"
	"sort"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	corev1helpers "k8s.io/component-helpers/scheduling/corev1"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/explain/summary"
	"github.com/kubectl-fathom/kubectl-fathom/model"
)

const (
	// terminatingNodes is how many nodes are asked about for the first that the pod fits.
	terminatingNodes = 256
	// overdue is how long after the end of its grace period a pod counts as one that may never end, such as one with
	// a finalizer.
	overdue = time.Minute
)

// countsElsewhere are the plugins that reject a node for pods on other nodes, even while those terminate:
// PodTopologySpread counts them no more.
var countsElsewhere = sets.New(names.InterPodAffinity, names.VolumeRestrictions, names.DynamicResources)

// addTerminating fills in the node that a pod fits once pods that are being deleted have terminated, by the plugins
// without them; of several nodes the one where that is first.
func addTerminating(ctx context.Context, x *explanation) error {
	if r := x.report; r.Verdict != report.Unschedulable || r.Gang != nil || len(r.Unknown) > 0 || !x.profile.Scheduler.PodsRead() {
		return nil
	}
	ending := terminatingPods(x)
	nodes, err := fittingWithout(ctx, x, opened(x, ending), ending)
	if err != nil || len(nodes) == 0 {
		return err
	}
	slices.Sort(nodes)
	have, node, err := firstToEnd(ctx, x, nodes[:min(len(nodes), terminatingNodes)], ending)
	if err != nil || len(have) == 0 {
		return err
	}
	x.report.Terminating = terminatingOf(node, have)
	x.report.Terminating.Contested = othersWait(x, have)
	return nil
}

// opened are the nodes that may fit without some pods: those where they are, and those that only plugins reject which
// count pods on other nodes.
func opened(x *explanation, without []*corev1.Pod) []string {
	found := sets.New[string]()
	for _, pod := range without {
		found.Insert(pod.Spec.NodeName)
	}
	if len(found) == 0 || x.matrix == nil {
		return nil
	}
	for i, node := range x.matrix.Nodes {
		if rejectedForOthers(x, i) {
			found.Insert(node.Node().Name)
		}
	}
	return sets.List(found)
}

// rejectedForOthers says whether only plugins that count pods on other nodes reject the node at a place of the matrix.
func rejectedForOthers(x *explanation, at int) bool {
	rejected := false
	for k := range x.profile.Plugins {
		switch {
		case x.matrix.Rejects(k, at) == nil:
		case !countsElsewhere.Has(x.profile.Plugins[k].Name):
			return false
		default:
			rejected = true
		}
	}
	return rejected
}

// terminatingPods are the pods other than the one in question that are being deleted, those that end first first.
// Left out are those that no kubelet ends, as their node is not Ready, and those that come back on their node at once:
// of DaemonSets, unless the pod is of the same one, and mirror pods, whose containers go on.
func terminatingPods(x *explanation) (ending []*corev1.Pod) {
	own := metav1.GetControllerOfNoCopy(x.question.Pod)
	for pod := range x.profile.Scheduler.State.Index.Terminating() {
		by := metav1.GetControllerOfNoCopy(pod)
		comesBack := by != nil && by.Kind == "DaemonSet" && (own == nil || own.UID != by.UID)
		if pod.UID != x.question.Pod.UID && !comesBack && !model.IsMirror(pod) && summary.OnReadyNode(x.question, pod) {
			ending = append(ending, pod)
		}
	}
	slices.SortFunc(ending, func(a, b *corev1.Pod) int { return endsFirst(x.question.Now, a, b) })
	return ending
}

// fittingWithout are those of some nodes that the pod fits without some pods; none without nodes.
func fittingWithout(ctx context.Context, x *explanation, nodes []string, pods []*corev1.Pod) ([]string, error) {
	if len(nodes) == 0 {
		return nil, nil
	}
	fork := x.profile.Scheduler.State.Fork()
	defer fork.Revert()
	for _, pod := range pods {
		if err := fork.RemovePod(pod); err != nil {
			return nil, err
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

// firstToEnd are those of the ending pods that have to end for the pod to fit one of the nodes, of several choices those that
// end first, and that node; it fits them without all of them.
func firstToEnd(ctx context.Context, x *explanation, nodes []string, ending []*corev1.Pod) (have []*corev1.Pod, node string, err error) {
	fits := func(without []*corev1.Pod) bool {
		if err != nil {
			return false
		}
		var found []string
		if found, err = fittingWithout(ctx, x, nodes, without); len(found) == 0 {
			return false
		}
		node = slices.Min(found) // of several the same, however the cluster was read
		return true
	}
	have = slices.Clone(ending[:1+sort.Search(len(ending)-1, func(i int) bool { return fits(ending[:i+1]) })])
	if !fits(have) {
		return nil, "", err
	}
	nodes = []string{node}
	var leave func(from, to int)
	leave = func(from, to int) { // those of have that need not end, by halves
		if from >= to {
			return
		}
		if rest := slices.Delete(slices.Clone(have), from, to); fits(rest) {
			have = rest
			return
		}
		if middle := (from + to) / 2; to-from > 1 {
			leave(middle, to)
			leave(from, middle)
		}
	}
	leave(0, len(have)-1) // without the last one they were too few
	return have, node, err
}

// terminatingOf is what the report says of pods that end for a node, in the order of their ends.
func terminatingOf(node string, pods []*corev1.Pod) *report.Terminating {
	last := pods[len(pods)-1]
	told := &report.Terminating{Node: node, Until: metav1.NewTime(last.DeletionTimestamp.Truncate(time.Second))}
	for _, pod := range pods {
		one := report.TerminatingPod{Namespace: pod.Namespace, Name: pod.Name}
		if pod.Spec.NodeName != node {
			one.Node = pod.Spec.NodeName
		}
		told.Pods = append(told.Pods, one)
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
