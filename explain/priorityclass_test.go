package explain

import (
	"context"
	"errors"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// Only a template that was read and names no class shows where the class of its pods comes from.
func TestAPriorityIsCalledTheGlobalDefaultWhereTheTemplateNamesNoClass(t *testing.T) {
	const line = "requests cpu 1 · Burstable · priority 50000"
	for name, c := range map[string]struct {
		template string // the class that it names
		class    schedulingv1.PriorityClass
		unread   bool
		gone     bool // the ReplicaSet was not read
		want     string
	}{
		"the default":       {class: schedulingv1.PriorityClass{Value: 50000, GlobalDefault: true}, want: line + ", the global default (PriorityClass reporting) · ReplicaSet web"},
		"of the template":   {template: "reporting", class: schedulingv1.PriorityClass{Value: 50000, GlobalDefault: true}, want: line + " · ReplicaSet web"},
		"no default":        {class: schedulingv1.PriorityClass{Value: 50000}, want: line + " · ReplicaSet web"},
		"of another value":  {class: schedulingv1.PriorityClass{Value: 7, GlobalDefault: true}, want: line + " · ReplicaSet web"},
		"classes not read":  {class: schedulingv1.PriorityClass{Value: 50000, GlobalDefault: true}, unread: true, want: line + " · ReplicaSet web"},
		"template not read": {class: schedulingv1.PriorityClass{Value: 50000, GlobalDefault: true}, gone: true, want: line + " · ReplicaSet web"},
	} {
		t.Run(name, func(t *testing.T) {
			pod := aPod("web-1", "1", priority(50000), ownedBy("ReplicaSet", "web"))
			pod.Spec.PriorityClassName, pod.Status = "reporting", corev1.PodStatus{Phase: corev1.PodPending}
			set := &appsv1.ReplicaSet{ObjectMeta: metav1.ObjectMeta{Namespace: pod.Namespace, Name: "web", UID: "web"}}
			set.Spec.Template.Spec.PriorityClassName = c.template
			objects := []runtime.Object{aNode("a", "4")}
			if !c.gone {
				objects = append(objects, set)
			}
			c.class.Name = "reporting"
			options := Options{Lookups: Lookups{PriorityClasses: func(context.Context) ([]*schedulingv1.PriorityClass, error) {
				if c.unread {
					return nil, errors.New("forbidden")
				}
				return []*schedulingv1.PriorityClass{&c.class}, nil
			}}}
			r := mustExplain(t, startEngine(t, options, objects...), pod)
			same(t, r.Pod.Line(), c.want)
		})
	}
}
