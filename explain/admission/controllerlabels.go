package admission

import (
	"cmp"
	"maps"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	appsv1rules "k8s.io/kubernetes/pkg/apis/apps/v1"
	"k8s.io/kubernetes/pkg/controller"
	"k8s.io/utils/ptr"
)

// controllerLabels are the labels of a template with those that the controller of a workload adds to tell
// its pods from those of another template or another workload: matchLabelKeys name them.
func controllerLabels(owner metav1.Object, labels map[string]string) map[string]string {
	added := map[string]string{}
	switch o := owner.(type) {
	case *appsv1.Deployment:
		added[appsv1.DefaultDeploymentUniqueLabelKey] = templateHash(o)
	case *appsv1.StatefulSet:
		added[appsv1.ControllerRevisionHashLabelKey] = cmp.Or(o.Status.UpdateRevision, o.Name+"-"+notCreated)
	case *appsv1.DaemonSet:
		added[appsv1.ControllerRevisionHashLabelKey] = notCreated
	case *batchv1.Job:
		if !ptr.Deref(o.Spec.ManualSelector, false) {
			added = jobLabels(o.Name, cmp.Or(string(o.UID), notCreated))
		}
	case *batchv1.CronJob: // of a Job that it will create
		if !ptr.Deref(o.Spec.JobTemplate.Spec.ManualSelector, false) {
			added = jobLabels(o.Name+"-"+notCreated, notCreated)
		}
	}
	if len(added) == 0 {
		return labels
	}
	for key := range added {
		if _, set := labels[key]; set {
			delete(added, key) // of one that the API server has seen
		}
	}
	all := maps.Clone(labels)
	if all == nil {
		all = map[string]string{}
	}
	maps.Copy(all, added)
	return all
}

// notCreated stands in labels for the UID of a Job that does not exist, or the hash of a revision that does
// not: it is that of no other.
const notCreated = "not-created"

// jobLabels are those that the API server gives the template of a Job (generateSelector of
// pkg/registry/batch/job).
func jobLabels(name, uid string) map[string]string {
	return map[string]string{batchv1.JobNameLabel: name, "job-name": name, batchv1.ControllerUidLabel: uid, "controller-uid": uid}
}

// templateHash is the pod-template-hash of a Deployment's new ReplicaSet. A ReplicaSet of the same template has
// another one where another version of Kubernetes has computed it.
func templateHash(of *appsv1.Deployment) string {
	filled := of.DeepCopy()
	appsv1rules.SetObjectDefaults_Deployment(filled)
	return controller.ComputeHash(&filled.Spec.Template, of.Status.CollisionCount)
}
