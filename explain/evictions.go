package explain

import (
	"context"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	corev1helpers "k8s.io/component-helpers/scheduling/corev1"

	"github.com/kubectl-fathom/kubectl-fathom/explain/plugins"
	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
	"github.com/kubectl-fathom/kubectl-fathom/model/plan"
)

// Evictions says for each of some pods of a node what would become of it if it
// alone were evicted, by the scheduler's own code on a copy of the state, and
// whether the pod of that uid would fit the node then. Pods that are not on the
// node any more are left out; the others keep their order.
func (e *Engine) Evictions(ctx context.Context, uid types.UID, node string, pods []types.UID) ([]report.Eviction, error) {
	evictions := make([]report.Eviction, 0, len(pods))
	for _, held := range pods {
		told, err := e.eviction(ctx, uid, node, held)
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
func (e *Engine) eviction(ctx context.Context, uid types.UID, node string, held types.UID) (told *report.Eviction, err error) {
	release, err := e.acquire(ctx)
	if err != nil {
		return nil, err
	}
	defer release()
	pod, goes := e.pods[uid], e.pods[held]
	switch {
	case pod == nil:
		return nil, fmt.Errorf("try evictions: %w", ErrNoPod)
	case goes == nil || !onNode(goes) || goes.Spec.NodeName != node:
		return nil, nil
	}
	defer func() {
		if r := recover(); r != nil {
			told, err = nil, fmt.Errorf("try to evict %s: %w", plugins.FullName(goes), newPanicked(r))
		}
	}()
	e.settle(ctx)
	told = &report.Eviction{UID: held}
	if e.cannotGo(goes, told) {
		return told, nil
	}
	if err := e.evict(ctx, pod, goes, told); err != nil {
		return nil, fmt.Errorf("try to evict %s: %w", plugins.FullName(goes), err)
	}
	return told, nil
}

// cannotGo tells of pods that an eviction does not take off their node.
func (e *Engine) cannotGo(goes *corev1.Pod, told *report.Eviction) bool {
	owner := metav1.GetControllerOf(goes)
	_, mirror := goes.Annotations[corev1.MirrorPodAnnotationKey]
	switch {
	case mirror:
		told.Short = "stays: a static pod"
		told.Sentence = plugins.FullName(goes) + " is a static pod: its kubelet runs it, and an eviction changes nothing."
	case owner != nil && owner.Kind == "DaemonSet":
		told.Short = "stays: of a DaemonSet"
		told.Sentence = fmt.Sprintf("%s is of DaemonSet %s, which makes it anew on the same node.", plugins.FullName(goes), owner.Name)
	default:
		return e.refusesEviction(goes, told)
	}
	told.Fits = new(false)
	return true
}

// after is what an eviction leads to.
type after struct {
	from  string // the node
	lost  bool   // nobody makes the pod anew
	lands placement
	fits  bool // the waiting pod fits the node
	open  bool // something that decides could not be read
}

// evict tells what becomes of the pod and of the one that waits.
func (e *Engine) evict(ctx context.Context, pod, goes *corev1.Pod, told *report.Eviction) error {
	unsure := plan.RecreationUnknown(goes) != ""
	next, err := e.evicted(ctx, pod, goes, unsure || metav1.GetControllerOf(goes) == nil)
	if err != nil {
		return err
	}
	if unsure && !next.open {
		return e.evictUnsure(ctx, pod, goes, next.fits, told)
	}
	if next.open {
		told.Short = "not evaluated"
		told.Sentence = fmt.Sprintf("What becomes of %s is not evaluated: something that decides could not be read.", plugins.FullName(goes))
		return nil
	}
	told.Fits = new(next.fits)
	told.Short, told.Sentence = next.short(), next.sentence(goes)
	return nil
}

// evictUnsure tells of a pod that may come back or not: the one that waits fits
// for certain only if it does so either way.
func (e *Engine) evictUnsure(ctx context.Context, pod, goes *corev1.Pod, without bool, told *report.Eviction) error {
	back, err := e.evicted(ctx, pod, goes, false)
	if err != nil {
		return err
	}
	const short = "may not be recreated"
	controller := metav1.GetControllerOf(goes)
	what := fmt.Sprintf("Whether %s is recreated is not known, for its controller is %s %s", plugins.FullName(goes), controller.Kind, controller.Name)
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

// evicted takes the pod off its node, places its like where it would go, unless
// it is lost, and tries the waiting pod. Whose priority is higher goes first; of equals the evicted
// one, so that no room is promised which it may take back.
func (e *Engine) evicted(ctx context.Context, pod, goes *corev1.Pod, lost bool) (after, error) {
	s := e.fork()
	defer s.revert()
	node := goes.Spec.NodeName
	next := after{from: node, lost: lost}
	if err := s.without(goes); err != nil {
		return next, err
	}
	first := corev1helpers.PodPriority(pod) > corev1helpers.PodPriority(goes)
	for _, mine := range []bool{first, !first} {
		var err error
		switch {
		case mine:
			next.fits, err = e.fitsOn(ctx, s, pod, node, &next.open)
		case !next.lost:
			next.lands, err = e.settleDown(ctx, s, goes)
			next.open = next.open || next.lands.open
		}
		if err != nil {
			return next, err
		}
	}
	return next, nil
}

// fitsOn puts the pod on the node if it fits.
func (e *Engine) fitsOn(ctx context.Context, s *fork, pod *corev1.Pod, node string, open *bool) (bool, error) {
	t, err := e.try(ctx, pod, []string{node})
	if err != nil {
		return false, err
	}
	*open = *open || t.open
	if len(t.fits) == 0 {
		return false, nil
	}
	return true, s.with(pod, node)
}

// settleDown puts the pod's like where it would go.
func (e *Engine) settleDown(ctx context.Context, s *fork, goes *corev1.Pod) (placement, error) {
	lands, err := e.landing(ctx, goes)
	if err != nil || lands.node == "" {
		return lands, err
	}
	if slices.Contains(lands.tie, goes.Spec.NodeName) {
		return lands, s.with(goes, goes.Spec.NodeName) // it may come back: no room is promised
	}
	return lands, s.with(goes, lands.node)
}

// other is the first of the tie beside the node that the pod is on.
func (a after) other() string {
	return a.lands.tie[slices.IndexFunc(a.lands.tie, func(node string) bool { return node != a.from })]
}

// short is the cell.
func (a after) short() string {
	where := "to " + a.lands.node
	switch {
	case a.lost:
		where = "lost: no controller owns it"
	case a.lands.node == "":
		where = "Pending: " + a.lands.why
	case len(a.lands.tie) <= 1 && a.lands.node == a.from:
		where = "back to " + a.from
	case len(a.lands.tie) > 1 && slices.Contains(a.lands.tie, a.from):
		where = "to " + a.other() + " or back"
	case len(a.lands.tie) > 1:
		where = "to " + a.lands.node + " or alike"
	case a.lands.likely:
		where = "likely to " + a.lands.node
	}
	switch moved := !a.lost && a.lands.node != ""; {
	case moved && a.fits:
		return where + "; this pod fits"
	case moved:
		return where + "; not enough"
	case a.fits:
		return where
	}
	return "not enough; " + where
}

// sentence is the cell told whole.
func (a after) sentence(goes *corev1.Pod) string {
	what := fmt.Sprintf("%s would go to %s", plugins.FullName(goes), a.lands.node)
	switch {
	case a.lost:
		what = plugins.FullName(goes) + " would be lost, for no controller owns it"
	case a.lands.node == "":
		what = fmt.Sprintf("%s would be Pending (%s)", plugins.FullName(goes), a.lands.why)
	case len(a.lands.tie) <= 1 && a.lands.node == a.from:
		what = fmt.Sprintf("%s would come back to %s", plugins.FullName(goes), a.from)
	case len(a.lands.tie) > 1:
		what = fmt.Sprintf("%s would go to one of %s", plugins.FullName(goes), grammar.List(a.lands.tie, grammar.Few))
	case a.lands.likely:
		what = fmt.Sprintf("%s would likely go to %s", plugins.FullName(goes), a.lands.node)
	}
	if a.fits {
		return fmt.Sprintf("Evicted, %s; then this pod fits %s.", what, a.from)
	}
	return fmt.Sprintf("Evicted, %s; this pod does not fit %s even then.", what, a.from)
}
