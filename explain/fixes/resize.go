package fixes

import (
	"context"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"

	"github.com/kubectl-fathom/kubectl-fathom/explain/fixes/remedy"
	"github.com/kubectl-fathom/kubectl-fathom/explain/forecast"
	"github.com/kubectl-fathom/kubectl-fathom/explain/placement"
	"github.com/kubectl-fathom/kubectl-fathom/explain/plugins"
	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/explain/scheduler"
	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
)

// gatherOnNode thinks of fixes for a pod that has a node: only its resize can be waiting.
func gatherOnNode(ctx context.Context, f *Search, pod *corev1.Pod) error {
	r := model.ResizeOf(pod)
	switch {
	case r.State == "" || pod.DeletionTimestamp != nil:
		f.none = "It has a node: there is nothing to fix in scheduling."
		return nil
	case r.State == model.ResizeInProgress:
		f.none = "Its kubelet is carrying its resize out: there is nothing to fix."
		return nil
	case !r.IsWaiting():
		f.none = "Its resize does not wait for free capacity: there is nothing to fix in scheduling."
		return nil
	}
	if err := gatherResize(ctx, f, pod); err != nil || f.none != "" {
		return err
	}
	if len(f.candidates) == 0 {
		if err := adviseResize(ctx, f, pod); err != nil {
			return err
		}
	}
	f.candidates = append(f.candidates, takeBackOwn(pod)...)
	return nil
}

// gatherResize thinks of what lets the kubelet grant a running pod its resize in place: to ask for
// less, or to evict what holds enough on its node. The kubelet compares requests with what is
// allocatable as NodeResourcesFit does (canAdmitPod in pkg/kubelet/allocation), so that plugin is
// asked about a pod of the desired requests, among the others with what is granted to them. A resize
// that is infeasible is tried again only once it asks for something else.
func gatherResize(ctx context.Context, f *Search, pod *corev1.Pod) error {
	f.resizes, f.alike = true, []*corev1.Pod{pod}
	s := f.Scheduler.State.Fork()
	defer s.Revert()
	m, err := resized(ctx, f, s, pod, nil)
	if err != nil {
		return err
	}
	infeasible := model.ResizeOf(pod).State == model.ResizeInfeasible
	switch {
	case !m.known():
		f.none = "Unknown: not all of node " + pod.Spec.NodeName + " can be read."
		return nil
	case infeasible && m.rejects().Code() != fwk.UnschedulableAndUnresolvable: // it requests no more than the node has
		f.none = "The kubelet's message says why the resize is infeasible: nothing that is freed on the node helps."
		return nil
	case m.rejects() == nil:
		f.none = "By requests its node has enough now: the kubelet tries again."
		return nil
	}
	for _, steps := range fitRemedies(f.profile.Question(m.asked), m.rejection(), f) {
		lowers := slices.ContainsFunc(steps, lowersRequest)
		if lowers && !growsStill(pod, steps) || infeasible && !lowers {
			continue
		}
		f.candidates = append(f.candidates, candidate{steps: steps, nodes: []string{pod.Spec.NodeName}})
	}
	return nil
}

// adviseResize says what is left to do about a resize that nothing known helps on the pod's node: to take it
// back, or to recreate the pod with what it requests now, where nodes fit that.
func adviseResize(ctx context.Context, f *Search, pod *corev1.Pod) error {
	s := f.Scheduler.State.Fork()
	defer s.Revert()
	if err := s.RemovePod(pod); err != nil {
		return err
	}
	t, err := f.Scheduler.FittingNodes(ctx, unbound(pod), nil)
	if err != nil {
		return err
	}
	f.none = "No known change helps on its node: take the resize back"
	switch n := len(t.Names); {
	case n > 0:
		how := "recreate the pod with the requests of the resize"
		if metav1.GetControllerOfNoCopy(pod) != nil { // it would be created as its template says
			how = "set the requests of the resize in the template of its controller"
		}
		f.none += ", or " + how + ": " + grammar.Count(n, "other node fits them.", "other nodes fit them.")
	case t.Open:
		f.none += ". Whether another node fits the pod with these requests is unknown."
	default:
		f.none += ". No other node fits the pod with these requests either."
	}
	return nil
}

