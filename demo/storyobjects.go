package demo

import (
	"encoding/json"
	"fmt"
	"maps"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/kubernetes/pkg/controller"
	daemonutil "k8s.io/kubernetes/pkg/controller/daemon/util"
	"k8s.io/kubernetes/pkg/controller/history"
)

// addWorkload adds a workload with its pods as its controller would have created them, with
// the same hashes, so that the controller has nothing to do.
func (s *story) addWorkload(w *workload) error {
	var err error
	switch w.kind {
	case deployment:
		err = s.deployment(w)
	case statefulSet:
		err = s.statefulSet(w)
	case daemonSet:
		err = s.daemonSet(w)
	case job:
		err = s.job(w)
	}
	if err != nil {
		return fmt.Errorf("make %s %s/%s: %w", w.kind, w.namespace, w.name, err)
	}
	return nil
}

// object is the metadata of an object of a workload.
func (s *story) object(w *workload, name string) metav1.ObjectMeta {
	return metav1.ObjectMeta{
		Namespace: w.namespace, Name: name, UID: s.uid(), Generation: 1, Labels: map[string]string{"app": w.name},
		CreationTimestamp: s.ago(max(w.age, w.pending)),
	}
}

// template is the pod template of a workload.
func (w *workload) template() corev1.PodTemplateSpec {
	tag := w.tag
	if tag == "" {
		tag = "v1"
	}
	t := corev1.PodTemplateSpec{
		ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"app": w.name}},
		Spec: corev1.PodSpec{Containers: []corev1.Container{{
			Name: "app", Image: "registry.example/" + w.namespace + "/" + w.name + ":" + tag,
			Resources: corev1.ResourceRequirements{Requests: amounts("cpu", w.cpu, "memory", w.memory)},
		}}},
	}
	if w.shape != nil {
		w.shape(&t)
	}
	return t
}

func (w *workload) selector() *metav1.LabelSelector {
	return &metav1.LabelSelector{MatchLabels: map[string]string{"app": w.name}}
}

// replicas is the number of replicas of a workload.
func (w *workload) replicas() *int32 {
	return new(int32(len(w.on) + w.unbound + w.rejected))
}

func (s *story) deployment(w *workload) error {
	d := &appsv1.Deployment{
		ObjectMeta: s.object(w, w.name),
		Spec:       appsv1.DeploymentSpec{Replicas: w.replicas(), Selector: w.selector(), Template: w.template()},
	}
	if apart := d.Spec.Template.Spec.Affinity; apart != nil && apart.PodAntiAffinity != nil { // a new pod does not fit beside the old ones
		d.Spec.Strategy.RollingUpdate = &appsv1.RollingUpdateDeployment{MaxSurge: new(intstr.FromInt32(0)), MaxUnavailable: new(intstr.FromInt32(1))}
	}
	setDefaults(d)
	hash := controller.ComputeHash(&d.Spec.Template, nil)
	set := &appsv1.ReplicaSet{ObjectMeta: s.object(w, w.name+"-"+hash), Spec: appsv1.ReplicaSetSpec{
		Replicas: d.Spec.Replicas, Selector: d.Spec.Selector.DeepCopy(), Template: *d.Spec.Template.DeepCopy(),
	}}
	set.Labels[appsv1.DefaultDeploymentUniqueLabelKey] = hash
	set.Spec.Selector.MatchLabels[appsv1.DefaultDeploymentUniqueLabelKey] = hash
	set.Spec.Template.Labels[appsv1.DefaultDeploymentUniqueLabelKey] = hash
	set.OwnerReferences = []metav1.OwnerReference{*metav1.NewControllerRef(d, appsv1.SchemeGroupVersion.WithKind(deployment))}
	there := int32(len(w.on) + w.unbound)
	set.Status = appsv1.ReplicaSetStatus{Replicas: there, FullyLabeledReplicas: there, ObservedGeneration: 1}
	if w.rejected > 0 {
		set.Status.Conditions = []appsv1.ReplicaSetCondition{{
			Type: appsv1.ReplicaSetReplicaFailure, Status: corev1.ConditionTrue, Reason: "FailedCreate", LastTransitionTime: s.ago(w.pending),
			Message: fmt.Sprintf("pods %q is forbidden: %s", set.Name+"-"+s.suffix(), w.rejection),
		}}
	}
	s.add(d, set)
	owner := metav1.NewControllerRef(set, appsv1.SchemeGroupVersion.WithKind("ReplicaSet"))
	return s.pods(w, owner, &set.Spec.Template, func(int) string { return set.Name + "-" + s.suffix() })
}

