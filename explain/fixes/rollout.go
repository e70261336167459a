package fixes

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	podutil "k8s.io/kubernetes/pkg/api/v1/pod"
	"k8s.io/kubernetes/pkg/controller"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"

	"github.com/kubectl-fathom/kubectl-fathom/explain/fixes/command"
	"github.com/kubectl-fathom/kubectl-fathom/explain/fixes/remedy"
	"github.com/kubectl-fathom/kubectl-fathom/explain/plugins"
	"github.com/kubectl-fathom/kubectl-fathom/explain/rejectiongroups"
	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/explain/rollout"
	"github.com/kubectl-fathom/kubectl-fathom/explain/scheduler"
	"github.com/kubectl-fathom/kubectl-fathom/explain/shell"
	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
)

const (
	// mostOlder is how many older pods of a Deployment are tried as the one that it stops first.
	mostOlder = 8
	// olderTime is for how long they are tried in a large cluster.
	olderTime = 150 * time.Millisecond
	// mostRejecting is how many nodes of a group are looked at where an older pod bears on other nodes than its own.
	mostRejecting = 200
)

// blockedByOlder are the plugins by whose rejections a rolling update may wait for its own older pods, each with
// whether a pod bears on nodes other than its own: true; the others count what is on the node.
var blockedByOlder = map[string]bool{
	names.NodePorts: false, names.NodeResourcesFit: false,
	names.InterPodAffinity: true, names.PodTopologySpread: true, names.VolumeRestrictions: true,
}

// thinkOfRollout adds what ends a rolling update that waits for its own older pods: nodes reject the pod
// for what these hold, and one of them takes it once an older pod is stopped.
func thinkOfRollout(ctx context.Context, f *Search, q *plugins.Question, m *scheduler.Matrix) error {
	step, ok := olderPods(f, q.Pod)
	if !ok {
		return nil
	}
	for _, g := range rejectiongroups.Of(q, m) {
		wide, ok := mayBeOlders(g, m)
		if !ok {
			continue
		}
		rejecting := namesOf(g, m)
		for i, older := range step.Older[:min(len(step.Older), mostOlder)] {
			var nodes []string // its own first
			if slices.Contains(rejecting, older.Spec.NodeName) {
				nodes = append(nodes, older.Spec.NodeName)
			}
			if wide {
				nodes = append(nodes, rejecting[:min(len(rejecting), mostRejecting)]...)
			}
			fits, err := fitsWithout(ctx, f, q.Pod, older, nodes)
			if err != nil {
				return err
			}
			if fits {
				step.Older, step.Stops = slices.Insert(slices.Delete(step.Older, i, i+1), 0, older), older
				f.candidates = slices.Insert(f.candidates, 0, candidate{steps: option{step}, nodes: nearestNames(g, m)})
				return nil
			}
		}
	}
	return nil
}

// mayBeOlders says whether the nodes of a group reject the pod only for what its older pods may hold, and whether
// these then need not be on the same node.
func mayBeOlders(g *rejectiongroups.Group, m *scheduler.Matrix) (wide, ok bool) {
	for _, k := range g.Rejecting {
		bearsOnOthers, may := blockedByOlder[m.Profile.Plugins[k].Name]
		if !may || m.Answers[k].Pre != nil {
			return false, false
		}
		wide = wide || bearsOnOthers
	}
	return wide, true
}

// namesOf are those of the nodes of a group.
func namesOf(g *rejectiongroups.Group, m *scheduler.Matrix) []string {
	all := make([]string, len(g.Nodes))
	for n, i := range g.Nodes {
		all[n] = m.Nodes[i].Node().Name
	}
	return all
}

// fitsWithout reports whether any of the nodes takes a pod once another one is gone.
func fitsWithout(ctx context.Context, f *Search, pod, gone *corev1.Pod, nodes []string) (bool, error) {
	if len(nodes) == 0 {
		return false, nil
	}
	s := f.Scheduler.State.Fork()
	defer s.Revert()
	if err := s.RemovePod(gone); err != nil {
		return false, err
	}
	t, err := f.Scheduler.FittingNodes(ctx, pod, nodes)
	return err == nil && len(t.Names) > 0, err
}

