package fixes

import (
	"cmp"
	"context"
	"slices"
	"strings"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	corev1helpers "k8s.io/component-helpers/scheduling/corev1"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"

	"github.com/kubectl-fathom/kubectl-fathom/explain/fixes/command"
	"github.com/kubectl-fathom/kubectl-fathom/explain/fixes/remedy"
	"github.com/kubectl-fathom/kubectl-fathom/explain/plugins"
	"github.com/kubectl-fathom/kubectl-fathom/explain/rejectiongroups"
	"github.com/kubectl-fathom/kubectl-fathom/explain/report"
	"github.com/kubectl-fathom/kubectl-fathom/explain/scheduler"
	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// mostJobs is how many Jobs are tried as the one that is suspended: those that hold most of what nodes lack.
const mostJobs = 2

// holdingJob is a Job with pods on nodes that lack only capacity.
type holdingJob struct {
	uid             types.UID
	namespace, name string
	held            int64 // of what the nodes lack most, in its unit
}

// thinkOfSuspending adds to suspend a Job whose pods hold the capacity that the pod lacks, where a node takes the pod
// without them.
func thinkOfSuspending(ctx context.Context, f *Search, q *plugins.Question, m *scheduler.Matrix) error {
	jobs, nearest := holdingJobs(q, m)
	var added []candidate
	for _, job := range jobs[:min(len(jobs), mostJobs)] {
		step, ok := suspending(f, q.Pod, job)
		if !ok {
			continue
		}
		fits, err := fitsWithoutJob(ctx, f, q.Pod, step)
		if err != nil {
			return err
		}
		if fits {
			added = append(added, candidate{steps: option{step}, nodes: nearest})
		}
	}
	f.candidates = append(added, f.candidates...)
	return nil
}

// holdingJobs are the Jobs with pods on nodes that reject the pod for nothing but its requests, those that hold most of what
// most of these nodes lack first; and the nearest of the nodes.
func holdingJobs(q *plugins.Question, m *scheduler.Matrix) (jobs []holdingJob, nearest []string) {
	var resource corev1.ResourceName
	found := map[types.UID]*holdingJob{}
	for _, g := range rejectiongroups.Of(q, m) {
		if !lacksOnlyCapacity(g, m) {
			continue
		}
		for _, i := range g.Nodes {
			short := plugins.Shortages(q, m.Rejection(g.Rejecting[0], i))
			if len(short) == 0 || resource != "" && short[0].Resource != resource {
				continue
			}
			resource = short[0].Resource
			for _, info := range m.Nodes[i].GetPods() {
				note(found, info, resource)
			}
		}
		nearest = append(nearest, nearestNames(g, m)...)
	}
	own := metav1.GetControllerOfNoCopy(q.Pod)
	for uid, job := range found {
		if job.held > 0 && (own == nil || own.UID != uid) {
			jobs = append(jobs, *job)
		}
	}
	slices.SortFunc(jobs, func(a, b holdingJob) int {
		return cmp.Or(cmp.Compare(b.held, a.held), strings.Compare(a.namespace, b.namespace), strings.Compare(a.name, b.name))
	})
	return jobs, nearest[:min(len(nearest), groupNodes)]
}

// lacksOnlyCapacity says whether the nodes of a group reject the pod for nothing but its requests.
func lacksOnlyCapacity(g *rejectiongroups.Group, m *scheduler.Matrix) bool {
	return len(g.Rejecting) == 1 && m.Profile.Plugins[g.Rejecting[0]].Name == names.NodeResourcesFit && m.Answers[g.Rejecting[0]].Pre == nil
}

// note adds what a pod holds to its Job, if it is of one.
func note(found map[types.UID]*holdingJob, info fwk.PodInfo, resource corev1.ResourceName) {
	by := metav1.GetControllerOfNoCopy(info.GetPod())
	if by == nil || by.Kind != "Job" || by.APIVersion != batchv1.SchemeGroupVersion.String() {
		return
	}
	if found[by.UID] == nil {
		found[by.UID] = &holdingJob{uid: by.UID, namespace: info.GetPod().Namespace, name: by.Name}
	}
	found[by.UID].held += plugins.Held(info, resource)
}

// suspending is the step that suspends a Job, with its pods that have not ended; ok is false where one of them has a higher
// priority than the pod, or is terminating already.
func suspending(f *Search, pod *corev1.Pod, job holdingJob) (step remedy.Suspend, ok bool) {
	step = remedy.Suspend{Namespace: job.namespace, Name: job.name, UID: job.uid}
	for _, other := range f.Scheduler.State.Index.ControlledBy(job.uid) {
		switch {
		case scheduler.Terminal(other):
		case other.DeletionTimestamp != nil || corev1helpers.PodPriority(other) > corev1helpers.PodPriority(pod):
			return step, false
		default:
			step.Pods = append(step.Pods, other)
		}
	}
	slices.SortFunc(step.Pods, func(a, b *corev1.Pod) int { return strings.Compare(a.Name, b.Name) })
	return step, true
}

// fitsWithoutJob reports whether a node that runs pods of a Job takes the pod once these are gone.
func fitsWithoutJob(ctx context.Context, f *Search, pod *corev1.Pod, step remedy.Suspend) (bool, error) {
	s := f.Scheduler.State.Fork()
	defer s.Revert()
	if _, err := remedy.Apply(s, pod, step); err != nil {
		return false, err
	}
	t, err := f.Scheduler.FittingNodes(ctx, pod, remedy.NodesOf(option{step}))
	return err == nil && len(t.Names) > 0, err
}

// readJobs finds out about the Jobs that candidates suspend, and leaves out those that have ended, are suspended already, or
// that something may resume: a controller other than a CronJob, or Kueue.
func readJobs(ctx context.Context, f *Search) {
	all := f.candidates
	f.candidates = make([]candidate, 0, len(all))
	for _, c := range all {
		step, ok := suspendStep(c.steps)
		if !ok {
			f.candidates = append(f.candidates, c)
			continue
		}
		facts := command.Facts{Unread: "Jobs are not read here"}
		if f.Facts != nil {
			facts = f.Facts(ctx, model.Ref{Resource: "jobs", Namespace: step.Namespace, Name: step.Name, UID: step.UID})
		}
		if facts.Gone || facts.Finished || facts.Suspended || facts.Managed {
			continue
		}
		step.Unread, step.CronJob = facts.Unread, facts.CronJob
		f.candidates = append(f.candidates, candidate{steps: option{step}, nodes: c.nodes})
	}
}

// suspendStep is the step of a fix that suspends a Job.
func suspendStep(steps []remedy.Step) (step remedy.Suspend, ok bool) {
	if len(steps) == 1 {
		step, ok = steps[0].(remedy.Suspend)
	}
	return step, ok
}

// putAfterSuspending gives evictions of pods of a Job more harm than to suspend it, where both are among the fixes: the Job
// would create them again at once.
func putAfterSuspending(tried []Attempt) {
	for i := range tried {
		suspend, ok := suspendStep(tried[i].Remedies)
		if !ok {
			continue
		}
		for j := range tried {
			if tried[j].Kind != report.FixEvict || len(tried[j].Remedies) != 1 {
				continue
			}
			if slices.ContainsFunc(evictedBy(tried[j].Remedies), func(pod *corev1.Pod) bool {
				return metav1.IsControlledBy(pod, &metav1.ObjectMeta{UID: suspend.UID})
			}) {
				tried[j].harm = max(tried[j].harm, tried[i].harm+1)
				if !tried[j].Works() && !tried[i].isRejected() {
					tried[j].after = max(tried[j].after, rankFix(&tried[i]))
				}
			}
		}
	}
}
