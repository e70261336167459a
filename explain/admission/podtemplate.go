package admission

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes/scheme"
	daemonutil "k8s.io/kubernetes/pkg/controller/daemon/util"
	"k8s.io/utils/ptr"
)

// UncreatedPod is a pod that somebody asks for and that does not exist.
type UncreatedPod struct {
	Pod    *corev1.Pod
	Notes  []string                       // what the object that asks for it leaves open
	Claims []corev1.PersistentVolumeClaim // templates of the claims that a StatefulSet would make for each pod first
	Wants  *int                           // how many such pods are asked for at once; nil where it is a pod itself, or nodes decide
	Set    *appsv1.DaemonSet              // that makes one such pod for each of its nodes; nil for others
	Of     runtime.Object                 // the workload whose template it is of; nil for a pod itself
}

// PodOf is the pod that an object asks for, if it asks for one: a pod
// itself, or a workload by its template, with the labels that its controller adds. An object without a namespace is taken
// to be in the one that is given.
func PodOf(object runtime.Object, namespace string) (UncreatedPod, bool) {
	switch o := object.(type) {
	case *corev1.Pod:
		pod := o.DeepCopy()
		pod.Namespace = cmp.Or(pod.Namespace, namespace)
		pod.Status = corev1.PodStatus{}
		return UncreatedPod{Pod: pod}, true
	case *corev1.PodTemplate:
		return fromTemplate(o, &o.Template, namespace), true
	case *corev1.ReplicationController:
		if o.Spec.Template == nil {
			return UncreatedPod{}, false
		}
		return fromTemplate(o, o.Spec.Template, namespace).times(o.Spec.Replicas), true
	case *appsv1.Deployment:
		return fromTemplate(o, &o.Spec.Template, namespace).times(o.Spec.Replicas), true
	case *appsv1.ReplicaSet:
		return fromTemplate(o, &o.Spec.Template, namespace).times(o.Spec.Replicas), true
	case *appsv1.StatefulSet:
		return fromStatefulSet(o, namespace, 0).times(o.Spec.Replicas), true
	case *appsv1.DaemonSet:
		return fromDaemonSet(o, namespace), true
	case *batchv1.Job:
		return fromTemplate(o, &o.Spec.Template, namespace).times(parallelPods(&o.Spec)), true
	case *batchv1.CronJob:
		return fromTemplate(o, &o.Spec.JobTemplate.Spec.Template, namespace).times(parallelPods(&o.Spec.JobTemplate.Spec)), true
	default:
		return UncreatedPod{}, false
	}
}

// FurtherPodOf is PodOf of the next pod of a workload that exists: those of a StatefulSet are numbered on
// from its replicas.
func FurtherPodOf(object runtime.Object) (UncreatedPod, bool) {
	set, ok := object.(*appsv1.StatefulSet)
	if !ok {
		return PodOf(object, "")
	}
	return fromStatefulSet(set, "", int(ptr.Deref(set.Spec.Replicas, 1))).times(set.Spec.Replicas), true
}

// times notes how many pods are asked for; nil is one, as the API server has it.
func (p UncreatedPod) times(replicas *int32) UncreatedPod {
	p.Wants = new(int(ptr.Deref(replicas, 1)))
	return p
}

// WantsNone reports whether it is of a workload that asks for no pods, as one that is scaled to 0.
func (p *UncreatedPod) WantsNone() bool { return p.Wants != nil && *p.Wants < 1 }

// parallelPods is how many pods of a Job run at the same time.
func parallelPods(job *batchv1.JobSpec) *int32 {
	wants := ptr.Deref(job.Parallelism, 1)
	if job.Completions != nil {
		wants = min(wants, *job.Completions)
	}
	return &wants
}

// fromTemplate makes the pod that a controller would make from its template.
func fromTemplate(owner metav1.Object, template *corev1.PodTemplateSpec, namespace string) UncreatedPod {
	kind := kindOf(owner)
	pod := &corev1.Pod{ObjectMeta: *template.ObjectMeta.DeepCopy(), Spec: *template.Spec.DeepCopy()}
	pod.Labels = controllerLabels(owner, pod.Labels)
	if index := completionIndex(owner); index != "" {
		metav1.SetMetaDataAnnotation(&pod.ObjectMeta, batchv1.JobCompletionIndexAnnotation, index)
	}
	pod.Name, pod.GenerateName = "", owner.GetName()+"-"
	pod.Namespace = cmp.Or(owner.GetNamespace(), namespace)
	pod.OwnerReferences = []metav1.OwnerReference{{
		APIVersion: kind.GroupVersion().String(),
		Kind:       kind.Kind,
		Name:       owner.GetName(),
		UID:        owner.GetUID(),
		Controller: new(true),
	}}
	workload, _ := owner.(runtime.Object)
	return UncreatedPod{Pod: pod, Of: workload}
}

// fromDaemonSet adds what the DaemonSet controller adds to each of its pods.
func fromDaemonSet(set *appsv1.DaemonSet, namespace string) UncreatedPod {
	p := fromTemplate(set, &set.Spec.Template, namespace)
	p.Set = set
	daemonutil.AddOrUpdateDaemonPodTolerations(&p.Pod.Spec)
	p.Notes = append(p.Notes, "a DaemonSet creates one pod per node and pins each to its node by node affinity; "+
		"here its template is simulated on every node")
	return p
}

