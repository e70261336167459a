package e2e

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"
)

const (
	// restTime is how long nothing has to change for a cluster to be at rest.
	restTime = 3 * time.Second
	// jobBackoff is how long the Job controller waits with the next pods after the first failure: twice
	// as long after each one that follows (DefaultJobPodFailureBackOff of pkg/controller/job).
	jobBackoff = 10 * time.Second
)

// atRest waits until no pod ends, each either runs or is called unschedulable,
// Jobs have all their pods, and nothing changes for a while.
func atRest(t *testing.T, client kubernetes.Interface) {
	t.Helper()
	atRestFor(t, client, restTime)
}

// atRestFor is atRest where nothing changes for so long.
func atRestFor(t *testing.T, client kubernetes.Interface, long time.Duration) {
	t.Helper()
	var before []string
	why := "it was not looked at" // why it was last seen not to be at rest
	since := time.Now()
	err := wait.PollUntilContextTimeout(t.Context(), 100*time.Millisecond, pollTimeout, true, func(ctx context.Context) (bool, error) {
		now, moves := []string{}, ""
		for name, pod := range listPods(t, client) {
			waits := pod.Spec.NodeName == "" && (scheduled(pod).Reason == corev1.PodReasonUnschedulable || !lookedAt(pod))
			state := fmt.Sprint(name, " ", pod.UID, " ", pod.Spec.NodeName, " ", pod.Status.Phase, " ", pod.Status.NominatedNodeName)
			if pod.DeletionTimestamp != nil || pod.Status.Phase != corev1.PodRunning && !waits {
				moves = fmt.Sprintf("pod %s, deleted at %v, %+v", state, pod.DeletionTimestamp, scheduled(pod))
			}
			now = append(now, state)
		}
		slices.Sort(now)
		if moves != "" || !slices.Equal(now, before) {
			why = cmp.Or(moves, fmt.Sprintf("it has changed from %q to %q", onlyIn(before, now), onlyIn(now, before)))
			before, since = now, time.Now()
			return false, nil
		}
		lacks, err := unmade(ctx, client, time.Since(since) > 3*long)
		why = cmp.Or(lacks, why)
		return lacks == "" && err == nil && time.Since(since) > long, err
	})
	if err != nil {
		t.Fatalf("wait until the cluster is at rest: %v; it is not: %s", err, why)
	}
}

// onlyIn are the states that others do not have.
func onlyIn(states, others []string) []string {
	return slices.DeleteFunc(slices.Clone(states), func(state string) bool { return slices.Contains(others, state) })
}

// unmade names a Job or ReplicaSet that has not as many pods as it wants, or as a quota lets it
// have; "" if all have. Where nothing has changed for long, Jobs that back off are not waited for.
func unmade(ctx context.Context, client kubernetes.Interface, long bool) (string, error) {
	jobs, err := client.BatchV1().Jobs("").List(ctx, metav1.ListOptions{})
	if err != nil {
		return "", err
	}
	for i := range jobs.Items {
		job := &jobs.Items[i]
		wants := *job.Spec.Parallelism
		if job.Spec.Suspend != nil && *job.Spec.Suspend { // by a fix
			wants = 0
		}
		if job.Status.Active == wants {
			continue
		}
		if long {
			err = wantNoMore(ctx, client, job)
		}
		return fmt.Sprintf("Job %s/%s wants %d pods: %+v", job.Namespace, job.Name, *job.Spec.Parallelism, job.Status), err
	}
	sets, err := client.AppsV1().ReplicaSets("").List(ctx, metav1.ListOptions{})
	if err != nil {
		return "", err
	}
	for _, set := range sets.Items {
		refused := slices.ContainsFunc(set.Status.Conditions, func(c appsv1.ReplicaSetCondition) bool { return c.Type == appsv1.ReplicaSetReplicaFailure })
		if set.Status.Replicas != *set.Spec.Replicas && !refused {
			return fmt.Sprintf("ReplicaSet %s/%s wants %d pods: %+v", set.Namespace, set.Name, *set.Spec.Replicas, set.Status), nil
		}
	}
	return "", nil
}

// wantNoMore has a Job want no more pods than it has, if it makes the next ones later than may be waited for:
// each pod of it that was deleted or preempted is a failure, and five of them in a row are 160 s.
func wantNoMore(ctx context.Context, client kubernetes.Interface, job *batchv1.Job) error {
	if failed := job.Status.Failed; failed == 0 || jobBackoff<<(min(failed, 7)-1) < pollTimeout/2 || job.Status.Active > *job.Spec.Parallelism {
		return nil
	}
	patch := fmt.Appendf(nil, `{"spec":{"parallelism":%d}}`, job.Status.Active)
	_, err := client.BatchV1().Jobs(job.Namespace).Patch(ctx, job.Name, types.MergePatchType, patch, metav1.PatchOptions{})
	return err
}
