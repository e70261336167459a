package command

import (
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	appslisters "k8s.io/client-go/listers/apps/v1"
	"k8s.io/kubernetes/pkg/controller/deployment/util"

	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// Facts are what fixes have to know of a pod's Deployment or Job, which no informer holds.
type Facts struct {
	UID    types.UID `json:"uid"`
	Unread string    `json:"unread,omitempty"` // why nothing is known; "" if it is
	Gone   bool      `json:"gone,omitempty"`   // it no longer exists

	Paused         bool `json:"paused,omitempty"`         // a Deployment that replaces no pods
	Recreate       bool `json:"recreate,omitempty"`       // a Deployment that stops all its pods before it creates new ones
	Replicas       int  `json:"replicas,omitempty"`       // of a Deployment
	MaxSurge       int  `json:"maxSurge,omitempty"`       // pods that a rolling update has beside those
	MaxUnavailable int  `json:"maxUnavailable,omitempty"` // pods that may be missing during a rolling update

	// Unavailable is maxUnavailable as the Deployment has it: "25%"; "" where it has none, or in older files.
	Unavailable string `json:"unavailable,omitempty"`

	CronJob string `json:"cronJob,omitempty"` // that created the Job; "" where none did

	Finished  bool `json:"finished,omitempty"`  // a Job that is complete or failed
	Suspended bool `json:"suspended,omitempty"` // a Job that has no pods until it is resumed
	Managed   bool `json:"managed,omitempty"`   // a Job that something other than a CronJob suspends and resumes, or may
}

// FactsOfDeployment are those of a Deployment, as its controller resolves them.
func FactsOfDeployment(d *appsv1.Deployment) Facts {
	if d.Spec.Replicas == nil { // as the API server fills it in
		d = d.DeepCopy()
		d.Spec.Replicas = new(int32(1))
	}
	facts := Facts{
		UID: d.UID, Paused: d.Spec.Paused, Replicas: int(*d.Spec.Replicas),
		Recreate: d.Spec.Strategy.Type == appsv1.RecreateDeploymentStrategyType,
	}
	if rolling := d.Spec.Strategy.RollingUpdate; rolling != nil {
		facts.MaxSurge, facts.MaxUnavailable = int(util.MaxSurge(*d)), int(util.MaxUnavailable(*d))
		if rolling.MaxUnavailable != nil {
			facts.Unavailable = rolling.MaxUnavailable.String()
		}
	}
	return facts
}

// endOfJob are the conditions of a Job that creates no more pods.
var endOfJob = []batchv1.JobConditionType{batchv1.JobComplete, batchv1.JobFailed, batchv1.JobSuccessCriteriaMet, batchv1.JobFailureTarget}

// FactsOfJob are those of a Job.
func FactsOfJob(job *batchv1.Job) Facts {
	facts := Facts{UID: job.UID, Suspended: job.Spec.Suspend != nil && *job.Spec.Suspend}
	for _, condition := range job.Status.Conditions {
		if condition.Status == corev1.ConditionTrue && slices.Contains(endOfJob, condition.Type) {
			facts.Finished = true
		}
	}
	by := metav1.GetControllerOfNoCopy(job)
	facts.Managed = by != nil && by.Kind != "CronJob" || job.Labels[model.KueueQueueLabel] != "" || job.Spec.ManagedBy != nil && *job.Spec.ManagedBy != batchv1.JobControllerName
	if by != nil && by.Kind == "CronJob" {
		facts.CronJob = by.Name
	}
	return facts
}

// WorkloadOf is the Deployment or Job of which fixes of the pod need Facts; ok is false where it has
// none.
func WorkloadOf(sets appslisters.ReplicaSetLister, pod *corev1.Pod) (ref model.Ref, ok bool) {
	owner := metav1.GetControllerOfNoCopy(pod)
	if owner == nil {
		return ref, false
	}
	if owner.Kind == "Job" && owner.APIVersion == batchv1.SchemeGroupVersion.String() {
		return model.Ref{Resource: "jobs", Namespace: pod.Namespace, Name: owner.Name, UID: owner.UID}, true
	}
	if owner.Kind != "ReplicaSet" || owner.APIVersion != appsv1.SchemeGroupVersion.String() {
		return ref, false
	}
	set, err := sets.ReplicaSets(pod.Namespace).Get(owner.Name)
	if err != nil || set.UID != owner.UID {
		return ref, false
	}
	by := metav1.GetControllerOfNoCopy(set)
	if by == nil || by.Kind != "Deployment" || by.APIVersion != appsv1.SchemeGroupVersion.String() {
		return ref, false
	}
	return model.Ref{Resource: "deployments", Namespace: pod.Namespace, Name: by.Name, UID: by.UID}, true
}
