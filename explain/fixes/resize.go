package fixes

import (
	"context"
	"slices"

	corev1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"

	"github.com/kubectl-fathom/kubectl-fathom/explain/fixes/remedy"
	"github.com/kubectl-fathom/kubectl-fathom/explain/forecast"
	"github.com/kubectl-fathom/kubectl-fathom/explain/plugins"
	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/explain/scheduler"
	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// gatherOnNode thinks of fixes for a pod that has a node: only its resize can be waiting.
func gatherOnNode(ctx context.Context, f *Search, pod *corev1.Pod) error {
	switch r := model.ResizeOf(pod); {
	case r.IsWaiting() && pod.DeletionTimestamp == nil:
		return gatherResize(ctx, f, pod)
	case r.State != "":
		f.none = "The kubelet has granted its resize: there is nothing to fix."
	default:
		f.none = "It has a node: there is nothing to fix in scheduling."
	}
	return nil
}

// gatherResize thinks of what lets the kubelet grant a running pod its resize in place: to ask for
// less, or to evict what holds enough on its node. The kubelet compares requests with what is
// allocatable as NodeResourcesFit does (canResizePod in pkg/kubelet/allocation), so that plugin is
// asked about a pod of the desired requests, without the pod as it is.
func gatherResize(ctx context.Context, f *Search, pod *corev1.Pod) error {
	f.resizes, f.alike = true, []*corev1.Pod{pod}
	s := f.Scheduler.State.Fork()
	defer s.Revert()
	if err := s.RemovePod(pod); err != nil {
		return err
	}
	m, err := unbound(ctx, f, pod)
	switch {
	case err != nil:
		return err
	case !m.known():
		f.none = "Unknown: node " + pod.Spec.NodeName + " cannot be read."
	case m.rejects() == nil && model.ResizeOf(pod).State == model.ResizeInfeasible:
		f.none = "By requests its node has enough: the kubelet's message says why the resize is infeasible."
	case m.rejects() == nil:
		f.none = "By requests its node has enough now: the kubelet tries again."
	default:
		for _, steps := range fitRemedies(f.profile.Question(m.asked), m.rejection(), f.Budgets) {
			f.candidates = append(f.candidates, candidate{steps: steps, nodes: []string{pod.Spec.NodeName}})
		}
	}
	return nil
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

// known reports whether the node was asked about.
func (m *resizeMatrix) known() bool { return m.fits >= 0 && m.at >= 0 }

// unbound asks about the node of a pod as if it were to be scheduled there.
func unbound(ctx context.Context, f *Search, pod *corev1.Pod) (*resizeMatrix, error) {
	asked := pod.DeepCopy()
	asked.Spec.NodeName, asked.Status = "", corev1.PodStatus{Phase: corev1.PodPending}
	m, err := f.profile.EvaluateNodes(ctx, asked, pod.Spec.NodeName)
	if err != nil {
		return nil, err
	}
	at := slices.IndexFunc(m.Nodes, func(node fwk.NodeInfo) bool { return node.Node().Name == pod.Spec.NodeName })
	return &resizeMatrix{m, asked, m.Profile.IndexOf(names.NodeResourcesFit), at}, nil
}

// resizeAlone tries a candidate on a fork of the state: whether the node has enough then.
func resizeAlone(ctx context.Context, f *Search, pod *corev1.Pod, fix *Attempt) error {
	s := f.Scheduler.State.Fork()
	defer s.Revert()
	if err := s.RemovePod(pod); err != nil {
		return err
	}
	changed := pod
	for _, step := range fix.Remedies {
		var err error
		if changed, err = remedy.Apply(s, changed, step); err != nil {
			fix.Remaining = append(fix.Remaining, "the cluster changed in the meantime: "+err.Error())
			return nil
		}
	}
	m, err := unbound(ctx, f, changed)
	if err != nil {
		return err
	}
	fix.Nodes = []string{pod.Spec.NodeName}
	switch {
	case !m.known():
		fix.Open, fix.Remaining = true, append(fix.Remaining, "unknown: node "+pod.Spec.NodeName+" cannot be read")
		return nil
	case m.rejects() != nil:
		fix.Remaining = append(fix.Remaining, stillRejected(plugins.Tell(f.profile.Question(m.asked), m.rejection()).Short))
		return nil
	}
	fix.NodesGained, fix.PodsPlaced = 1, 1
	f.tellCommand(pod, fix)
	victims := evictedBy(fix.Remedies)
	fix.Remaining = append(fix.Remaining, f.budgetsAgainst(victims)...)
	fix.trial = &forecast.FixSimulation{Pod: changed}
	for _, victim := range victims {
		fix.trial.Gone = append(fix.trial.Gone, victim.UID)
	}
	return nil
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
	fix.Verified = len(fix.Remaining) == 0 && fix.Command != ""
	return nil
}

// tellAnyway names the pods that may be preempted without the fix too.
func tellAnyway(preempted []*corev1.Pod, fix *Attempt) {
	for _, pod := range preempted {
		fix.Affects = append(fix.Affects, report.Affected{Kind: "Pod", Namespace: pod.Namespace, Name: pod.Name, How: "may be preempted without this fix too"})
	}
}