// fromStatefulSet mounts the claims that the StatefulSet controller would make for the pod of a place, from 0:
// the API server refuses a pod with a mount of no volume.
func fromStatefulSet(set *appsv1.StatefulSet, namespace string, place int) UncreatedPod {
	p := fromTemplate(set, &set.Spec.Template, namespace)
	ordinal := place
	if set.Spec.Ordinals != nil {
		ordinal += int(set.Spec.Ordinals.Start)
	}
	p.Pod.Labels[appsv1.PodIndexLabel] = strconv.Itoa(ordinal)
	p.Pod.Labels[appsv1.StatefulSetPodNameLabel] = fmt.Sprintf("%s-%d", set.Name, ordinal)
	p.Claims = set.Spec.VolumeClaimTemplates
	for _, claim := range p.Claims { // as the controller does (updateStorage of pkg/controller/statefulset)
		p.Pod.Spec.Volumes = slices.DeleteFunc(p.Pod.Spec.Volumes, func(volume corev1.Volume) bool { return volume.Name == claim.Name })
		p.Pod.Spec.Volumes = append(p.Pod.Spec.Volumes, corev1.Volume{
			Name:         claim.Name,
			VolumeSource: corev1.VolumeSource{PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: ClaimName(set, claim.Name, place)}},
		})
	}
	return p
}

// ClaimName is the claim that a StatefulSet makes from a template for the pod of a place, from 0.
func ClaimName(set *appsv1.StatefulSet, template string, place int) string {
	if set.Spec.Ordinals != nil {
		place += int(set.Spec.Ordinals.Start)
	}
	return fmt.Sprintf("%s-%s-%d", template, set.Name, place)
}

// kindOf is the kind of an object of the API.
func kindOf(object metav1.Object) schema.GroupVersionKind {
	typed, ok := object.(runtime.Object)
	if !ok {
		return schema.GroupVersionKind{}
	}
	kinds, _, err := scheme.Scheme.ObjectKinds(typed)
	if err != nil || len(kinds) == 0 {
		return schema.GroupVersionKind{}
	}
	return kinds[0]
}

// WithNewClaims gives a pod, in the place of the claims of a StatefulSet, volumes with the templates of
// these claims, from which each replica that is simulated gets claims of its own (SetClaim). It returns what that
// means.
func (p UncreatedPod) WithNewClaims(pod *corev1.Pod) (notes []string) {
	for _, claim := range p.Claims {
		for i := range pod.Spec.Volumes {
			if volume := &pod.Spec.Volumes[i]; volume.Name == claim.Name && volume.PersistentVolumeClaim != nil {
				volume.VolumeSource = NewSetClaimLike(&claim, volume.PersistentVolumeClaim.ClaimName)
				notes = append(notes, fmt.Sprintf("each pod is simulated with its own claim of volumeClaimTemplate %s", claim.Name))
			}
		}
	}
	return notes
}

// WithoutClaims takes the volumes of a StatefulSet's claims off a pod: its controller makes the claims
// before it makes the pod, and they may exist. It returns what that leaves open.
func (p UncreatedPod) WithoutClaims(pod *corev1.Pod) (notes []string) {
	for _, claim := range p.Claims {
		pod.Spec.Volumes = slices.DeleteFunc(pod.Spec.Volumes, func(volume corev1.Volume) bool { return volume.Name == claim.Name })
		notes = append(notes, fmt.Sprintf("the volume of volumeClaimTemplate %s is not considered", claim.Name))
	}
	return notes
}

// firstClaim is an annotation of templates that NewSetClaimLike makes: the claim of the first of the replicas.
// No API server sees it.
const firstClaim = "first-claim"

// NewSetClaimLike is NewClaimLike of a StatefulSet, where the claim of the first of the replicas has a name.
func NewSetClaimLike(claim *corev1.PersistentVolumeClaim, first string) corev1.VolumeSource {
	source := NewClaimLike(claim)
	metav1.SetMetaDataAnnotation(&source.Ephemeral.VolumeClaimTemplate.ObjectMeta, firstClaim, first)
	return source
}

// SetClaim is the claim that a StatefulSet makes from the template of a volume for the replica of that number,
// from 0, and the name of that replica; "" where the volume is none of a StatefulSet's.
func SetClaim(volume *corev1.Volume, n int) (claim, pod string) {
	if volume.Ephemeral == nil || volume.Ephemeral.VolumeClaimTemplate == nil {
		return "", ""
	}
	first := volume.Ephemeral.VolumeClaimTemplate.Annotations[firstClaim]
	at := strings.LastIndexByte(first, '-')
	ordinal, err := strconv.Atoi(first[at+1:])
	if at < 0 || err != nil {
		return "", ""
	}
	claim = first[:at+1] + strconv.Itoa(ordinal+n)
	return claim, strings.TrimPrefix(claim, volume.Name+"-")
}

// NewClaimLike is a generic ephemeral volume whose claim requests what a claim does. The volume that
// it may be bound to is not requested.
func NewClaimLike(claim *corev1.PersistentVolumeClaim) corev1.VolumeSource {
	spec := *claim.Spec.DeepCopy()
	spec.VolumeName = ""
	template := &corev1.PersistentVolumeClaimTemplate{ObjectMeta: metav1.ObjectMeta{Labels: claim.Labels}, Spec: spec}
	if class, set := claim.Annotations[corev1.BetaStorageClassAnnotation]; set {
		metav1.SetMetaDataAnnotation(&template.ObjectMeta, corev1.BetaStorageClassAnnotation, class)
	}
	return corev1.VolumeSource{Ephemeral: &corev1.EphemeralVolumeSource{VolumeClaimTemplate: template}}
}