// olderPods are the pods of the older ReplicaSet of the pod's Deployment, as what it may stop first; ok is false
// where there are none or two older ones, where the pod is not of the newest one, or where one of the pods has
// no node, for that one goes first and makes no room.
func olderPods(f *Search, pod *corev1.Pod) (step remedy.AllowUnavailable, ok bool) {
	own, older := replicaSetsOf(f, pod)
	if own == nil || own.Spec.Replicas == nil {
		return step, false
	}
	wanting := slices.DeleteFunc(slices.Clone(older), func(set *appsv1.ReplicaSet) bool {
		return set.Spec.Replicas == nil || *set.Spec.Replicas == 0
	})
	if len(wanting) != 1 {
		return step, false
	}
	if step.Older, ok = podsOnNodes(f, wanting[0].UID); !ok || len(step.Older) == 0 {
		return step, false
	}
	step.Older = firstStopped(step.Older, podsOfSets(f, append(older, own)))
	step.Namespace, step.Name = pod.Namespace, metav1.GetControllerOfNoCopy(own).Name
	step.Ready = int(*wanting[0].Spec.Replicas + own.Status.AvailableReplicas)
	return step, true
}

// podsOnNodes are the pods of a ReplicaSet that have not ended, by name; ok is false where one has no node.
func podsOnNodes(f *Search, set types.UID) (all []*corev1.Pod, ok bool) {
	for _, pod := range f.Scheduler.State.Index.ControlledBy(set) {
		switch {
		case pod.DeletionTimestamp != nil || scheduler.Terminal(pod):
		case !scheduler.Assigned(pod):
			return nil, false
		default:
			all = append(all, pod)
		}
	}
	slices.SortFunc(all, func(a, b *corev1.Pod) int { return strings.Compare(a.Name, b.Name) })
	return all, true
}

// podsOfSets are the pods of some ReplicaSets.
func podsOfSets(f *Search, sets []*appsv1.ReplicaSet) (all []*corev1.Pod) {
	for _, set := range sets {
		all = append(all, f.Scheduler.State.Index.ControlledBy(set.UID)...)
	}
	return all
}

// firstStopped are those of the pods of a ReplicaSet that its controller may stop first when it is scaled down, in their
// order: by their phase, readiness, deletion cost, and the number of related pods on their node (ActivePodsWithRanks in
// pkg/controller). Which of equal ones it stops depends on times that change until then.
func firstStopped(pods, related []*corev1.Pod) []*corev1.Pod {
	onNode := map[string]int{}
	for _, pod := range related {
		if controller.IsPodActive(pod) {
			onNode[pod.Spec.NodeName]++
		}
	}
	before := func(a, b *corev1.Pod) bool {
		return controller.ActivePodsWithRanks{
			Pods: []*corev1.Pod{withoutTimes(a), withoutTimes(b)}, Rank: []int{onNode[a.Spec.NodeName], onNode[b.Spec.NodeName]},
		}.Less(0, 1)
	}
	return slices.DeleteFunc(slices.Clone(pods), func(pod *corev1.Pod) bool {
		return slices.ContainsFunc(pods, func(other *corev1.Pod) bool { return before(other, pod) })
	})
}

// withoutTimes is what of a pod decides whether its ReplicaSet stops it first, without times and restarts.
func withoutTimes(pod *corev1.Pod) *corev1.Pod {
	bare := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Annotations: pod.Annotations}, Spec: corev1.PodSpec{NodeName: pod.Spec.NodeName}, Status: corev1.PodStatus{Phase: pod.Status.Phase}}
	if podutil.IsPodReady(pod) {
		bare.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue}}
	}
	return bare
}

// replicaSetsOf are that of a Deployment which the pod is of, if it is of the newest template, and the older ones.
func replicaSetsOf(f *Search, pod *corev1.Pod) (own *appsv1.ReplicaSet, older []*appsv1.ReplicaSet) {
	if f.workload.Resource != "deployments" {
		return nil, nil
	}
	return rollout.ReplicaSets(f.Scheduler.State, pod.Namespace, metav1.GetControllerOfNoCopy(pod))
}

