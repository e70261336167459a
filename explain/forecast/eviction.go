package forecast

import (
	"context"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	corev1helpers "k8s.io/component-helpers/scheduling/corev1"

	"github.com/kubectl-fathom/kubectl-fathom/explain/placement"
	"github.com/kubectl-fathom/kubectl-fathom/explain/plugins"
	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/explain/scheduler"
	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
	"github.com/kubectl-fathom/kubectl-fathom/model/plan"
)

// Evictions says for each of some pods of a node where it would be rescheduled if
// only it were evicted, by the scheduler's own code on a fork of the state, and
// whether the pod of that uid would fit the node then. Pods that are not on the
// node any more are left out; the others keep their order.
func (s Simulator) Evictions(ctx context.Context, uid types.UID, node string, pods []types.UID) ([]report.Eviction, error) {
	evictions := make([]report.Eviction, 0, len(pods))
	for _, held := range pods {
		told, err := s.eviction(ctx, uid, node, held)
		if err != nil {
			return nil, err
		}
		if told != nil {
			evictions = append(evictions, *told)
		}
	}
	return evictions, nil
}

// eviction tries one, under the lock; nil where the pod is not on the node.
func (s Simulator) eviction(ctx context.Context, uid types.UID, node string, held types.UID) (told *report.Eviction, err error) {
	release, err := s.Scheduler.Acquire(ctx)
	if err != nil {
		return nil, err
	}
	defer release()
	pod, goes := s.Scheduler.State.Pods[uid], s.Scheduler.State.Pods[held]
	switch {
	case pod == nil:
		return nil, fmt.Errorf("try evictions: %w", scheduler.ErrNoPod)
	case goes == nil || !scheduler.Assigned(goes) || goes.Spec.NodeName != node:
		return nil, nil
	}
	defer func() {
		if r := recover(); r != nil {
			told, err = nil, fmt.Errorf("try to evict %s: %w", plugins.FullName(goes), scheduler.PanicError(r))
		}
	}()
	s.Scheduler.Settle(ctx)
	told = &report.Eviction{UID: held}
	if goes.DeletionTimestamp != nil {
		if err := s.goesAnyway(ctx, pod, goes, told); err != nil {
			return nil, fmt.Errorf("try to evict %s: %w", plugins.FullName(goes), err)
		}
		return told, nil
	}
	if s.cannotGo(goes, told) {
		return told, nil
	}
	if err := s.evict(ctx, pod, goes, told); err != nil {
		return nil, fmt.Errorf("try to evict %s: %w", plugins.FullName(goes), err)
	}
	return told, nil
}

// goesAnyway is for a pod that is terminating: an eviction changes nothing, and its controller has replaced it already
// where it does so at once.
func (s Simulator) goesAnyway(ctx context.Context, pod, goes *corev1.Pod, told *report.Eviction) error {
	next, err := s.evicted(ctx, pod, goes, true)
	if err != nil {
		return err
	}
	what, from := plugins.FullName(goes)+" is terminating already", goes.Spec.NodeName
	switch {
	case next.open:
		told.Short, told.Sentence = "terminating already", fmt.Sprintf("%s; whether this pod then fits %s is unknown: required objects could not be read.", what, from)
		return nil
	case next.fits:
		told.Short, told.Sentence = "terminating; this pod fits", fmt.Sprintf("%s; this pod fits %s once it is deleted.", what, from)
	default:
		told.Short, told.Sentence = "terminating; not enough", fmt.Sprintf("%s; this pod does not fit %s even then.", what, from)
	}
	told.Fits = new(next.fits)
	return nil
}

