package explain

import (
	"context"
	"slices"

	corev1 "k8s.io/api/core/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	corev1helpers "k8s.io/component-helpers/scheduling/corev1"

	"github.com/kubectl-fathom/kubectl-fathom/explain/plugins"
)

// defaultClass is the global default PriorityClass that the pod's priority comes from, as its template names none
// (the admission plugin Priority sets it); "" where it comes from elsewhere, or where that is not known.
func (s *sources) defaultClass(ctx context.Context, pod *corev1.Pod) string {
	name := pod.Spec.PriorityClassName
	if name == "" || s.options.PriorityClasses == nil {
		return ""
	}
	if template := templateOf(s.scheduler.State.Listers, pod); template == nil || template.PriorityClassName != "" {
		return ""
	}
	classes, err := s.options.PriorityClasses(ctx)
	if err != nil {
		return ""
	}
	if !slices.ContainsFunc(classes, func(class *schedulingv1.PriorityClass) bool {
		return class.Name == name && class.GlobalDefault && class.Value == corev1helpers.PodPriority(pod)
	}) {
		return ""
	}
	return name
}

// templateOf is the template of the ReplicaSet, StatefulSet or ReplicationController that created the pod; nil where that
// was not read, or the pod is of another controller.
func templateOf(l plugins.Listers, pod *corev1.Pod) *corev1.PodSpec {
	by := metav1.GetControllerOfNoCopy(pod)
	if by == nil {
		return nil
	}
	switch by.Kind {
	case "ReplicaSet":
		if set, err := l.ReplicaSets.ReplicaSets(pod.Namespace).Get(by.Name); err == nil && set.UID == by.UID {
			return &set.Spec.Template.Spec
		}
	case "StatefulSet":
		if set, err := l.StatefulSets.StatefulSets(pod.Namespace).Get(by.Name); err == nil && set.UID == by.UID {
			return &set.Spec.Template.Spec
		}
	case "ReplicationController":
		if c, err := l.Controllers.ReplicationControllers(pod.Namespace).Get(by.Name); err == nil && c.UID == by.UID && c.Spec.Template != nil {
			return &c.Spec.Template.Spec
		}
	}
	return nil
}
