package plan

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-fathom/kubectl-fathom/model"
	"github.com/kubectl-fathom/kubectl-fathom/model/grammar"
)

// defaultGrace is the grace period where the pod's spec has none.
const defaultGrace = corev1.DefaultTerminationGracePeriodSeconds * time.Second

// endOf is the end of a pod, with what is deleted by it.
func endOf(pod *model.Pod, how Termination) End {
	end := End{Pod: pod, How: how, Grace: graceOf(pod.Object), Terminating: pod.Object.DeletionTimestamp != nil}
	if pod.Finished() {
		end.Fate.Outcome = Finished
		return end
	}
	end.Lost = metav1.GetControllerOfNoCopy(pod.Object) == nil
	end.EmptyDir = slices.ContainsFunc(pod.Object.Spec.Volumes, func(v corev1.Volume) bool { return v.EmptyDir != nil })
	return end
}

func graceOf(pod *corev1.Pod) time.Duration {
	seconds := pod.Spec.TerminationGracePeriodSeconds
	if pod.DeletionTimestamp != nil && pod.DeletionGracePeriodSeconds != nil {
		seconds = pod.DeletionGracePeriodSeconds
	}
	if seconds == nil {
		return defaultGrace
	}
	return time.Duration(*seconds) * time.Second
}

// ending counts the pods that the plan terminates, without those that are already
// terminating.
func ending(ends []End) int {
	n := 0
	for i := range ends {
		if !ends[i].Terminating {
			n++
		}
	}
	return n
}

// Requested says whether the plan ends pods by requests of its own: what the API server rejects of
// those now is tried again.
func (e Ends) Requested() bool { return slices.ContainsFunc(e, End.Requested) }

// Requested says whether the pod is evicted or deleted. Others terminate because of what the plan
// changes.
func (e End) Requested() bool { return e.How == Evicted || e.How == Deleted }

// longestGrace is the longest grace period of the ends.
func longestGrace(ends []End) time.Duration {
	var longest time.Duration
	for i := range ends {
		longest = max(longest, ends[i].Grace)
	}
	return longest
}

// countEnds counts the ends for which holds returns true.
func countEnds(ends []End, holds func(End) bool) int {
	n := 0
	for i := range ends {
		if holds(ends[i]) {
			n++
		}
	}
	return n
}

// recreating are the controllers that are known to recreate their pods: those of
// Kubernetes, and the kubelet for its static pods. Only Kubernetes uses their
// groups.
var (
	recreating       = []string{"ReplicaSet", "StatefulSet", "DaemonSet", "Job", "ReplicationController", "Node"}
	recreatingGroups = []string{"", "apps", "batch"}
)

// RecreationUnknown says that it is unknown whether the pod's controller recreates
// its pods: "not known whether its controller (Workflow x) recreates it". It is ""
// where the pod has no controller, or one of Kubernetes. A kind of the same name in
// another group is another controller.
func RecreationUnknown(pod *corev1.Pod) string {
	controller := metav1.GetControllerOfNoCopy(pod)
	if controller == nil || slices.Contains(recreating, controller.Kind) &&
		slices.Contains(recreatingGroups, schema.FromAPIVersionAndKind(controller.APIVersion, controller.Kind).Group) {
		return ""
	}
	return fmt.Sprintf("not known whether its controller (%s %s) recreates it", model.Clean(controller.Kind), model.Clean(controller.Name))
}

// JobMayFail is said of the pod of a Job that is not read: a Job counts a pod that is deleted or lost as failed, and
// may not replace it.
const JobMayFail = "unless its Job's backoffLimit is reached"

// JobsOf names the Jobs whose running pods the plan terminates, by UID.
func JobsOf(p *Plan) map[types.UID]model.Ref {
	found := map[types.UID]model.Ref{}
	for i := range p.Ends {
		if job := jobOf(&p.Ends[i]); job != nil {
			found[job.UID] = model.Ref{Resource: "jobs", Namespace: p.Ends[i].Pod.Object.Namespace, Name: job.Name}
		}
	}
	return found
}

// jobOf is the Job that counts the end of a pod as a failure; nil where none does.
func jobOf(end *End) *metav1.OwnerReference {
	job := metav1.GetControllerOfNoCopy(end.Pod.Object)
	if job == nil || job.Kind != "Job" || RecreationUnknown(end.Pod.Object) != "" || end.Terminating || end.How == Rolled ||
		end.Fate.Outcome == Finished || end.Fate.Outcome == NotMade {
		return nil
	}
	return job
}

