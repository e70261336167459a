package recording

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-fathom/kubectl-fathom/explain/podhistory"
	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/kube/cluster"
	"github.com/kubectl-fathom/kubectl-fathom/model"
)

const (
	// mostNodes is how many nodes that fitted are looked into.
	mostNodes = 10
	// mostAlone is how many pods are tried one by one for each of them.
	mostAlone = 20
)

// whoTook tells what happened to the nodes that would have taken the pod, from the
// step of fitted to the first one after it that could be read.
func (l *Past) whoTook(ctx context.Context, was *model.Snapshot, taken time.Time, fitted *report.Report) (*podhistory.Fitted, error) {
	c, is, err := l.player.open(ctx, l.later)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	changed := model.Differ(was, is)
	found := &podhistory.Fitted{Step: l.next + 1, Taken: taken, Later: l.later.Info.Taken}
	for _, span := range l.history.Spans {
		if span.Verdict != "" && span.First > found.Step {
			found.Next = span.First
		}
	}
	t := &takers{past: l, cluster: c, placed: placed(changed)}
	for i, name := range fitting(fitted) {
		node := podhistory.FittedNode{Name: name}
		for _, n := range changed.Nodes {
			if n.Name == name {
				node.Changes = n.Words
			}
		}
		if _, there := is.Node(name); !there {
			found.Nodes = append(found.Nodes, node)
			continue
		}
		if i >= mostNodes {
			node.Untold = "not examined"
		} else if err := t.of(ctx, &node); err != nil {
			return nil, err
		}
		found.Nodes = append(found.Nodes, node)
	}
	slices.SortStableFunc(found.Nodes, func(a, b podhistory.FittedNode) int { return cmp.Compare(silence(a), silence(b)) })
	return found, nil
}

// silence is how little is known of what happened to a node.
func silence(n podhistory.FittedNode) int {
	switch {
	case len(n.Takers) > 0:
		return 0
	case len(n.Changes) > 0:
		return 1
	}
	return 2
}

// fitting are the nodes that would have taken the pod, the best first.
func fitting(report *report.Report) (names []string) {
	for _, group := range report.Groups {
		if group.Fits != nil && *group.Fits {
			names = append(names, group.Nodes...)
		}
	}
	return names
}

// placed are the pods that got a node.
func placed(d *model.Difference) (pods []*model.Pod) {
	for i := range d.Pods {
		if d.Pods[i].Fate == model.PodPlaced {
			pods = append(pods, d.Pods[i].Pod)
		}
	}
	return pods
}

// takers finds who took the room: the plugins are asked at the later step whether
// the pod would fit without those that came.
type takers struct {
	past    *Past
	cluster *cluster.Cluster
	placed  []*model.Pod
}

// of tells who took the room of a node: those that came to it, else all that came
// to any node, for a pod may be kept away by one elsewhere.
func (t *takers) of(ctx context.Context, node *podhistory.FittedNode) error {
	var here []*model.Pod
	for _, pod := range t.placed {
		if pod.Object.Spec.NodeName == node.Name {
			here = append(here, pod)
		}
	}
	for _, pods := range [][]*model.Pod{here, t.placed} {
		if len(pods) == 0 {
			continue
		}
		fits, err := t.fitsWithout(ctx, node.Name, pods...)
		switch {
		case err != nil:
			return err
		case fits == nil:
			node.Untold = "cannot tell which pods took its capacity: some objects could not be read"
			return nil
		case *fits:
			return t.least(ctx, node, pods)
		}
	}
	return nil
}

// least names those of the pods that keep the waiting one away by themselves;
// where none does, all of them.
func (t *takers) least(ctx context.Context, node *podhistory.FittedNode, pods []*model.Pod) error {
	node.Alone = true
	for _, pod := range pods[:min(len(pods), mostAlone)] {
		fits, err := t.fitsWithout(ctx, node.Name, pod)
		if err != nil {
			return err
		}
		if fits != nil && *fits {
			node.Takers = append(node.Takers, taker(pod))
		}
	}
	if len(node.Takers) > 0 {
		return nil
	}
	node.Alone = false
	for _, pod := range pods {
		node.Takers = append(node.Takers, taker(pod))
	}
	return nil
}

func taker(pod *model.Pod) podhistory.Taker {
	return podhistory.Taker{
		Namespace: pod.Object.Namespace, Name: pod.Object.Name, Node: pod.Object.Spec.NodeName,
		Holds: cmp.Or(strings.TrimSpace(pod.Requests.String()), "nothing"),
	}
}

// fitsWithout asks the plugins of the later step.
func (t *takers) fitsWithout(ctx context.Context, node string, pods ...*model.Pod) (*bool, error) {
	uids := make([]types.UID, len(pods))
	for i, pod := range pods {
		uids[i] = pod.Object.UID
	}
	return cluster.FitsWithout(ctx, t.cluster, t.past.pod, node, uids)
}