// cannotGo is for pods that an eviction does not remove from their node.
func (s Simulator) cannotGo(goes *corev1.Pod, told *report.Eviction) bool {
	owner := metav1.GetControllerOf(goes)
	switch {
	case model.IsMirror(goes):
		told.Short = "stays: static pod"
		told.Sentence = plugins.FullName(goes) + " is a static pod: its kubelet runs it, and an eviction has no effect."
	case owner != nil && owner.Kind == "DaemonSet":
		told.Short = "stays: DaemonSet pod"
		told.Sentence = fmt.Sprintf("%s belongs to DaemonSet %s, which recreates it on the same node.", plugins.FullName(goes), owner.Name)
	default:
		return s.Budgets.Rejects(goes, told)
	}
	told.Fits = new(false)
	return true
}

// after is what an eviction leads to.
type after struct {
	from   string // the node
	lost   bool   // no controller recreates the pod
	placed placement.Placement
	fits   bool // the waiting pod fits the node
	open   bool // something that decides could not be read
	others bool // other pods wait for a node, and are left out
}

// evict says where the pod is rescheduled and whether the pending one fits then.
func (s Simulator) evict(ctx context.Context, pod, goes *corev1.Pod, told *report.Eviction) error {
	unsure := plan.RecreationUnknown(goes) != ""
	next, err := s.evicted(ctx, pod, goes, unsure || metav1.GetControllerOf(goes) == nil)
	if err != nil {
		return err
	}
	if unsure && !next.open {
		return s.evictUnsure(ctx, pod, goes, next.fits, told)
	}
	if next.open {
		told.Short = "not evaluated"
		told.Sentence = fmt.Sprintf("The effect of evicting %s is unknown: required objects could not be read.", plugins.FullName(goes))
		return nil
	}
	told.Fits = new(next.fits)
	next.others = s.othersWait(pod)
	told.Short, told.Sentence = next.short(), next.sentence(goes)
	return nil
}

// othersWait reports whether kube-scheduler looks for a node for another pod as well.
func (s Simulator) othersWait(pod *corev1.Pod) bool {
	for other := range s.Scheduler.State.Index.Unassigned() {
		if other.UID != pod.UID && s.Scheduler.Considers(other) {
			return true
		}
	}
	return false
}

// evictUnsure is for a pod that may be recreated or not: the pending one fits for
// certain only if it does so either way.
func (s Simulator) evictUnsure(ctx context.Context, pod, goes *corev1.Pod, without bool, told *report.Eviction) error {
	back, err := s.evicted(ctx, pod, goes, false)
	if err != nil {
		return err
	}
	const short = "may not be recreated"
	controller := metav1.GetControllerOf(goes)
	what := fmt.Sprintf("It is unknown whether %s is recreated: its controller is %s %s", plugins.FullName(goes), controller.Kind, controller.Name)
	from := goes.Spec.NodeName
	switch {
	case !back.open && back.fits && without:
		told.Fits = new(true)
		told.Short, told.Sentence = short+"; this pod fits", fmt.Sprintf("%s; this pod fits %s once it is evicted.", what, from)
	case !back.open && !back.fits && !without:
		told.Fits = new(false)
		told.Short, told.Sentence = short+"; not enough", fmt.Sprintf("%s; this pod does not fit %s even then.", what, from)
	default:
		told.Short, told.Sentence = short, fmt.Sprintf("%s; whether this pod then fits %s depends on it.", what, from)
	}
	return nil
}

// evicted takes the pod off its node, places its replacement, unless there is none,
// and tries the pending pod. The higher priority goes first; of equals the evicted
// one, so that no capacity is promised which it may take again.
func (s Simulator) evicted(ctx context.Context, pod, goes *corev1.Pod, lost bool) (after, error) {
	fork := s.Scheduler.State.Fork()
	defer fork.Revert()
	node := goes.Spec.NodeName
	next := after{from: node, lost: lost}
	if err := fork.RemovePod(goes); err != nil {
		return next, err
	}
	first := corev1helpers.PodPriority(pod) > corev1helpers.PodPriority(goes)
	for _, mine := range []bool{first, !first} {
		var err error
		switch {
		case mine:
			next.fits, err = s.fitsOn(ctx, fork, pod, goes, &next.open)
		case !next.lost:
			next.placed, err = s.settleDown(ctx, fork, goes)
			next.open = next.open || next.placed.Open
		}
		if err != nil {
			return next, err
		}
	}
	return next, nil
}