// rolloutStep is the step of a candidate that lets a Deployment stop one of its pods first.
func rolloutStep(c candidate) (step remedy.AllowUnavailable, ok bool) {
	if len(c.steps) == 1 {
		step, ok = c.steps[0].(remedy.AllowUnavailable)
	}
	return step, ok
}

// dropIdleRollout leaves out to let a Deployment stop one of its pods first where it would not, as its
// controller counts (reconcileOldReplicaSets in pkg/controller/deployment): it is paused, stops all its pods
// anyway, or waits for something other than maxUnavailable, which is 0.
func dropIdleRollout(f *Search, facts *command.Facts) {
	f.candidates = slices.DeleteFunc(f.candidates, func(c candidate) bool {
		step, ok := rolloutStep(c)
		switch {
		case !ok:
			return false
		case facts == nil || facts.Gone || facts.Paused || facts.Recreate:
			return true
		}
		return facts.Unread == "" && (facts.MaxUnavailable > 0 || step.Ready != facts.Replicas)
	})
}

// try simulates a candidate. Which of several older pods a Deployment stops first may not be known: it works if it does
// whichever that is.
func try(ctx context.Context, f *Search, c candidate) (Attempt, error) {
	alone := func(c candidate) (Attempt, error) {
		return f.attempt(ctx, func(*corev1.Pod) (candidate, error) { return c, nil })
	}
	step, ok := rolloutStep(c)
	begun := time.Now()
	fix, err := alone(c)
	if err != nil || !ok || !fix.Verified {
		return fix, err
	}
	for i, other := range step.Older[1:] {
		if i+1 == mostOlder || !f.small && time.Since(begun) > olderTime {
			break
		}
		step.Stops = other
		one, err := alone(candidate{steps: option{step}, nodes: c.nodes})
		switch {
		case err != nil:
			return fix, err
		case one.Verified:
			continue
		case one.isRejected():
			unless := report.Unless{
				Namespace: other.Namespace, Name: other.Name, Who: plugins.FullName(other), How: "may be stopped first",
				Simulations: 1, Of: i + 2, Tries: "older pods",
			}
			fix.Verified, fix.Unless, fix.Remaining = false, append(fix.Unless, unless), append(fix.Remaining, unless.Words())
			return fix, nil
		}
		return fix.unknown("unknown: whether it works if " + plugins.FullName(other) + " is stopped first"), nil
	}
	if tried := 1 + slices.Index(step.Older, step.Stops); tried < len(step.Older) {
		return fix.unknown(fmt.Sprintf("unknown: only %d of its %d older pods were tried as the one that is stopped first", tried, len(step.Older))), nil
	}
	return fix, nil
}

// isRejected says whether it is known that the fix does not work, or not always.
func (f *Attempt) isRejected() bool {
	return len(f.Unless) > 0 || f.NodesGained == 0 && !f.Open
}

// unknown is a fix of which it is not known whether it works.
func (f *Attempt) unknown(why string) Attempt {
	open := *f
	open.Verified, open.Open, open.Remaining = false, true, append(slices.Clone(f.Remaining), why)
	return open
}

// undoneRollout is a rollout of a Deployment or a DaemonSet that may be undone.
type undoneRollout struct {
	*report.Rollout
	namespace string
	revisions [2]string // of the template before it and of its own, as the Deployment numbers them; "" where it does not
}

// target is what kubectl is to undo the rollout of: "deployment/web".
func (r *undoneRollout) target() string {
	return strings.ToLower(r.Workload.Kind) + "/" + r.Workload.Name
}

// command has kubectl go back to a revision; a DaemonSet goes back to the one before, as its revisions are not read.
func (r *undoneRollout) command(revision string) string {
	words := []string{"kubectl", "-n", r.namespace, "rollout", "undo", r.target()}
	if revision != "" {
		words = append(words, "--to-revision="+revision)
	}
	return shell.Line(words...)
}