// unbound is a pod as kube-scheduler would have to find a node for it.
func unbound(pod *corev1.Pod) *corev1.Pod {
	asked := pod.DeepCopy()
	asked.Spec.NodeName, asked.Status = "", corev1.PodStatus{Phase: corev1.PodPending}
	return asked
}

// growsStill reports whether a pod whose requests are lowered still gets more than is granted to it, and
// none of what is lowered is less than that: the container would lose what it has.
func growsStill(pod *corev1.Pod, steps option) bool {
	changed, granted := changedBy(pod, steps), model.Granted(pod)
	loses := func(is, spec, was corev1.ResourceList) bool {
		return slices.ContainsFunc(model.ResizableResources, func(name corev1.ResourceName) bool {
			now, asked, has := is[name], spec[name], was[name]
			return now.Cmp(asked) < 0 && now.Cmp(has) < 0
		})
	}
	is, spec, was := containersOf(changed), containersOf(pod), containersOf(granted)
	for i := range is {
		if loses(is[i].Resources.Requests, spec[i].Resources.Requests, was[i].Resources.Requests) {
			return false
		}
	}
	sums, had := model.DesiredRequests(changed), model.DesiredRequests(granted)
	if changed.Spec.Resources != nil && loses(sums, model.DesiredRequests(pod), had) {
		return false
	}
	return slices.ContainsFunc(model.ResizableResources, func(name corev1.ResourceName) bool {
		now, before := sums[name], had[name]
		return now.Cmp(before) > 0
	})
}

// containersOf are the init containers of a pod, then the others.
func containersOf(pod *corev1.Pod) []corev1.Container {
	return slices.Concat(pod.Spec.InitContainers, pod.Spec.Containers)
}

// resizeMatrix is what the plugins say of a pod's node about the requests that its resize wants.
type resizeMatrix struct {
	of    *scheduler.Matrix
	asked *corev1.Pod // with those requests, and not bound
	fits  int         // the place of NodeResourcesFit; -1: the profile does not have it
	at    int         // the place of the node; -1: it is not there
}

// rejects is how NodeResourcesFit rejects the pod; nil: it does not.
func (m *resizeMatrix) rejects() *fwk.Status { return m.of.Rejects(m.fits, m.at) }

// rejection is that for those that tell of it.
func (m *resizeMatrix) rejection() []plugins.NodeRejection {
	return []plugins.NodeRejection{m.of.Rejection(m.fits, m.at)}
}

// known reports whether the node was asked about, and all that the answer depends on could be read.
func (m *resizeMatrix) known() bool {
	return m.fits >= 0 && m.at >= 0 && m.of.Answers[m.fits].Open == nil
}

// resized asks about the node of a pod that is resized, after some steps, on a fork: without the pod as
// it is, and with the requests that are granted to the others there.
func resized(ctx context.Context, f *Search, s *scheduler.Fork, pod *corev1.Pod, steps []remedy.Step) (*resizeMatrix, error) {
	node := pod.Spec.NodeName
	info, err := f.profile.Question(pod).Nodes.NodeInfos().Get(node)
	if err != nil {
		return nil, err
	}
	var others []*corev1.Pod
	for _, other := range info.GetPods() {
		if own := other.GetPod(); own.UID != pod.UID && model.ResizeOf(own).State != "" {
			others = append(others, own)
		}
	}
	if err := s.RemovePod(pod); err != nil {
		return nil, err
	}
	for _, other := range others {
		if err := s.RemovePod(other); err != nil {
			return nil, err
		}
		if err := s.AddPod(model.Granted(other), node); err != nil {
			return nil, err
		}
	}
	changed := pod
	for _, step := range steps {
		if back := takenBackBy(pod, []remedy.Step{step}); back != nil {
			changed = back
			continue
		}
		if changed, err = remedy.Apply(s, changed, step); err != nil {
			return nil, err
		}
	}
	asked := unbound(changed)
	m, err := f.profile.EvaluateNodes(ctx, asked, node)
	if err != nil {
		return nil, err
	}
	at := slices.IndexFunc(m.Nodes, func(info fwk.NodeInfo) bool { return info.Node().Name == node })
	return &resizeMatrix{m, asked, m.Profile.IndexOf(names.NodeResourcesFit), at}, nil
}