func (s *story) statefulSet(w *workload) error {
	set := &appsv1.StatefulSet{ObjectMeta: s.object(w, w.name), Spec: appsv1.StatefulSetSpec{
		Replicas: w.replicas(), Selector: w.selector(), Template: w.template(), ServiceName: w.name,
	}}
	if w.disk != "" {
		set.Spec.VolumeClaimTemplates = []corev1.PersistentVolumeClaim{{
			ObjectMeta: metav1.ObjectMeta{Name: "data"},
			Spec: corev1.PersistentVolumeClaimSpec{
				AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce}, StorageClassName: new(zonalDisk),
				Resources: corev1.VolumeResourceRequirements{Requests: amounts("storage", w.disk)},
			},
		}}
	}
	setDefaults(set)
	revision, err := revisionOf(set)
	if err != nil {
		return err
	}
	set.Status = appsv1.StatefulSetStatus{
		ObservedGeneration: 1, CurrentRevision: revision, UpdateRevision: revision, Replicas: *set.Spec.Replicas, CurrentReplicas: *set.Spec.Replicas,
		UpdatedReplicas: *set.Spec.Replicas,
	}
	s.add(set)
	s.claims(w, set)
	template := set.Spec.Template.DeepCopy()
	template.Labels[appsv1.ControllerRevisionHashLabelKey] = revision
	if w.disk != "" {
		template.Spec.Volumes = append(template.Spec.Volumes, corev1.Volume{Name: "data"})
	}
	owner := metav1.NewControllerRef(set, appsv1.SchemeGroupVersion.WithKind(statefulSet))
	return s.pods(w, owner, template, func(i int) string { return fmt.Sprintf("%s-%d", w.name, i) })
}

// revisionOf is the name of the ControllerRevision that the StatefulSet
// controller gives to a set (pkg/controller/statefulset, newRevision).
func revisionOf(set *appsv1.StatefulSet) (string, error) {
	data, err := runtime.Encode(scheme.Codecs.LegacyCodec(appsv1.SchemeGroupVersion), set)
	if err != nil {
		return "", err
	}
	var whole struct {
		Spec struct {
			Template map[string]any `json:"template"`
		} `json:"spec"`
	}
	if err := json.Unmarshal(data, &whole); err != nil {
		return "", err
	}
	whole.Spec.Template["$patch"] = "replace"
	patch, err := json.Marshal(map[string]any{"spec": map[string]any{"template": whole.Spec.Template}})
	if err != nil {
		return "", err
	}
	revision, err := history.NewControllerRevision(set, appsv1.SchemeGroupVersion.WithKind(statefulSet), set.Spec.Template.Labels,
		runtime.RawExtension{Raw: patch}, 1, new(int32)) // no collision of names
	if err != nil {
		return "", err
	}
	return revision.Name, nil
}

func (s *story) daemonSet(w *workload) error {
	set := &appsv1.DaemonSet{ObjectMeta: s.object(w, w.name), Spec: appsv1.DaemonSetSpec{Selector: w.selector(), Template: w.template()}}
	setDefaults(set)
	template := daemonutil.CreatePodTemplate(set.Spec.Template, nil, controller.ComputeHash(&set.Spec.Template, nil))
	s.add(set)
	owner := metav1.NewControllerRef(set, appsv1.SchemeGroupVersion.WithKind(daemonSet))
	all := *w
	for _, node := range s.nodes {
		all.on = append(all.on, node.Name)
	}
	from := len(s.objects)
	if err := s.pods(&all, owner, &template, func(int) string { return w.name + "-" + s.suffix() }); err != nil {
		return err
	}
	for _, object := range s.objects[from:] {
		if pod, ok := object.(*corev1.Pod); ok {
			pod.Spec.Affinity = daemonutil.ReplaceDaemonSetPodNodeNameNodeAffinity(pod.Spec.Affinity, pod.Spec.NodeName)
		}
	}
	return nil
}

func (s *story) job(w *workload) error {
	of := &batchv1.Job{ObjectMeta: s.object(w, w.name), Spec: batchv1.JobSpec{Template: w.template(), Parallelism: w.replicas(), Completions: w.replicas()}}
	marks := map[string]string{batchv1.ControllerUidLabel: string(of.UID), batchv1.JobNameLabel: of.Name}
	of.Spec.Template.Spec.RestartPolicy = corev1.RestartPolicyNever
	maps.Copy(of.Spec.Template.Labels, marks)
	of.Spec.Selector = &metav1.LabelSelector{MatchLabels: map[string]string{batchv1.ControllerUidLabel: string(of.UID)}}
	setDefaults(of)
	of.Status = batchv1.JobStatus{
		StartTime: &of.CreationTimestamp, Active: *of.Spec.Parallelism, Ready: new(int32), Terminating: new(int32),
		UncountedTerminatedPods: &batchv1.UncountedTerminatedPods{},
	}
	s.add(of)
	template := of.Spec.Template.DeepCopy()
	template.Finalizers = []string{batchv1.JobTrackingFinalizer}
	owner := metav1.NewControllerRef(of, batchv1.SchemeGroupVersion.WithKind(job))
	return s.pods(w, owner, template, func(int) string { return w.name + "-" + s.suffix() })
}
