package command

import (
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-fathom/kubectl-fathom/model"
)

func TestAJobIsManagedWhereSomethingMayResumeIt(t *testing.T) {
	by := func(kind string) func(*batchv1.Job) {
		return func(j *batchv1.Job) {
			j.OwnerReferences = []metav1.OwnerReference{{Kind: kind, Name: "own", Controller: new(true)}}
		}
	}
	ended := func(of batchv1.JobConditionType, status corev1.ConditionStatus) func(*batchv1.Job) {
		return func(j *batchv1.Job) { j.Status.Conditions = []batchv1.JobCondition{{Type: of, Status: status}} }
	}
	for name, c := range map[string]struct {
		edit func(*batchv1.Job)
		want Facts
	}{
		"on its own":       {func(*batchv1.Job) {}, Facts{}},
		"of a CronJob":     {by("CronJob"), Facts{CronJob: "own"}},
		"of a workflow":    {by("Workflow"), Facts{Managed: true}},
		"of Kueue":         {func(j *batchv1.Job) { j.Labels = map[string]string{model.KueueQueueLabel: "batch"} }, Facts{Managed: true}},
		"of a controller":  {func(j *batchv1.Job) { j.Spec.ManagedBy = new("example.com/jobs") }, Facts{Managed: true}},
		"of the usual one": {func(j *batchv1.Job) { j.Spec.ManagedBy = new(batchv1.JobControllerName) }, Facts{}},
		"suspended":        {func(j *batchv1.Job) { j.Spec.Suspend = new(true) }, Facts{Suspended: true}},
		"not suspended":    {func(j *batchv1.Job) { j.Spec.Suspend = new(false) }, Facts{}},
		"complete":         {ended(batchv1.JobComplete, corev1.ConditionTrue), Facts{Finished: true}},
		"about to fail":    {ended(batchv1.JobFailureTarget, corev1.ConditionTrue), Facts{Finished: true}},
		"failed before":    {ended(batchv1.JobFailed, corev1.ConditionFalse), Facts{}},
		"just resumed":     {ended(batchv1.JobSuspended, corev1.ConditionTrue), Facts{}},
	} {
		t.Run(name, func(t *testing.T) {
			job := &batchv1.Job{}
			c.edit(job)
			if got := FactsOfJob(job); got != c.want {
				t.Errorf("got %+v, want %+v", got, c.want)
			}
		})
	}
}
