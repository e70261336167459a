package fixes

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-fathom/kubectl-fathom/explain/placement"
	"github.com/kubectl-fathom/kubectl-fathom/explain/scheduler"
	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// mostAlike is how many of several equal pods are placed one after the other.
const mostAlike = 100

// findAlike finds the pending pods that are equal to pod, which comes first.
func (f *Search) findAlike(pod *corev1.Pod) {
	own := model.NewPod(pod).EquivalenceKey()
	f.alike = []*corev1.Pod{pod}
	for other := range f.Scheduler.State.Index.Unassigned() {
		if other.UID != pod.UID && waits(f, other) && model.NewPod(other).EquivalenceKey() == own {
			f.alike = append(f.alike, other)
		}
	}
}

// waits reports whether a pod waits for a node, as the one of the search does.
func waits(f *Search, pod *corev1.Pod) bool {
	unserved := f.unserved && pod.DeletionTimestamp == nil && !scheduler.Terminal(pod)
	return unserved || f.Scheduler.Considers(pod)
}

// place counts how many of the equal pods the nodes take one after the other,
// each changed as pod is.
func (f *Search) place(ctx context.Context, pod *corev1.Pod, nodes []string) (int, error) {
	wanted := len(f.alike)
	if wanted == 1 {
		return 1, nil
	}
	s := f.Scheduler.State.Fork()
	defer s.Revert()
	for n := range min(wanted, mostAlike) {
		next := equalTo(pod, f.alike[n])
		t, err := f.Scheduler.FittingNodes(ctx, next, nodes)
		if err == nil && len(t.Names) == 0 && nodes != nil && placement.Matters(pod) {
			nodes = nil // those before it may have opened others
			t, err = f.Scheduler.FittingNodes(ctx, next, nodes)
		}
		if err != nil {
			return 0, err
		}
		if len(t.Names) == 0 {
			return n, nil
		}
		if len(t.Names) >= wanted-n && !placement.Matters(pod) && !t.Devices() {
			return wanted, nil // a node for each of them
		}
		if err := s.Place(ctx, t, next, t.Names[0]); err != nil {
			return 0, err
		}
	}
	return min(wanted, mostAlike), nil
}

// placeStopped counts how many of the equal pods, which are pending, have a node where those that
// run are stopped first and created again like them: as many as have one beside those.
func placeStopped(ctx context.Context, f *Search, pod *corev1.Pod, others []*corev1.Pod) (int, error) {
	s := f.Scheduler.State.Fork()
	defer s.Revert()
	running := 0
	for _, other := range others {
		if !scheduler.Assigned(other) {
			continue
		}
		running++
		if err := s.RemovePod(other); err != nil {
			return 0, err
		}
	}
	wanted := min(len(f.alike)+running, mostAlike)
	for n := range wanted {
		next := equalTo(pod, &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("%s-%d", pod.Name, n), UID: types.UID(fmt.Sprintf("%s-%d", pod.UID, n))}})
		t, err := f.Scheduler.FittingNodes(ctx, next, nil)
		if err != nil {
			return 0, err
		}
		if len(t.Names) == 0 {
			return max(n-running, 0), nil
		}
		if err := s.Place(ctx, t, next, t.Names[0]); err != nil {
			return 0, err
		}
	}
	return max(wanted-running, 0), nil
}

// equalTo is one of the equal pods, changed as pod is: claims that are made for it are its own.
func equalTo(pod, alike *corev1.Pod) *corev1.Pod {
	if alike.UID == pod.UID {
		return pod
	}
	next := pod.DeepCopy()
	next.Name, next.UID, next.Status = alike.Name, alike.UID, alike.Status
	return next
}
