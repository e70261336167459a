package admission

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// Pods have the labels by which their controller tells them from pods of another template or workload.
func TestPodsHaveTheLabelsOfTheirController(t *testing.T) {
	meta := metav1.ObjectMeta{Name: "web", Namespace: "shop", UID: "u1"}
	template := corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"app": "web"}}}
	given := *template.DeepCopy()
	given.Labels[appsv1.DefaultDeploymentUniqueLabelKey] = "5d8c9f7b6"
	job := func(name, uid string) map[string]string {
		return map[string]string{"app": "web", "job-name": name, "controller-uid": uid, batchv1.JobNameLabel: name, batchv1.ControllerUidLabel: uid}
	}
	for name, c := range map[string]struct {
		object runtime.Object
		want   map[string]string
	}{
		"ReplicaSet": {&appsv1.ReplicaSet{ObjectMeta: meta, Spec: appsv1.ReplicaSetSpec{Template: given}}, given.Labels},
		"StatefulSet": {
			&appsv1.StatefulSet{ObjectMeta: meta, Spec: appsv1.StatefulSetSpec{Template: template, Ordinals: &appsv1.StatefulSetOrdinals{Start: 3}}, Status: appsv1.StatefulSetStatus{UpdateRevision: "web-7c"}},
			map[string]string{"app": "web", appsv1.ControllerRevisionHashLabelKey: "web-7c", appsv1.PodIndexLabel: "3", appsv1.StatefulSetPodNameLabel: "web-3"},
		},
		"DaemonSet":                        {&appsv1.DaemonSet{ObjectMeta: meta, Spec: appsv1.DaemonSetSpec{Template: template}}, map[string]string{"app": "web", appsv1.ControllerRevisionHashLabelKey: notCreated}},
		"Job":                              {&batchv1.Job{ObjectMeta: meta, Spec: batchv1.JobSpec{Template: template}}, job("web", "u1")},
		"Job with a selector":              {&batchv1.Job{ObjectMeta: meta, Spec: batchv1.JobSpec{Template: template, ManualSelector: new(true)}}, template.Labels},
		"CronJob":                          {&batchv1.CronJob{ObjectMeta: meta, Spec: batchv1.CronJobSpec{JobTemplate: batchv1.JobTemplateSpec{Spec: batchv1.JobSpec{Template: template}}}}, job("web-not-created", notCreated)},
		"Pod":                              {&corev1.Pod{ObjectMeta: metav1.ObjectMeta{Labels: template.Labels}}, template.Labels},
		"ReplicationController, no labels": {&corev1.ReplicationController{ObjectMeta: meta, Spec: corev1.ReplicationControllerSpec{Template: &corev1.PodTemplateSpec{}}}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			p, ok := PodOf(c.object, "shop")
			if !ok {
				t.Fatal("it asks for no pod")
			}
			if diff := cmp.Diff(c.want, p.Pod.Labels); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// The hash of a Deployment's template is that of the Deployment controller, which another template does not have.
func TestAnotherTemplateHasAnotherHash(t *testing.T) {
	hash := func(image string) string {
		p, _ := PodOf(&appsv1.Deployment{Spec: appsv1.DeploymentSpec{Template: corev1.PodTemplateSpec{Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "c", Image: image}}}}}}, "shop")
		return p.Pod.Labels[appsv1.DefaultDeploymentUniqueLabelKey]
	}
	if a, again, b := hash("a:1"), hash("a:1"), hash("a:2"); a == "" || a != again || a == b {
		t.Errorf("got %q, again %q, of another template %q", a, again, b)
	}
}
