package cluster

import (
	"context"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	nodev1 "k8s.io/api/node/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes/fake"
)

// The pod that a controller creates is that of its template, as it is now, with what its classes
// say; a class that does not exist rejects it.
func TestThePodThatAControllerCreates(t *testing.T) {
	set := func(name, priority, runtime string) *appsv1.ReplicaSet {
		set := &appsv1.ReplicaSet{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: name, UID: types.UID(name)}}
		set.Spec.Template.Spec = corev1.PodSpec{
			PriorityClassName: priority, SecurityContext: &corev1.PodSecurityContext{RunAsNonRoot: new(true)}, Containers: []corev1.Container{{Name: "app"}},
		}
		if runtime != "" {
			set.Spec.Template.Spec.RuntimeClassName = &runtime
		}
		return set
	}
	asker := NewCachedReader(CachedReaderOptions{Client: fake.NewClientset(
		set("fine", "high", "kata"), set("no-class", "gone", ""), set("no-runtime", "", "gone"), set("plain", "", ""),
		&schedulingv1.PriorityClass{ObjectMeta: metav1.ObjectMeta{Name: "high"}, Value: 7}, &nodev1.RuntimeClass{ObjectMeta: metav1.ObjectMeta{Name: "kata"}},
	)})
	for name, want := range map[string]string{"fine": "", "plain": "", "no-class": "PriorityClass gone does not exist", "no-runtime": "RuntimeClass gone does not exist"} {
		by := &metav1.OwnerReference{APIVersion: "apps/v1", Kind: "ReplicaSet", Name: name, UID: types.UID(name)}
		pod, rejected, err := createdBy(asker)(context.Background(), "shop", by)
		if err != nil || pod == nil || pod.Namespace != "shop" || pod.Spec.SecurityContext.RunAsNonRoot == nil {
			t.Fatalf("%s: %+v, %v", name, pod, err)
		}
		got := ""
		for _, r := range rejected {
			got += r.Short
		}
		if got != want {
			t.Errorf("%s: rejected by %q, want %q", name, got, want)
		}
		if name == "fine" && *pod.Spec.Priority != 7 {
			t.Errorf("priority %d", *pod.Spec.Priority)
		}
	}
	for _, by := range []metav1.OwnerReference{
		{APIVersion: "apps/v1", Kind: "ReplicaSet", Name: "fine", UID: "another"},
		{APIVersion: "example.com/v1", Kind: "ReplicaSet", Name: "fine", UID: "fine"},
		{APIVersion: "v1", Kind: "Node", Name: "a", UID: "a"},
	} {
		if pod, _, err := createdBy(asker)(context.Background(), "shop", &by); pod != nil || err != nil {
			t.Errorf("%s %s of %s: %+v, %v", by.Kind, by.Name, by.APIVersion, pod, err)
		}
	}
}
