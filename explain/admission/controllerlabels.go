package admission

import (
	"cmp"
	"maps"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	appsv1rules "k8s.io/kubernetes/pkg/apis/apps/v1"
	"k8s.io/kubernetes/pkg/controller"
	"k8s.io/kubernetes/pkg/controller/deployment/util"
	"k8s.io/utils/ptr"

	"github.com/kubectl-fathom/kubectl-fathom/explain/labelkeys"
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
	if index := completionIndex(owner); index != "" {
		added[batchv1.JobCompletionIndexAnnotation] = index
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
const notCreated = labelkeys.NotCreated

// jobLabels are those that the API server gives the template of a Job (generateSelector of
// pkg/registry/batch/job).
func jobLabels(name, uid string) map[string]string {
	return map[string]string{batchv1.JobNameLabel: name, "job-name": name, batchv1.ControllerUidLabel: uid, "controller-uid": uid}
}

// completionIndex is that of the first pod of an Indexed Job, which is both a label and an annotation of it; "" of others,
// and where the Job has had pods: which is the next one is not known.
func completionIndex(owner metav1.Object) string {
	var spec *batchv1.JobSpec
	switch o := owner.(type) {
	case *batchv1.Job:
		if s := &o.Status; s.Active > 0 || s.CompletedIndexes != "" || s.Failed > 0 {
			return ""
		}
		spec = &o.Spec
	case *batchv1.CronJob:
		spec = &o.Spec.JobTemplate.Spec
	default:
		return ""
	}
	if ptr.Deref(spec.CompletionMode, batchv1.NonIndexedCompletion) != batchv1.IndexedCompletion {
		return ""
	}
	return "0"
}

// templateHash is the pod-template-hash that a Deployment's new ReplicaSet gets where it has none with this template
// (OfReplicaSet). Another minor version of Kubernetes computes another one.
func templateHash(of *appsv1.Deployment) string {
	filled := of.DeepCopy()
	appsv1rules.SetObjectDefaults_Deployment(filled)
	return controller.ComputeHash(&filled.Spec.Template, of.Status.CollisionCount)
}

// AsStored is an object as kube-apiserver returns it, or a file has it, where that leaves out fields.
type AsStored func(runtime.Object) runtime.Object

// OfReplicaSet gives the pod of a Deployment the hash of that ReplicaSet of it whose pods have the same template, as
// its controller finds it (FindNewReplicaSet in pkg/controller/deployment/util), and returns its name. Without one, "", its
// controller makes a new one, and the pod keeps the hash that it has.
func (p *UncreatedPod) OfReplicaSet(sets []*appsv1.ReplicaSet, stored AsStored) string {
	deployment, ok := p.Of.(*appsv1.Deployment)
	if !ok || deployment.Spec.Template.Labels[appsv1.DefaultDeploymentUniqueLabelKey] != "" {
		return ""
	}
	deployment = deployment.DeepCopy()
	deployment.Spec.Template = *storedTemplate(stored, &deployment.Spec.Template)
	var its []*appsv1.ReplicaSet
	for _, set := range sets {
		if by := metav1.GetControllerOfNoCopy(set); set.Namespace == p.Pod.Namespace && by != nil && by.Kind == "Deployment" && by.Name == deployment.Name {
			set = set.DeepCopy()
			set.Spec.Template = *storedTemplate(stored, &set.Spec.Template)
			its = append(its, set)
		}
	}
	set := util.FindNewReplicaSet(deployment, its)
	if set == nil || set.Labels[appsv1.DefaultDeploymentUniqueLabelKey] == "" {
		return ""
	}
	p.Pod.Labels[appsv1.DefaultDeploymentUniqueLabelKey] = set.Labels[appsv1.DefaultDeploymentUniqueLabelKey]
	return set.Name
}

// OfStatefulSet gives the pod of a StatefulSet the revision to which the one that exists updates its pods, if it has
// the same template, and else one that no other pod has.
func (p *UncreatedPod) OfStatefulSet(existing *appsv1.StatefulSet, stored AsStored) {
	set, ok := p.Of.(*appsv1.StatefulSet)
	if !ok {
		return
	}
	revision := set.Name + "-" + notCreated
	if existing != nil && existing.Status.ObservedGeneration >= existing.Generation &&
		util.EqualIgnoreHash(storedTemplate(stored, &set.Spec.Template), storedTemplate(stored, &existing.Spec.Template)) {
		revision = cmp.Or(existing.Status.UpdateRevision, revision)
	}
	p.Pod.Labels[appsv1.ControllerRevisionHashLabelKey] = revision
}

// storedTemplate is a template as it is stored, with the defaults that a list written by hand lacks.
func storedTemplate(stored AsStored, template *corev1.PodTemplateSpec) *corev1.PodTemplateSpec {
	set := &appsv1.ReplicaSet{Spec: appsv1.ReplicaSetSpec{Template: *template.DeepCopy()}}
	appsv1rules.SetObjectDefaults_ReplicaSet(set)
	if stored != nil {
		if kept, ok := stored(set).(*appsv1.ReplicaSet); ok {
			set = kept
		}
	}
	return &set.Spec.Template
}