// resizeAlone tries a candidate on a fork of the state: whether the node has enough then.
func resizeAlone(ctx context.Context, f *Search, pod *corev1.Pod, fix *Attempt) error {
	s := f.Scheduler.State.Fork()
	defer s.Revert()
	fix.Nodes = []string{pod.Spec.NodeName}
	m, err := resized(ctx, f, s, pod, fix.Remedies)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		fix.Remaining = append(fix.Remaining, "the cluster changed in the meantime: "+err.Error())
		return nil
	case !m.known():
		fix.Open, fix.Remaining = true, append(fix.Remaining, placement.Unreadable)
		return nil
	case m.rejects() != nil:
		fix.Remaining = append(fix.Remaining, stillRejected(plugins.Tell(f.profile.Question(m.asked), m.rejection()).Short))
		return nil
	}
	fix.NodesGained, fix.PodsPlaced = 1, 1
	f.tellCommand(pod, fix)
	changed := changedBy(pod, fix.Remedies)
	if back := takenBackBy(pod, fix.Remedies); back != nil {
		changed, fix.harm = back, fix.harm+givesUp
	}
	if restarted := restartedBy(changed); len(restarted) > 0 {
		fix.Affects = append(fix.Affects, report.Affected{
			Kind: "Pod", Namespace: pod.Namespace, Name: pod.Name, How: "restarts " + grammar.Agree(len(restarted), "container ", "containers ") + strings.Join(restarted, ", ") + " for the resize (resizePolicy)",
		})
	}
	victims := evictedBy(fix.Remedies)
	f.budgetsAgainst(victims, fix)
	fix.trial = &forecast.FixSimulation{Pod: changed}
	for _, victim := range victims {
		fix.trial.Gone = append(fix.trial.Gone, victim.UID)
	}
	return nil
}

// restartedBy are the containers that a resize restarts once it is granted: those whose resizePolicy
// says so for a resource of which the request or the limit changes.
func restartedBy(pod *corev1.Pod) []string {
	was := containersOf(model.Granted(pod))
	var names []string
	for i, is := range containersOf(pod) {
		if slices.ContainsFunc(is.ResizePolicy, func(p corev1.ContainerResizePolicy) bool {
			differs := func(to, from corev1.ResourceList) bool {
				now, before := to[p.ResourceName], from[p.ResourceName]
				return now.Cmp(before) != 0
			}
			return p.RestartPolicy == corev1.RestartContainer &&
				(differs(is.Resources.Requests, was[i].Resources.Requests) || differs(is.Resources.Limits, was[i].Resources.Limits))
		}) {
			names = append(names, is.Name)
		}
	}
	return names
}

// verifyResize says what becomes of other pods. kube-scheduler keeps for the pod what its resize
// wants, so no other one can take what is freed.
func verifyResize(ctx context.Context, f *Search, fix *Attempt) error {
	if err := admissionAgainst(ctx, f, fix); err != nil {
		return err
	}
	if victims := evictedBy(fix.Remedies); len(victims) > 0 {
		tried, err := f.simulate(ctx, &forecast.FixSimulation{Gone: fix.trial.Gone})
		if err != nil {
			return err
		}
		anyway, err := f.forgive(ctx, tried)
		if err != nil {
			return err
		}
		tried.Placed = tried.Orders // the pod is where it was
		tellVictims(victims, tried, fix)
		tellOthers(f.alike, tried, fix)
		tellAnyway(anyway, fix)
	}
	fix.Verified = len(fix.Remaining) == 0 && len(fix.unread) == 0 && fix.Command != ""
	return nil
}

// tellAnyway names the pods that may be preempted without the fix too.
func tellAnyway(preempted []*corev1.Pod, fix *Attempt) {
	for _, pod := range preempted {
		fix.Affects = append(fix.Affects, report.Affected{Kind: "Pod", Namespace: pod.Namespace, Name: pod.Name, How: "may be preempted without this fix too"})
	}
}