// TellJobs adds to a plan which Jobs fail by it, and so do not recreate their pods: a Job counts a
// deleted pod as failed (isPodFailed and exceedsBackoffLimit of k8s.io/kubernetes/pkg/controller/job).
// jobs are those of Jobs that could be read. It is for before Foretell.
func TellJobs(p *Plan, jobs map[types.UID]*batchv1.Job) {
	failures, unread := map[types.UID]int32{}, false
	for i := range p.Ends {
		if of := jobOf(&p.Ends[i]); of != nil {
			job := jobs[of.UID]
			unread = unread || job == nil
			if job != nil && onDisruption(job, p.Ends[i].How) != batchv1.PodFailurePolicyActionIgnore {
				failures[of.UID]++
			}
		}
	}
	if unread {
		p.warn("A Job could not be read: unknown whether the termination of its pod is a failure too many for it (backoffLimit).")
	}
	failing, told := map[types.UID]*batchv1.Job{}, false
	for i := range p.Ends {
		end := &p.Ends[i]
		of := jobOf(end)
		if of == nil || jobs[of.UID] == nil {
			continue
		}
		if fate, decided := jobFate(jobs[of.UID], end, failures[of.UID]); decided {
			end.Fate, told = fate, true
			if fate.Outcome == Lost && jobs[of.UID].Spec.BackoffLimitPerIndex == nil {
				failing[of.UID] = jobs[of.UID]
			}
		}
	}
	tellFailing(p, failing)
	if told {
		p.order()
		p.Effects = p.effects()
	}
}

// tellFailing counts the other pods of Jobs that fail, which their controller deletes (deleteActivePods
// of k8s.io/kubernetes/pkg/controller/job).
func tellFailing(p *Plan, failing map[types.UID]*batchv1.Job) {
	ends, others := map[types.UID]bool{}, map[types.UID]int{}
	for i := range p.Ends {
		ends[p.Ends[i].Pod.Object.UID] = true
	}
	if len(failing) == 0 {
		return
	}
	for _, pod := range p.on.Pods {
		job := metav1.GetControllerOfNoCopy(pod.Object)
		if job != nil && failing[job.UID] != nil && !ends[pod.Object.UID] && !pod.Finished() && pod.Object.DeletionTimestamp == nil {
			others[job.UID]++
			p.PodsTerminated++
		}
	}
	for _, uid := range slices.SortedFunc(maps.Keys(others), func(a, b types.UID) int {
		return strings.Compare(failing[a].Namespace+"/"+failing[a].Name, failing[b].Namespace+"/"+failing[b].Name)
	}) {
		job, n := failing[uid], others[uid]
		p.warn(fmt.Sprintf("Job %s fails by it: its %d other %s deleted, too.", model.Clean(job.Namespace+"/"+job.Name), n, grammar.Agree(n, "pod is", "pods are")))
	}
}

// jobFate is what happens to a pod because its Job counts so many pods of the plan as failed;
// decided says whether that alone decides. A Job that waits until its pods have failed counts
// one that ends well as succeeded.
func jobFate(job *batchv1.Job, end *End, failures int32) (fate Fate, decided bool) {
	spec := &job.Spec
	waits := spec.PodReplacementPolicy != nil && *spec.PodReplacementPolicy == batchv1.Failed
	lost := func(why, limit string) (Fate, bool) {
		if waits {
			return Fate{Outcome: NotKnown, Why: why + " unless it exits with 0" + limit}, true
		}
		return Fate{Outcome: Lost, Why: why + limit}, true
	}
	switch onDisruption(job, end.How) {
	case batchv1.PodFailurePolicyActionIgnore:
		return Fate{}, false
	case batchv1.PodFailurePolicyActionFailJob:
		return lost("its Job's podFailurePolicy fails the Job", "")
	case batchv1.PodFailurePolicyActionFailIndex:
		return lost("its Job's podFailurePolicy fails its index", "")
	case unforeseen:
		return Fate{Outcome: NotKnown, Why: "its Job's podFailurePolicy decides by its exit code"}, true
	}
	limit := spec.BackoffLimitPerIndex
	switch {
	case limit != nil && *limit == 0:
		return lost("its index of the Job fails", " (backoffLimitPerIndex 0)")
	case limit != nil: // how often it has failed is not in what is read of a pod
		return Fate{Outcome: NotKnown, Why: fmt.Sprintf("its index may fail too often for its Job (backoffLimitPerIndex %d)", *limit)}, true
	}
	if limit := spec.BackoffLimit; limit != nil && int64(job.Status.Failed)+int64(failures) > int64(*limit) {
		return lost("its Job fails", fmt.Sprintf(" (backoffLimit %d)", *limit))
	}
	return Fate{}, false
}

// unforeseen is the action of a policy that depends on how the containers exit.
const unforeseen batchv1.PodFailurePolicyAction = "Unforeseen"

// onDisruption is what the Job's podFailurePolicy does with a pod that is terminated: an eviction
// gives it the condition DisruptionTarget. Where no rule is about that, it is counted.
func onDisruption(job *batchv1.Job, how Termination) batchv1.PodFailurePolicyAction {
	if job.Spec.PodFailurePolicy == nil {
		return batchv1.PodFailurePolicyActionCount
	}
	for _, rule := range job.Spec.PodFailurePolicy.Rules {
		if rule.OnExitCodes != nil {
			return unforeseen
		}
		if how != Deleted && slices.ContainsFunc(rule.OnPodConditions, func(on batchv1.PodFailurePolicyOnPodConditionsPattern) bool {
			return on.Type == corev1.DisruptionTarget && (on.Status == "" || on.Status == corev1.ConditionTrue)
		}) {
			return rule.Action
		}
	}
	return batchv1.PodFailurePolicyActionCount
}
