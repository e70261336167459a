package fixes

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	corev1helpers "k8s.io/component-helpers/scheduling/corev1"

	"github.com/kubectl-fathom/kubectl-fathom/explain/fixes/remedy"
	"github.com/kubectl-fathom/kubectl-fathom/explain/placement"
	"github.com/kubectl-fathom/kubectl-fathom/explain/plugins"
	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/explain/scheduler"
	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// rivals are pending pods of one kind, which may take the room that a fix makes.
type rivals struct {
	key  string
	pods []*corev1.Pod
}

// mostRivals is how many pods are placed before the one that a fix is for; with
// more of them the room counts as taken.
const mostRivals = 100

// crowdingTime is how long pods are placed before the one that a new node is for: there
// any may fit, and in a large cluster, where alone it holds, plugins count all pods for each.
const crowdingTime = 150 * time.Millisecond

// likeIt is the key of the pods that are equal to the one that a fix is for. They
// take its room where only nodes and other pods change; a change of the template
// reaches all of them.
const likeIt = ""

// meet sorts the pods that wait into those equal to pod and its rivals, in the
// order in which the scheduler takes them as far as that can be told.
func (f *Search) meet(pod *corev1.Pod) {
	own := model.NewPod(pod).KindKey()
	f.alike = []*corev1.Pod{pod}
	at := map[string]int{} // by key: where its kind stands in rivals
	var waiting []*corev1.Pod
	for _, other := range f.scheduler.State.Pods {
		if other.UID != pod.UID && f.scheduler.Considers(other) {
			waiting = append(waiting, other)
		}
	}
	slices.SortFunc(waiting, byTurn)
	for _, other := range waiting {
		key := model.NewPod(other).KindKey()
		if key == own {
			f.alike = append(f.alike, other)
			continue
		}
		i, ok := at[key]
		if !ok {
			i = len(f.rivals)
			at[key], f.rivals = i, append(f.rivals, rivals{key: key})
		}
		f.rivals[i].pods = append(f.rivals[i].pods, other)
	}
}

// byTurn compares pods by priority and age, and by name where those are equal.
func byTurn(a, b *corev1.Pod) int {
	return cmp.Or(
		cmp.Compare(corev1helpers.PodPriority(b), corev1helpers.PodPriority(a)),
		a.CreationTimestamp.Compare(b.CreationTimestamp.Time),
		strings.Compare(plugins.FullName(a), plugins.FullName(b)),
	)
}

// crowd places on the nodes every pod that waits and fits there, wherever it
// does most harm, and says how many those are and whether pod still fits. When a node
// joins, all pending pods are tried again in the order of the queue: on a new node those
// of lower priority come after the pod.
func (f *Search) crowd(ctx context.Context, pod *corev1.Pod, fix *Attempt) (placed []rivals, fits bool, err error) {
	s := f.scheduler.State.Fork()
	defer s.Revert()
	count, nodes := 0, fix.Nodes
	kinds := f.rivals
	if !slices.ContainsFunc(fix.Remedies, remedy.ChangesPod) {
		kinds = append(slices.Clone(kinds), rivals{key: likeIt, pods: f.alike[1:]})
	}
	begun, limited := time.Now(), fix.Kind == report.FixNode && len(f.scheduler.State.Nodes) >= scheduler.ManyNodes
	for _, kind := range kinds {
		if limited && time.Since(begun) > crowdingTime {
			fix.Remaining = append(fix.Remaining, "other pending pods may be scheduled there first: no time left to simulate them all")
			return placed, true, nil
		}
		if fix.Kind == report.FixNode && len(kind.pods) > 0 && corev1helpers.PodPriority(kind.pods[0]) < corev1helpers.PodPriority(pod) {
			continue
		}
		took, err := settle(ctx, f, s, kind, nodes, mostRivals-count)
		if err != nil {
			return nil, false, err
		}
		if len(took.pods) > 0 {
			placed = append(placed, took)
		}
		if count += len(took.pods); count > mostRivals {
			return placed, false, nil
		}
	}
	if len(placed) == 0 {
		return nil, true, nil
	}
	t, err := f.scheduler.Try(ctx, pod, nodes)
	return placed, err == nil && len(t.Names) > 0, err
}

// settle places pods of one kind on the nodes one after the other, at most one more than
// most of them.
func settle(ctx context.Context, f *Search, s *scheduler.Fork, kind rivals, nodes []string, most int) (took rivals, err error) {
	took.key = kind.key
	for _, rival := range kind.pods {
		t, err := f.scheduler.Try(ctx, rival, nodes)
		if err != nil || len(t.Names) == 0 { // its like fit no better
			return took, err
		}
		if err := s.AddPod(rival, t.Names[0]); err != nil {
			return took, err
		}
		if took.pods = append(took.pods, rival); len(took.pods) > most {
			break
		}
	}
	return took, nil
}

// place counts how many of the equal pods the nodes take one after the other,
// each changed as pod is.
func (f *Search) place(ctx context.Context, pod *corev1.Pod, nodes []string) (int, error) {
	wanted := len(f.alike)
	if wanted == 1 {
		return 1, nil
	}
	s := f.scheduler.State.Fork()
	defer s.Revert()
	for n := range min(wanted, mostRivals) {
		t, err := f.scheduler.Try(ctx, pod, nodes)
		if err != nil {
			return 0, err
		}
		if len(t.Names) == 0 {
			return n, nil
		}
		if len(t.Names) >= wanted-n && !placement.Matters(pod) {
			return wanted, nil // a node for each of them
		}
		if err := s.AddPod(pod, t.Names[0]); err != nil {
			return 0, err
		}
	}
	return min(wanted, mostRivals), nil
}
