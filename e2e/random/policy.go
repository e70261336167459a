package random

import (
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	nodev1 "k8s.io/api/node/v1"
	policyv1 "k8s.io/api/policy/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// urgent is the class of the pods that come late.
const urgent = "urgent"

// priorities are the classes by value. Those of "never" do not preempt.
var priorities = map[string]int32{"low": -5, "middle": 100, "high": 1000, "never": 500, urgent: 5000}

// addPolicy adds the PriorityClasses and the RuntimeClass, which all seeds
// share, and the namespaces: with different labels, with budgets that allow one
// pod to go or none, and one with a quota below what it is to hold.
func (c *Cluster) addPolicy() {
	for name, value := range priorities {
		c.addRank(name, value, name == "never")
		c.addRank(ending(name), value+1, name == "never")
	}
	c.addRank(ending(""), 1, false)
	c.others = append(c.others, &nodev1.RuntimeClass{
		ObjectMeta: metav1.ObjectMeta{Name: "sandboxed"},
		Handler:    "sandboxed",
		Overhead:   &nodev1.Overhead{PodFixed: amounts("cpu", "250m", "memory", "130Mi")},
	})
	for i, name := range c.namespaces {
		c.others = append(c.others,
			&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"team": fmt.Sprint(i)}}},
			budget(name, "app-1", 1), budget(name, "app-2", 1000))
	}
	c.others = append(c.others, &corev1.ResourceQuota{
		ObjectMeta: metav1.ObjectMeta{Namespace: c.namespaces[1], Name: "few"},
		Spec:       corev1.ResourceQuotaSpec{Hard: amounts("pods", "60")},
	})
}

// ending is the class of a pod that stays when it is deleted: just above its
// own. When the scheduler starts it comes upon such a pod, which it skips, before
// it tries any that would yield to it while it is in the queue.
func ending(class string) string { return strings.TrimPrefix(class+"-ending", "-") }

// addRank adds a PriorityClass.
func (c *Cluster) addRank(name string, value int32, never bool) {
	class := &schedulingv1.PriorityClass{ObjectMeta: metav1.ObjectMeta{Name: name}, Value: value}
	if never {
		class.PreemptionPolicy = new(corev1.PreemptNever)
	}
	c.others = append(c.others, class)
}

// budget keeps some pods of an app.
func budget(namespace, app string, available int32) *policyv1.PodDisruptionBudget {
	return &policyv1.PodDisruptionBudget{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: app},
		Spec: policyv1.PodDisruptionBudgetSpec{
			MinAvailable: new(intstr.FromInt32(available)),
			Selector:     &metav1.LabelSelector{MatchLabels: map[string]string{"app": app}},
		},
	}
}
