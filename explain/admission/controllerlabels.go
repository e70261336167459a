package admission

import (
	"cmp"
	"maps"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	appsv1rules "k8s.io/kubernetes/pkg/apis/apps/v1"
	"k8s.io/kubernetes/pkg/controller"
)

// controllerLabels are the labels of a template with those that the controller of a workload adds to tell
// its pods from those of another template or another workload: matchLabelKeys name them.
func controllerLabels(owner metav1.Object, labels map[string]string) map[string]string {
	added := map[string]string{}
	switch o := owner.(type) {
	case *appsv1.Deployment:
		added[appsv1.DefaultDeploymentUniqueLabelKey] = templateHash(o)
	case *appsv1.StatefulSet:
		added[appsv1.ControllerRevisionHashLabelKey] = cmp.Or(o.Status.UpdateRevision, o.Name+"-"+controller.ComputeHash(&o.Spec.Template, o.Status.CollisionCount))
	case *batchv1.Job: // as generateSelector of pkg/registry/batch/job does, to the template
		uid := cmp.Or(string(o.UID), noUID)
		added[batchv1.JobNameLabel], added["job-name"] = o.Name, o.Name
		added[batchv1.ControllerUidLabel], added["controller-uid"] = uid, uid
	default:
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

// noUID stands for the UID of a Job that does not exist, in labels: it is that of no other.
const noUID = "not-created"

// templateHash is the pod-template-hash of a Deployment's new ReplicaSet: the one that exists has it
// where the template is still the same.
func templateHash(of *appsv1.Deployment) string {
	filled := of.DeepCopy()
	appsv1rules.SetObjectDefaults_Deployment(filled)
	return controller.ComputeHash(&filled.Spec.Template, of.Status.CollisionCount)
}
