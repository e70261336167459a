package api

import (
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/kubernetes/pkg/controller"
)

// The hash of a template is in the names of pods: an empty map, or a quantity that
// was printed once, must not change it.
func TestATemplateIsHashedAsItComesBackFromEtcd(t *testing.T) {
	_, client := newTestStore(t)
	hash := func(name string, resources corev1.ResourceRequirements) string {
		made, err := client.AppsV1().Deployments("shop").Create(t.Context(), &appsv1.Deployment{
			ObjectMeta: metav1.ObjectMeta{Name: name},
			Spec: appsv1.DeploymentSpec{Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "x"}}, Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"app": "x"}},
				Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "app", Image: "app:1", Resources: resources}}},
			}},
		}, metav1.CreateOptions{})
		if err != nil {
			t.Fatal(err)
		}
		return controller.ComputeHash(&made.Spec.Template, nil)
	}
	plain := corev1.ResourceList{"cpu": resource.MustParse("500m")}
	printed := corev1.ResourceList{"cpu": *resource.NewMilliQuantity(500, resource.DecimalSI)}
	cpu := printed["cpu"]
	_ = cpu.String()
	printed["cpu"] = cpu
	one, other := hash("one", corev1.ResourceRequirements{Requests: plain}), hash("other", corev1.ResourceRequirements{Requests: printed, Limits: corev1.ResourceList{}})
	if one != other {
		t.Errorf("the same template has the hashes %s and %s", one, other)
	}
}

func TestANewClaimIsPending(t *testing.T) {
	_, client := newTestStore(t)
	claim, err := client.CoreV1().PersistentVolumeClaims("shop").Create(t.Context(), &corev1.PersistentVolumeClaim{
		ObjectMeta: metav1.ObjectMeta{Name: "data"},
		Spec: corev1.PersistentVolumeClaimSpec{
			AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce},
			Resources:   corev1.VolumeResourceRequirements{Requests: corev1.ResourceList{"storage": resource.MustParse("1Gi")}},
		},
	}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if claim.Status.Phase != corev1.ClaimPending {
		t.Errorf("it is %q", claim.Status.Phase)
	}
}
