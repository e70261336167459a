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

	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
)

const (
	// terminatingNodes is how many nodes with terminating pods are asked about, those first whose pods end first.
	terminatingNodes = 64
	// terminatingTold is how many of those that the pod then fits are looked at for the first.
	terminatingTold = 3
)

// addTerminating fills in the node that a pod fits once pods that are being deleted are gone from it, by the
// plugins on that node without them; of several nodes the one where that is first.
func addTerminating(ctx context.Context, x *explanation) error {
	if r := x.report; r.Verdict != report.Unschedulable || r.Gang != nil || len(r.Unknown) > 0 || !x.profile.Scheduler.PodsRead() {
		return nil
	}
	byNode := terminatingByNode(x)
	nodes := slices.SortedFunc(maps.Keys(byNode), func(a, b string) int { return endsFirst(byNode[a][0], byNode[b][0]) })
	nodes = nodes[:min(len(nodes), terminatingNodes)]
	if len(nodes) == 0 {
		return nil
	}
	fits, err := fittingWithout(ctx, x, nodes, byNode)
	if err != nil {
		return err
	}
	told := 0
	for _, node := range nodes {
		if !slices.Contains(fits, node) || told == terminatingTold {
			continue
		}
		told++
		pods := byNode[node]
		needed, err := needsGone(ctx, x, node, pods)
		if err != nil {
			return err
		}
		if found := x.report.Terminating; needed > 0 && (found == nil || pods[needed-1].DeletionTimestamp.Time.Before(found.Until.Time)) {
			x.report.Terminating = terminatingOn(node, pods[:needed])
		}
	}
	return nil
}

// terminatingByNode are the pods other than the one in question that are being deleted on nodes that exist, those that
// end first first.
func terminatingByNode(x *explanation) map[string][]*corev1.Pod {
	state, byNode := x.profile.Scheduler.State, map[string][]*corev1.Pod{}
	for pod := range state.Index.Terminating() {
		if _, there := state.Nodes[pod.Spec.NodeName]; there && pod.UID != x.question.Pod.UID {
			byNode[pod.Spec.NodeName] = append(byNode[pod.Spec.NodeName], pod)
		}
	}
	for _, pods := range byNode {
		slices.SortFunc(pods, endsFirst)
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

// endsFirst orders pods by the ends of their grace periods.
func endsFirst(a, b *corev1.Pod) int {
	return cmp.Or(a.DeletionTimestamp.Compare(b.DeletionTimestamp.Time), cmp.Compare(a.Spec.NodeName, b.Spec.NodeName), cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name))
}

// needsGone says how many of the pods, in their order, have to be gone from a node for the pod to fit it; 0 where
// it does not fit without all of them, or that is not known.
func needsGone(ctx context.Context, x *explanation, node string, pods []*corev1.Pod) (needed int, err error) {
	fits := func(gone int) bool {
		if err != nil {
			return false
		}
		var found []string
		found, err = fittingWithout(ctx, x, []string{node}, map[string][]*corev1.Pod{node: pods[:gone]})
		return len(found) > 0
	}
	if !fits(len(pods)) {
		return 0, err
	}
	needed = 1 + sort.Search(len(pods)-1, func(i int) bool { return fits(i + 1) })
	return needed, err
}

// terminatingOn is what the report says of pods that end on a node, in the order of their ends.
func terminatingOn(node string, pods []*corev1.Pod) *report.Terminating {
	told := &report.Terminating{Node: node, Until: metav1.NewTime(pods[len(pods)-1].DeletionTimestamp.Truncate(time.Second))}
	for _, pod := range pods {
		told.Pods = append(told.Pods, report.TerminatingPod{Namespace: pod.Namespace, Name: pod.Name})
	}
	return told
}