// fitsOn puts the pod on the node of one that goes if it fits. Devices that this one frees are
// not simulated.
func (s Simulator) fitsOn(ctx context.Context, fork *scheduler.Fork, pod, goes *corev1.Pod, open *bool) (bool, error) {
	node := goes.Spec.NodeName
	t, err := s.Scheduler.FittingNodes(ctx, pod, []string{node})
	if err != nil {
		return false, err
	}
	*open = *open || t.Open || len(t.Names) == 0 && t.LacksDevices() && placement.HasDevices(goes)
	if len(t.Names) == 0 {
		return false, nil
	}
	return true, fork.AddPod(pod, node)
}

// settleDown puts the pod's replacement where it would be scheduled.
func (s Simulator) settleDown(ctx context.Context, fork *scheduler.Fork, goes *corev1.Pod) (placement.Placement, error) {
	placed, err := placement.Of(ctx, s.Scheduler, goes)
	if err != nil || placed.Node == "" {
		return placed, err
	}
	if slices.Contains(placed.Tie, goes.Spec.NodeName) {
		return placed, fork.AddPod(goes, goes.Spec.NodeName) // it may return: no capacity is promised
	}
	return placed, fork.AddPod(goes, placed.Node)
}

// other is the first of the tie beside the node that the pod is on.
func (a after) other() string {
	return a.placed.Tie[slices.IndexFunc(a.placed.Tie, func(node string) bool { return node != a.from })]
}

// short is the cell.
func (a after) short() string {
	where := "to " + a.placed.Node
	switch {
	case a.lost:
		where = "not recreated: no controller"
	case a.placed.Node == "":
		where = "Pending: " + a.placed.Why
	case len(a.placed.Tie) <= 1 && a.placed.Node == a.from:
		where = "back to " + a.from
	case len(a.placed.Tie) > 1 && slices.Contains(a.placed.Tie, a.from):
		where = "to " + a.other() + " or back"
	case len(a.placed.Tie) > 1:
		where = fmt.Sprintf("to %s or one of %d others", a.placed.Node, len(a.placed.Tie)-1)
	case a.placed.Likely:
		where = "to " + a.placed.Node + " (likely)"
	}
	switch moved := !a.lost && a.placed.Node != ""; {
	case moved && a.fits:
		return where + "; this pod fits"
	case moved:
		return where + "; not enough"
	case a.fits:
		return where
	}
	return "not enough; " + where
}

// sentence is the cell as a sentence.
func (a after) sentence(goes *corev1.Pod) string {
	what := fmt.Sprintf("%s is rescheduled on %s", plugins.FullName(goes), a.placed.Node)
	switch {
	case a.lost:
		what = plugins.FullName(goes) + " is not recreated, because no controller owns it"
	case a.placed.Node == "":
		what = fmt.Sprintf("%s becomes Pending (%s)", plugins.FullName(goes), a.placed.Why)
	case len(a.placed.Tie) <= 1 && a.placed.Node == a.from:
		what = fmt.Sprintf("%s is rescheduled on %s again", plugins.FullName(goes), a.from)
	case len(a.placed.Tie) > 1:
		what = fmt.Sprintf("%s is rescheduled on one of %s", plugins.FullName(goes), grammar.List(a.placed.Tie, grammar.Few))
	case a.placed.Likely:
		what = fmt.Sprintf("%s is likely rescheduled on %s", plugins.FullName(goes), a.placed.Node)
	}
	switch {
	case a.fits && a.others:
		return fmt.Sprintf("If evicted, %s; then this pod fits %s, unless another pending pod takes the capacity.", what, a.from)
	case a.fits:
		return fmt.Sprintf("If evicted, %s; then this pod fits %s.", what, a.from)
	}
	return fmt.Sprintf("If evicted, %s; this pod does not fit %s even then.", what, a.from)
}