// thinkOfUndoing notes the rollouts that may be undone for a pod that waits: its own, and that of what preempted pods named
// as it.
func thinkOfUndoing(f *Search, q Query) {
	if v := q.Verdict; v != report.Unschedulable && v != report.Gated && v != report.NotConsidered {
		return
	}
	state, pod := f.Scheduler.State, q.Question.Pod
	f.rollout = rolloutToUndo(f, pod, rollout.Of(state, pod))
	if q.Preemptor != nil {
		f.preemptor = rolloutToUndo(f, q.Preemptor, rollout.ByTemplate(state, q.Preemptor))
		f.victims = grammar.Plural(q.Preempted.Count, "pod") + " named " + q.Preempted.Names
	}
}

// rolloutToUndo is told, which a pod is part of, if its template changed anything that decides where its pods may go; nil
// otherwise.
func rolloutToUndo(f *Search, pod *corev1.Pod, told *report.Rollout) *undoneRollout {
	if told == nil || !told.ByTemplate() {
		return nil
	}
	may := &undoneRollout{Rollout: told, namespace: pod.Namespace}
	if told.Workload.Kind == "DaemonSet" {
		return may
	}
	own, older := rollout.ReplicaSets(f.Scheduler.State, pod.Namespace, metav1.GetControllerOfNoCopy(pod))
	if told.Workload.Kind != "Deployment" || own == nil {
		return nil
	}
	before := slices.IndexFunc(older, func(set *appsv1.ReplicaSet) bool { return set.Name == told.Previous })
	may.revisions = [2]string{older[before].Annotations[rollout.RevisionAnnotation], own.Annotations[rollout.RevisionAnnotation]}
	return may
}

// undoRollout is to undo the rollout that the pod is part of, which deletes the pod: nothing is simulated. ok is
// false where there is none to undo, or where kubectl would refuse to.
func undoRollout(f *Search, facts *command.Facts) (undo Attempt, ok bool) {
	r := f.rollout
	if r == nil || !r.mayGoBack() || facts != nil && (facts.Gone || facts.Paused) {
		return undo, false
	}
	how := "deletes " + grammar.Plural(r.New+r.Pending, "new pod")
	switch missing := 0; {
	case facts != nil && facts.Unread == "" && facts.Replicas > r.Running:
		missing = facts.Replicas - r.Running
		how += fmt.Sprintf("; creates %s, which %s a node", grammar.Plural(missing, "old pod"), grammar.Agree(missing, "needs", "need"))
	case r.Running > 0:
		how += "; " + grammar.Count(r.Running, "old pod is kept", "old pods are kept")
	}
	return r.undoing("undo the rollout of "+r.target(), how, len(f.alike)), true
}

// undoPreemptor is to undo the rollout of the workload for which pods named as the pending one were preempted: where its
// pods requested less before, the preempted ones may have room again. Nothing is simulated, as its old pods are not known.
func undoPreemptor(f *Search) (undo Attempt, ok bool) {
	r := f.preemptor
	if r == nil || !r.mayGoBack() {
		return undo, false
	}
	title := "undo the rollout of " + r.target()
	if r.namespace != f.workload.Namespace {
		title += " in " + r.namespace
	}
	return r.undoing(title, "its pods preempted "+f.victims, len(f.alike)), true
}

// mayGoBack says whether it is known what to go back to: a DaemonSet goes to the revision before.
func (r *undoneRollout) mayGoBack() bool {
	return r.revisions[0] != "" || r.Workload.Kind == "DaemonSet"
}

// undoing is to undo the rollout; what says what that changes.
func (r *undoneRollout) undoing(title, what string, alike int) Attempt {
	back := "the template of " + r.Previous
	if r.Workload.Kind == "DaemonSet" {
		back = "the revision before; with updateStrategy OnDelete its new pods have to be deleted too"
	}
	return Attempt{Fix: report.Fix{
		Title: title, Kind: report.FixUndo, Command: r.command(r.revisions[0]), Undo: r.command(r.revisions[1]),
		Affects:   []report.Affected{{Kind: r.Workload.Kind, Namespace: r.namespace, Name: r.Workload.Name, How: "goes back to " + back}},
		Remaining: []string{what}, Unless: []report.Unless{}, Alike: alike, Steps: 1,
	}}
}
