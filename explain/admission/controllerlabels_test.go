package admission

import (
	"cmp"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	appsv1rules "k8s.io/kubernetes/pkg/apis/apps/v1"
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
	indexed := batchv1.JobSpec{Template: template, ManualSelector: new(true), CompletionMode: new(batchv1.IndexedCompletion)}
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
		"indexed Job":                      {&batchv1.Job{ObjectMeta: meta, Spec: indexed}, map[string]string{"app": "web", batchv1.JobCompletionIndexAnnotation: "0"}},
		"indexed Job that has pods":        {&batchv1.Job{ObjectMeta: meta, Spec: indexed, Status: batchv1.JobStatus{Active: 1}}, template.Labels},
		"CronJob of indexed Jobs":          {&batchv1.CronJob{ObjectMeta: meta, Spec: batchv1.CronJobSpec{JobTemplate: batchv1.JobTemplateSpec{Spec: indexed}}}, map[string]string{"app": "web", batchv1.JobCompletionIndexAnnotation: "0"}},
		"Pod":                              {&corev1.Pod{ObjectMeta: metav1.ObjectMeta{Labels: template.Labels}}, template.Labels},
		"ReplicationController, no labels": {&corev1.ReplicationController{ObjectMeta: meta, Spec: corev1.ReplicationControllerSpec{Template: &corev1.PodTemplateSpec{}}}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			p, ok := PodOf(c.object, "shop")
			if !ok {
				t.Fatal("it asks for no pod")
			}
			if diff := gocmp.Diff(c.want, p.Pod.Labels); diff != "" {
				t.Error(diff)
			}
			if got, want := p.Pod.Annotations[batchv1.JobCompletionIndexAnnotation], c.want[batchv1.JobCompletionIndexAnnotation]; got != want {
				t.Errorf("the index in annotations is %q, want %q", got, want)
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

// A pod of a Deployment or StatefulSet that exists with the same template has the label of the pods that it has already.
func TestPodsOfARunningTemplateHaveItsLabel(t *testing.T) {
	template := func(image string, labels map[string]string) corev1.PodTemplateSpec {
		return corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: labels}, Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "c", Image: image}}}}
	}
	labels := map[string]string{"app": "web"}
	stored := func(image string) corev1.PodTemplateSpec { // with the defaults of kube-apiserver
		of := &appsv1.Deployment{Spec: appsv1.DeploymentSpec{Template: template(image, labels)}}
		appsv1rules.SetObjectDefaults_Deployment(of)
		return *of.Spec.Template.DeepCopy()
	}
	set := func(name, namespace, deployment, hash string, age int64, of corev1.PodTemplateSpec) *appsv1.ReplicaSet {
		hashed := map[string]string{"app": "web", appsv1.DefaultDeploymentUniqueLabelKey: hash}
		of.Labels = hashed
		made := &appsv1.ReplicaSet{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: namespace, Labels: hashed, CreationTimestamp: metav1.Unix(-age, 0)}, Spec: appsv1.ReplicaSetSpec{Template: of}}
		if deployment != "" {
			made.OwnerReferences = []metav1.OwnerReference{{APIVersion: "apps/v1", Kind: "Deployment", Name: deployment, Controller: new(true)}}
		}
		return made
	}
	for name, c := range map[string]struct {
		sets []*appsv1.ReplicaSet
		want string // "": that of no ReplicaSet
	}{
		"its ReplicaSet":        {[]*appsv1.ReplicaSet{set("web-old", "shop", "web", "old", 2, stored("i:0")), set("web-now", "shop", "web", "now", 1, stored("i:1"))}, "now"},
		"the oldest of two":     {[]*appsv1.ReplicaSet{set("web-2", "shop", "web", "h2", 1, stored("i:1")), set("web-1", "shop", "web", "h1", 2, stored("i:1"))}, "h1"},
		"another template":      {[]*appsv1.ReplicaSet{set("web-old", "shop", "web", "old", 2, stored("i:0"))}, ""},
		"of another Deployment": {[]*appsv1.ReplicaSet{set("api-1", "shop", "api", "h1", 2, stored("i:1"))}, ""},
		"of no Deployment":      {[]*appsv1.ReplicaSet{set("web-1", "shop", "", "h1", 2, stored("i:1"))}, ""},
		"in another namespace":  {[]*appsv1.ReplicaSet{set("web-1", "infra", "web", "h1", 2, stored("i:1"))}, ""},
		"without ReplicaSets":   {nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			p, _ := PodOf(&appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Name: "web"}, Spec: appsv1.DeploymentSpec{Template: template("i:1", labels)}}, "shop")
			computed := p.Pod.Labels[appsv1.DefaultDeploymentUniqueLabelKey]
			p.OfReplicaSet(c.sets, nil)
			if got, want := p.Pod.Labels[appsv1.DefaultDeploymentUniqueLabelKey], cmp.Or(c.want, computed); got != want {
				t.Errorf("got %q, want %q", got, want)
			}
		})
	}
	running := &appsv1.StatefulSet{ObjectMeta: metav1.ObjectMeta{Generation: 2}, Spec: appsv1.StatefulSetSpec{Template: stored("i:1")}, Status: appsv1.StatefulSetStatus{ObservedGeneration: 2, UpdateRevision: "web-7c"}}
	behind := running.DeepCopy()
	behind.Generation = 3
	for name, c := range map[string]struct {
		existing *appsv1.StatefulSet
		image    string
		want     string
	}{
		"the same template": {running, "i:1", "web-7c"},
		"another one":       {running, "i:2", "web-" + notCreated},
		"its controller has not seen the template": {behind, "i:1", "web-" + notCreated},
		"there is none": {nil, "i:1", "web-" + notCreated},
	} {
		t.Run("StatefulSet, "+name, func(t *testing.T) {
			p, _ := PodOf(&appsv1.StatefulSet{
				ObjectMeta: metav1.ObjectMeta{Name: "web"}, Spec: appsv1.StatefulSetSpec{Template: template(c.image, labels)},
				Status: appsv1.StatefulSetStatus{UpdateRevision: "of the manifest"},
			}, "shop")
			p.OfStatefulSet(c.existing, nil)
			if got := p.Pod.Labels[appsv1.ControllerRevisionHashLabelKey]; got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}
